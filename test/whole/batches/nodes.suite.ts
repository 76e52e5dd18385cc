// Two nodes on one store: they share a batch's lines, either can cancel it, and a node that is killed is taken over.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { type Simulator, startSimulator } from "../../simulator/server.ts";
import { type GatewayProcess, operate, startGatewayProcess } from "../../store/nodes/gateway.ts";
import { chatLine, createBatch, makeClients, readLines, until, waitForEnd } from "./batch-bench.ts";

const PARALLEL = 4;
const LINES = 24;
/** More than a block of 128, which is one node's at a time: the other's lasts for seconds. */
const SHARED = 200;
const SLOW = "Local#sim~latency=400";
/** A silent node is given up after 15 s, and a busy machine takes its time. */
const LONG_MS = 120_000;

interface Pair {
  readonly nodes: readonly [GatewayProcess, GatewayProcess];
  readonly urls: readonly [string, string];
  readonly secret: string;
  stop(): Promise<void>;
}

async function startPair(simulator: Simulator, store: string): Promise<Pair> {
  const more = `batches: { parallel: ${PARALLEL} }`;
  const start = () => startGatewayProcess({ store, simulatorUrl: simulator.url, more });
  const nodes = [start(), start()] as const;
  const urls = [await nodes[0].url, await nodes[1].url] as const;
  const { secret } = await operate(urls[0], "/keys", { name: "k", requests_per_day: null });
  const stop = async () => {
    for (const { pid } of nodes) end(pid);
    await Promise.all(nodes.map(({ ended }) => ended));
  };
  return { nodes, urls, secret: String(secret), stop };
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

const makeLines = (count: number, model = SLOW) =>
  Array.from({ length: count }, (_, at) => chatLine(`l${at}`, `say: ${at}`, model));

/** The lines that a node runs at this moment. */
async function countRunning(url: string, id: string): Promise<number> {
  return Number(asObject((await operate(url, `/batches/${id}`)).counts).running);
}

async function listRows(url: string, id: string) {
  const { data } = await operate(url, `/requests?batch=${id}&limit=200`);
  return asArray(data).map(asObject);
}

let simulator: Simulator;
let pair: Pair;

function shareLines(): void {
  test(
    "share a batch, and its file and results are there on both",
    async () => {
      const [first, second] = pair.urls;
      const lines = makeLines(SHARED, "Local#sim~latency=1000");
      const made = await createBatch(makeClients(first, pair.secret).openai, lines);
      await until(
        async () => [await countRunning(first, made.id), await countRunning(second, made.id)],
        ([one = 0, other = 0]) => one > 0 && other > 0,
      );
      const { openai } = makeClients(second, pair.secret);
      const ended = await waitForEnd(openai, made);
      expect(ended).toMatchObject({
        status: "completed",
        request_counts: { total: SHARED, completed: SHARED },
      });
      const results = await readLines(openai, ended.output_file_id);
      expect(new Set(results.map(({ custom_id }) => custom_id)).size).toBe(SHARED);
      expect(
        await (await makeClients(first, pair.secret).openai.files.content(made.input_file_id)).text(),
      ).toBe(lines.map((line) => JSON.stringify(line)).join("\n"));
    },
    LONG_MS,
  );
}

function cancelElsewhere(): void {
  test(
    "a batch that runs on one is cancelled by the other",
    async () => {
      const [first, second] = pair.urls;
      const made = await createBatch(makeClients(first, pair.secret).openai, [
        chatLine("quick", "say: one", "Local#sim"),
        ...makeLines(2, "Local#sim~latency=600000"),
      ]);
      const counts = async () => [await countRunning(first, made.id), await countRunning(second, made.id)];
      await until(counts, ([one = 0, other = 0]) => one + other === 2);
      const [here = 0] = await counts();
      const other = makeClients(here > 0 ? second : first, pair.secret).openai;
      await until(
        () => other.batches.retrieve(made.id),
        ({ request_counts }) => request_counts?.completed === 1,
      );
      expect((await other.batches.cancel(made.id)).status).toBe("cancelling");
      const ended = await waitForEnd(other, made);
      expect(ended).toMatchObject({
        status: "cancelled",
        request_counts: { total: 3, completed: 1, failed: 2 },
      });
      const unanswered = await readLines(other, ended.error_file_id);
      expect(unanswered.map(({ error }) => error?.code)).toEqual(["batch_cancelled", "batch_cancelled"]);
    },
    LONG_MS,
  );
}

function takeOver(): void {
  test(
    "the lines of a node that is killed run on the other, each answered and charged once",
    async () => {
      const [first, second] = pair.urls;
      const made = await createBatch(makeClients(first, pair.secret).openai, makeLines(LINES));
      const counts = async () => [await countRunning(first, made.id), await countRunning(second, made.id)];
      const running = await until(counts, ([one = 0, other = 0]) => one + other > 0);
      const victim = (running[0] ?? 0) > 0 ? 0 : 1;
      const { openai } = makeClients(pair.urls[1 - victim] ?? "", pair.secret);
      await until(
        () => openai.batches.retrieve(made.id),
        ({ request_counts }) => (request_counts?.completed ?? 0) > 0,
      );
      process.kill(pair.nodes[victim]?.pid ?? 0, "SIGKILL");
      const ended = await waitForEnd(openai, made);
      expect(ended).toMatchObject({
        status: "completed",
        request_counts: { total: LINES, completed: LINES },
      });
      const results = await readLines(openai, ended.output_file_id);
      const said = results.map(
        ({ custom_id, response }) => `${custom_id} ${response?.body.choices?.[0]?.message.content}`,
      );
      expect(said).toEqual(Array.from({ length: LINES }, (_, at) => `l${at} ${at}`).sort());
      const rows = await listRows(pair.urls[1 - victim] ?? "", made.id);
      const answered = rows.filter(({ ended: how }) => how === "done").map(({ custom_id }) => custom_id);
      expect([answered.length, new Set(answered).size]).toEqual([LINES, LINES]);
      expect(rows.length).toBeLessThanOrEqual(LINES + PARALLEL);
    },
    LONG_MS,
  );
}

/** `newStore` returns an empty store. */
export function testNodes(newStore: () => Promise<string>): void {
  beforeAll(async () => {
    simulator = await startSimulator({ host: "127.0.0.1", port: 0 });
    pair = await startPair(simulator, await newStore());
  }, LONG_MS);
  afterAll(async () => {
    await pair?.stop();
    await simulator.stop();
  });
  for (const add of [shareLines, cancelElsewhere, takeOver]) add();
}
