// The CPU of a tool's call above that of a bare proxy, and of a round of a response that calls tools by itself against what it
// takes a client that calls them.
import { loadavg } from "node:os";
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import { computeDifference, computeMedian, computeRatio, writeDifference, writeRatio } from "./figures.ts";
import { WholeConnection, writePost } from "./loads/whole.ts";
import { cpuMicros } from "./processes.ts";

/** As many as other benchmarks of CPU: a gateway with less to do at once takes more for each. */
const CONNECTIONS = 32;
const CALLS = Number(process.env.CALLS ?? 2000);
const RESPONSES = Number(process.env.RESPONSES ?? 64);
/** The calls of a response. */
const STEPS = 8;
const ROUNDS = Number(process.env.ROUNDS ?? 10);
/** The compiler has seen all of the code after some thousands of requests. */
const WARM_CALLS = Number(process.env.WARM ?? 12_000);
const WARM_RESPONSES = Number(process.env.WARM_RESPONSES ?? 1000);
const MODEL = "Own#sim-mini";
const WORDS = "a call with a few words in it";

export const describeLoad = () => `load ${loadavg()[0]?.toFixed(1)}`;
const log = (text: string) => process.stdout.write(`${text}\n`);

export interface Target {
  readonly port: number;
  readonly pid: number;
}

interface Sender extends Target {
  readonly secret: string;
}

type Work = (connection: WholeConnection) => Promise<void>;

/** A load on one process, of which so many pieces make a measurement. */
class Load {
  readonly #target: Target;
  readonly #work: Work;
  readonly #count: number;
  #connections: WholeConnection[] = [];

  constructor(target: Target, count: number, work: Work) {
    this.#target = target;
    this.#count = count;
    this.#work = work;
  }

  /** Returns the CPU of each piece of work, in microseconds. */
  async measure(): Promise<number> {
    const { port, pid } = this.#target;
    while (this.#connections.length < CONNECTIONS) this.#connections.push(await WholeConnection.open(port));
    const before = cpuMicros(pid);
    let begun = 0;
    const run = async (connection: WholeConnection) => {
      while (begun++ < this.#count) await this.#work(connection);
    };
    await Promise.all(this.#connections.map(run));
    return (cpuMicros(pid) - before) / this.#count;
  }

  async warm(times: number): Promise<void> {
    for (let done = 0; done < times; done += this.#count) await this.measure();
  }

  close(): void {
    for (const connection of this.#connections.splice(0)) connection.close();
  }
}

/** By turns, so that all meet the same noise. */
async function measureAll(loads: readonly Load[], warmings: number): Promise<readonly number[][]> {
  for (const load of loads) await load.warm(warmings);
  const results = loads.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, load] of loads.entries()) results[at]?.push(await load.measure());
  for (const load of loads) load.close();
  return results;
}

const EVENTS = { accept: "application/json, text/event-stream" };

function writeCall(name: string): string {
  const params = { name, arguments: { text: WORDS } };
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
}

function authorize({ secret }: Sender) {
  return { authorization: `Bearer ${secret}` };
}

function callTool(target: Target, headers: Readonly<Record<string, string>>, name: string): Work {
  const bytes = writePost(target.port, "/mcp", { ...headers, ...EVENTS }, writeCall(name));
  return async (connection) => {
    const text = await connection.ask(bytes);
    if (!text.includes(`echo: ${WORDS}`)) throw new Error(text.slice(0, 600));
  };
}

function chat(sender: Sender): Work {
  const body = JSON.stringify({ model: MODEL, messages: [{ role: "user", content: `say: ${WORDS}` }] });
  const bytes = writePost(sender.port, "/v1/chat/completions", authorize(sender), body);
  return async (connection) => void (await connection.ask(bytes));
}

/** The gateway and the proxy by turns; a whole answer of a model shows what else a request takes. */
export async function compareCalls(says: string, sender: Sender, floor: Target): Promise<void> {
  const [ours = [], bare = [], chats = []] = await measureAll(
    [
      new Load(sender, CALLS, callTool(sender, authorize(sender), "plain_echo")),
      new Load(floor, CALLS, callTool(floor, {}, "echo")),
      new Load(sender, CALLS, chat(sender)),
    ],
    WARM_CALLS,
  );
  const above = computeDifference(ours, bare, Math.random);
  const ofChat = writeRatio(computeRatio(ours, chats, Math.random));
  log(
    `${says}: ${writeDifference(above)} µs of CPU above a bare proxy's ${computeMedian(bare).toFixed(0)}, ` +
      `${ofChat} of a whole chat answer's, ${describeLoad()}`,
  );
}

const STEP = `call plain_echo(${JSON.stringify({ text: WORDS })})`;
/** A simulated model says a step after the results of the one before. */
const SCRIPT = [...Array.from({ length: STEPS }, () => STEP), "say: done"]
  .map((step, at) => `step ${at + 1}: ${step}`)
  .join(" ");
const ASKED: JsonObject = { type: "message", role: "user", content: SCRIPT };

async function respond(connection: WholeConnection, sender: Sender, body: JsonObject) {
  const bytes = writePost(
    sender.port,
    "/v1/responses",
    authorize(sender),
    JSON.stringify({ model: MODEL, store: false, ...body }),
  );
  const text = await connection.ask(bytes);
  return asArray(asObject(JSON.parse(text.slice(text.indexOf("\r\n\r\n")))).output).map(asObject);
}

/** The gateway makes the calls. */
function loop(sender: Sender): Work {
  const place = { server_label: "desk", server_url: "poundkey:plain", allowed_tools: ["echo"] };
  const ours = { type: "mcp", ...place, require_approval: "never" };
  return async (connection) => {
    const output = await respond(connection, sender, { input: [ASKED], tools: [ours] });
    const calls = output.filter(({ type, status }) => type === "mcp_call" && status === "completed");
    if (calls.length !== STEPS) throw new Error(JSON.stringify(output).slice(0, 600));
  };
}

/** The client makes the calls, and asks the model again with their results. */
function loopByClient(sender: Sender, schema: JsonObject): Work {
  const tools = [{ type: "function", name: "plain_echo", description: "Says the same.", parameters: schema }];
  const call = callTool(sender, authorize(sender), "plain_echo");
  return async (connection) => {
    const input: JsonObject[] = [ASKED];
    for (let step = 0; ; step++) {
      const output = await respond(connection, sender, { input, tools });
      const calls = output.filter(({ type }) => type === "function_call");
      if (calls.length === 0 && step === STEPS) return;
      if (calls.length !== 1) throw new Error(JSON.stringify(output).slice(0, 600));
      for (const { call_id } of calls) {
        await call(connection);
        input.push(...output, { type: "function_call_output", call_id, output: `echo: ${WORDS}` });
      }
    }
  };
}

/** A response of nine questions and eight calls, against as many requests of each kind by a client. */
export async function compareRounds(sender: Sender, schema: JsonObject): Promise<void> {
  const [loops = [], clients = []] = await measureAll(
    [new Load(sender, RESPONSES, loop(sender)), new Load(sender, RESPONSES, loopByClient(sender, schema))],
    WARM_RESPONSES,
  );
  log(
    `a response of ${STEPS + 1} questions and ${STEPS} calls: ${(computeMedian(loops) / 1000).toFixed(2)} ms of CPU, ` +
      `${writeRatio(computeRatio(loops, clients, Math.random))} of a client's that makes the calls itself, ${describeLoad()}`,
  );
}
