// Bad days of the gateway core in virtual time, audited. `SIM_SEED=n` replays one, `SIM_DAYS=n` runs more.
import { beforeAll, describe, expect, test } from "bun:test";
import { IS_LONG } from "../harness/long.ts";
import { auditDay, type Counts, type Finding } from "./audit.ts";
import { liveThrough } from "./day.ts";

const { SIM_SEED, SIM_DAYS } = process.env;
const isShort = !IS_LONG && SIM_SEED === undefined && SIM_DAYS === undefined;
/** Three of them show planted faults that no other day of the short form does, and the last has a cost above what was held. */
const RARE_DAYS = [225, 247, 260, 261];
/** The short form has days of every kind. */
const SEEDS = isShort
  ? [...listFrom(151, 46), ...RARE_DAYS]
  : listFrom(Number(SIM_SEED ?? 1), Number(SIM_DAYS ?? (SIM_SEED === undefined ? 1000 : 1)));
const DAYS_PER_TEST = 50;
const TIMEOUT_MS = 600_000;
/** A few are enough to read, since wrong days usually share one cause. */
const SHOWN_MAX = 3;

const total: Partial<Record<keyof Counts, number>> = {};

function listFrom(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => first + at);
}

/** Returns the seeds of the days that went wrong, with the problems found. */
async function wrongDays(seeds: readonly number[]): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const seed of seeds) {
    if (wrong.length === SHOWN_MAX) break;
    const { problems, counts } = await audited(seed);
    for (const name of namesOf(counts)) total[name] = (total[name] ?? 0) + counts[name];
    if (problems.length > 0) wrong.push(`SIM_SEED=${seed}: ${problems.slice(0, SHOWN_MAX).join("\n")}`);
  }
  return wrong;
}

/** A day that never ends counts as wrong. */
async function audited(seed: number): Promise<Pick<Finding, "problems" | "counts">> {
  try {
    return await auditDay(seed);
  } catch (error) {
    const none = {
      requests: 0,
      calls: 0,
      answered: 0,
      paid: 0,
      replayed: 0,
      lost: 0,
      overruns: 0,
      storeFaults: 0,
    };
    return { problems: [String(error)], counts: none };
  }
}

function namesOf(counts: Counts): readonly (keyof Counts)[] {
  return ["requests", "calls", "answered", "paid", "replayed", "lost", "overruns", "storeFaults"].filter(
    (name): name is keyof Counts => name in counts,
  );
}

describe("simulated days end with no holds left, books that match the providers' counts, and each answer billed once", () => {
  for (let done = 0; done < SEEDS.length; done += DAYS_PER_TEST) {
    const seeds = SEEDS.slice(done, done + DAYS_PER_TEST);
    test(
      `seeds from ${seeds[0]} to ${seeds.at(-1)}`,
      async () => {
        const wrong = await wrongDays(seeds);
        for (const words of wrong) console.log(words);
        expect(wrong.map((words) => words.split("\n")[0])).toEqual([]);
      },
      TIMEOUT_MS,
    );
  }

  test.skipIf(SEEDS.length < 50)("every kind of failure occurred", () => {
    console.log(`${SEEDS.length} days: ${JSON.stringify(total)}`);
    expect(Object.entries(total).filter(([, count]) => count === 0)).toEqual([]);
  });
});

describe("a seed", () => {
  let stories: readonly string[];

  beforeAll(async () => {
    const [first = 1] = SEEDS;
    const one = await liveThrough(first);
    const other = await liveThrough(first);
    stories = [one, other].map(({ story }) => withoutNames(story));
    one.dispose();
    other.dispose();
  });

  test("reproduces the same day", () => {
    expect(stories[1]).toBe(stories[0] ?? "");
  });
});

/** The names of nodes are drawn outside the simulation. */
function withoutNames(story: readonly string[]): string {
  const names = new Map<string, string>();
  return story.join("\n").replace(/node_\d+_[0-9a-f]+/g, (name) => {
    const known = names.get(name) ?? `node ${names.size + 1}`;
    names.set(name, known);
    return known;
  });
}
