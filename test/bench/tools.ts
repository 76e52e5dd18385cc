// The costs of tool servers: `npm run bench:tools [STREAMS]`, in a process of the sources, or of the binary in POUNDKEY_BINARY. Prints the
// CPU of a call above that of a bare proxy and that of a response that calls tools, what a list of 10 servers × 200 tools takes, and the
// memory of listening streams.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import { PROGRAM } from "../harness/program.ts";
import { startVictim } from "../kill/process.ts";
import { type KillWorld, newKillWorld } from "../kill/world.ts";
import { Dice } from "../sim/dice.ts";
import { ToolServerFake } from "../simulator/tools/tool-server.ts";
import { until } from "../whole/world/until.ts";
import { computePercentile } from "./figures.ts";
import { cpuMicros, residentBytes, start } from "./processes.ts";
import { compareCalls, compareRounds, describeLoad } from "./tool-costs.ts";

const STREAMS = Number(process.argv[2] ?? 1000);
const SERVERS = 10;
const TOOLS = 200;
const KEYS = 50;
const LISTS = 1000;
const FIRST = 50;
const ADMIN = "admin-token-of-the-tests";

const log = (text: string) => process.stdout.write(`${text}\n`);

/** Answers calls as JSON, as a server without sessions does. */
const plain = new ToolServerFake({ era: "older", answers: "json" });
const many = Array.from({ length: SERVERS }, (_, at) => {
  const fake = new ToolServerFake({ era: "newer" });
  fake.tools = Array.from({ length: TOOLS }, (_, number) => makeTool(`tool_${at}_${number}`));
  return fake;
});

function makeTool(name: string): JsonObject {
  const field = (description: string) => ({ type: "string", description });
  const properties = {
    repository: field("The owner and the name of the repository."),
    query: field("Words, or a quoted phrase, that the results have to contain."),
    page: { type: "integer", minimum: 1, description: "The page, from 1." },
  };
  const inputSchema = { type: "object", properties, required: ["repository", "query"] };
  return { name, description: `Searches what ${name} knows of a repository.`, inputSchema };
}

function configure({ directory }: KillWorld): void {
  const rows = many.map(({ url }, at) => `many${at}: { url: "${url}" }`);
  const servers = [`plain: { url: "${plain.url}", price_per_call: 0.002, parallel: 1000 }`, ...rows].join(
    ", ",
  );
  const mcp = `mcp: { allowed_tools: ["*"], streams: 100000, servers: { ${servers} } }\n`;
  appendFileSync(join(directory, "poundkey.yaml"), mcp);
}

const world = await newKillWorld();
configure(world);
const victim = startVictim(PROGRAM, world.directory);
const url = await victim.listens;
await until("it is ready", async () => (await fetch(`${url}/readyz`)).ok);
const floor = await start({
  command: [process.execPath, join(import.meta.dir, "loads", "floor.ts")],
  directory: world.directory,
  env: { FLOOR_UPSTREAM: plain.url },
});

