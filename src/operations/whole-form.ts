// The types of operations with a single result, returned whole or as a stream of parts that ends with it.
import type { ServerEvent } from "../core/models/dialect.ts";
import type { AnswerTerms } from "../core/money/terms.ts";
import type { Amounts } from "../core/money/units.ts";
import type { Ask, Form } from "./form.ts";

/** The work that an answer took, and its cost. */
export interface WorkUsage {
  readonly amounts: Amounts;
  /** The answer's own words about its price. Clients don't see it. */
  readonly terms?: AnswerTerms;
  /** USD. */
  readonly cost?: number;
  readonly charged?: number;
}

export interface WholeReply {
  /** Null if the provider reported none. */
  readonly usage: WorkUsage | null;
}

/**
 * A part of an answer, shown as it arrives; a reply, several of which may make up the answer; or the total usage. A
 * stream without replies consists of its parts.
 */
export type WholePiece<R, P> =
  | { readonly kind: "part"; readonly part: P }
  | { readonly kind: "reply"; readonly reply: R }
  | { readonly kind: "usage"; readonly usage: WorkUsage };

/** Decodes a streamed answer. */
export interface PartDecoder<R, P> {
  /** True if the body is server-sent events. False to pass each read as the data of one event. */
  readonly isEvents: boolean;
  /** True once the dialect's own last event was seen. */
  readonly done: boolean;
  /** Throws a Fault for an error event or garbage. */
  push(event: ServerEvent): readonly WholePiece<R, P>[];
  /** Ends the stream and returns what was held back. Throws a Fault unless the dialect's own end was seen. */
  end(): readonly WholePiece<R, P>[];
}

/** The types of one such operation. `P` are the parts of a stream, if it has any. */
export interface WholeReplyForm<A extends Ask, R extends WholeReply, P extends object = never> extends Form {
  readonly ask: A;
  readonly piece: WholePiece<R, P>;
  readonly reply: R;
  readonly usage: WorkUsage;
  readonly decoder: PartDecoder<R, P> | null;
}
