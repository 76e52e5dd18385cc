// One payer's failing requests beside another's, on virtual time. `SIM_SEED=n` replays one seed, `SIM_SEEDS=n` runs more.
import { expect, test } from "bun:test";
import { IS_LONG } from "../harness/long.ts";
import { type Fate, isTroubled, makeBesideScenario, runBeside } from "./beside.ts";

const FIRST = Number(process.env.SIM_SEED ?? 1);
const SEEDS = Number(process.env.SIM_SEEDS ?? (process.env.SIM_SEED !== undefined ? 1 : IS_LONG ? 300 : 12));
const TIMEOUT_MS = 600_000;
const SHOWN_MAX = 5;

const show = ({ ask, end, model, costNanoUsd }: Fate) =>
  `${ask.name} at ${ask.atMs} on node ${ask.node}, ${ask.target}, ${ask.way}: ${end} by ${model} for ${costNanoUsd}`;

test(
  `what one payer can make fail changes nothing for another, ${SEEDS} seeds`,
  async () => {
    const wrong: string[] = [];
    let chosen = 0;
    let otherwise = 0;
    for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
      const scenario = makeBesideScenario(seed);
      const alone = await runBeside(seed, scenario, false);
      const beside = await runBeside(seed, scenario, true);
      expect(alone.length).toBe(scenario.first.length);
      for (const [at, before] of alone.entries()) {
        const after = beside[at];
        if (after === undefined || isTroubled(scenario, before.ask)) continue;
        if (before.ask.target === "selector") {
          chosen++;
          if (after.model !== before.model) otherwise++;
        }
        if (show(before) !== show(after))
          wrong.push(`SIM_SEED=${seed}: ${show(before)}\n  beside: ${show(after)}`);
      }
    }
    for (const words of wrong.slice(0, SHOWN_MAX)) console.log(words);
    console.log(`${otherwise} of ${chosen} choices of a selector differ`);
    expect(wrong.length).toBe(0);
  },
  TIMEOUT_MS,
);
