// Reads, counts and collects the parts of a streamed answer that is a single result.

import { malformed } from "../core/faults/malformed.ts";
import { addTerms } from "../core/money/terms.ts";
import { addAmounts } from "../core/money/units.ts";
import { EventParser } from "../transport/framing/sse.ts";
import type { Folding } from "./folding.ts";
import type { Ask } from "./form.ts";
import type { Meter, Reader, Reading } from "./operation.ts";
import type { PartDecoder, WholePiece, WholeReply, WholeReplyForm, WorkUsage } from "./whole-form.ts";

/** Ten large pictures, or 2,048 long vectors as numbers. */
export const ANSWER_BYTES_MAX = 128 * 1024 * 1024;

export class PartReader<A extends Ask, R extends WholeReply, P extends object>
  implements Reader<WholeReplyForm<A, R, P>>
{
  /** Null if no stream was requested. */
  readonly #decoder: PartDecoder<R, P> | null;
  readonly #parser = new EventParser();
  #characters = 0;
  #usage: WorkUsage | null = null;
  #isFinished = false;

  constructor(decoder: PartDecoder<R, P> | null) {
    this.#decoder = decoder;
  }

  get done(): boolean {
    return this.#decoder?.done ?? false;
  }

  get isFinished(): boolean {
    return this.#isFinished || this.done;
  }

  get usage(): WorkUsage | null {
    return this.#usage;
  }

  push(text: string): Reading<WholePiece<R, P>> | null {
    const pieces: WholePiece<R, P>[] = [];
    const decoder = this.#decoder;
    try {
      if (decoder === null) throw malformed("the answer is a stream, which was not requested");
      this.#characters += text.length;
      if (this.#characters > ANSWER_BYTES_MAX) throw malformed("the answer is too large");
      const events = decoder.isEvents ? this.#parser.push(text) : [{ event: "", data: text }];
      const given = events.filter(({ data }) => data !== "");
      for (const event of given) if (!decoder.done) this.#collect(decoder.push(event), pieces);
      return given.length === 0 ? null : { pieces, broken: undefined };
    } catch (broken) {
      return { pieces, broken };
    }
  }

  end(): Reading<WholePiece<R, P>> {
    const pieces: WholePiece<R, P>[] = [];
    const decoder = this.#decoder;
    try {
      for (const event of decoder?.isEvents ? this.#parser.end() : []) {
        if (event.data !== "" && decoder) this.#collect(decoder.push(event), pieces);
      }
      if (decoder) this.#collect(decoder.end(), pieces);
      this.#isFinished = true;
    } catch (broken) {
      return { pieces, broken };
    }
    return { pieces, broken: undefined };
  }

  /** It ends with its connection or with an event of its own. One that continues is not complete. */
  early(): null {
    return null;
  }

  acceptReply(reply: R): readonly WholePiece<R, P>[] {
    const pieces: WholePiece<R, P>[] = [];
    this.#isFinished = true;
    this.#collect([{ kind: "reply", reply }], pieces);
    return pieces;
  }

  finish(): readonly WholePiece<R, P>[] {
    return [];
  }

  /** The gateway itself adds the last piece, which has the usage with its cost. */
  #collect(given: readonly WholePiece<R, P>[], pieces: WholePiece<R, P>[]): void {
    for (const piece of given) {
      const usage = piece.kind === "usage" ? piece.usage : piece.kind === "reply" ? piece.reply.usage : null;
      if (usage) this.#usage = this.#usage ? addUsages([this.#usage, usage]) : usage;
      if (piece.kind !== "usage") pieces.push(piece);
    }
  }
}

export class PartMeter<A extends Ask, R extends WholeReply, P extends object>
  implements Meter<WholeReplyForm<A, R, P>>
{
  readonly #countBytes: (piece: WholePiece<R, P>) => number;
  readonly #countAnswers: (reply: R) => number;
  /** True after a part of an answer whose reply has not arrived. */
  #isOpen = false;
  #answers = 0;
  #partBytes = 0;
  #replyBytes = 0;
  hasAnswer = false;

  constructor(countBytes: (piece: WholePiece<R, P>) => number, countAnswers: (reply: R) => number) {
    this.#countBytes = countBytes;
    this.#countAnswers = countAnswers;
  }

  /** A reply may repeat what its parts said. */
  get bytes(): number {
    return Math.max(this.#partBytes, this.#replyBytes);
  }

  get begun(): number {
    return this.#answers + (this.#isOpen ? 1 : 0);
  }

  add(pieces: readonly WholePiece<R, P>[]): void {
    for (const piece of pieces) {
      this.hasAnswer ||= piece.kind !== "usage";
      if (piece.kind === "part") this.#partBytes += this.#countBytes(piece);
      else this.#replyBytes += this.#countBytes(piece);
      if (piece.kind === "reply") this.#answers += this.#countAnswers(piece.reply);
      if (piece.kind !== "usage") this.#isOpen = piece.kind === "part";
    }
  }

  takeWhole(): void {
    this.hasAnswer = true;
    this.#answers = Number.POSITIVE_INFINITY;
  }
}

/** Collects the replies. Parts are shown and dropped. */
export function foldReplies<A extends Ask, R extends WholeReply, P extends object>(
  merge: (replies: readonly R[]) => R,
): Folding<WholeReplyForm<A, R, P>> {
  const replies: R[] = [];
  return {
    add(pieces) {
      for (const piece of pieces) if (piece.kind === "reply") replies.push(piece.reply);
      return 0;
    },
    reply: () => (replies.length > 1 ? merge(replies) : (replies[0] ?? null)),
  };
}

/** Adds the work of several calls. Returns null if one reported none. */
export function addUsages(usages: readonly (WorkUsage | null)[]): WorkUsage | null {
  let sum: WorkUsage | null = null;
  for (const usage of usages) {
    if (!usage) return null;
    sum = sum ? addUsage(sum, usage) : usage;
  }
  return sum;
}

function addUsage(one: WorkUsage, other: WorkUsage): WorkUsage {
  const terms = addTerms(one.terms, other.terms);
  return { amounts: addAmounts(one.amounts, other.amounts), ...(terms ? { terms } : {}) };
}
