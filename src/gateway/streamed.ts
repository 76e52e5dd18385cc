// A streamed attempt of a plan: the provider's answer as batches of pieces, drawn one by one.

import type { Fault } from "../core/fault.ts";
import type { Clock } from "../core/world.ts";
import type { Form } from "../operations/form.ts";
import type { Reader, Reading } from "../operations/operation.ts";
import { chooseFirstByteMs, type Ports, type UpstreamCall } from "../transport/client.ts";
import type { TextReader } from "../transport/text-reader.ts";
import {
  type AttemptCall,
  makeReaderOptions,
  prepareCall,
  readReply,
  recordFailure,
  send,
} from "./attempt.ts";
import type { Batches } from "./batches.ts";

/**
 * The most that is worked through at once: of blank lines it takes 4 ms, of small events 8. Larger slices also wait as
 * larger texts for a client that reads slowly.
 */
const SLICE_CHARACTERS = 64 * 1024;

/** A streamed answer: what each read gave. */
export interface PieceStream<F extends Form> extends Batches<readonly F["piece"][]> {
  /** As far as it was reported. */
  readonly usage: F["usage"] | null;
}

/** An object and not generators within generators: there were four, each with a frame of its own while a stream is open. */
export class StreamedAttempt<F extends Form> implements PieceStream<F> {
  readonly #ports: Ports;
  readonly #attempt: AttemptCall<F>;
  readonly #startedMs: number;
  readonly #call: UpstreamCall;
  #reader: Reader<F> | null = null;
  /** An answer that came whole. */
  #reply: F["reply"] | null = null;
  /** null: it was read to its end, or there is none. */
  #body: TextReader | null = null;
  /** The rest of the latest read that is still to be worked through. */
  #unread = "";
  #isWhole = false;
  /** The failure that broke the answer behind the parts that were given. */
  #broken: unknown;
  #answered = false;
  #reported: F["usage"] | null = null;
  /** The time at which the client was given the latest batch. */
  #givenMs: number | null = null;
  /** The time for which the client has kept the provider waiting. */
  #waitedMs = 0;
  #isOver = false;

  constructor(ports: Ports, attempt: AttemptCall<F>) {
    const { card, upstream, totalAtMs } = attempt;
    this.#ports = ports;
    this.#attempt = attempt;
    this.#startedMs = ports.deadlines.nowMs();
    const firstByteMs = chooseFirstByteMs(upstream.setup.timeouts, card.capabilities.has("reasoning"));
    this.#call = prepareCall(ports, attempt, Math.min(this.#startedMs + firstByteMs, totalAtMs));
  }

  get usage(): F["usage"] | null {
    return this.#reader?.usage ?? null;
  }

