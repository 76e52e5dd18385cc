// The port that every surface implements: a client's wire format, in pure functions to and from an operation's form.

import { errorBody, type Fault } from "../core/faults/fault.ts";
import type { JsonObject } from "../core/json/json.ts";
import type { Earlier, EarlierAnswers, KeptExchange, KeptRequest, StoredAnswer } from "../core/log/kept.ts";
import type { SurfaceName } from "../core/log/record.ts";
import type { Family } from "../core/models/dialect.ts";
import type { EncryptedHistory } from "../core/models/encrypted-history.ts";
import type { Limits } from "../core/settings.ts";
import type {
  GatewayToolCall,
  GatewayToolResult,
  ToolLoopEnd,
  ToolLoopTurn,
} from "../core/tools/gateway-tool-calls.ts";
import type { Sealer } from "../core/world/world.ts";
import type { Form } from "../operations/form.ts";
import type { Asking, Operation } from "../operations/operation.ts";
import type { GatewayServerNames, NamedServer, ShownServer } from "./gateway-tools.ts";

/** A client's request as it arrived. `body` is parsed and checked only for size and structure. */
export interface Incoming {
  readonly url: string;
  readonly headers: Headers;
  readonly body: unknown;
  readonly limits: Limits;
  readonly seal: Sealer;
  /** The kept answers that the request continues from. Null if none are kept here. */
  readonly keeping: EarlierAnswers | null;
  /** True if `keeping` is only remembered while a connection lives, and nothing is kept for others. */
  readonly isRemembered?: boolean;
  /** The answer at the provider that the request continues from. Null if none is stored there. */
  readonly stored: StoredAnswer | null;
}

/** The gateway's own fields of an answer. `id` has the surface's prefix. */
export interface Stamp {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  /** The answering card. */
  readonly model: string;
  /** Returns our id for an answer stored at its provider, from the provider's own id. */
  nameStored(id: string): string;
  /** Returns what its provider has encrypted for itself, sealed with its place. Null if the place is unknown. */
  sealHistory(content: string): string | null;
  /** Estimates the prompt's tokens, for surfaces that report them before the provider's count arrives. */
  countPrompt(): number;
}

type AnswerBytes = Uint8Array<ArrayBuffer>;

/**
 * An answer that isn't JSON, or whose JSON is too long for one text. In that case `pieces` are sent one by one, and
 * nothing else uses their memory.
 */
export class Document {
  readonly type: string;
  readonly content: string | AnswerBytes | { readonly pieces: readonly (string | AnswerBytes)[] };

  constructor(type: string, content: Document["content"]) {
    this.type = type;
    this.content = content;
  }
}

/**
 * A parsed request: the operation's form of it, and how to write its answer. It is one object so that facts read from
 * the request (flattened names, echoed fields) are available when the answer is written.
 */
export interface Exchange<F extends Form> extends Asking<F> {
  /** The client's name for the conversation, from a header or a field. Null if it sent none. */
  readonly session: string | null;
  /** The stream's content type if the request asks for something other than server-sent events. */
  readonly streamType?: string;
  /** The request as it is kept with the answer. Missing if neither is. */
  readonly kept?: KeptRequest;
  /** Returns what is kept of the answer and its request. Missing if nothing is. */
  keep?(kept: JsonObject, answer: JsonObject): KeptExchange;
  /** Returns a whole answer's body. */
  whole(reply: F["reply"], stamp: Stamp): JsonObject | Document;
  /** Returns the request that has a model write a summary, of the named model if one is. Set if the request asks for one. */
  compact?(model: string | null): Exchange<F>;
  /** The part of the conversation that a provider has encrypted for itself. Missing for none. */
  readonly history?: EncryptedHistory | undefined;
  /** True if its answer is a summary of the conversation, which is never taken from the cache, and never kept there. */
  readonly isCompaction?: true;
  /** Returns the places of a whole answer that its limit has cut, although it doesn't say so itself. Missing for none. */
  readonly findCut?: (reply: F["reply"]) => readonly string[];
  /** Returns a stream's writer. It reads the stamp at the first piece: until then, failover may change the model. */
  writer(stamp: () => Stamp): Writer<F["piece"]>;
  /** Returns a writer of the answer's raw bytes. Missing if the answer is written as events. */
  bytes?(): ByteWriter<F["piece"]>;
}

/** Writes one answer as it arrives. */
export interface StreamWriter<Piece> {
  /** Returns the pieces as sent, empty if there is nothing to show. An answer's last piece holds its usage. */
  write(pieces: readonly Piece[]): string | AnswerBytes;
  /** Returns the stream's own end, once the answer is complete. */
  end(): string;
  /** Returns the surface's error event. Null if it has none and the connection is closed instead. */
  fail(fault: Fault, requestId: string): string | null;
  /** The text that keeps a silent stream alive. Null if it has none: nothing is sent before the answer begins. */
  readonly keepAlive: string | null;
}

