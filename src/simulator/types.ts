// The simulator's types: requests, prompts and answers in a form that all dialects share, and the dialect's own port.
import type { DialectName } from "../core/dialect.ts";
import type { JsonObject } from "../core/json.ts";
import type { Problem, ProblemKind } from "./problem.ts";

/** A request as received. Header names are in lower case. */
export interface Incoming {
  readonly method: string;
  /** The path after the dialect's prefix, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: JsonObject;
}

/** A request as reported to an observer. */
export interface ObservedCall extends Pick<Incoming, "method" | "path" | "headers"> {
  /** `trap` is the target of redirects, `none` any path without a dialect. */
  readonly dialect: DialectName | "trap" | "none";
  /** The name as sent, with its controls. */
  readonly model: string;
  readonly bodyText: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
}

/** `aborted`: the client disconnected before the end. `fault`: the call ended in an injected fault. */
export type Ended = "finished" | "aborted" | "fault";

/** Hooks with which tests validate and record requests; the product sets none of them. */
export interface SimHooks {
  /** Throws a Rejection for a request that the real provider refuses. `model` is the name without controls. */
  readonly validate?: (dialect: DialectName, incoming: Incoming, model: string) => void;
  /** Called for each request; the function that it returns is called once the connection has ended. */
  readonly observe?: (call: ObservedCall) => (ended: Ended, nowMs: number) => void;
}

export interface Media {
  readonly kind: "image" | "file" | "audio";
  readonly mediaType: string;
  /** null for a link, which isn't followed. */
  readonly bytes: number | null;
}

/** One message of a conversation. */
export interface Turn {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly text: string;
  readonly media?: readonly Media[];
  /** Calls of an assistant turn: `input` is JSON text. */
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: string }[];
  /** The id or name of the call that a tool turn answers. */
  readonly answers?: string;
}

export interface OfferedTool {
  readonly name: string;
  /** The schema of its parameters; null if it takes plain text. */
  readonly schema: JsonObject | null;
}

/** Everything that the responder needs to know about a request. */
export interface Prompt {
  readonly turns: readonly Turn[];
  readonly tools: readonly OfferedTool[];
  readonly toolChoice: "none" | "auto" | "required" | { readonly name: string };
  readonly parallelCalls: boolean;
  /** null for text, `{ schema: null }` for any JSON. */
  readonly format: { readonly schema: JsonObject | null } | null;
  readonly isThinking: boolean;
  readonly stop: readonly string[];
  readonly outputTokensMax: number | null;
  readonly choices: number;
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
  /** The pieces of the text in a stream. */
  readonly pieces: readonly string[];
  readonly calls: readonly AnswerCall[];
  /** The words of a refusal, with which text and calls are empty; null if the model doesn't refuse. */
  readonly refusal: string | null;
  readonly finish: "stop" | "stop_sequence" | "length" | "tool_calls" | "refusal";
  /** The stop sequence that cut the text; null if none did. */
  readonly stopSequence: string | null;
}

export interface TokenCount {
  /** All tokens of the prompt, including cached and written ones. */
  readonly input: number;
  /** All tokens of the answers, including reasoning. */
  readonly output: number;
  readonly cached: number;
  readonly reasoning: number;
  /** Tokens written to a cache; only Anthropic and Perplexity report them. */
  readonly written: number;
}

/** A request with its answers: everything that a dialect needs to render a reply. */
export interface Exchange {
  readonly prompt: Prompt;
  readonly isStreamed: boolean;
  readonly body: JsonObject;
  readonly query: URLSearchParams;
  /** The model's name without controls. */
  readonly model: string;
  readonly answers: readonly Answer[];
  /** null if the usage must not be reported. */
  readonly usage: TokenCount | null;
  /** True if the usage must be reported more often, and in other places, than the dialect documents. */
  readonly oddUsage: boolean;
  readonly createdSeconds: number;
  /** Returns `length` letters and digits, the same for the same request and name. */
  id(name: string, length: number): string;
}

/** A piece of a streamed answer: whole events, framing included. */
export interface Frame {
  /** `end` marks the stream as complete for the client. */
  readonly kind: "start" | "delta" | "finish" | "usage" | "end";
  readonly text: string;
}

/** A frame that is an event with a name and data. */
export type NamedEvent = readonly [kind: Frame["kind"], name: string, data: JsonObject];

export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request that is answered whole, beyond chat. */
export interface WholeRequest {
  readonly body: JsonObject;
  /** The model's name without controls. */
  readonly model: string;
  /** The tokens to report; null: they follow from the request. */
  readonly tokens: number | null;
  /** False if the usage must not be reported. */
  readonly hasUsage: boolean;
  /** Returns `length` letters and digits, the same for the same request and name. */
  id(name: string, length: number): string;
}

/** The wire format of one operation beyond chat. */
export interface WholeForm {
  /** Matches its path, after the dialect's prefix. */
  readonly path: RegExp;
  render(request: WholeRequest): JsonObject | Sent;
}

/** An answer that isn't JSON: a document, or the frames of a stream. */
export class Sent {
  readonly type: string;
  /** Frames that aren't server-sent events hold a byte in each character (Latin-1). */
  readonly content: string | readonly Frame[];

  constructor(type: string, content: string | readonly Frame[]) {
    this.type = type;
    this.content = content;
  }
}

/** One provider's wire format, from the provider's side. */
export interface SimDialect {
  readonly name: DialectName;
  /** The base address's path: `/openai/v1`. */
  readonly prefix: string;
  /** True if a path (after the prefix) is the dialect's chat. */
  handles(path: string): boolean;
  /** The operations beyond chat that it serves. */
  readonly whole?: readonly WholeForm[];
  /** Returns the client's key, or undefined if the dialect's header has none; left out: it is a bearer token. */
  readonly readSecret?: (headers: Incoming["headers"]) => string | undefined;
  /** Returns the model's name as sent, or "" if there is none; left out: it is the body's `model`. */
  readonly readModel?: (incoming: Incoming) => string;
  /** Reads any body, however malformed. `model` is the name without controls. */
  readPrompt(body: JsonObject, model: string): Prompt;
  /** True if the client wants a stream; without this method, `stream` in the body decides. */
  readonly isStreamed?: (incoming: Incoming) => boolean;
  renderReply(exchange: Exchange): JsonObject;
  renderFrames(exchange: Exchange): Iterable<Frame>;
  /** Returns the content type of a stream (server-sent events if the dialect has no such method). */
  readonly chooseStreamType?: (query: URLSearchParams) => string;
  /** Returns the bytes of a stream's events, which must be whole; left out: its text in UTF-8. */
  readonly encodeStream?: (events: string) => Uint8Array;
  /** The status of each kind of problem. */
  readonly status: Readonly<Record<ProblemKind, number>>;
  renderErrorBody(problem: Problem): JsonObject;
  /** Returns the headers of an error beside its type; left out: `retry-after` alone. */
  readonly renderErrorHeaders?: (problem: Problem) => Readonly<Record<string, string>>;
  /** Renders an error whose form depends on the request; left out: it is the body as JSON. */
  readonly renderError?: (problem: Problem, streamed: boolean, query: URLSearchParams) => ErrorAnswer;
  /** Returns the events that end a failed stream. */
  renderFailure(problem: Problem, exchange: Exchange): string;
  /** Returns the body of a failure with status 200; left out: an error's. */
  readonly renderFailedBody?: (problem: Problem, exchange: Exchange) => JsonObject;
}
