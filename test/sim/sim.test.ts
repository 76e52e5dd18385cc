// Bad days of the gateway core in virtual time, audited. `SIM_SEED=n` replays one, `SIM_DAYS=n` runs more.
import { beforeAll, describe, expect, test } from "bun:test";
import { IS_LONG } from "../harness/long.ts";
import { auditDay, type Counts, type Finding } from "./audit.ts";
import { liveThrough } from "./day.ts";

/** The short form has days of every kind. */
const FIRST = Number(process.env.SIM_SEED ?? (IS_LONG ? 1 : 151));
const DAYS_USUAL = IS_LONG ? 1000 : 150;
const DAYS = Number(process.env.SIM_DAYS ?? (process.env.SIM_SEED === undefined ? DAYS_USUAL : 1));
const DAYS_PER_TEST = 50;
const TIMEOUT_MS = 600_000;
/** A few are enough to read, since wrong days usually share one cause. */
const SHOWN_MAX = 3;

const total: Partial<Record<keyof Counts, number>> = {};

/** Returns the seeds of the days that went wrong, with the problems found. */
async function wrongDays(from: number, count: number): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (let seed = from; seed < from + count && wrong.length < SHOWN_MAX; seed++) {
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
  for (let done = 0; done < DAYS; done += DAYS_PER_TEST) {
    const from = FIRST + done;
    const count = Math.min(DAYS_PER_TEST, DAYS - done);
    test(
      `seeds ${from} to ${from + count - 1}`,
      async () => {
        const wrong = await wrongDays(from, count);
        for (const words of wrong) console.log(words);
        expect(wrong.map((words) => words.split("\n")[0])).toEqual([]);
      },
      TIMEOUT_MS,
    );
  }

  test.skipIf(DAYS < 50)("every kind of failure occurred", () => {
    console.log(`${DAYS} days: ${JSON.stringify(total)}`);
    expect(Object.entries(total).filter(([, count]) => count === 0)).toEqual([]);
  });
});

describe("a seed", () => {
  let stories: readonly string[];

  beforeAll(async () => {
    const one = await liveThrough(FIRST);
    const other = await liveThrough(FIRST);
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