/** Writes one answer as raw bytes, without events. */
export interface ByteWriter<Piece> extends StreamWriter<Piece> {
  /** Returns the media type that the answer's first pieces name. */
  readType(first: readonly Piece[]): string;
}

/** Writes one answer as the text of an event stream, which can carry errors and keep-alives. */
export interface Writer<Piece> extends StreamWriter<Piece> {
  write(pieces: readonly Piece[]): string;
  /** Returns the whole answer after its last piece, for surfaces whose answers are kept. */
  finish?(): JsonObject;
  fail(fault: Fault, requestId: string): string;
  readonly keepAlive: string;
}

/** An error answer in the surface's form. `headers` override every error answer's own; null removes one. */
export interface Refusal {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers?: Readonly<Record<string, string | null>>;
}

/** Shared parts of OpenAI's surfaces, most of which use its error form. */
export const OPENAI_FORM = {
  family: "openai",
  refuse: (fault: Fault): Refusal => ({ status: fault.row.status, body: { ...errorBody(fault) } }),
} as const;

/** Requests that only count the prompt's tokens. */
interface TokenCounting<F extends Form> {
  isCounting(path: string): boolean;
  read(incoming: Incoming): F["ask"];
  write(tokens: number): JsonObject;
}

/** The terms of a request that is translated for every provider, without losses or extra holds. */
export const TRANSLATED = {
  dropped: [],
  lost: [],
  isLimitRequired: false,
  searches: 0,
  unreadBytes: 0,
  raw: null,
  session: null,
} as const;

/** A request whose model may call tools that the gateway runs. It writes one answer of all that model and tools say. */
export interface ToolConversation<F extends Form> {
  /** The most calls by the client's own wish. Null if it has none. */
  readonly callsMax: number | null;
  /**
   * Returns the next question to the model, which has to answer without calling a tool unless it may. Null if nothing is left
   * of the client's limit on the output.
   */
  ask(mayCall: boolean): Exchange<F> | null;
  /** Takes the model's whole answer, as its exchange has written it. */
  take(answer: JsonObject): ToolLoopTurn;
  /** Takes the result of a call. Returns what a stream shows of it. */
  answer(call: GatewayToolCall, result: GatewayToolResult): string;
  /** Returns the end of a stream. */
  end(end: ToolLoopEnd<F["usage"]>): string;
  /** Returns the end of a stream whose first answer of the model has failed, behind what its writer says of it. */
  fail(fault: Fault): string;
  /** Returns the whole answer, once it has ended. */
  finish(): JsonObject;
}

/** A surface's part in it. */
interface SurfaceGatewayTools<F extends Form> {
  /** Throws a Fault that names the field of such a server which isn't valid. Empty if the body names none. */
  find(body: unknown, names: GatewayServerNames): readonly NamedServer[];
  begin(incoming: Incoming, shown: readonly ShownServer[]): ToolConversation<F>;
  /** Returns a body, which isn't checked yet, with functions in the place of these servers' tools. */
  fill(body: unknown, shown: readonly ShownServer[]): JsonObject;
}

export interface Surface<F extends Form> {
  readonly name: SurfaceName;
  readonly family: Family;
  readonly operation: Operation<F>;
  /** The prefix of an answer's id, such as `chatcmpl-`. */
  readonly idPrefix: string;
  /**
   * The accepted bodies: JSON only (if missing), JSON or a form, or only a form. A form's body is an object too, made of
   * texts, attachments and lists of them.
   */
  readonly body?: "either" | "form";
  /** The top-level fields of a body that it reads, or knows what to do with. */
  readonly fields: ReadonlySet<string>;
  /** Throws a Fault if a path only looks like one of the surface's. Runs before any other check. */
  checkPath?(path: string): void;
  /** Throws a Fault that names the field out of bounds and the valid values. */
  read(incoming: Incoming): Exchange<F>;
  refuse(fault: Fault, requestId: string): Refusal;
  readonly counting?: TokenCounting<F>;
  /** Tools that the gateway runs. Missing if requests can't name any. */
  readonly gatewayTools?: SurfaceGatewayTools<F>;
  /** Returns the ids that a request continues from, for surfaces whose answers are kept. */
  findEarlier?(body: unknown): Earlier;
  /** True if it refuses a request by itself that continues from an answer which isn't kept. */
  readonly explainsMissing?: true;
}

/** A surface of any operation, for tables. `use` passes it on with its types. */
export interface AnySurface extends Pick<Surface<Form>, "name" | "refuse"> {
  use<Result>(task: <F extends Form>(surface: Surface<F>) => Result): Result;
}

export function makeAny<F extends Form>(surface: Surface<F>): AnySurface {
  return { name: surface.name, refuse: surface.refuse, use: (task) => task(surface) };
}
