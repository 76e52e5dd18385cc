// A short run in which the gateway is killed under load, and tests of the audit by breaking its rules.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { IS_LONG } from "../harness/long.ts";
import { PROGRAM } from "../harness/program.ts";
import type { SimCall } from "../simulator/calls.ts";
import { brokenPromises, type Row } from "./audit.ts";
import { Campaign, type CampaignSums } from "./campaign.ts";
import { BREAKS, foundAfter } from "./doctored.ts";
import type { Told } from "./load.ts";
import { PLANTS, planted } from "./plants.ts";
import type { Program } from "./process.ts";
import { RULES } from "./rules.ts";
import { type KillWorld, newKillWorld } from "./world.ts";

/** As many fill a store for the tests of the audit. The long form is `bun test/kill/run.ts`. */
const TIMES = 6;
const SEED = 20_261_120;
/** A planted bug is found within these: after two mostly, later on a machine that is too busy to answer much before a kill. */
const PLANTED_TIMES = 40;
/** A test starts and kills a dozen processes, which takes a busy machine a minute. */
const TEST_MS = 300_000;

interface Found {
  readonly problems: readonly string[];
  readonly judged: number;
  readonly sums: CampaignSums;
}

async function campaignOn(world: KillWorld, program: Program, times: number, goOn: boolean): Promise<Found> {
  const problems: string[] = [];
  let judged = 0;
  const campaign = new Campaign({
    program,
    world,
    times,
    seed: SEED,
    onJudged: (kills, found) => {
      problems.push(...found);
      judged += kills.length;
      return goOn || found.length === 0;
    },
  });
  const sums = await campaign.run();
  return { problems: [...problems, ...sums.endProblems], judged, sums };
}

describe("killed at random instants under load", () => {
  let world: KillWorld;
  let found: Found;

  beforeAll(async () => {
    world = await newKillWorld();
    found = await campaignOn(world, PROGRAM, TIMES, true);
  }, TEST_MS);
  afterAll(() => world.stop({ keep: false }));

  test("no answer is unbilled, no call unrecorded, no hold left, and the books balance", () => {
    expect({ seed: SEED, problems: found.problems }).toEqual({ seed: SEED, problems: [] });
    expect(found.judged).toBe(TIMES);
    expect(found.sums.answers).toBeGreaterThan(TIMES);
  });

  test("each audit rule has a test that breaks it", () => {
    const rules = ["integrity_check", "foreign_key_check", ...RULES.map(({ says }) => says)];
    expect(Object.keys(BREAKS).toSorted()).toEqual(rules.toSorted());
  });

  test.each(Object.entries(BREAKS))("the audit detects it: %s", (says, sql) => {
    expect(foundAfter(world.database, sql).filter((finding) => finding.includes(says))).toHaveLength(1);
  });
});

test.skipIf(!IS_LONG)(
  "a gateway that answers before it commits is caught",
  async () => {
    const [plant] = PLANTS;
    if (!plant) throw new Error("Nothing is planted.");
    const world = await newKillWorld();
    const { program, remove } = planted(plant);
    try {
      const { problems } = await campaignOn(world, program, PLANTED_TIMES, false);
      // The instant of the kill decides between the two.
      expect(problems.join("\n")).toMatch(
        /was answered, and its row does not say so|has no row|the provider saw/,
      );
    } finally {
      remove();
      await world.stop({ keep: false });
    }
  },
  TEST_MS,
);

describe("what clients and the provider saw, compared with the log", () => {
  const asking = { number: "r1-1", key: "payer", model: "quick", idempotent: true, words: 3 } as const;
  const told: Told = {
    asking,
    requestId: "r1-1.1-1",
    atMs: 1,
    endedAtMs: 2,
    isPaid: true,
    status: 200,
    answer: { id: "a", chargedNanoUsd: 7, replayed: false },
    wrong: null,
  };
  const row: Row = { id: "a", request_id: "r1-1.1-1", ended: "done", cost_nano: 7, charged_nano: 7 };
  const call: SimCall = {
    id: 1,
    dialect: "openai",
    method: "POST",
    path: "/v1/chat/completions",
    model: "sim-mini",
    headers: {},
    body: { messages: [{ role: "user", content: "r1-1 long 3" }] },
    bodyCharacters: 1,
    startedAt: 1,
    open: 1,
    ended: "finished",
    endedAt: 2,
  };
  const other: Row = { ...row, id: "b", request_id: "r1-1.1-2" };

  test("consistent records pass", () => {
    expect(brokenPromises([row], { told: [told], calls: [call] })).toEqual([]);
  });

  test.each<[string, readonly Row[], Partial<Told>, readonly SimCall[], string]>([
    ["no row", [], {}, [], "was answered and has no row"],
    ["a row that ended otherwise", [{ ...row, ended: "lost" }], {}, [], "does not say so"],
    ["a row of another completion", [{ ...row, id: "b" }], {}, [], "does not say so"],
    ["nothing was charged", [{ ...row, charged_nano: 0 }], {}, [], "does not say so"],
    ["a free one was charged", [row], { isPaid: false }, [], "does not say so"],
    [
      "told another price",
      [row],
      { answer: { id: "a", chargedNanoUsd: 8, replayed: false } },
      [],
      "does not say so",
    ],
    ["a call without a row", [], { answer: null }, [call], "the provider saw 1 × 'r1-1', recorded are 0"],
    ["a call of a refused one", [{ ...row, ended: "refused" }], { answer: null }, [call], "recorded are 0"],
    ["two calls, one row", [row], {}, [call, call], "the provider saw 2 × 'r1-1', recorded are 1"],
    ["billed twice", [row, other], {}, [], "billed 2 times"],
    ["a strange answer", [row], { wrong: "status 401" }, [], "was told: status 401"],
  ])("%s", (_, rows, fields, calls, says) => {
    const found = brokenPromises(rows, { told: [{ ...told, ...fields }], calls });
    expect(found.join("\n")).toContain(says);
  });
});
