// The simulator's types: requests, prompts and answers in a form that all dialects share, and the port that a dialect
// implements.

import type { JsonObject } from "../core/json/json.ts";
import type { DialectName } from "../core/models/dialect-names.ts";
import type { Problem, ProblemKind } from "./problem.ts";

/** A request as received. Header names are lower case. */
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
  /** `trap` is the target of redirects, `none` a path that no dialect has. */
  readonly dialect: DialectName | "trap" | "none";
  /** The name as sent, with its controls. */
  readonly model: string;
  readonly bodyText: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
}

/** `aborted`: the client disconnected before the end. `fault`: the call ended in an injected fault. */
export type CallOutcome = "finished" | "aborted" | "fault";

/** Hooks for tests to validate and record requests. The product sets none. */
export interface SimHooks {
  /** Throws a Rejection for a request that the real provider refuses. `model` is the name without controls. */
  readonly validate?: (dialect: DialectName, incoming: Incoming, model: string) => void;
  /** Returns the prompt in words that simulated models act on, if a real one would understand what it asks. */
  readonly understand?: (prompt: Prompt) => Prompt;
  /** Called for each request. The function that it returns is called once the connection has ended. */
  readonly observe?: (call: ObservedCall) => (ended: CallOutcome, nowMs: number) => void;
}

export interface Media {
  readonly kind: "image" | "file" | "audio";
  readonly mediaType: string;
  /** Null for a URL, which isn't fetched. */
  readonly bytes: number | null;
}

/** One message of a conversation. */
export interface Turn {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly text: string;
  readonly media?: readonly Media[];
  /** The calls of an assistant turn. `input` is JSON text. */
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: string }[];
  /** The id or name of the call that a tool turn answers. */
  readonly answers?: string;
}

export interface OfferedTool {
  readonly name: string;
  /** The schema of the parameters. Null if the input is plain text. */
  readonly schema: JsonObject | null;
}

/** The parts of a request that determine its answer. */
export interface Prompt {
  readonly turns: readonly Turn[];
  readonly tools: readonly OfferedTool[];
  readonly toolChoice: "none" | "auto" | "required" | { readonly name: string };
  readonly parallelCalls: boolean;
  /** Null for text, `{ schema: null }` for any JSON. */
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
  /** "" if the model didn't think. */
  readonly thinking: string;
  readonly text: string;
  /** The text's pieces when streamed. */
  readonly pieces: readonly string[];
  readonly calls: readonly AnswerCall[];
  /** The text of a refusal, which comes without text and calls. Null if there is none. */
  readonly refusal: string | null;
  readonly finish: "stop" | "stop_sequence" | "length" | "tool_calls" | "refusal";
  /** The stop sequence that ended the text. Null if none did. */
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

/** A request and its answers: all that a dialect needs to render a reply. */
export interface Exchange extends Pick<Incoming, "path"> {
  readonly prompt: Prompt;
  readonly isStreamed: boolean;
  readonly body: JsonObject;
  readonly query: URLSearchParams;
  /** The model's name without controls. */
  readonly model: string;
  readonly answers: readonly Answer[];
  /** Null if the usage must not be reported. */
  readonly usage: TokenCount | null;
  /** True if the usage must be reported more often, and elsewhere, than the dialect documents. */
  readonly oddUsage: boolean;
  /** The reasons of the blocks that it says were left out of the history, one for each. */
  readonly removes: readonly string[];
  readonly createdSeconds: number;
  /** Returns `length` letters and digits, the same for the same request and name. */
  id(name: string, length: number): string;
}

/** A piece of a streamed answer: whole events, including their framing. */
export interface Frame {
  /** `end` tells the client that the stream is complete. */
  readonly kind: "start" | "delta" | "finish" | "usage" | "end";
  readonly text: string;
}

/** An event with a name and data, sent as one frame. */
export type NamedEvent = readonly [kind: Frame["kind"], name: string, data: JsonObject];

export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request for an operation other than chat. */
export interface WholeRequest extends Pick<Exchange, "body" | "model" | "id"> {
  /** The tokens to report. Null if they are counted. */
  readonly tokens: number | null;
  /** False if the usage must not be reported. */
  readonly hasUsage: boolean;
}

/** The wire format of an operation other than chat. */
export interface WholeForm {
  /** Matches the path after the dialect's prefix. */
  readonly path: RegExp;
  render(request: WholeRequest): JsonObject | RawContent;
}

/** An answer that isn't JSON: a document, or the frames of a stream. */
export class RawContent {
  readonly type: string;
  /** Frames that aren't server-sent events hold one byte per character (Latin-1). */
  readonly content: string | readonly Frame[];

  constructor(type: string, content: string | readonly Frame[]) {
    this.type = type;
    this.content = content;
  }
}

/** A provider's wire format, as the provider implements it. */
export interface SimDialect {
  readonly name: DialectName;
  /** The path of the base URL: `/openai/v1`. */
  readonly prefix: string;
  /** True if a path (after the prefix) is the dialect's chat endpoint. */
  handles(path: string): boolean;
  /** The operations other than chat. */
  readonly whole?: readonly WholeForm[];
  /** Returns the client's key, or undefined if there is none. Missing if it is a bearer token. */
  readonly readSecret?: (headers: Incoming["headers"]) => string | undefined;
  /** Returns the model's name as sent, or "" if there is none. Missing if it is `model` in the body. */
  readonly readModel?: (incoming: Incoming) => string;
  /** Reads any body, however malformed. `model` is the name without controls. */
  readPrompt(body: JsonObject, model: string): Prompt;
  /** True if the client wants a stream. Missing if `stream` in the body says so. */
  readonly isStreamed?: (incoming: Incoming) => boolean;
  renderReply(exchange: Exchange): JsonObject;
  renderFrames(exchange: Exchange): Iterable<Frame>;
  /** Returns a stream's content type. Missing if it is server-sent events. */
  readonly chooseStreamType?: (query: URLSearchParams) => string;
  /** Encodes a stream's events, which must be whole. Missing if they are sent as UTF-8 text. */
  readonly encodeStream?: (events: string) => Uint8Array;
  /** The status of each kind of problem. */
  readonly status: Readonly<Record<ProblemKind, number>>;
  renderErrorBody(problem: Problem): JsonObject;
  /** Returns an error's headers besides its content type. Missing if `retry-after` is the only one. */
  readonly renderErrorHeaders?: (problem: Problem) => Readonly<Record<string, string>>;
  /** Renders an error whose form depends on the request. Missing if it is always a JSON body. */
  readonly renderError?: (problem: Problem, streamed: boolean, query: URLSearchParams) => ErrorAnswer;
  /** Returns the events that end a failed stream. */
  renderFailure(problem: Problem, exchange: Exchange): string;
  /** Returns the body of a failure with status 200. Missing if it is the same as an error's. */
  readonly renderFailedBody?: (problem: Problem, exchange: Exchange) => JsonObject;
}
