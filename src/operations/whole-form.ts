// The types of operations whose answers are one thing: it comes whole, or as a stream of parts that ends with it.
import type { ServerEvent } from "../core/dialect.ts";
import type { Amounts } from "../core/units.ts";
import type { Ask, Form } from "./form.ts";

/** The work that an answer took, and what it cost. */
export interface WorkUsage {
  readonly amounts: Amounts;
  /** USD. */
  readonly cost?: number;
  readonly charged?: number;
}

export interface WholeReply {
  /** null: the provider reported none. */
  readonly usage: WorkUsage | null;
}

/**
 * A part of an answer, shown as it comes; a reply, of which several may make up the answer; or the usage of all. A stream
 * without replies is its parts alone.
 */
export type WholePiece<R, P> =
  | { readonly kind: "part"; readonly part: P }
  | { readonly kind: "reply"; readonly reply: R }
  | { readonly kind: "usage"; readonly usage: WorkUsage };

/** Reads one streamed answer. */
export interface PartDecoder<R, P> {
  /** True: the body is server-sent events. False: each read of it is given as the data of one. */
  readonly isEvents: boolean;
  /** True once the dialect's own last event was seen. */
  readonly done: boolean;
  /** Throws a Fault for an error event or garbage. */
  push(event: ServerEvent): readonly WholePiece<R, P>[];
  /** The stream is over: returns what was kept back. Throws a Fault unless the dialect's own end was seen. */
  end(): readonly WholePiece<R, P>[];
}

/** The types of one such operation; `P` are the parts of a stream, where it has any. */
export interface FormOf<A extends Ask, R extends WholeReply, P extends object = never> extends Form {
  readonly ask: A;
  readonly piece: WholePiece<R, P>;
  readonly reply: R;
  readonly usage: WorkUsage;
  readonly decoder: PartDecoder<R, P> | null;
}
