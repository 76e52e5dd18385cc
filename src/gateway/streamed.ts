// A streamed attempt of a plan: the provider's answer, read and handed over in batches of pieces.

import type { Fault } from "../core/fault.ts";
import type { Clock } from "../core/world.ts";
import type { Form } from "../operations/form.ts";
import type { Reader, Reading } from "../operations/operation.ts";
import { chooseFirstByteMs, type Ports, type UpstreamCall } from "../transport/client.ts";
import type { TextReader } from "../transport/text-reader.ts";
import { type AttemptCall, makeReaderOptions, prepareCall, recordFailure, send } from "./attempt.ts";
import type { Flow, Take } from "./flow.ts";

/**
 * The most that is worked through at once: of blank lines it takes 4 ms, of small events 8. Larger slices also wait as
 * larger texts for a client that reads slowly.
 */
const SLICE_CHARACTERS = 64 * 1024;

/** A streamed answer: what each read gave. */
export interface PieceStream<F extends Form> extends Flow<readonly F["piece"][]> {
  /** As far as it was reported. */
  readonly usage: F["usage"] | null;
}

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
  /** The rest of an answer that is whole although its connection was never closed; null: it was read to its end. */
  #early: readonly F["piece"][] | null = null;
  #isWhole = false;
  #answered = false;
  #reported: F["usage"] | null = null;
  /** The time for which the client has kept the provider waiting. */
  #waitedMs = 0;
  #isOver = false;

  constructor(ports: Ports, attempt: AttemptCall<F>) {
    const { card, upstream, totalAtMs, operation } = attempt;
    this.#ports = ports;
    this.#attempt = attempt;
    this.#startedMs = ports.deadlines.nowMs();
    const firstByteMs = chooseFirstByteMs(upstream.setup.timeouts, card.capabilities.has("reasoning"));
    const firstByteAtMs = operation.bounds.firstByte ? this.#startedMs + firstByteMs : totalAtMs;
    this.#call = prepareCall(ports, attempt, Math.min(firstByteAtMs, totalAtMs));
  }

  get usage(): F["usage"] | null {
    return this.#reader?.usage ?? null;
  }

  /** All awaits of a chunk's way in one function: each more would be a promise per chunk, and a frame while a stream is open. */
  async pour(take: Take<readonly F["piece"][]>): Promise<void> {
    try {
      const reader = await this.#send();
      while (this.#body) {
        let text: string | null;
        try {
          if (this.#unread !== "") await yieldTurn(this.#ports.clock);
          const read = this.#unread === "" ? await this.#body.read() : wrapUnread(this.#unread);
          text = this.#sliceOf(this.#call.piece(read));
        } catch (thrown) {
          this.#endEarly(reader, this.#call.explain(thrown));
          break;
        }
        const reading = this.#push(reader, text);
        const taken = reading && this.#give(reading, take);
        if (taken) await taken;
        if (this.#isOver) return;
      }
      await this.#give(this.#rest(reader), take);
      if (this.#isOver) return;
      const last = this.#finish(reader);
      if (last.length > 0) await take(last);
    } catch (thrown) {
      // A stream that was left breaks off, which is no failure.
      if (this.#isOver && !this.#isWhole) return;
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

  async #send(): Promise<Reader<F>> {
    const sent = send(this.#attempt, this.#call);
    const { codec, answer, explain } = sent;
    const response = await sent.response;
    if (!response.ok) throw await this.#call.readError(response, explain);
    // A server that ignores `stream` and sends one JSON is understood too.
    const { operation } = this.#attempt;
    const { headers } = response;
    const options = makeReaderOptions(this.#attempt, sent, headers);
    if (/^application\/json\b/i.test(headers.get("content-type") ?? "")) {
      const isLong = operation.hasLongTexts === true;
      const body = await this.#call.read(response, isLong, operation.answerBytesMax);
      this.#reply = operation.readWhole(codec, { body, headers }, options);
    } else this.#body = this.#call.open(response, answer);
    this.#reader = operation.reader(codec, options);
    return this.#reader;
  }

  /** A read may be megabytes, of lines that say nothing: to work through them at once would keep all others waiting. */
  #sliceOf(text: string | null): string | null {
    const isLong = text !== null && text.length > SLICE_CHARACTERS;
    this.#unread = isLong ? text.slice(SLICE_CHARACTERS) : "";
    return isLong ? text.slice(0, SLICE_CHARACTERS) : text;
  }

  /** Null: no event was completed, or the body is over. Comments are no progress: who sends nothing else is late. */
  #push(reader: Reader<F>, text: string | null): Reading<F["piece"]> | null {
    const reading = text === null ? null : reader.push(text);
    if (reader.done) this.#call.complete();
    if (text === null || reader.done) this.#body = null;
    return reading;
  }

  /** Some servers hold the connection open behind an answer that is whole, and send no mark of its end. */
  #endEarly(reader: Reader<F>, fault: Fault): void {
    this.#early = fault.code === "upstream_timeout" ? reader.early() : null;
    if (!this.#early) throw fault;
  }

  /** The rest behind the body. */
  #rest(reader: Reader<F>): Reading<F["piece"]> {
    this.#isWhole = true;
    const pieces = this.#early ?? (this.#reply && reader.takeReply(this.#reply));
    return pieces ? { pieces, broken: undefined } : reader.end();
  }

  /** Hands over what was read. Returns a promise where the client takes its time. */
  #give({ pieces, broken }: Reading<F["piece"]>, take: Take<readonly F["piece"][]>): Promise<void> | null {
    this.#report();
    const nowMs = this.#ports.deadlines.nowMs();
    if (!this.#answered && pieces.some((piece) => this.#attempt.operation.isAnswer(piece))) {
      this.#answered = true;
      this.#attempt.permit?.answered(nowMs);
    }
    const taken = pieces.length > 0 ? take(pieces) : null;
    if (taken) return this.#wait(taken, nowMs, broken);
    if (broken !== undefined) throw broken;
    this.#expect(nowMs);
    return null;
  }

  /** While the client takes its time, the provider is not to blame. */
  async #wait(taken: Promise<void>, sinceMs: number, broken: unknown): Promise<void> {
    if (this.#answered) this.#call.extendTo(this.#attempt.totalAtMs);
    await taken;
    if (broken !== undefined) throw broken;
    const nowMs = this.#ports.deadlines.nowMs();
    this.#waitedMs += nowMs - sinceMs;
    this.#expect(nowMs);
  }

  /** From now on it is the provider who is waited for. */
  #expect(nowMs: number): void {
    const { upstream, operation, totalAtMs } = this.#attempt;
    const idleAtMs = operation.bounds.idle ? nowMs + upstream.setup.timeouts.idleMs : totalAtMs;
    if (this.#answered) this.#call.extendTo(Math.min(idleAtMs, totalAtMs));
  }

  #report(): void {
    const { usage } = this;
    if (usage === this.#reported || usage === null) return;
    this.#reported = usage;
    this.#attempt.onUsage(usage, this.#reader?.isFinished ?? false);
  }

  #finish(reader: Reader<F>): readonly F["piece"][] {
    const last = reader.finish();
    const { usage } = reader;
    const tokens = usage && this.#attempt.operation.countAmounts(usage).completion;
    this.#attempt.permit?.finished(this.#ports.deadlines.nowMs(), tokens, this.#waitedMs);
    this.leave();
    return last;
  }
}

function wrapUnread(value: string): Bun.ReadableStreamDefaultReadResult<string> {
  return { done: false, value };
}

function yieldTurn(clock: Clock): Promise<void> {
  return new Promise((resolve) => void clock.after(0, resolve));
}
