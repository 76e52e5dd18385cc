// A streamed answer: admitted before the first batch, settled before the last, cleaned up in every case.
import type { Form } from "../../operations/form.ts";
import type { Operation } from "../../operations/operation.ts";
import type { Ports } from "../../transport/client.ts";
import type { AttemptCall } from "../attempt/attempt.ts";
import { streamAnswers } from "../attempt/calls.ts";
import { hasAnswer, type PieceStream } from "../attempt/streamed.ts";
import type { RequestContext } from "../context.ts";
import type { Closing } from "../settle/closing.ts";
import type { Later } from "../step.ts";
import { type AnswerFlow, Pause, type Take } from "./flow.ts";

/** An answer that has begun to arrive. */
export interface AnswerStart<F extends Form> {
  readonly first: readonly F["piece"][];
  /** Null if `first` is the whole answer. */
  readonly rest: PieceStream<F> | null;
}

/** An answer that has begun to arrive from a provider. */
export interface OpenedAnswer<F extends Form> extends AnswerStart<F> {
  readonly rest: PieceStream<F>;
}

/**
 * An answer's way to its client. `open` admits the request and waits for the first part of the answer: if it fails, the
 * request is over. Every one that succeeds is followed by the request's end.
 */
export class AnswerStream<F extends Form> implements AnswerFlow<readonly F["piece"][]> {
  readonly #context: RequestContext<F>;
  readonly #closing: Closing;
  readonly #open: () => Promise<AnswerStart<F>>;
  #opened: AnswerStart<F> | null = null;
  #isUnderWay = false;
  #isLeft = false;
  #isOver = false;

  constructor(context: RequestContext<F>, closing: Closing, open: () => Promise<AnswerStart<F>>) {
    this.#context = context;
    this.#closing = closing;
    this.#open = open;
  }

  async begin(): Promise<readonly F["piece"][] | undefined> {
    this.#isUnderWay = true;
    this.#opened = await this.#open();
    this.#isUnderWay = false;
    if (this.#isLeft) await this.#end();
    return this.#opened.first;
  }

  async pour(take: Take<readonly F["piece"][]>): Promise<void> {
    if (this.#isOver || this.#opened === null) return;
    this.#isUnderWay = true;
    const context = this.#context;
    const { first, rest } = this.#opened;
    try {
      await take(first);
      await rest?.pour((pieces) => {
        context.pass(pieces);
        return take(pieces);
      });
      if (rest && !this.#isLeft) {
        context.finish(rest.usage);
        context.settled = await this.#closing.settle(context);
        await take([context.call.operation.usagePiece(context.chargeUsage())]);
      }
    } catch (thrown) {
      this.#closing.fail(context, thrown);
      await this.#end();
      throw thrown;
    }
    const ending = this.#end();
    if (ending) await ending;
  }

  /** If a phase is still running, the call's signal ends it: the signal fires on leaving too. */
  leave(): void {
    this.#isLeft = true;
    if (!this.#isUnderWay) void this.#leaveEarly();
  }

  async #leaveEarly(): Promise<void> {
    try {
      await this.#end();
    } catch {
      // Nobody waits for it.
    }
  }

  /** Waits for nothing if the request is settled. */
  #end(): Later<void> {
    if (this.#isOver || this.#opened === null) return;
    this.#isOver = true;
    this.#opened.rest?.leave();
    return this.#closing.close(this.#context);
  }
}

/** Reads an attempt's stream until its first piece of content. Until then another attempt may still replace it. */
export function openAnswers<F extends Form>(ports: Ports, attempt: AttemptCall<F>): Promise<OpenedAnswer<F>> {
  return openPieces(streamAnswers(ports, attempt), attempt.operation);
}

/** Reads a stream until its first piece of content. */
export function openPieces<F extends Form>(
  stream: PieceStream<F>,
  operation: Operation<F>,
): Promise<OpenedAnswer<F>> {
  return new OpenedStream(stream, operation).opened;
}

/** A stream that pauses after its first piece of content until the caller asks for the rest. */
class OpenedStream<F extends Form> implements PieceStream<F> {
  readonly opened: Promise<OpenedAnswer<F>>;
  readonly #stream: PieceStream<F>;
  readonly #operation: Operation<F>;
  readonly #done: Promise<void>;
  readonly #asked = new Pause();
  readonly #first: F["piece"][] = [];
  readonly #resolve: (opened: OpenedAnswer<F>) => void;
  #isOpen = false;
  #take: Take<readonly F["piece"][]> | null = null;

  constructor(stream: PieceStream<F>, operation: Operation<F>) {
    const { promise, resolve, reject } = Promise.withResolvers<OpenedAnswer<F>>();
    this.opened = promise;
    this.#stream = stream;
    this.#operation = operation;
    this.#resolve = resolve;
    this.#done = stream.pour((pieces) => (this.#take ? this.#take(pieces) : this.#hold(pieces)));
    this.#done.then(() => this.#open(), reject);
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

  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#resolve({ first: this.#first, rest: this });
  }

  #hold(pieces: readonly F["piece"][]): Promise<void> | null {
    // With several calls per answer, another call may deliver pieces before the rest is asked for.
    if (this.#isOpen) return this.#holdLater(pieces);
    for (const piece of pieces) this.#first.push(piece);
    if (!hasAnswer(this.#operation, pieces)) return null;
    this.#open();
    return this.#asked.wait();
  }

  #holdLater(pieces: readonly F["piece"][]): Promise<void> {
    return this.#asked.wait().then(() => this.#take?.(pieces) ?? undefined);
  }
}
