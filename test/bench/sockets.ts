// The costs of WebSockets, and what they save: `npm run bench:sockets [SOCKETS]`, in a process of the sources, or of the binary in
// POUNDKEY_BINARY. Prints the memory of an idle connection, the CPU of a turn against a streamed POST, and what fifty turns of a
// growing conversation take by either way.
import { appendFileSync } from "node:fs";
import { asArray, asObject, asString, type JsonObject } from "../../src/core/json/json.ts";
import { PROGRAM } from "../harness/program.ts";
import { SocketClient } from "../http/sockets/client.ts";
import { startVictim } from "../kill/process.ts";
import { type KillWorld, newKillWorld } from "../kill/world.ts";
import { until } from "../whole/world/until.ts";
import { computeMedian, spread } from "./figures.ts";
import { cpuMicros, residentBytes } from "./processes.ts";

const SOCKETS = Number(process.argv[2] ?? 1000);
const ROUNDS = Number(process.env.ROUNDS ?? 6);
const TURNS = 100;
const CONVERSATION = 50;
/** The turns by one way before as many by the other: both meet the same noise of a busy machine. */
const BLOCK = 5;
/** The characters that a turn adds to the conversation. */
const STEP_CHARACTERS = 4000;
const MODEL = "Own#sim-mini";

interface Target {
  readonly url: string;
  readonly pid: number;
  readonly secret: string;
}

/** A client that waits for frames rather than looking for them. */
class BenchSocket {
  readonly #socket: WebSocket;
  #first: (() => void) | null = null;
  #done: ((response: JsonObject) => void) | null = null;

  constructor({ url, secret }: Target) {
    const headers = { authorization: `Bearer ${secret}` };
    this.#socket = Reflect.construct(WebSocket, [`${url.replace("http", "ws")}/v1/responses`, { headers }]);
    this.#socket.onmessage = ({ data }) => {
      this.#first?.();
      this.#first = null;
      const frame = asObject(JSON.parse(String(data)));
      if (frame.type === "response.completed") this.#done?.(asObject(frame.response));
    };
  }

  async open(): Promise<this> {
    await until("the connection is open", () => this.#socket.readyState === WebSocket.OPEN);
    return this;
  }

  /** Returns the response, once it is whole. */
  create(body: object, onFirst: () => void = () => {}): Promise<JsonObject> {
    const { promise, resolve } = Promise.withResolvers<JsonObject>();
    this.#first = onFirst;
    this.#done = resolve;
    this.#socket.send(JSON.stringify({ type: "response.create", ...body }));
    return promise;
  }

  close(): void {
    this.#socket.close();
  }
}

const log = (text: string) => process.stdout.write(`${text}\n`);
const say = (text: string) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });
const outputOf = (frames: readonly JsonObject[]) => asObject(frames.at(-1)?.response);

