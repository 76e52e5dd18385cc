// The cost that each feature adds to a request which uses it and nothing else, by keys in turn on one gateway.
import { makeDice } from "../../selectors/dice.ts";
import { computeDifference, spread, writeDifference } from "../figures.ts";
import { inRounds, measureCost } from "../measure.ts";
import { addPaidKey, startGateway } from "../peers/gateways.ts";
import type { Started } from "../processes.ts";
import type { Finding } from "../report.ts";
import { type Ask, prepareAsk } from "./client.ts";
import { type Scenario, type Stage, writeBody } from "./stage.ts";

const CONNECTIONS = 32;
/** Of each feature: its first requests compile its code. */
const BEFORE = 4000;
const REQUESTS = 1000;
const ROUNDS = 8;
const SEED = 1;
const SCENARIO: Scenario = { speech: "openai", manner: "", chunks: null };
const NONE = "none";
const FREE = { requests_per_day: null };

interface Feature {
  readonly name: string;
  /** Fields of its key. */
  readonly fields?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly model?: string;
}

/** No limit or budget is ever reached. */
const FEATURES: readonly Feature[] = [
  { name: NONE },
  { name: "a limit of requests", fields: { requests_per_minute: 1_000_000 } },
  { name: "a budget", fields: { budgets: [{ usd: 900, per: "day" }] } },
  { name: "a hook that passes", fields: { hooks: ["guard"] } },
  {
    name: "an answer kept by the cache",
    headers: { "x-poundkey-cache": "on", "cache-control": "no-cache" },
  },
  { name: "tags", headers: { "x-poundkey-tags": "team=search,env=prod" } },
  { name: "an alias group", model: "group" },
  { name: "a selector", model: "Router#light", fields: { allowed_models: ["Local#m", "Other#m"] } },
];

/** Each request has a text of its own: a hook isn't asked twice about the same one. */
function makeAsks(
  { port }: Started,
  secret: string,
  { headers, model = "Local#m" }: Feature,
): (index: number) => Ask {
  const sent = { authorization: `Bearer ${secret}`, ...headers };
  const [head = "", ...rest] = writeBody(model, SCENARIO).split("committee");
  let turn = 0;
  return () => {
    const body = [`${head}committee ${++turn}`, ...rest].join("committee");
    return prepareAsk(port, "/v1/chat/completions", sent, body, { surface: "openai", chunks: null });
  };
}

export async function benchFeatures(stage: Stage): Promise<Finding> {
  const { size, upstreamPort } = stage;
  const hook = startHook();
  const more = [
    "  Other:",
    "    dialect: openai",
    `    base_url: "http://127.0.0.1:${upstreamPort}/v1"`,
    "    keys: [sim]",
    "    models: [{ name: m, context: 16000000, output: 8192, price: { input: 0.25, output: 2 } }]",
    "aliases: { group: [{ model: Local#m }, { model: Other#m }] }",
    `hooks: [{ name: guard, url: "http://127.0.0.1:${hook.port}", keys: [], at: [request] }]`,
  ];
  const gateway = await startGateway({ name: "features", more }, stage);
  const contenders = await Promise.all(
    FEATURES.map(async (feature, at) => {
      const secret = await addPaidKey(gateway, `feature-${at}`, { ...FREE, ...feature.fields });
      return { name: feature.name, asks: makeAsks(gateway, secret, feature) };
    }),
  );
  const load = { connections: CONNECTIONS, warmUp: size(REQUESTS / 5, 20), requests: size(REQUESTS, 40) };
  const once = async ({ asks }: (typeof contenders)[number], warmUp = load.warmUp) =>
    (await measureCost(gateway.pid, asks, { ...load, warmUp })).cpuMicros;
  for (const contender of contenders) await once(contender, size(BEFORE, 20));
  const rounds = size(ROUNDS, 1);
  const dice = makeDice(SEED);
  const found = await inRounds(contenders, rounds, (one) => once(one), dice);
  await gateway.stop();
  await hook.stop();
  const plain = found.get(NONE) ?? [];
  const rows = [...found].map(([name, costs]) => [
    name,
    spread(costs),
    name === NONE ? "" : writeDifference(computeDifference(costs, plain, dice)),
  ]);
  return {
    title: "Features",
    note: `Requests of keys that each use one feature, ${rounds} rounds of each in random order on one gateway, ${CONNECTIONS} at once, each request with a text of its own: medians (least–most), and differences of means with their 95 % interval. \`npm run bench -- --only features\`; traces and logs have a benchmark of their own.`,
    tables: [{ head: ["whole answers, 1 KB", "CPU per request, µs", "more than without, µs"], rows }],
    aims: [],
    bars: [],
  };
}

/** A hook that lets all texts pass. `stop` throws if it was never asked. */
function startHook() {
  let asked = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      await request.arrayBuffer();
      asked++;
      return Response.json({ action: "NONE" });
    },
  });
  return {
    port: server.port,
    stop: async () => {
      await server.stop();
      if (asked === 0) throw new Error("The hook was never asked.");
    },
  };
}
