// The times in which batches react: `npm run bench:batch-times [RUNS] [sqlite|postgres] [TAKEOVERS]`. Two nodes on one store; a cancel at the node
// that runs no line, a top-up, a node's own restart, and the takeover of a killed node's lines by the other. The restart follows a
// kill on SQLite, and a stop on PostgreSQL, where a killed node's lines are those of a dead one. Prints the longest and the median of
// the runs.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asArray, asObject } from "../../src/core/json/json.ts";
import { startSimulator } from "../simulator/server.ts";
import { type GatewayProcess, operate, startGatewayProcess } from "../store/nodes/gateway.ts";
import { startPostgres } from "../store/postgres/server.ts";
import { chatLine, createBatch, makeClients, until, waitForEnd } from "../whole/batches/batch-bench.ts";
import { computeMedian } from "./figures.ts";

const RUNS = Number(process.argv[2] ?? 50);
const ENGINE = process.argv[3] ?? "sqlite";
const TAKEOVERS = Number(process.argv[4] ?? RUNS);
const SLOW = "Acme#sim-mini~latency=600000";
const QUICK = "Acme#sim-mini";

const simulator = await startSimulator({ host: "127.0.0.1", port: 0 });
const server = ENGINE === "postgres" ? await startPostgres() : null;
const folder = mkdtempSync(join(tmpdir(), "poundkey-batch-times-"));
const store = server ? await server.newDatabase() : `sqlite:${join(folder, "poundkey.db")}`;
const priced = [QUICK, SLOW]
  .map(
    (id) =>
      `{ name: "${id.slice("Acme#".length)}", context: 9000, output: 99, price: { input: 1, output: 2 } }`,
  )
  .join(", ");
const more = `  Acme: { dialect: openai, keys: [k], base_url: "${simulator.url}/openai/v1", models: [${priced}] }
billing: { charge: always }
batches: { unfinished: 1000 }
server: { drain: 1s }`;
const start = () => startGatewayProcess({ store, simulatorUrl: simulator.url, more });

const nodes: [GatewayProcess, GatewayProcess] = [start(), start()];
const urls: [string, string] = [await nodes[0].url, await nodes[1].url];

async function openAccount(usd: number) {
  const { id } = await operate(urls[0], "/accounts", { name: "bench" });
  if (usd > 0) await operate(urls[0], `/accounts/${id}/topups`, { amount_usd: usd });
  const { secret } = await operate(urls[0], "/keys", {
    name: "k",
    account_id: String(id),
    requests_per_day: null,
  });
  return { id: String(id), secret: String(secret) };
}

async function countRunning(url: string, id: string): Promise<number> {
  return Number(asObject((await operate(url, `/batches/${id}`)).counts).running);
}

/** Returns the place of the node that runs lines of the batch. */
function findRunner(id: string): Promise<0 | 1> {
  return until(
    async () => [await countRunning(urls[0], id), await countRunning(urls[1], id)],
    ([one = 0, other = 0]) => one + other > 0,
  ).then(([one = 0]) => (one > 0 ? 0 : 1));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

async function repeat(name: string, runs: number, run: () => Promise<number>): Promise<void> {
  const times: number[] = [];
  for (let at = 0; at < runs; at++) times.push(await run());
  const seconds = (ms: number) => (ms / 1000).toFixed(2);
  process.stdout.write(
    `${name}, ${ENGINE}, ${runs} runs: at most ${seconds(Math.max(...times))} s, median ${seconds(computeMedian(times))} s\n`,
  );
}

await repeat("cancelled by the other node", RUNS, async () => {
  const { secret } = await openAccount(10);
  const made = await createBatch(makeClients(urls[0], secret).openai, [chatLine("a", "x", SLOW)]);
  const runner = await findRunner(made.id);
  const { openai } = makeClients(urls[1 - runner] ?? "", secret);
  return timed(async () => {
    await openai.batches.cancel(made.id);
    await waitForEnd(openai, made);
  });
});

await repeat("a top-up to the end of the line", RUNS, async () => {
  const { id, secret } = await openAccount(0);
  const { openai } = makeClients(urls[0], secret);
  const made = await createBatch(openai, [chatLine("a", "say: hi", QUICK)]);
  await until(
    () => openai.batches.retrieve(made.id),
    (batch) => asObject(batch).waiting !== null,
  );
  return timed(async () => {
    await operate(urls[1], `/accounts/${id}/topups`, { amount_usd: 1 });
    await waitForEnd(openai, made);
  });
});

async function restart(node: 0 | 1): Promise<void> {
  nodes[node] = start();
  urls[node] = await nodes[node].url;
}

/**
 * Ends the node that runs a batch's line, and returns the time until a line is under way again. `isAlone` if there is no
 * other node: then it is started again at once.
 */
async function endRunner(isAlone: boolean): Promise<number> {
  const { secret } = await openAccount(10);
  const made = await createBatch(makeClients(urls[0], secret).openai, [chatLine("a", "x", SLOW)]);
  const runner = isAlone ? 0 : await findRunner(made.id);
  if (isAlone)
    await until(
      () => countRunning(urls[0], made.id),
      (count) => count > 0,
    );
  const calls = () => simulator.calls.all().filter(({ model }) => model.includes("latency=600000")).length;
  process.kill(nodes[runner].pid, isAlone && server !== null ? "SIGTERM" : "SIGKILL");
  await nodes[runner].ended;
  const before = calls();
  const restarting = isAlone ? restart(runner) : null;
  const tookMs = await timed(() =>
    until(
      async () => calls(),
      (count) => count > before,
    ),
  );
  await (restarting ?? restart(runner));
  const { openai } = makeClients(urls[runner], secret);
  await openai.batches.cancel(made.id);
  await waitForEnd(openai, made);
  return tookMs;
}

await nodes[1].stop();
await repeat("an own restart to the next line", RUNS, () => endRunner(true));
await restart(1);
await repeat("a takeover to the next line", TAKEOVERS, () => endRunner(false));
const left = asArray((await operate(urls[0], "/batches?status=in_progress")).data);
if (left.length > 0) throw new Error(`${left.length} batches haven't ended.`);
for (const node of nodes) await node.stop();
await simulator.stop();
await server?.remove();
rmSync(folder, { recursive: true, force: true });