async function operate(path: string, method: string, body: object): Promise<JsonObject> {
  const headers = { authorization: `Bearer ${ADMIN}`, "content-type": "application/json" };
  const response = await fetch(`${url}/admin/v1${path}`, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return asObject(await response.json());
}

async function post(address: string, secret: string, message: JsonObject): Promise<string> {
  const response = await fetch(address, {
    method: "POST",
    headers: {
      authorization: `Bearer ${secret}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${address}: ${response.status} ${text.slice(0, 300)}`);
  return text;
}

/** Each key may use another part of the tools. */
async function makeKeys(): Promise<readonly string[]> {
  const dice = new Dice(1);
  const secrets: string[] = [];
  for (let at = 0; at < KEYS; at++) {
    const left = Array.from(
      { length: 5 },
      () => `!many${dice.int(0, SERVERS - 1)}_tool_*_${dice.int(0, 19)}*`,
    );
    const fields = { name: `lister ${at}`, requests_per_day: null, allowed_tools: ["many*", ...left] };
    secrets.push(String((await operate("/keys", "POST", fields)).secret));
  }
  return secrets;
}

async function measureLists(): Promise<void> {
  const secrets = await makeKeys();
  const list = async (secret: string) => post(`${url}/mcp`, secret, { method: "tools/list" });
  for (const secret of secrets) await list(secret);
  const times: number[] = [];
  let bytes = 0;
  const before = cpuMicros(victim.pid);
  for (let at = 0; at < LISTS; at++) {
    const startedMs = performance.now();
    const text = await list(secrets[at % KEYS] ?? "");
    times.push(performance.now() - startedMs);
    bytes = Math.max(bytes, text.length);
  }
  const cpu = (cpuMicros(victim.pid) - before) / LISTS / 1000;
  const shown = asArray(asObject(asObject(JSON.parse(await list(secrets[0] ?? ""))).result).tools).length;
  const [middle, high] = [0.5, 0.99].map((share) => computePercentile(times, share).toFixed(1));
  log(
    `a warm list of ${SERVERS} × ${TOOLS} tools (${shown} for the first of ${KEYS} keys, ${(bytes / 1e6).toFixed(2)} MB): p50 ${middle} ms, ` +
      `p99 ${high} ms, ${cpu.toFixed(1)} ms of CPU, ${describeLoad()}`,
  );
}

/** Counts what arrives on a stream of its own connection. */
class Listener {
  changes = 0;
  isOpen = false;
  #socket: { end(): void } | null = null;

  async open(secret: string): Promise<void> {
    const begin = { method: "initialize", params: { protocolVersion: "2025-11-25" } };
    const response = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...begin }),
    });
    await response.text();
    const session = response.headers.get("mcp-session-id");
    const { hostname, port } = new URL(url);
    const head = `GET /mcp HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${secret}\r\naccept: text/event-stream\r\n`;
    this.#socket = await Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        open: (socket) => void socket.write(`${head}mcp-session-id: ${session}\r\n\r\n`),
        data: (_socket, bytes) => {
          const text = bytes.toString();
          if (text.includes(" 200 ")) this.isOpen = true;
          this.changes += text.split("tools/list_changed").length - 1;
        },
      },
    });
    await until("the stream is open", () => this.isOpen);
  }

  close(): void {
    this.#socket?.end();
  }
}

async function measureStreams(secret: string): Promise<void> {
  const listeners = Array.from({ length: STREAMS }, () => new Listener());
  // The first ones cost what all share.
  for (const listener of listeners.slice(0, FIRST)) await listener.open(secret);
  const before = residentBytes(victim.pid);
  for (let at = FIRST; at < STREAMS; at += 50)
    await Promise.all(listeners.slice(at, at + 50).map((listener) => listener.open(secret)));
  const megabytes = ((residentBytes(victim.pid) - before) / 1e6 / (STREAMS - FIRST)) * STREAMS;
  const [first] = many;
  await until("the gateway listens at the server", () => (first?.openStreams ?? 0) > 0);
  const startedMs = performance.now();
  first?.change([...first.tools, makeTool("one_more")]);
  await until("somebody hears of it", () => listeners.some(({ changes }) => changes > 0));
  const firstMs = performance.now();
  await until("all have heard of it", () => listeners.every(({ changes }) => changes > 0));
  const spreadMs = performance.now() - firstMs;
  log(
    `${STREAMS} sessions with open streams: ${megabytes.toFixed(1)} MB; a change reaches the first after ` +
      `${(firstMs - startedMs).toFixed(0)} ms and the last ${spreadMs.toFixed(0)} ms later, ${describeLoad()}`,
  );
  for (const listener of listeners) listener.close();
}

await operate(`/keys/${world.keyIds.free}`, "PATCH", { requests_per_minute: 1_000_000 });
const { free, payer } = world.secrets;
const gateway = { pid: victim.pid, port: Number(new URL(url).port) };
await compareCalls(
  "a call that nobody pays, with a limit of the minute and its row",
  { ...gateway, secret: free },
  floor,
);
await compareCalls("a call that the balance pays", { ...gateway, secret: payer }, floor);
await compareRounds({ ...gateway, secret: free }, asObject(makeTool("echo").inputSchema));
await measureStreams(world.secrets.free);
await measureLists();
victim.signal("SIGTERM");
await victim.exited;
await floor.stop();
await world.stop({ keep: false });
await Promise.all([plain, ...many].map((fake) => fake.stop()));
