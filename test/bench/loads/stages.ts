// The cost of each stage of a whole answer, by builds without one stage each: `npm run bench -- --stages`.
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Mutant, mutated } from "../../mutants/mutant.ts";
import { makeDice } from "../../selectors/dice.ts";
import { type Build, makeContender, type Running, startBuild } from "../builds.ts";
import { whole } from "../cpu.ts";
import { computeRatio, shown, writeRatio } from "../figures.ts";
import { inRounds, measureCost, warmedUp } from "../measure.ts";
import type { Finding } from "../report.ts";
import { buildGateway, type Contender, FLOOR, ROOT, type Stage } from "./stage.ts";

const ALL = "everything";
/** Not needed to build. */
const OTHER_FOLDERS = /\/(node_modules|\.git|dist|test)$/;
const ANSWER = JSON.stringify({
  id: "chatcmpl-bench",
  object: "chat.completion",
  created: 1_767_225_600,
  model: "m",
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        content: `received 9999999 bytes. ${"All is as it was. ".repeat(30)}`,
        refusal: null,
      },
      logprobs: null,
      finish_reason: "stop",
    },
  ],
  usage: { prompt_tokens: 200, completion_tokens: 110, total_tokens: 310 },
});
const RESPONSE = `new Response(${JSON.stringify(ANSWER)}, { headers: { "content-type": "application/json", "content-length": "${ANSWER.length}" } })`;
const GRANTED =
  '{ kind: "granted", place: { kind: "unlimited", owner: "k", day: "2026-11-22", places: 0, slots: 0 }, limits: { limit: 1000, remaining: 999, resetMs: 3600000 }, holdNanoUsd: 0, outputTokens: null }';
const SETTLED = '{ kind: "settled", chargedNanoUsd: 0, holdNanoUsd: 0, writtenOffNanoUsd: 0, late: false }';

/** Each replaces a stage by a constant, which saves more than a better stage could. */
export const STAGES: readonly Mutant[] = [
  {
    name: "the call to the provider",
    file: "src/app/world.ts",
    find: "export const upstreamFetch: Fetch = (url, init) =>",
    replace: `export const upstreamFetch: Fetch = async () => ${RESPONSE};\nexport const unusedFetch: Fetch = (url, init) =>`,
  },
  {
    name: "the store",
    file: "src/store/sqlite/batches.ts",
    find: "  add(demand: Demand): Promise<Answer> {\n",
    replace: `  add(demand: Demand): Promise<Answer> {\n    if (demand.kind === "admit") return Promise.resolve(${GRANTED} as never);\n    if (demand.kind === "settle") return Promise.resolve(${SETTLED} as never);\n`,
  },
  {
    name: "the store's rows, in its transactions",
    file: "src/store/sqlite/batches.ts",
    find: "    writeDecision(sql, decision, this.#cache);\n",
    replace: "    if (decision.movements.length > 0) writeDecision(sql, decision, this.#cache);\n",
  },
  {
    name: "log and metrics",
    file: "src/app/state.ts",
    find: "    metrics.count(event);\n    refusals.count(event);\n    tell(event);\n",
    replace: '    if (event.event !== "request") write(event);\n',
  },
  {
    name: "the key",
    file: "src/http/serve/auth.ts",
    find: "  const secret = findSecret(headers);\n",
    replace: `  const seen = globalThis as { caller?: Caller };
  if (seen.caller) return seen.caller;
  const secret = findSecret(headers);
  const first = ports.authenticate(secret, { address: "" });
  if (!(first instanceof Promise)) seen.caller = { key: first.key, proof: { rotation: first.rotation, address: "" } };
`,
  },
  {
    name: "the client's watch",
    file: "src/http/door/client-watch.ts",
    find: "    this.#signal.onabort = () => this.#leave();\n",
    replace: "",
  },
  {
    name: "the schema",
    file: "src/surfaces/openai-chat/read.ts",
    find: "  given = checkForms(given, seal);\n",
    replace: "",
  },
  {
    name: "the estimate",
    file: "src/operations/chat/estimate.ts",
    find: "  const sizes = measureSizes(request);\n  const context",
    replace: "  if (request) return 500;\n  const sizes = measureSizes(request);\n  const context",
  },
];

/** Builds all but that stage. */
async function buildWithout({ directory }: Stage, stage: Mutant, number: number): Promise<Build> {
  const sources = join(directory, `without-${number}`);
  cpSync(ROOT, sources, { recursive: true, filter: (path) => !OTHER_FOLDERS.test(path) });
  symlinkSync(join(ROOT, "node_modules"), join(sources, "node_modules"));
  const path = join(sources, stage.file);
  writeFileSync(path, mutated(readFileSync(path, "utf8"), stage));
  return { name: stage.name, binary: await buildGateway(sources, join(directory, `poundkey-${number}`)) };
}

export async function measureStages(stage: Stage, rounds: number, seed: number): Promise<Finding> {
  const random = makeDice(seed);
  const { scenario, connections } = whole;
  const running: Running[] = [await startBuild(stage, { name: ALL, binary: stage.binary })];
  for (const [number, one] of stage.size(STAGES, STAGES.slice(0, 1)).entries())
    running.push(await startBuild(stage, await buildWithout(stage, one, number)));
  const programs: readonly Contender[] = [
    ...stage.contenders(scenario).filter(({ name }) => name === FLOOR),
    ...running.map((one) => makeContender(one, scenario)),
  ];
  await warmedUp(programs, { connections, requests: stage.size(whole.before, 16) });
  const requests = stage.size(whole.requests, 16);
  const load = { connections, warmUp: Math.ceil(requests / 5), requests };
  const found = await inRounds(
    programs,
    rounds,
    async ({ pid, ask }) => {
      return (await measureCost(pid, () => ask, load)).cpuMicros;
    },
    random,
  );
  const all = found.get(ALL) ?? [];
  const mean = (micros: readonly number[]) => micros.reduce((sum, one) => sum + one, 0) / micros.length;
  const rows = [...found].map(([name, micros]) => {
    const isPart = name !== ALL && name !== FLOOR;
    return [
      isPart ? `without ${name}` : name,
      shown(mean(micros)),
      isPart ? shown(mean(all) - mean(micros)) : "",
      name === ALL ? "" : writeRatio(computeRatio(micros, all, random)),
    ];
  });
  return {
    title: "The stages of a whole answer",
    note: `${rounds} rounds, each of every program in random order (seed ${seed}). Each build has a constant in place of one stage: what it saves is what the stage costs, with what it does to the processor's caches.`,
    tables: [
      {
        head: [
          `${whole.title}, ${connections} at once`,
          "CPU per request, µs",
          "saved, µs",
          "times everything",
        ],
        rows,
      },
    ],
    aims: [],
    bars: [],
  };
}
