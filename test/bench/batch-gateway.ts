// A gateway as a process of its own, whose batches are measured: it is asked here, its input files are written, and its memory is
// watched.
import { join } from "node:path";
import { asObject, asString, type JsonObject } from "../../src/core/json/json.ts";
import { PROGRAM } from "../harness/program.ts";
import { startVictim } from "../kill/process.ts";
import { type KillWorld, newKillWorld } from "../kill/world.ts";
import { until } from "../whole/world/until.ts";
import { residentBytes } from "./processes.ts";

export const PARALLEL = 32;
const MODEL = "Own#sim-mini";
const WAIT_MS = 3_600_000;
const POLL_MS = 250;
const CONFIGURATION = [
  `batches: { parallel: ${PARALLEL}, per_account: ${PARALLEL}, lines: 1000000, max_bytes: 2GB, unfinished: 2000 }`,
  "files: { max_file: 2GB, max_bytes: 20GB, max_bytes_per_account: 8GB }",
];

export const log = (text: string) => process.stdout.write(`${text}\n`);

export async function timed<Result>(
  work: () => Promise<Result>,
): Promise<readonly [ms: number, result: Result]> {
  const before = performance.now();
  const result = await work();
  return [performance.now() - before, result];
}

export function writeBody(at: number, bytes: number): object {
  const text = `say: ${at} ${"x".repeat(Math.max(0, bytes - 150))}`;
  return { model: MODEL, max_tokens: 20, messages: [{ role: "user", content: text }] };
}

/** Asks rarely: each look costs the gateway as much as a line. */
async function poll<Found>(look: () => Promise<Found | null>): Promise<Found> {
  for (const endMs = performance.now() + WAIT_MS; performance.now() < endMs; await Bun.sleep(POLL_MS)) {
    const found = await look();
    if (found !== null) return found;
  }
  throw new Error(`It took more than ${WAIT_MS} ms.`);
}

/** Prints the most memory that the gateway had, above what it had before: of parts, and of all. */
interface MemoryWatch {
  endPart(name: string): void;
  end(): void;
}

/** A provider that does no more than answer, with a text of so many characters, after `waitMs`. */
function startProvider(characters: number) {
  const message = { role: "assistant", content: "y".repeat(characters) };
  const answer = JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message, finish_reason: "stop" }],
    usage: { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 },
  });
  const pace = { waitMs: 0 };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      await request.arrayBuffer();
      if (pace.waitMs > 0) await Bun.sleep(pace.waitMs);
      return new Response(answer, { headers: { "content-type": "application/json" } });
    },
  });
  return { pace, url: `http://127.0.0.1:${server.port}/v1`, stop: () => server.stop(true) };
}

/** Each answer of its provider is a text of so many characters. */
export async function startBatchGateway(characters: number): Promise<BatchGateway> {
  const world = await newKillWorld();
  const provider = startProvider(characters);
  const path = join(world.directory, "poundkey.yaml");
  const place = `base_url: "${provider.url}"`;
  const configuration = (await Bun.file(path).text()).replace(/base_url: "http:\S+"/, place);
  await Bun.write(path, `${configuration}${CONFIGURATION.join("\n")}\n`);
  const victim = startVictim(PROGRAM, world.directory);
  const url = await victim.listens;
  await until("it is ready", async () => (await fetch(`${url}/readyz`)).ok);
  const stop = async () => {
    victim.signal("SIGTERM");
    await victim.exited;
    await provider.stop();
    await world.stop({ keep: false });
  };
  return new BatchGateway({ url, pid: victim.pid, world, pace: provider.pace, stop });
}

interface GatewayParts {
  readonly url: string;
  readonly pid: number;
  readonly world: KillWorld;
  /** The provider's, which may be changed. */
  readonly pace: { waitMs: number };
  readonly stop: () => Promise<void>;
}

class BatchGateway {
  readonly url: string;
  readonly pid: number;
  readonly directory: string;
  readonly headers: { readonly authorization: string };
  readonly pace: { waitMs: number };
  readonly stop: () => Promise<void>;

  constructor({ url, pid, world, pace, stop }: GatewayParts) {
    this.url = url;
    this.pid = pid;
    this.directory = world.directory;
    this.headers = { authorization: `Bearer ${world.secrets.free}` };
    this.pace = pace;
    this.stop = stop;
  }

  async ask(path: string, init: RequestInit = {}): Promise<JsonObject> {
    const sent = { ...this.headers, ...asObject(init.headers) };
    const response = await fetch(`${this.url}${path}`, { ...init, headers: sent });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return asObject(await response.json());
  }

  async post(path: string, body: object): Promise<JsonObject> {
    const init = { method: "POST", body: JSON.stringify(body) };
    return this.ask(path, { ...init, headers: { "content-type": "application/json" } });
  }

  async upload(path: string): Promise<string> {
    const form = new FormData();
    form.set("purpose", "batch");
    form.set("file", Bun.file(path), "input.jsonl");
    return String((await this.ask("/v1/files", { method: "POST", body: form })).id);
  }

  async createBatch(input: string): Promise<string> {
    const endpoint = "/v1/chat/completions";
    const made = await this.post("/v1/batches", { input_file_id: input, endpoint, completion_window: "24h" });
    return String(made.id);
  }

  waitFor(id: string, ...statuses: readonly string[]): Promise<JsonObject> {
    return poll(async () => {
      const batch = await this.ask(`/v1/batches/${id}`);
      return statuses.includes(asString(batch.status) ?? "") ? batch : null;
    });
  }

  /** Writes a file of so many lines with bodies of so many bytes, and returns its path. */
  async writeInput(lines: number, bytes: number): Promise<string> {
    const path = join(this.directory, "input.jsonl");
    const sink = Bun.file(path).writer();
    for (let at = 0; at < lines; at++) {
      const url = "/v1/chat/completions";
      const line = { custom_id: `line-${at}`, method: "POST", url, body: writeBody(at, bytes) };
      sink.write(`${JSON.stringify(line)}\n`);
      if (at % 1000 === 0) await sink.flush();
    }
    await sink.end();
    return path;
  }

  async request(at: number): Promise<void> {
    await this.post("/v1/chat/completions", writeBody(at, 200));
  }

  async sendRequests(count: number, bytes = 200): Promise<void> {
    const left = Array.from({ length: count }, (_, at) => at).values();
    const work = async () => {
      for (const at of left) await this.post("/v1/chat/completions", writeBody(at, bytes));
    };
    await Promise.all(Array.from({ length: PARALLEL }, work));
  }

  /** Watches its memory from now on. */
  watchMemory(): MemoryWatch {
    const before = residentBytes(this.pid);
    const most = { ofAll: before, ofPart: before };
    const look = () => {
      const bytes = residentBytes(this.pid);
      most.ofAll = Math.max(most.ofAll, bytes);
      most.ofPart = Math.max(most.ofPart, bytes);
    };
    const timer = setInterval(look, 100);
    const show = (bytes: number) => `${((bytes - before) / 1e6).toFixed(0)} MB`;
    return {
      endPart(name) {
        look();
        log(`  memory of ${name}: ${show(most.ofPart)} more`);
        most.ofPart = 0;
      },
      end() {
        clearInterval(timer);
        log(`memory: ${show(most.ofAll)} more`);
      },
    };
  }
}
