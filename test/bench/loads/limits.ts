// Measures four limits and three budgets: requests of a key with them, and of one without, in turn on one gateway.
import { makeDice } from "../../selectors/dice.ts";
import { computeRatio, spread, writeRatio } from "../figures.ts";
import { inRounds, measureCost, warmedUp } from "../measure.ts";
import { addPaidKey } from "../peers/gateways.ts";
import type { Finding } from "../report.ts";
import { askGateway, type Contender, type Scenario, type Stage } from "./stage.ts";

const CONNECTIONS = 32;
const BEFORE = 16_000;
const REQUESTS = 3000;
const ROUNDS = 20;
const SEED = 1;
const RATIO_MAX = 1.1;
const SCENARIO: Scenario = { speech: "openai", manner: "", chunks: null };

/** None of them is ever reached. */
const FIELDS: Readonly<Record<string, object>> = {
  free: {},
  limited: {
    requests_per_minute: 1_000_000,
    tokens_per_minute: 1_000_000_000,
    parallel: 10_000,
    spend_limit_usd: 900,
    budgets: [
      { usd: 900, per: "day" },
      { usd: 900, per: "week" },
      { usd: 900, per: "month", warn: [0.8, 1] },
    ],
  },
};

export async function benchLimits(stage: Stage): Promise<Finding> {
  const { gateway, size } = stage;
  const contenders: Contender[] = [];
  for (const [name, fields] of Object.entries(FIELDS)) {
    const secret = await addPaidKey(gateway, name, fields);
    contenders.push({ name, pid: gateway.pid, ask: askGateway(gateway.port, SCENARIO, undefined, secret) });
  }
  const rounds = size(ROUNDS, 1);
  await warmedUp(contenders, { connections: CONNECTIONS, requests: size(BEFORE, 40) });
  const load = { connections: CONNECTIONS, warmUp: size(REQUESTS / 5, 20), requests: size(REQUESTS, 40) };
  const dice = makeDice(SEED);
  const found = await inRounds(
    contenders,
    rounds,
    async ({ pid, ask }) => (await measureCost(pid, () => ask, load)).cpuMicros,
    dice,
  );
  const free = found.get("free") ?? [];
  const limited = found.get("limited") ?? [];
  const ratio = computeRatio(limited, free, dice);
  return {
    title: "Limits of a key",
    note: `${rounds} rounds of each in random order, ${CONNECTIONS} at once: medians (least–most), and the ratio of sums with its 95 % interval.`,
    tables: [
      {
        head: ["whole answers, 1 KB", "CPU per request, µs", "times without limits"],
        rows: [
          ["a key without limits", spread(free), ""],
          ["a key with four limits and three budgets", spread(limited), writeRatio(ratio)],
        ],
      },
    ],
    aims: [
      {
        what: "CPU of a request of a key with four limits and three budgets over one without",
        measured: ratio.value,
        unit: "×",
        atMost: RATIO_MAX,
      },
    ],
    bars: [],
  };
}