async function post({ url, secret }: Target, body: object): Promise<readonly JsonObject[]> {
  const response = await fetch(`${url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ ...body, stream: true }),
  });
  const events: JsonObject[] = [];
  for (const [, data] of (await response.text()).matchAll(/^data: (\{.*)$/gm))
    events.push(asObject(JSON.parse(String(data))));
  return events;
}

async function measureCpu({ pid }: Target, work: () => Promise<unknown>): Promise<number> {
  const before = cpuMicros(pid);
  await work();
  return cpuMicros(pid) - before;
}

async function measureIdle({ url, pid, secret }: Target): Promise<void> {
  const sockets: SocketClient[] = [];
  const before = residentBytes(pid);
  while (sockets.length < SOCKETS) {
    const some = Array.from({ length: Math.min(50, SOCKETS - sockets.length) }, () =>
      new SocketClient(url, secret).open(),
    );
    sockets.push(...(await Promise.all(some)));
  }
  const kilobytes = (residentBytes(pid) - before) / 1000 / SOCKETS;
  log(`an idle connection, of ${SOCKETS}: ${kilobytes.toFixed(1)} kB`);
  for (const socket of sockets) socket.close();
}

type Turn = (turn: number) => Promise<void>;

/** Returns the CPU of turns by one way, of that by the other. */
async function comparePaired(target: Target, turns: number, one: Turn, other: Turn): Promise<number> {
  const run = async (way: Turn, from: number) => {
    for (let turn = from; turn < from + BLOCK; turn++) await way(turn);
  };
  let sum = 0;
  let ofOther = 0;
  for (let from = 0; from < turns; from += BLOCK) {
    sum += await measureCpu(target, () => run(one, from));
    ofOther += await measureCpu(target, () => run(other, from));
  }
  return sum / ofOther;
}

async function compareTurns(target: Target): Promise<void> {
  const client = await new BenchSocket(target).open();
  const body = { model: MODEL, input: "say: a short answer of a few words", store: false };
  const bySocket = async () => void (await client.create(body));
  const byPost = async () => void (await post(target, body));
  const compare = () => comparePaired(target, TURNS, bySocket, byPost);
  for (let warm = 0; warm < 3; warm++) await compare();
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round++) ratios.push(await compare());
  log(`CPU of a turn, of a streamed POST's: ${spread(ratios)}`);
  client.close();
}

/** Returns what a turn adds, most of it a tool's result as in an agent's session, or half of it the answer. */
function makeStep(turn: number, isEchoed: boolean): readonly object[] {
  if (isEchoed) return [say(`say: ok ${turn} ${"word ".repeat(STEP_CHARACTERS / 10)}`)];
  return [say("word ".repeat(STEP_CHARACTERS / 5)), say(`say: ok ${turn}`)];
}

/** A conversation that grows to 200 kB: the connection remembers it, by HTTP each request has all of it. */
async function compareConversations(target: Target, isEchoed: boolean): Promise<void> {
  const client = await new BenchSocket(target).open();
  const up = { socket: 0, post: 0 };
  const compare = () => {
    let previous = {};
    const input: unknown[] = [];
    const bySocket = async (turn: number) => {
      const body = { model: MODEL, ...previous, input: makeStep(turn, isEchoed), store: false };
      up.socket += JSON.stringify(body).length;
      previous = { previous_response_id: asString((await client.create(body)).id) };
    };
    const byPost = async (turn: number) => {
      input.push(...makeStep(turn, isEchoed));
      const body = { model: MODEL, input, store: false };
      up.post += JSON.stringify(body).length;
      input.push(...asArray(outputOf(await post(target, body)).output));
    };
    return comparePaired(target, CONVERSATION, bySocket, byPost);
  };
  await compare();
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round++) ratios.push(await compare());
  const what = `fifty turns up to 200 kB, ${isEchoed ? "half of it answers" : "most of it results"}, of HTTP's`;
  log(`${what}: bytes ${(up.socket / up.post).toFixed(3)}, CPU ${spread(ratios)}`);
  client.close();
}

/** Milliseconds from sending to the first frame or event. */
async function compareFirst(target: Target): Promise<void> {
  const client = await new BenchSocket(target).open();
  const body = { model: MODEL, input: "say: hi", store: false };
  const differences: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const socketMs = performance.now();
    let bySocket = 0;
    await client.create(body, () => {
      bySocket = performance.now() - socketMs;
    });
    const postMs = performance.now();
    const response = await fetch(`${target.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${target.secret}`, "content-type": "application/json" },
      body: JSON.stringify({ ...body, stream: true }),
    });
    const reader = response.body?.getReader();
    await reader?.read();
    differences.push(bySocket - (performance.now() - postMs));
    while ((await reader?.read())?.done === false);
  }
  log(`the first frame, after SSE's first event: ${computeMedian(differences).toFixed(2)} ms`);
  client.close();
}

function configure({ directory }: KillWorld): void {
  const bounds = "{ all: 100000, per_account: 100000, per_key: 100000 }";
  appendFileSync(`${directory}/poundkey.yaml`, `responses: { sockets: ${bounds} }\n`);
}

const world = await newKillWorld();
configure(world);
const victim = startVictim(PROGRAM, world.directory);
const target: Target = { url: await victim.listens, pid: victim.pid, secret: world.secrets.free };
await until("it is ready", async () => (await fetch(`${target.url}/readyz`)).ok);
await post(target, { model: MODEL, input: "say: hi", store: false });
await measureIdle(target);
await compareTurns(target);
await compareConversations(target, false);
await compareConversations(target, true);
await compareFirst(target);
victim.signal("SIGTERM");
await victim.exited;
await world.stop({ keep: false });
