// An agent's conversation with a server that nobody knows: it is refused each thing once at most where that can be said in
// another way, loses nothing by it, and gets the server's own words where not.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { IS_LONG } from "../../harness/long.ts";
import { type Stranger, startStranger } from "../../simulator/stranger/server.ts";
import { listSeeds, type Seed, talk, writeProviders } from "./talk.ts";

/** As many models as one gateway gets at once. */
const TOGETHER = 50;
const SEEDS = listSeeds(IS_LONG ? 500 : 20);
const PATIENT_MS = 60_000;
const counts = { mended: 0, passedOn: 0 };
afterAll(() => console.log(`refusals of ${SEEDS.length} strangers`, counts));

function group(seeds: readonly Seed[]): readonly (readonly Seed[])[] {
  return Array.from({ length: Math.ceil(seeds.length / TOGETHER) }, (_, at) =>
    seeds.slice(at * TOGETHER, (at + 1) * TOGETHER),
  );
}

describe.each(group(SEEDS).map((seeds, at) => ({ at, seeds })))("strangers, group $at", ({ seeds }) => {
  let stranger: Stranger;
  let gateway: UnderTest;
  beforeAll(async () => {
    stranger = await startStranger();
    gateway = await startUnderTest({ more: writeProviders(stranger, seeds) });
  });
  afterAll(async () => {
    await gateway.stop();
    await stranger.stop();
  });

  test.each([...seeds])(
    "$model at $surface goes on after a few refusals of each kind, and loses nothing",
    async (seed) => {
      const { wrong, ...judged } = await talk(gateway, stranger, seed);
      counts.mended += judged.mended.length;
      counts.passedOn += judged.passedOn.length;
      expect(wrong).toEqual([]);
    },
    PATIENT_MS,
  );
});
