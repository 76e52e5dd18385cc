// The costs of batches: `npm run bench:batches [LINES] [BYTES] [ROUND] [ROUNDS]`, of the sources, or of the binary in POUNDKEY_BINARY. Prints
// what a batch of so many lines of so many bytes takes in time and memory, what single requests and small batches notice of it, and
// what a line costs against a request, in rounds of so many. Without lines, it prints the last alone.
import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { asArray, asObject, asString, type JsonObject } from "../../src/core/json/json.ts";
import { PROGRAM } from "../harness/program.ts";
import { startVictim } from "../kill/process.ts";
import { newKillWorld } from "../kill/world.ts";
import { until } from "../whole/world/until.ts";
import { computeMedian, computePercentile, computeRatio, spread, writeRatio } from "./figures.ts";
import { cpuMicros, residentBytes } from "./processes.ts";

const LINES = Number(process.argv[2] ?? 20_000);
const BYTES = Number(process.argv[3] ?? 2000);
const PARALLEL = 32;
const SPEED_LINES = Number(process.argv[4] ?? 4000);
const ROUNDS = Number(process.argv[5] ?? 5);
const SINGLES = 400;
const LISTED = 1000;
const MODEL = "Own#sim-mini";
const WAIT_MS = 900_000;
const POLL_MS = 250;
const CONFIGURATION = [
  `batches: { parallel: ${PARALLEL}, per_account: ${PARALLEL}, lines: 1000000, max_bytes: 2GB, unfinished: 2000 }`,
  "files: { max_file: 2GB, max_bytes: 20GB, max_bytes_per_account: 8GB }",
];

const log = (text: string) => process.stdout.write(`${text}\n`);

const world = await newKillWorld();
appendFileSync(join(world.directory, "poundkey.yaml"), `${CONFIGURATION.join("\n")}\n`);
const victim = startVictim(PROGRAM, world.directory);
const url = await victim.listens;
const headers = { authorization: `Bearer ${world.secrets.free}` };
await until("it is ready", async () => (await fetch(`${url}/readyz`)).ok);

function writeBody(at: number, bytes: number): object {
  const text = `say: ${at} ${"x".repeat(Math.max(0, bytes - 150))}`;
  return { model: MODEL, max_tokens: 20, messages: [{ role: "user", content: text }] };
}

async function writeInput(lines: number, bytes: number): Promise<string> {
  const path = join(world.directory, "input.jsonl");
  const sink = Bun.file(path).writer();
  for (let at = 0; at < lines; at++) {
    const line = {
      custom_id: `line-${at}`,
      method: "POST",
      url: "/v1/chat/completions",
      body: writeBody(at, bytes),
    };
    sink.write(`${JSON.stringify(line)}\n`);
    if (at % 1000 === 0) await sink.flush();
  }
  await sink.end();
  return path;
}

async function ask(path: string, init: RequestInit = {}): Promise<JsonObject> {
  const response = await fetch(`${url}${path}`, {
    ...init,
    headers: { ...headers, ...asObject(init.headers) },
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return asObject(await response.json());
}

async function upload(path: string): Promise<string> {
  const form = new FormData();
  form.set("purpose", "batch");
  form.set("file", Bun.file(path), "input.jsonl");
  return String((await ask("/v1/files", { method: "POST", body: form })).id);
}

async function createBatch(input: string): Promise<string> {
  const body = { input_file_id: input, endpoint: "/v1/chat/completions", completion_window: "24h" };
  const init = {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  };
  return String((await ask("/v1/batches", init)).id);
}

function waitFor(id: string, ...statuses: readonly string[]): Promise<JsonObject> {
  const look = async () => {
    const batch = await ask(`/v1/batches/${id}`);
    return statuses.includes(asString(batch.status) ?? "") ? batch : null;
  };
  return poll(look, WAIT_MS);
}

/** Asks rarely: each look costs the gateway as much as a line. */
async function poll<Found>(look: () => Promise<Found | null>, withinMs: number): Promise<Found> {
  for (const endMs = performance.now() + withinMs; performance.now() < endMs; await Bun.sleep(POLL_MS)) {
    const found = await look();
    if (found !== null) return found;
  }
  throw new Error(`It took more than ${withinMs} ms.`);
}

async function timed<Result>(work: () => Promise<Result>): Promise<readonly [ms: number, result: Result]> {
  const before = performance.now();
  const result = await work();
  return [performance.now() - before, result];
}

/** The most memory that the gateway had meanwhile, above what it had before. */
async function watchMemory(work: () => Promise<void>): Promise<number> {
  const before = residentBytes(victim.pid);
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, residentBytes(victim.pid));
  }, 100);
  await work();
  clearInterval(timer);
  return (most - before) / 1e6;
}

