// Collects a stream once, for all that read the answer at its end.
import type { Folding } from "./folding.ts";
import type { Form } from "./form.ts";

type Answer = Pick<Form, "piece" | "reply">;

/**
 * Judges after each batch whether the answer is still collected for a reader: by the batch's length and by that of all
 * batches, both as the folding counts. False gives it up.
 */
type Acceptance = (characters: number, charactersInAll: number) => boolean;

/** Collects the pieces that pass one place. Without a reader, nothing is collected. */
export class AnswerCollector<F extends Answer> {
  readonly #fold: () => Folding<F>;
  readonly #readers = new Set<CollectedReader<F>>();
  #folding: Folding<F> | null = null;
  #characters = 0;
  #hasBegun = false;

  constructor(fold: () => Folding<F>) {
    this.#fold = fold;
  }

  /** Throws once a piece has passed, because the reader would lack it. */
  read(accepts: Acceptance): CollectedReader<F> {
    if (this.#hasBegun) throw new Error("The answer is already passing.");
    const reader = new CollectedReader(this, accepts);
    this.#readers.add(reader);
    return reader;
  }

  add(pieces: readonly F["piece"][]): void {
    this.#hasBegun = true;
    if (this.#readers.size === 0) return;
    this.#folding ??= this.#fold();
    const characters = this.#folding.add(pieces);
    this.#characters += characters;
    for (const reader of this.#readers) if (!reader.accepts(characters, this.#characters)) reader.leave();
  }

  /** Without readers, the pieces so far are dropped. */
  remove(reader: CollectedReader<F>): void {
    this.#readers.delete(reader);
    if (this.#readers.size === 0) this.#folding = null;
  }

  makeReply(): F["reply"] | null {
    this.#folding ??= this.#fold();
    return this.#folding.reply();
  }
}

/** A request whose answer can be read. */
export interface ShownAnswer<F extends Answer> {
  /** The answer as its client is shown it. Made when the first reader asks for it. */
  readonly shown: AnswerCollector<F>;
}

/** One reader's view of an answer. */
export class CollectedReader<F extends Answer> {
  readonly accepts: Acceptance;
  /** Null once it was given up. */
  #collected: AnswerCollector<F> | null;
  #whole: F["reply"] | null = null;

  constructor(collected: AnswerCollector<F>, accepts: Acceptance) {
    this.#collected = collected;
    this.accepts = accepts;
  }

  /** True if the answer was given up. */
  get isCut(): boolean {
    return this.#collected === null && this.#whole === null;
  }

  /** Takes an answer that came in one. */
  takeWhole(reply: F["reply"]): void {
    this.#whole = reply;
    this.leave();
  }

  /** Ends the reading: if no other reader is left, nothing more is collected. */
  leave(): void {
    this.#collected?.remove(this);
    this.#collected = null;
  }

  /** Returns the answer so far. Null if there is none, or if it was given up. */
  makeReply(): F["reply"] | null {
    return this.#whole ?? this.#collected?.makeReply() ?? null;
  }
}