  /** All awaits of a chunk's way in one function: each more would be a promise per chunk, and a frame while a stream is open. */
  async next(): Promise<readonly F["piece"][] | null> {
    if (this.#isOver) return null;
    try {
      const reader = this.#reader ?? (await this.#send());
      for (;;) {
        if (this.#broken !== undefined) throw this.#broken;
        this.#wait();
        let reading: Reading<F["piece"]> | null = null;
        while (this.#body && !reading) {
          let piece: string | null;
          try {
            if (this.#unread !== "") await yieldTurn(this.#ports.clock);
            const read = this.#unread === "" ? await this.#body.read() : wrapUnread(this.#unread);
            piece = this.#sliceOf(this.#call.piece(read));
          } catch (thrown) {
            reading = this.#late(reader, this.#call.explain(thrown));
            break;
          }
          reading = this.#pushed(reader, piece);
        }
        reading ??= this.#rest(reader);
        if (!reading) return this.#finish();
        this.#broken = reading.broken;
        this.#report();
        if (reading.pieces.length > 0) return this.#give(reading.pieces);
      }
    } catch (thrown) {
      const { deadlines } = this.#ports;
      const fault = recordFailure(
        this.#attempt,
        this.#call.toFault(thrown),
        this.#startedMs,
        deadlines.nowMs(),
      );
      this.leave();
      throw fault;
    }
  }

  leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#call.close();
    const { permit, operation } = this.#attempt;
    permit?.left();
    const amounts = this.usage && operation.countAmounts(this.usage);
    if (amounts) permit?.counted(amounts.prompt + amounts.completion, this.#ports.deadlines.nowMs());
  }

  /** A read may be megabytes, of lines that say nothing: to work through them at once would keep all others waiting. */
  #sliceOf(text: string | null): string | null {
    this.#unread = text?.slice(SLICE_CHARACTERS) ?? "";
    return text?.slice(0, SLICE_CHARACTERS) ?? null;
  }

  /** Null: no event was completed, or the body is over. Comments are no progress: who sends nothing else is late. */
  #pushed(reader: Reader<F>, piece: string | null): Reading<F["piece"]> | null {
    const reading = piece === null ? null : reader.push(piece);
    if (reader.done) this.#call.complete();
    if (piece === null || reader.done) this.#body = null;
    return reading;
  }

  /** The rest behind the body; null: nothing. */
  #rest(reader: Reader<F>): Reading<F["piece"]> | null {
    if (this.#isWhole) return null;
    this.#isWhole = true;
    return this.#reply ? { pieces: reader.takeReply(this.#reply), broken: undefined } : reader.end();
  }

  async #send(): Promise<Reader<F>> {
    const sent = await send(this.#attempt, this.#call);
    const { response, codec, answer } = sent;
    // A server that ignores `stream` and sends one JSON is understood too.
    if (/^application\/json\b/i.test(response.headers.get("content-type") ?? "")) {
      this.#reply = await readReply(this.#attempt, sent, this.#call);
    } else this.#body = this.#call.open(response, answer);
    this.#reader = this.#attempt.operation.reader(codec, makeReaderOptions(this.#attempt, sent));
    return this.#reader;
  }

  /** Some servers hold the connection open behind an answer that is whole, and send no mark of its end. */
  #late(reader: Reader<F>, fault: Fault): Reading<F["piece"]> {
    const pieces = fault.code === "upstream_timeout" ? reader.early() : null;
    if (!pieces) throw fault;
    this.#body = null;
    this.#isWhole = true;
    return { pieces, broken: undefined };
  }

  /** While the client takes its time, the provider is not to blame. */
  #give(pieces: readonly F["piece"][]): readonly F["piece"][] {
    const nowMs = this.#ports.deadlines.nowMs();
    this.#givenMs = nowMs;
    this.#answered ||= pieces.some((piece) => this.#attempt.operation.isAnswer(piece));
    if (this.#answered) {
      this.#attempt.permit?.answered(nowMs);
      this.#call.extendTo(this.#attempt.totalAtMs);
    }
    return pieces;
  }

  /** Now it is the provider who is waited for. */
  #wait(): void {
    const nowMs = this.#ports.deadlines.nowMs();
    if (this.#givenMs !== null) this.#waitedMs += nowMs - this.#givenMs;
    this.#givenMs = null;
    const { idleMs } = this.#attempt.upstream.setup.timeouts;
    if (this.#answered) this.#call.extendTo(Math.min(nowMs + idleMs, this.#attempt.totalAtMs));
  }

  #report(): void {
    const { usage } = this;
    if (usage === this.#reported || usage === null) return;
    this.#reported = usage;
    this.#attempt.onUsage(usage, this.#reader?.isFinished ?? false);
  }

  #finish(): readonly F["piece"][] | null {
    const last = this.#reader?.finish() ?? [];
    const { usage } = this;
    const tokens = usage && this.#attempt.operation.countAmounts(usage).completion;
    this.#attempt.permit?.finished(this.#ports.deadlines.nowMs(), tokens, this.#waitedMs);
    this.leave();
    return last.length > 0 ? last : null;
  }
}

function wrapUnread(value: string): Bun.ReadableStreamDefaultReadResult<string> {
  return { done: false, value };
}

function yieldTurn(clock: Clock): Promise<void> {
  return new Promise((resolve) => void clock.after(0, resolve));
}
