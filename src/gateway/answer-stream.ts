// A streamed answer as its client draws it: let in with the first batch, settled before the last, left in any case.
import type { Form } from "../operations/form.ts";
import type { Batches } from "./batches.ts";
import type { PieceStream } from "./streamed.ts";

/** An answer whose first part has come. */
export interface Opened<F extends Form> {
  readonly first: readonly F["piece"][];
  /** null: that was all. */
  readonly rest: PieceStream<F> | null;
}

/** The steps of a streamed request. `leave` follows every `open`. */
export interface StreamSteps<F extends Form> {
  /** Lets the request in and waits for the first part of its answer. */
  readonly open: () => Promise<Opened<F>>;
  /** Called with each batch that leaves after the first. */
  readonly pass: (pieces: readonly F["piece"][]) => void;
  /** Settles the answer that is whole, and returns its last batch. */
  readonly finish: (usage: F["usage"] | null) => Promise<readonly F["piece"][]>;
  readonly fail: (thrown: unknown) => void;
  readonly leave: () => Promise<void>;
}

/** An object and not a generator around another: for each batch they made four promises more. */
export class AnswerStream<F extends Form> implements Batches<readonly F["piece"][]> {
  readonly #steps: StreamSteps<F>;
  #rest: PieceStream<F> | null = null;
  #isOpen = false;
  #isDrawn = false;
  #isLeft = false;
  #isOver = false;

  constructor(steps: StreamSteps<F>) {
    this.#steps = steps;
  }

  async next(): Promise<readonly F["piece"][] | null> {
    if (this.#isOver || this.#isLeft) return null;
    this.#isDrawn = true;
    try {
      let pieces: readonly F["piece"][] | null = null;
      if (this.#rest) {
        pieces = await this.#rest.next();
        if (pieces) this.#steps.pass(pieces);
        else pieces = await this.#finish(this.#rest);
      } else if (!this.#isOpen) pieces = await this.#open();
      if (pieces === null || this.#isLeft) await this.#end();
      return pieces;
    } catch (thrown) {
      this.#steps.fail(thrown);
      await this.#end();
      throw thrown;
    } finally {
      this.#isDrawn = false;
    }
  }

  /** A batch that is being drawn meanwhile ends by the call's signal, which fires on leaving too. */
  leave(): void {
    this.#isLeft = true;
    if (!this.#isDrawn) this.#end().catch(() => {});
  }

  async #open(): Promise<readonly F["piece"][]> {
    this.#isOpen = true;
    const { first, rest } = await this.#steps.open();
    this.#rest = rest;
    return first;
  }

  async #finish(rest: PieceStream<F>): Promise<readonly F["piece"][]> {
    this.#rest = null;
    rest.leave();
    return this.#steps.finish(rest.usage);
  }

  async #end(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#rest?.leave();
    if (this.#isOpen) await this.#steps.leave();
  }
}

/** Reads a stream up to the first part of its answer: a start alone is no answer, another attempt may still replace it. */
export async function openStream<F extends Form>(
  stream: PieceStream<F>,
  isAnswer: (piece: F["piece"]) => boolean,
): Promise<Opened<F> & { readonly rest: PieceStream<F> }> {
  const first: F["piece"][] = [];
  try {
    for (let pieces = await stream.next(); pieces; pieces = await stream.next()) {
      for (const piece of pieces) first.push(piece);
      if (pieces.some(isAnswer)) break;
    }
    return { first, rest: stream };
  } catch (thrown) {
    stream.leave();
    throw thrown;
  }
}
