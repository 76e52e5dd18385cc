// The cost of a hit of the cache over that of the same request answered by a provider, in turn on one gateway.
import { makeDice } from "../../selectors/dice.ts";
import { computeRatio, spread, writeRatio } from "../figures.ts";
import { inRounds, measureCost, warmedUp } from "../measure.ts";
import type { Aim, Finding } from "../report.ts";
import { prepareAsk } from "./client.ts";
import { makeSecret } from "./seed.ts";
import { type Contender, type Scenario, type Stage, writeBody } from "./stage.ts";

const CONNECTIONS = 32;
const BEFORE = 16_000;
const REQUESTS = 3000;
const ROUNDS = 10;
const SEED = 1;
const RATIO_MAX = 0.6;
const ANSWERED = "answered";
const KEPT = "answered and kept";
const HIT = "hit";

const ON = { "x-poundkey-cache": "on" };
/** The headers of each request. Nothing is kept without the first one, and `no-cache` asks a provider again. */
const HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [ANSWERED]: {},
  [KEPT]: { ...ON, "cache-control": "no-cache" },
  [HIT]: ON,
};

interface Form {
  readonly title: string;
  readonly scenario: Scenario;
}

const FORMS: readonly Form[] = [
  { title: "whole answers, 1 KB", scenario: { speech: "openai", manner: "", chunks: null } },
];

export async function benchHits(stage: Stage): Promise<Finding> {
  const rounds = stage.size(ROUNDS, 1);
  const rows: string[][] = [];
  const aims: Aim[] = [];
  for (const { title, scenario } of FORMS) {
    const found = await measureForm(stage, scenario, rounds);
    for (const [name, costs] of found) {
      const ratio = computeRatio(costs, found.get(ANSWERED) ?? [], makeDice(SEED));
      rows.push([`${name}, ${title}`, spread(costs), name === ANSWERED ? "" : writeRatio(ratio)]);
      if (name !== HIT) continue;
      const what = `CPU of a hit over that of an answered request, ${title}`;
      aims.push({ what, measured: ratio.value, unit: "×", atMost: RATIO_MAX });
    }
  }
  return {
    title: "Hits of the cache",
    note: `${rounds} rounds of each in random order, ${CONNECTIONS} at once: medians (least–most), and ratios of sums with their 95 % interval.`,
    tables: [{ head: ["", "CPU per request, µs", "times an answered request"], rows }],
    aims,
    bars: [],
  };
}

async function measureForm(stage: Stage, scenario: Scenario, rounds: number) {
  const { size, gateway } = stage;
  const contenders = Object.entries(HEADERS).map(([name, headers]): Contender => {
    const { chunks } = scenario;
    const sent = { authorization: `Bearer ${makeSecret(0)}`, ...headers };
    const body = writeBody("Local#m", scenario);
    const ask = prepareAsk(gateway.port, "/v1/chat/completions", sent, body, { surface: "openai", chunks });
    return { name, pid: gateway.pid, ask };
  });
  const connections = CONNECTIONS;
  await warmedUp(contenders, { connections, requests: size(BEFORE, 40) });
  const load = { connections, warmUp: size(REQUESTS / 5, 20), requests: size(REQUESTS, 40) };
  return inRounds(
    contenders,
    rounds,
    async ({ pid, ask }) => (await measureCost(pid, () => ask, load)).cpuMicros,
    makeDice(SEED),
  );
}