async function request(at: number): Promise<void> {
  const init = { method: "POST", body: JSON.stringify(writeBody(at, 200)) };
  await ask("/v1/chat/completions", { ...init, headers: { "content-type": "application/json" } });
}

async function sendRequests(count: number): Promise<void> {
  const left = Array.from({ length: count }, (_, at) => at).values();
  const work = async () => {
    for (const at of left) await request(at);
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
}

async function measureSize(): Promise<void> {
  const path = await writeInput(LINES, BYTES);
  const megabytes = Bun.file(path).size / 1e6;
  const memory = await watchMemory(async () => {
    const [uploadMs, file] = await timed(() => upload(path));
    log(`upload of ${megabytes.toFixed(0)} MB: ${(megabytes / (uploadMs / 1000)).toFixed(0)} MB/s`);
    const [createMs, id] = await timed(() => createBatch(file));
    log(`creation: ${createMs.toFixed(0)} ms`);
    const before = cpuMicros(victim.pid);
    const [validMs] = await timed(() => waitFor(id, "in_progress", "failed", "completed"));
    const perCpu = LINES / ((cpuMicros(victim.pid) - before) / 1e6);
    const rate = LINES / (validMs / 1000);
    log(
      `validation with its estimates: ${Math.round(rate)} lines a second, ${Math.round(perCpu)} a second of CPU`,
    );
    const [runMs, batch] = await timed(() => waitFor(id, "completed", "failed"));
    log(`lines at parallel ${PARALLEL}: ${Math.round(LINES / (runMs / 1000))} a second`);
    const counts = asObject(batch.request_counts);
    if (counts.completed !== LINES) throw new Error(JSON.stringify(batch));
    const response = await fetch(`${url}/v1/files/${batch.output_file_id}/content`, { headers });
    let bytes = 0;
    for await (const part of response.body ?? []) bytes += part.length;
    log(`results: ${(bytes / 1e6).toFixed(0)} MB`);
  });
  log(`memory: ${memory.toFixed(0)} MB more`);
  rmSync(path);
}

interface LineCosts {
  /** CPU in microseconds, and milliseconds, of a line. */
  readonly running: Cost;
  /** The same with its part of the batch's validation, estimates and end. */
  readonly whole: Cost;
}

interface Cost {
  readonly cpu: number;
  readonly ms: number;
}

async function runLines(file: string): Promise<LineCosts> {
  const note = () => ({ cpu: cpuMicros(victim.pid), ms: performance.now() });
  const start = note();
  const id = await createBatch(file);
  const seen = await waitFor(id, "in_progress", "finalizing", "completed");
  const began = note();
  const { completed } = asObject(seen.request_counts);
  await waitFor(id, "completed");
  const end = note();
  const share = (from: Cost, lines: number) => ({
    cpu: (end.cpu - from.cpu) / lines,
    ms: (end.ms - from.ms) / lines,
  });
  return { running: share(began, SPEED_LINES - Number(completed)), whole: share(start, SPEED_LINES) };
}

/** Lines and whole requests by turns, so that both meet the same noise. */
async function compareSpeed(): Promise<void> {
  const file = await upload(await writeInput(SPEED_LINES, 200));
  const rounds: (LineCosts & { readonly request: Cost })[] = [];
  await sendRequests(SPEED_LINES);
  await runLines(file);
  for (let round = 0; round < ROUNDS; round++) {
    const before = cpuMicros(victim.pid);
    const [ms] = await timed(() => sendRequests(SPEED_LINES));
    const request = { cpu: (cpuMicros(victim.pid) - before) / SPEED_LINES, ms: ms / SPEED_LINES };
    rounds.push({ request, ...(await runLines(file)) });
  }
  type Round = (typeof rounds)[number];
  const share = (of: (round: Round) => number) => spread(rounds.map(of));
  const compare = (of: (round: Round) => number, other: (round: Round) => number) =>
    writeRatio(computeRatio(rounds.map(of), rounds.map(other), Math.random));
  log(`CPU of a whole request: ${share(({ request }) => request.cpu)} µs`);
  const ofRequest = ({ request }: Round) => request.cpu;
  log(`CPU of a line that runs, of a request's: ${compare(({ running }) => running.cpu, ofRequest)}`);
  log(`with its validation and estimate: ${compare(({ whole }) => whole.cpu, ofRequest)}`);
  log(
    `rate of lines, of requests' at the same parallelism: ${compare(
      ({ request }) => request.ms,
      ({ running }) => running.ms,
    )}`,
  );
}

async function measureSingles(): Promise<readonly number[]> {
  const times: number[] = [];
  for (let at = 0; at < SINGLES; at++) times.push((await timed(() => request(at)))[0]);
  return times;
}

async function measureFairness(): Promise<void> {
  const small = await upload(await writeInput(10, 200));
  await measureSingles();
  const idle = await measureSingles();
  const [aloneMs] = await timed(async () => waitFor(await createBatch(small), "completed"));
  const large = await createBatch(await upload(await writeInput(LINES, 200)));
  await waitFor(large, "in_progress");
  await Bun.sleep(1000);
  const busy = await measureSingles();
  const [besideMs] = await timed(async () => waitFor(await createBatch(small), "completed"));
  const { status } = await ask(`/v1/batches/${large}`);
  await ask(`/v1/batches/${large}/cancel`, { method: "POST" }).catch(() => {});
  await waitFor(large, "cancelled", "completed");
  const share = (of: (values: readonly number[]) => number) => (of(busy) / of(idle)).toFixed(2);
  const p99 = (values: readonly number[]) => computePercentile(values, 0.99);
  log(
    `single requests beside a batch (${status}): p50 ${share(computeMedian)} ×, p99 ${share(p99)} × those alone`,
  );
  log(`ten lines beside it: ${(besideMs / aloneMs).toFixed(2)} × the time of ten lines alone`);
}

async function measureList(): Promise<void> {
  const file = await upload(await writeInput(1, 200));
  let last = "";
  for (let at = 0; at < LISTED; at++) last = await createBatch(file);
  await waitFor(last, "completed");
  const times: number[] = [];
  for (let at = 0; at < 20; at++) {
    const [ms] = await timed(async () => {
      let after = "";
      for (let page = 0; page < LISTED / 100; page++) {
        const { data, last_id } = await ask(`/v1/batches?limit=100${after}`);
        if (asArray(data).length !== 100) throw new Error("The list is short.");
        after = `&after=${last_id}`;
      }
    });
    times.push(ms);
  }
  log(`a list of ${LISTED} batches, 100 a page: ${computeMedian(times).toFixed(0)} ms`);
}

await sendRequests(500);
if (LINES > 0) await measureSize();
await compareSpeed();
if (LINES > 0) await measureFairness();
if (LINES > 0) await measureList();
victim.signal("SIGTERM");
await victim.exited;
await world.stop({ keep: false });
