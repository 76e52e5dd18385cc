// An upstream whose answers stop at a named place until released, so that a client can leave exactly there.
import type { IncomingMessage, ServerResponse } from "node:http";
import { isObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { readText, serveHttp } from "./serve.ts";

/** The text of every answer, which costs `GATED_USAGE`. */
export const GATED_PIECES = ["one two ", "three four ", "five six "] as const;
export const GATED_USAGE = { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 } as const;

type Part = string | typeof WAIT | typeof RESET | typeof CLOSE;
const WAIT = Symbol("wait");
const RESET = Symbol("reset");
const CLOSE = Symbol("close");

function event(fields: JsonObject): string {
  return `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "x", ...fields })}\n\n`;
}

function piece(content: string): string {
  return event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
}

const START = event({
  choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }],
});
const ONE = piece(GATED_PIECES[0]);
const TWO = piece(GATED_PIECES[1]);
const THREE = piece(GATED_PIECES[2]);
const FINISH = event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
const USAGE = event({ choices: [], usage: GATED_USAGE });
const DONE = "data: [DONE]\n\n";
const LOGPROBS = {
  content: [{ token: "y".repeat(400), logprob: -1, bytes: null, top_logprobs: [] }],
  refusal: null,
};
const FLOOD_PIECE = event({
  choices: [{ index: 0, delta: { content: "x".repeat(30_000) }, finish_reason: null }],
});

/** The parts of a streamed answer after its head, by the model's name. The calls of each model are numbered from 0. */
const STREAMS: Readonly<Record<string, (call: number) => Iterable<Part>>> = {
  calm: () => [START, ONE, TWO, THREE, FINISH, USAGE, DONE],
  headed: () => [WAIT, START, ONE, TWO, THREE, FINISH, USAGE, DONE],
  middle: () => [START, ONE, TWO, WAIT, THREE, FINISH, USAGE, DONE],
  last: () => [START, ONE, TWO, THREE, WAIT, FINISH, USAGE, DONE],
  counted: () => [START, ONE, TWO, THREE, FINISH, USAGE, WAIT, DONE],
  snaps: () => [START, ONE, TWO, WAIT, RESET],
  closes: () => [START, ONE, TWO, WAIT, CLOSE],
  /** The second of two calls breaks off. */
  uneven: (call) =>
    call % 2 === 0 ? [START, ONE, TWO, WAIT, FINISH, USAGE, DONE] : [START, ONE, WAIT, RESET],
  /** The first call sends only its head. */
  second: (call) => (call === 0 ? [WAIT, RESET] : [START, ONE, TWO, THREE, FINISH, USAGE, DONE]),
  wordy,
};

/** More than all buffers on the way can hold. */
export const FLOOD_PIECES = 2000;

function* flood(): Iterable<Part> {
  yield START;
  for (let at = 0; at < FLOOD_PIECES; at++) yield FLOOD_PIECE;
  yield* [FINISH, USAGE, DONE];
}

/** Little text with much around it. */
function* wordy(): Iterable<Part> {
  yield START;
  const said = event({
    choices: [{ index: 0, delta: { content: "y" }, finish_reason: null, logprobs: LOGPROBS }],
  });
  for (let at = 0; at < 5000; at++) yield said;
  yield* [FINISH, USAGE, DONE];
}

const REPLY = JSON.stringify({
  id: "x",
  object: "chat.completion",
  created: 1,
  model: "x",
  choices: [
    { index: 0, message: { role: "assistant", content: GATED_PIECES.join("") }, finish_reason: "stop" },
  ],
  usage: GATED_USAGE,
});

export interface GatedUpstream {
  /** The base URL of a server that speaks the OpenAI dialect. A further model, `mute`, waits for `release`. */
  readonly url: string;
  /** The bodies of all calls, oldest first. */
  readonly bodies: readonly JsonObject[];
  /** The number of calls that have stopped at their place. */
  readonly waiting: number;
  /** The number of running calls. */
  readonly open: number;
  /** The number of flood pieces that were read. */
  readonly flooded: number;
  /** Lets the waiting calls finish. */
  release(): void;
  stop(): Promise<void>;
}

/** A whole answer waits in its middle, unless its stream would not wait at all. */
function partsOf(model: string, streamed: boolean, call: number): Iterable<Part> {
  if (streamed) return STREAMS[model]?.(call) ?? [];
  if (model === "calm" || model === "mute") return [REPLY];
  return [REPLY.slice(0, 40), WAIT, REPLY.slice(40)];
}

/** Joins the parts between two waits, so that a client that has read one of them has read all. */
function joined(parts: Iterable<Part>): readonly Part[] {
  const together: Part[] = [];
  for (const part of parts) {
    const last = together.at(-1);
    if (typeof last === "string" && typeof part === "string") together[together.length - 1] = last + part;
    else together.push(part);
  }
  return together;
}

class Gate {
  readonly bodies: JsonObject[] = [];
  readonly waiting = new Set<() => void>();
  readonly #calls = new Map<string, number>();
  open = 0;
  flooded = 0;

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.open++;
    const gone = new Promise<void>((resolve) => response.once("close", resolve));
    void gone.then(() => this.open--);
    const given = parseJson(await readText(request));
    const body = isObject(given) ? given : {};
    this.bodies.push(body);
    const model = String(body.model);
    const call = this.#calls.get(model) ?? 0;
    this.#calls.set(model, call + 1);
    const streamed = body.stream === true;
    if (model === "mute") await this.#wait(gone);
    if (!response.writable) return;
    const type = streamed ? "text/event-stream" : "application/json";
    response.writeHead(200, { "content-type": type });
    for (const part of model === "flood" ? flood() : joined(partsOf(model, streamed, call))) {
      if (part === RESET) return void response.socket?.resetAndDestroy();
      if (part === CLOSE) return void response.socket?.end();
      if (part === WAIT) {
        response.flushHeaders();
        await this.#wait(gone);
      } else if (!response.write(part)) {
        await Promise.race([gone, new Promise((resolve) => response.once("drain", resolve))]);
      }
      if (!response.writable) return;
      if (part === FLOOD_PIECE) this.flooded++;
    }
    response.end();
  }

  async #wait(gone: Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.waiting.add(resolve);
    await Promise.race([promise, gone]);
    this.waiting.delete(resolve);
  }

  release(): void {
    for (const go of [...this.waiting]) go();
  }
}

export async function startGatedUpstream(): Promise<GatedUpstream> {
  const gate = new Gate();
  const { url, stop } = await serveHttp((request, response) => gate.serve(request, response));
  return {
    url,
    stop,
    bodies: gate.bodies,
    get waiting() {
      return gate.waiting.size;
    },
    get open() {
      return gate.open;
    },
    get flooded() {
      return gate.flooded;
    },
    release: () => gate.release(),
  };
}
