// The sizes of batches: `npm run bench:batch-sizes [LINES] [BYTES] [WARMING]`, of the sources, or of the binary in POUNDKEY_BINARY. Uploads, validates, runs
// and downloads a batch of so many lines of so many bytes, each answered with twice as many, after so many single requests; sends one as
// large in Anthropic's form; and lists 1,000 batches.
import { once } from "node:events";
import { rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { asArray, asObject } from "../../src/core/json/json.ts";
import { log, PARALLEL, startBatchGateway, timed } from "./batch-gateway.ts";
import { computeMedian } from "./figures.ts";
import { cpuMicros } from "./processes.ts";

const LINES = Number(process.argv[2] ?? 100_000);
const BYTES = Number(process.argv[3] ?? 2000);
const WARMING = Number(process.argv[4] ?? 20_000);
const LISTED = 1000;
const LISTS = 20;

const gateway = await startBatchGateway(2 * BYTES);

/** Sends a body over a connection of its own, piece by piece. Returns the time from its last byte to the answer, and the status. */
async function sendAlone(path: string, headers: object, body: AsyncIterable<Uint8Array>, bytes: number) {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  const all = {
    host: hostname,
    ...gateway.headers,
    ...headers,
    "content-length": bytes,
    connection: "close",
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
  let last = Promise.resolve();
  for await (const piece of body) {
    await last;
    last = new Promise((resolve) => void socket.write(piece, () => resolve()));
  }
  await last;
  const sentMs = performance.now();
  const [first] = await once(socket, "data");
  const answeredMs = performance.now() - sentMs;
  const text = String(first);
  if (!/^HTTP\/1.1 20[01]/.test(text)) throw new Error(text);
  return { answeredMs, id: /"id":\s*"([^"]+)"/.exec(text)?.[1] ?? "" };
}

async function* readPieces(path: string, before: string, after: string) {
  yield new TextEncoder().encode(before);
  yield* Bun.file(path).stream();
  yield new TextEncoder().encode(after);
}

async function uploadAlone(path: string): Promise<string> {
  const mark = "a-part-of-the-form";
  const before = `--${mark}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--${mark}\r\ncontent-disposition: form-data; name="file"; filename="in.jsonl"\r\ncontent-type: application/jsonl\r\n\r\n`;
  const after = `\r\n--${mark}--\r\n`;
  const bytes = statSync(path).size + before.length + after.length;
  const headers = { "content-type": `multipart/form-data; boundary=${mark}` };
  const [ms, sent] = await timed(() =>
    sendAlone("/v1/files", headers, readPieces(path, before, after), bytes),
  );
  log(
    `upload of ${(bytes / 1e6).toFixed(0)} MB: ${(bytes / 1e3 / ms).toFixed(0)} MB/s, answered ${sent.answeredMs.toFixed(0)} ms after its last byte`,
  );
  return sent.id;
}

async function runLarge(path: string): Promise<void> {
  const memory = gateway.watchMemory();
  const file = await uploadAlone(path);
  memory.endPart("the upload");
  const [createMs, id] = await timed(() => gateway.createBatch(file));
  log(`creation: ${createMs.toFixed(0)} ms`);
  const before = cpuMicros(gateway.pid);
  const [validMs] = await timed(() => gateway.waitFor(id, "in_progress", "failed", "completed"));
  const cpuSeconds = (cpuMicros(gateway.pid) - before) / 1e6;
  log(
    `validation with its estimates: ${Math.round(LINES / (validMs / 1000))} lines a second, ${Math.round(LINES / cpuSeconds)} a second of CPU`,
  );
  memory.endPart("validation");
  const [runMs] = await timed(() => gateway.waitFor(id, "finalizing", "completed", "failed"));
  memory.endPart("lines");
  const batch = await gateway.waitFor(id, "completed", "failed");
  memory.endPart("the batch's end");
  log(`lines at parallel ${PARALLEL}: ${Math.round(LINES / (runMs / 1000))} a second`);
  const counts = asObject(batch.request_counts);
  if (counts.completed !== LINES) throw new Error(JSON.stringify(batch));
  const { headers } = gateway;
  const response = await fetch(`${gateway.url}/v1/files/${batch.output_file_id}/content`, { headers });
  let bytes = 0;
  for await (const part of response.body ?? []) bytes += part.length;
  log(`results: ${(bytes / 1e6).toFixed(0)} MB`);
  memory.endPart("the download");
  memory.end();
}

async function writeMessages(): Promise<string> {
  const path = `${gateway.directory}/messages.json`;
  const sink = Bun.file(path).writer();
  sink.write('{"requests":[');
  for (let at = 0; at < LINES; at++) {
    const messages = [{ role: "user", content: `${at} ${"x".repeat(Math.max(0, BYTES - 150))}` }];
    const params = { model: "Own#sim-mini", max_tokens: 20, messages };
    sink.write(`${at === 0 ? "" : ","}${JSON.stringify({ custom_id: `line-${at}`, params })}`);
    if (at % 1000 === 0) await sink.flush();
  }
  sink.write("]}");
  await sink.end();
  return path;
}

/** Sends a whole batch as one body, and cancels it. */
async function createLarge(path: string): Promise<void> {
  const bytes = statSync(path).size;
  const headers = { "content-type": "application/json", "anthropic-version": "2023-06-01" };
  const memory = gateway.watchMemory();
  const { answeredMs, id } = await sendAlone(
    "/v1/messages/batches",
    headers,
    readPieces(path, "", ""),
    bytes,
  );
  log(
    `creation of ${(bytes / 1e6).toFixed(0)} MB in one body: answered ${answeredMs.toFixed(0)} ms after its last byte`,
  );
  await gateway.ask(`/v1/messages/batches/${id}/cancel`, { method: "POST", headers });
  memory.end();
}

async function measureLists(): Promise<void> {
  const file = await gateway.upload(await gateway.writeInput(1, 200));
  let last = "";
  for (let at = 0; at < LISTED; at++) last = await gateway.createBatch(file);
  await gateway.waitFor(last, "completed");
  const headers = { "content-type": "application/json", "anthropic-version": "2023-06-01" };
  const messages = [{ role: "user", content: "x" }];
  const requests = [{ custom_id: "a", params: { model: "Own#sim-mini", max_tokens: 20, messages } }];
  for (let at = 0; at < LISTED; at++)
    await gateway.ask("/v1/messages/batches", {
      method: "POST",
      headers,
      body: JSON.stringify({ requests }),
    });
  await gateway.sendRequests(100);
  const pages: number[] = [];
  const whole: number[] = [];
  let cpu = 0;
  for (let at = 0; at < LISTS; at++) {
    pages.push((await timed(listInPages))[0]);
    const list = () => gateway.ask(`/v1/messages/batches?limit=${LISTED}`, { headers });
    const before = cpuMicros(gateway.pid);
    const [ms, { data }] = await timed(list);
    cpu += cpuMicros(gateway.pid) - before;
    if (asArray(data).length !== LISTED) throw new Error("The list is short.");
    whole.push(ms);
  }
  log(
    `a list of ${LISTED} batches: ${computeMedian(whole).toFixed(0)} ms in one page (${(cpu / 1000 / LISTS).toFixed(0)} ms of CPU), ${computeMedian(pages).toFixed(0)} ms in pages of 100`,
  );
}

async function listInPages(): Promise<void> {
  let after = "";
  for (let page = 0; page < LISTED / 100; page++) {
    const { data, last_id } = await gateway.ask(`/v1/batches?limit=100${after}`);
    if (asArray(data).length !== 100) throw new Error("The list is short.");
    after = `&after=${last_id}`;
  }
}

await gateway.sendRequests(WARMING, BYTES);
const input = await gateway.writeInput(LINES, BYTES);
await runLarge(input);
rmSync(input);
const messages = await writeMessages();
await createLarge(messages);
rmSync(messages);
await measureLists();
await gateway.stop();
