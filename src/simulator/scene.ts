// The simulator's own vocabulary: what a dialect understood of a request, and what it is given to say in return.
import type { DialectName } from "../core/dialect.ts";
import type { JsonObject } from "../core/json.ts";
import type { Problem } from "./strict.ts";

/** A request as it came in. Header names are in lower case. */
export interface Incoming {
  readonly method: string;
  /** What follows the dialect's prefix, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: JsonObject;
}

/** A request as an observer sees it. */
export interface ObservedCall {
  /** `trap` is where redirects lead, `none` any path that is nobody's. */
  readonly dialect: DialectName | "trap" | "none";
  readonly method: string;
  /** What follows the dialect's prefix. */
  readonly path: string;
  /** As sent, controls included. */
  readonly model: string;
  readonly headers: Incoming["headers"];
  readonly bodyText: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
}

/** `aborted`: the client went before the end. `trouble`: the call ended as its trouble wanted. */
export type Ended = "finished" | "aborted" | "trouble";

/** The tests add their strictness and their curiosity here; the product sets none of them. */
export interface SimHooks {
  /** Throws a Rejection for what the real provider refuses. `model` is the name without controls. */
  readonly validate?: (dialect: DialectName, incoming: Incoming, model: string) => void;
  /** Called for each request; calls the function that it gives once the connection is over. */
  readonly observe?: (call: ObservedCall) => (ended: Ended, nowMs: number) => void;
}

export interface Media {
  readonly kind: "image" | "file" | "audio";
  readonly mediaType: string;
  /** null: a link, not followed. */
  readonly bytes: number | null;
}

/** One message, whatever the dialect called it. */
export interface Turn {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly text: string;
  readonly media?: readonly Media[];
  /** Calls of an assistant turn: `input` is JSON text. */
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: string }[];
  /** For a tool turn: the id or name of the call that it answers. */
  readonly answers?: string;
}

export interface OfferedTool {
  readonly name: string;
  /** Its parameters; null: takes plain text. */
  readonly schema: JsonObject | null;
}

/** What the brain needs to know of a request. */
export interface Prompt {
  readonly turns: readonly Turn[];
  readonly tools: readonly OfferedTool[];
  readonly toolChoice: "none" | "auto" | "required" | { readonly name: string };
  readonly parallelCalls: boolean;
  /** null: text. A schema asks for JSON that satisfies it. */
  readonly format: { readonly schema: JsonObject | null } | null;
  readonly thinks: boolean;
  readonly stop: readonly string[];
  readonly outputTokensMax: number | null;
  readonly choices: number;
}

/** What a dialect understood of a request. */
export interface Reading {
  readonly streamed: boolean;
  readonly prompt: Prompt;
}

export interface AnswerCall {
  readonly name: string;
  /** JSON text, or the plain text of a custom tool. */
  readonly input: string;
  readonly custom: boolean;
}

export interface Answer {
  readonly index: number;
  /** The thinking's text; "" when it was not asked for. */
  readonly thinking: string;
  readonly text: string;
  /** The text in the pieces in which it streams. */
  readonly pieces: readonly string[];
  readonly calls: readonly AnswerCall[];
  /** Not null: the model refuses with these words, and text and calls are empty. */
  readonly refusal: string | null;
  readonly finish: "stop" | "stop_sequence" | "length" | "tool_calls" | "refusal";
  /** The stop sequence that cut the text. */
  readonly stopSequence: string | null;
}

export interface TokenCount {
  /** All of the prompt's, cached and written ones included. */
  readonly input: number;
  /** All that was produced, reasoning included. */
  readonly output: number;
  readonly cached: number;
  readonly reasoning: number;
  /** Written to a cache; only Anthropic tells. */
  readonly written: number;
}

/** Everything that an answer's writer is handed. */
export interface Script {
  readonly reading: Reading;
  readonly body: JsonObject;
  readonly query: URLSearchParams;
  /** The model's name without controls. */
  readonly model: string;
  readonly answers: readonly Answer[];
  /** null: this time usage is not told. */
  readonly usage: TokenCount | null;
  /** Usage is told more often and in stranger places than the dialect's documents say. */
  readonly oddUsage: boolean;
  readonly createdSeconds: number;
  /** An identifier of so many letters and digits, the same for the same request and name. */
  id(name: string, length: number): string;
}

/** A piece of a streamed answer: whole events, framing included. */
export interface Frame {
  /** `end`: what tells the client that the stream is whole. */
  readonly kind: "start" | "delta" | "finish" | "usage" | "end";
  readonly text: string;
}

export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One provider's wire format, from the provider's side. */
export interface SimDialect {
  readonly name: DialectName;
  /** `/openai/v1`: the base address's path. */
  readonly prefix: string;
  /** True if this path (after the prefix) is the dialect's. */
  takes(path: string): boolean;
  /** The caller's key, or undefined when the dialect's own header brings none. */
  secretOf(headers: Incoming["headers"]): string | undefined;
  /** The model's name as sent; "" when there is none. */
  modelOf(incoming: Incoming): string;
  /** Reads any body, however malformed. `model` is the name without controls. */
  read(incoming: Incoming, model: string): Reading;
  whole(script: Script): JsonObject;
  frames(script: Script): Iterable<Frame>;
  /** How a stream is labelled, and framed when it isn't server-sent events. */
  readonly streamType?: (query: URLSearchParams) => string;
  error(problem: Problem, streamed: boolean, query: URLSearchParams): ErrorAnswer;
  /** The events with which a stream breaks off in failure. */
  failure(problem: Problem, script: Script): string;
  /** The body of a 200 that is a failure. */
  failedBody(problem: Problem, script: Script): string;
}

/** One server-sent event without a name. */
export function dataEvent(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** One server-sent event, named. */
export function namedEvent(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** `Authorization: Bearer …`'s key. */
export function bearerOf(headers: Incoming["headers"]): string | undefined {
  const match = /^Bearer (\S.*)$/i.exec(headers.authorization ?? "");
  return match?.[1];
}
