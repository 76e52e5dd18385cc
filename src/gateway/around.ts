// The steps around one answer, from the last of the list to the first.
import type { Form } from "../operations/form.ts";
import type { OpenedAnswer } from "./answer/answer-stream.ts";
import type { Take } from "./answer/flow.ts";
import type { PieceStream } from "./attempt/streamed.ts";
import type { RequestContext } from "./context.ts";
import type { AnswerEnd, Around, Later } from "./step.ts";
import { untilEnded } from "./until-ended.ts";

type Pieces<F extends Form> = readonly F["piece"][];

/** Several steps as one. */
export class Arounds<F extends Form> implements Around<F> {
  readonly #all: readonly Around<F>[];

  /** In the order in which they see the answer. */
  constructor(all: readonly Around<F>[]) {
    this.#all = all;
  }

  async whole(reply: F["reply"]): Promise<F["reply"]> {
    let shown = reply;
    for (const one of this.#all) shown = await one.whole(shown);
    return shown;
  }

  pass(pieces: Pieces<F>): Later<Pieces<F>> {
    return this.#passFrom(0, pieces);
  }

  async end(): Promise<Pieces<F>> {
    let shown: Pieces<F> = [];
    for (const one of this.#all) {
      const passed = shown.length > 0 ? await one.pass(shown) : shown;
      shown = [...passed, ...(await one.end())];
    }
    return shown;
  }

  async over(end: AnswerEnd<F>): Promise<void> {
    for (const one of this.#all) await one.over(end);
  }

  /** Not async: steps that need no time cost no promise per batch. */
  #passFrom(at: number, pieces: Pieces<F>): Later<Pieces<F>> {
    const one = this.#all[at];
    if (one === undefined || pieces.length === 0) return pieces;
    const passed = one.pass(pieces);
    if (passed instanceof Promise) return passed.then((shown) => this.#passFrom(at + 1, shown));
    return this.#passFrom(at + 1, passed);
  }
}

/**
 * A stream as the steps around it let it pass. If one refuses, the provider is left rather than blamed: its call ends as
 * if the client had gone.
 */
export class SteppedStream<F extends Form> implements PieceStream<F> {
  readonly #answer: OpenedAnswer<F>;
  readonly #context: RequestContext<F>;
  readonly #around: Around<F>;
  readonly #failures: unknown[] = [];
  /** Null while no step is working on a batch. */
  #turn: Promise<void> | null = null;

  constructor(answer: OpenedAnswer<F>, context: RequestContext<F>, around: Around<F>) {
    this.#answer = answer;
    this.#context = context;
    this.#around = around;
  }

  get usage(): F["usage"] | null {
    return this.#answer.rest.usage;
  }

  async pour(take: Take<Pieces<F>>): Promise<void> {
    const { first, rest } = this.#answer;
    await this.#takeTurn(first, take);
    if (this.#failures.length === 0) await rest.pour((pieces) => this.#takeTurn(pieces, take));
    await this.#turn;
    if (this.#failures.length > 0) throw this.#failures[0];
    const last = await untilEnded(this.#around.end(), this.#context.ending);
    if (last.length > 0) await take(last);
  }

  leave(): void {
    this.#answer.rest.leave();
  }

  /** Several calls may make up the answer, but the steps take one batch at a time. Never rejects. */
  #takeTurn(pieces: Pieces<F>, take: Take<Pieces<F>>): Promise<void> | null {
    this.#context.measure(pieces);
    const before = this.#turn;
    const turn = before ? before.then(() => this.#pass(pieces, take) ?? undefined) : this.#pass(pieces, take);
    this.#turn = turn;
    void turn?.then(() => {
      if (this.#turn === turn) this.#turn = null;
    });
    return turn;
  }

  #pass(pieces: Pieces<F>, take: Take<Pieces<F>>): Promise<void> | null {
    if (this.#failures.length > 0) return null;
    try {
      const passed = this.#around.pass(pieces);
      const taken = passed instanceof Promise ? this.#wait(passed, take) : hand(passed, take);
      return taken === null ? null : taken.catch((thrown: unknown) => this.#break(thrown));
    } catch (thrown) {
      this.#break(thrown);
      return null;
    }
  }

  async #wait(passing: Promise<Pieces<F>>, take: Take<Pieces<F>>): Promise<void> {
    await hand(await untilEnded(passing, this.#context.ending), take);
  }

  #break(thrown: unknown): void {
    this.#failures.push(thrown);
    this.leave();
  }
}

function hand<Piece>(pieces: readonly Piece[], take: Take<readonly Piece[]>): Promise<void> | null {
  return pieces.length > 0 ? take(pieces) : null;
}
