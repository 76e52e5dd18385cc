// The port that every surface implements: a client's wire format, in pure functions to and from an operation's own form.
import type { Family } from "../core/dialect.ts";
import { errorBody, Fault } from "../core/fault.ts";
import type { JsonObject } from "../core/json.ts";
import type { Earlier, Keeping, KeptExchange, StoredAnswer } from "../core/kept.ts";
import type { Limits } from "../core/settings.ts";
import type { Sealer } from "../core/world.ts";
import type { Form } from "../operations/form.ts";
import type { Asking, Operation } from "../operations/operation.ts";

/** A client's request as it arrived. `body` is parsed and within the bounds on size and structure, and nothing else. */
export interface Incoming {
  readonly url: string;
  readonly headers: Headers;
  readonly body: unknown;
  readonly limits: Limits;
  readonly seal: Sealer;
  /** The length of the sound in the form's file; null: the surface takes none. */
  readonly seconds: number | null;
  /** The kept answers that the request goes on from; null: none are kept here. */
  readonly keeping: Keeping | null;
  /** The answer that the request goes on from at its provider; null: none is stored there. */
  readonly stored: StoredAnswer | null;
}

/** The fields of an answer that only the gateway knows. `id` has the surface's own prefix. */
export interface Stamp {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  /** The card that answers. */
  readonly model: string;
  /** Returns the name of an answer that its provider stores, by the provider's own id. */
  readonly nameStored: (id: string) => string;
  /** Estimates the prompt's tokens, for surfaces that name them before the provider has counted them. */
  readonly countPrompt: () => number;
}

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * An answer that isn't JSON, or whose JSON is too long to be written as one text: then `pieces` are to be sent one after
 * the other, and nobody else needs their memory.
 */
export class Document {
  readonly type: string;
  readonly content: string | Bytes | { readonly pieces: readonly (string | Bytes)[] };

  constructor(type: string, content: Document["content"]) {
    this.type = type;
    this.content = content;
  }
}

/**
 * A request that was understood: the operation's form of it, and how its answer is written. One object, so that what
 * was read off the request (names that were flattened, fields to be echoed) is at hand when the answer is written.
 */
export interface Exchange<F extends Form> extends Asking<F> {
  /** The client's name for the conversation, from a header or a field; null: it named none. */
  readonly session: string | null;
  /** The content type of a stream, where the request asks for another one than server-sent events. */
  readonly streamType?: string;
  /** Returns what is kept of the answer; left out: nothing is. */
  keep?(answer: JsonObject): KeptExchange;
  /** A whole answer's body. */
  whole(reply: F["reply"], stamp: Stamp): JsonObject | Document;
  /** A writer for one streamed answer. It asks for the stamp with the first piece: failover may change the model until then. */
  writer(stamp: () => Stamp): Writer<F["piece"]>;
  /** A writer of the answer's own bytes, for one that is no text; left out: it is written as events. */
  bytes?(): ByteWriter<F["piece"]>;
}

/** Writes one answer as it comes. */
export interface StreamWriter<Piece> {
  /** The next pieces as they are sent, empty where they show nothing. The last piece of an answer holds its usage. */
  write(pieces: readonly Piece[]): string | Bytes;
  /** The answer is whole: the stream's own end. */
  end(): string;
  /** The answer failed: the surface's error event; null: it has none, and the connection breaks off. */
  fail(fault: Fault, requestId: string): string | null;
  /** A sign of life for a silent stream; null: it has none, and nothing leaves before the answer begins. */
  readonly keepAlive: string | null;
}

/** Writes one answer as its own bytes, without any events. */
export interface ByteWriter<Piece> extends StreamWriter<Piece> {
  /** Returns the media type, as the first pieces of the answer tell it. */
  readType(first: readonly Piece[]): string;
}

/** Writes one answer as the text of an event stream, which has a place for an error and signs of life. */
export interface Writer<Piece> extends StreamWriter<Piece> {
  write(pieces: readonly Piece[]): string;
  /** Returns the whole answer once all of its pieces were written, for surfaces whose answers are kept. */
  finish?(): JsonObject;
  fail(fault: Fault, requestId: string): string;
  readonly keepAlive: string;
}

/** An error answer in the surface's form. `headers` replace those of the same name that every error answer has; null removes one. */
export interface Refusal {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers?: Readonly<Record<string, string | null>>;
}

/** The parts of surfaces of OpenAI's: most share its form of error answers. */
export const OPENAI_FORM = {
  family: "openai",
  refuse: (fault: Fault): Refusal => ({ status: fault.row.status, body: { ...errorBody(fault) } }),
} as const;

/** Requests of which only the prompt's tokens are counted. */
export interface Counting<F extends Form> {
  isCounting(path: string): boolean;
  read(incoming: Incoming): F["ask"];
  write(tokens: number): JsonObject;
}

/** The terms of a request that every provider gets in translation, of which nothing is lost or held besides. */
export const TRANSLATED = {
  dropped: [],
  lost: [],
  isLimitRequired: false,
  searches: 0,
  unreadBytes: 0,
  raw: null,
  session: null,
} as const;

function failStream(): never {
  throw new Fault("unsupported_parameter", "This API has no streams.", { param: "stream" });
}

/** Throws the Fault of a request for a stream, where answers never stream. */
export function refuseStream({ stream }: JsonObject): void {
  if (stream === true) failStream();
}

/** The terms of a request whose answer comes whole. */
export const TRANSLATED_WHOLE = { ...TRANSLATED, writer: failStream } as const;

export interface Surface<F extends Form> {
  readonly name: string;
  readonly family: Family;
  readonly operation: Operation<F>;
  /** The prefix of an answer's id, such as `chatcmpl-`. */
  readonly idPrefix: string;
  /**
   * The bodies that it takes: JSON (left out), either that or a form, or a form whose `file` is sound. A form's body is an
   * object too, of texts, attachments and lists of them.
   */
  readonly body?: "either" | "sound";
  /** Throws the Fault of a path that only looks like one of the surface's: that comes before any other check. */
  checkPath?(path: string): void;
  /** Throws the Fault that names the field out of bounds and what would be right. */
  read(incoming: Incoming): Exchange<F>;
  refuse(fault: Fault, requestId: string): Refusal;
  readonly counting?: Counting<F>;
  /** Returns the names of what a request goes on from, for surfaces whose answers are kept. */
  findEarlier?(body: unknown): Earlier;
}

/** A surface of any operation, for tables: `use` hands it on with its types. */
export interface AnySurface extends Pick<Surface<Form>, "name" | "refuse"> {
  use<Result>(task: <F extends Form>(surface: Surface<F>) => Result): Result;
}

export function makeAny<F extends Form>(surface: Surface<F>): AnySurface {
  return { name: surface.name, refuse: surface.refuse, use: (task) => task(surface) };
}
