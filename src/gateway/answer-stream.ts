// A streamed answer on its way to its client: let in before the first batch, settled before the last, left in any case.
import type { Form } from "../operations/form.ts";
import { type AnswerFlow, Pause, type Take } from "./flow.ts";
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

export class AnswerStream<F extends Form> implements AnswerFlow<readonly F["piece"][]> {
  readonly #steps: StreamSteps<F>;
  #opened: Opened<F> | null = null;
  #isBegun = false;
  #isUnderWay = false;
  #isLeft = false;
  #isOver = false;

  constructor(steps: StreamSteps<F>) {
    this.#steps = steps;
  }

  begin(): Promise<void> {
    return this.#run(async () => {
      this.#isBegun = true;
      this.#opened = await this.#steps.open();
    });
  }

  pour(take: Take<readonly F["piece"][]>): Promise<void> {
    return this.#run(async () => {
      if (this.#isOver || this.#opened === null) return;
      const { first, rest } = this.#opened;
      await take(first);
      if (rest) await this.#pourRest(rest, take);
      await this.#end();
    });
  }

  /** What is under way meanwhile ends by the call's signal, which fires on leaving too. */
  leave(): void {
    this.#isLeft = true;
    if (!this.#isUnderWay) this.#end().catch(() => {});
  }

  async #pourRest(rest: PieceStream<F>, take: Take<readonly F["piece"][]>): Promise<void> {
    const { pass, finish } = this.#steps;
    await rest.pour((pieces) => {
      pass(pieces);
      return take(pieces);
    });
    if (!this.#isLeft) await take(await finish(rest.usage));
  }

  async #run(step: () => Promise<void>): Promise<void> {
    this.#isUnderWay = true;
    try {
      await step();
    } catch (thrown) {
      this.#steps.fail(thrown);
      await this.#end();
      throw thrown;
    } finally {
      this.#isUnderWay = false;
      if (this.#isLeft) await this.#end();
    }
  }

  async #end(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#opened?.rest?.leave();
    if (this.#isBegun) await this.#steps.leave();
  }
}

/** Reads a stream up to the first part of its answer: a start alone is no answer, another attempt may still replace it. */
export async function openStream<F extends Form>(
  stream: PieceStream<F>,
  isAnswer: (piece: F["piece"]) => boolean,
): Promise<Opened<F> & { readonly rest: PieceStream<F> }> {
  const rest = new OpenedStream(stream, isAnswer);
  return { first: await rest.first, rest };
}

/** A stream under way that stands still behind the first part of its answer until the rest is asked for. */
class OpenedStream<F extends Form> implements PieceStream<F> {
  readonly first: Promise<readonly F["piece"][]>;
  readonly #stream: PieceStream<F>;
  readonly #isAnswer: (piece: F["piece"]) => boolean;
  readonly #begun = Promise.withResolvers<void>();
  readonly #pieces: F["piece"][] = [];
  readonly #asked = new Pause();
  readonly #done: Promise<void>;
  #hasBegun = false;
  #take: Take<readonly F["piece"][]> | null = null;

  constructor(stream: PieceStream<F>, isAnswer: (piece: F["piece"]) => boolean) {
    this.#stream = stream;
    this.#isAnswer = isAnswer;
    this.#done = stream.pour((pieces) => (this.#take ? this.#take(pieces) : this.#hold(pieces)));
    this.#done.then(this.#begun.resolve, this.#begun.reject);
    this.first = this.#begun.promise.then(() => this.#pieces);
  }

  get usage(): F["usage"] | null {
    return this.#stream.usage;
  }

  pour(take: Take<readonly F["piece"][]>): Promise<void> {
    this.#take = take;
    this.#asked.end();
    return this.#done;
  }

  leave(): void {
    this.#stream.leave();
    this.#asked.end();
  }

  #hold(pieces: readonly F["piece"][]): Promise<void> | null {
    // Where several calls make up the answer, another one's parts may come before the rest is asked for.
    if (this.#hasBegun) return this.#asked.wait().then(() => this.#take?.(pieces) ?? undefined);
    for (const piece of pieces) this.#pieces.push(piece);
    if (!pieces.some(this.#isAnswer)) return null;
    this.#hasBegun = true;
    this.#begun.resolve();
    return this.#asked.wait();
  }
}
