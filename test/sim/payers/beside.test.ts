// One payer's failing requests beside another's, on virtual time. `SIM_SEED=n` replays one seed, `SIM_SEEDS=n` runs more.
import { afterAll, describe, expect, test } from "bun:test";
import { IS_LONG } from "../../harness/long.ts";
import { type Fate, runBeside } from "./beside.ts";
import { isTroubled, makeBesideScenario } from "./scenario.ts";

const FIRST = Number(process.env.SIM_SEED ?? 1);
const SEEDS_USUAL = IS_LONG ? 300 : 12;
const SEEDS = Number(process.env.SIM_SEEDS ?? (process.env.SIM_SEED === undefined ? SEEDS_USUAL : 1));
const SEEDS_PER_TEST = 4;

let chosen = 0;
let otherwise = 0;

const show = ({ ask, end, model, costNanoUsd }: Fate) =>
  `${ask.name} at ${ask.atMs} on node ${ask.node}, ${ask.target}, ${ask.way}: ${end} by ${model} for ${costNanoUsd}`;

/** Returns what becomes otherwise of the first payer's requests with the second's beside them. */
async function findChanges(seed: number): Promise<readonly string[]> {
  const scenario = makeBesideScenario(seed);
  const alone = await runBeside(seed, scenario, false);
  const beside = await runBeside(seed, scenario, true);
  expect([alone.length, beside.length]).toEqual([scenario.first.length, scenario.first.length]);
  return alone.flatMap((before, at) => {
    const after = beside[at];
    if (after === undefined || isTroubled(scenario, before.ask)) return [];
    if (before.ask.target === "selector") chosen++;
    if (after.model !== before.model) otherwise++;
    const isSame = show(before) === show(after);
    return isSame ? [] : [`SIM_SEED=${seed}: ${show(before)}, beside the other: ${show(after)}`];
  });
}

describe("what one payer can make fail changes nothing for another", () => {
  for (let from = FIRST; from < FIRST + SEEDS; from += SEEDS_PER_TEST) {
    const count = Math.min(SEEDS_PER_TEST, FIRST + SEEDS - from);
    test(`seeds ${from} to ${from + count - 1}`, async () => {
      const changes: string[] = [];
      for (let seed = from; seed < from + count; seed++) changes.push(...(await findChanges(seed)));
      expect(changes).toEqual([]);
    });
  }

  afterAll(() =>
    console.log(`${otherwise} models differ, of ${chosen} choices of a selector and of all others`),
  );
});
