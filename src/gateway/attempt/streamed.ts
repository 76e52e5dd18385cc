// A streamed attempt: reads the provider's answer and passes it on in batches of pieces.

import type { Fault } from "../../core/faults/fault.ts";
import type { Clock } from "../../core/world/world.ts";
import type { Form } from "../../operations/form.ts";
import type { Operation, Reader, Reading } from "../../operations/operation.ts";
import { type Ports, UpstreamCall } from "../../transport/client.ts";
import type { TextReader } from "../../transport/text-reader.ts";
import type { Flow, Take } from "../answer/flow.ts";
import { type AttemptCall, recordFailure, send } from "./attempt.ts";

/**
 * The most text to process in one go: up to 4 ms for blank lines, 8 ms for small events. Larger slices would also queue
 * up as larger texts for a slow client.
 */
const SLICE_CHARACTERS = 64 * 1024;

const FIRST_BYTE_MS = 60_000;
const FIRST_BYTE_REASONING_MS = 300_000;

/** A streamed answer, one batch per read. */
export interface PieceStream<F extends Form> extends Flow<readonly F["piece"][]> {
  /** The usage reported so far. */
  readonly usage: F["usage"] | null;
}

export class StreamedAttempt<F extends Form> implements PieceStream<F> {
  readonly #ports: Ports;
  readonly #attempt: AttemptCall<F>;
  readonly #startedMs: number;
  readonly #call: UpstreamCall;
  #reader: Reader<F> | null = null;
  /** Set if the provider answered with a single JSON document. */
  #reply: F["reply"] | null = null;
  /** Null if there is no body or it has been read to the end. */
  #body: TextReader | null = null;
  /** The unprocessed rest of the latest read. */
  #unread = "";
  /** The rest of a complete answer whose connection the provider left open. Null if the body ended normally. */
  #early: readonly F["piece"][] | null = null;
  /** True once the pieces that follow the body were read. */
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
    const usualMs = card.capabilities.has("reasoning") ? FIRST_BYTE_REASONING_MS : FIRST_BYTE_MS;
    const firstByteMs = upstream.setup.timeouts.firstByteMs ?? usualMs;
    const firstByteAtMs = operation.bounds.firstByte ? this.#startedMs + firstByteMs : totalAtMs;
    this.#call = new UpstreamCall(ports, attempt, Math.min(firstByteAtMs, totalAtMs));
  }

  get usage(): F["usage"] | null {
    return this.#reader?.usage ?? null;
  }

  /** All awaits on a chunk's usual path are in this one function: each further one would cost a promise per chunk. */
  async pour(take: Take<readonly F["piece"][]>): Promise<void> {
    try {
      const reader = await this.#send();
      while (this.#body) {
        let text: string | null;
        try {
          const read = await (this.#unread === "" ? this.#body.read() : this.#readUnread());
          text = this.#takeSlice(this.#call.piece(read));
        } catch (thrown) {
          this.#endEarly(reader, this.#call.explain(thrown));
          break;
        }
        const reading = this.#push(reader, text);
        const taken = reading && this.#give(reading, take);
        if (taken) await taken;
        if (this.#isOver) return;
      }
      if (!this.#isWhole) await this.#give(this.#addRest(reader), take);
      if (!this.#isOver) this.#finish(reader);
    } catch (thrown) {
      // An abandoned stream breaks off. That is not a failure.
      if (this.#isOver) return;
      throw this.#fail(thrown);
    }
  }

  #fail(thrown: unknown): Fault {
    const nowMs = this.#ports.deadlines.nowMs();
    const fault = recordFailure(this.#attempt, this.#call.toFault(thrown), this.#startedMs, nowMs);
    this.leave();
    return fault;
  }

  leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#call.close();
    const { permit, operation } = this.#attempt;
    permit?.abandon();
    const amounts = this.usage && operation.countAmounts(this.usage);
    if (amounts) permit?.recordUsage(amounts.prompt + amounts.completion, this.#ports.deadlines.nowMs());
  }

  async #send(): Promise<Reader<F>> {
    const sent = send(this.#attempt, this.#call);
    const response = await sent.response;
    const { headers } = response;
    sent.headers = headers;
    this.#attempt.watcher?.recordResponse(headers);
    if (!response.ok) throw await this.#call.readError(response, sent.explain);
    // Servers that ignore `stream` and send a single JSON document are supported too.
    const { operation } = this.#attempt;
    if (/^application\/json\b/i.test(headers.get("content-type") ?? "")) {
      const isLong = operation.makes === "pictures";
      sent.body = await this.#call.read(response, isLong, operation.answerBytesMax);
      this.#call.finishBody();
      this.#reply = operation.readWhole(sent.codec, sent, sent);
    } else this.#body = this.#call.open(response, sent.answer);
    this.#reader = operation.reader(sent.codec, sent);
    return this.#reader;
  }

  async #readUnread(): Promise<Bun.ReadableStreamDefaultReadResult<string>> {
    await yieldTurn(this.#ports.clock);
    return { done: false, value: this.#unread };
  }

  /** One read may bring megabytes of empty lines. Processing them in one go would block all other requests. */
  #takeSlice(text: string | null): string | null {
    const isLong = text !== null && text.length > SLICE_CHARACTERS;
    this.#unread = isLong ? text.slice(SLICE_CHARACTERS) : "";
    return isLong ? text.slice(0, SLICE_CHARACTERS) : text;
  }

  /** Null if no event was completed. Comments don't count as progress: the deadline still applies. */
  #push(reader: Reader<F>, text: string | null): Reading<F["piece"]> | null {
    const reading = text === null ? null : reader.push(text);
    if (reader.done) this.#call.complete();
    if (text !== null && !reader.done) return reading;
    this.#body = null;
    return reading && reading.broken !== undefined ? reading : this.#addRest(reader, reading?.pieces);
  }

  /** Some servers leave the connection open after a complete answer without marking its end. */
  #endEarly(reader: Reader<F>, fault: Fault): void {
    this.#early = fault.code === "upstream_timeout" ? reader.early() : null;
    if (!this.#early) throw fault;
  }

  /**
   * Adds the pieces that follow the body to the last ones in it: a batch of their own would be one more write to the
   * connection, which costs as much as twenty events.
   */
  #addRest(reader: Reader<F>, last: readonly F["piece"][] = []): Reading<F["piece"]> {
    this.#isWhole = true;
    const given = this.#early ?? (this.#reply && reader.acceptReply(this.#reply));
    const { pieces, broken } = given ? { pieces: given, broken: undefined } : reader.end();
    const finish = broken === undefined ? reader.finish() : [];
    return { pieces: [...last, ...pieces, ...finish], broken };
  }

  /** Passes on what was read. Returns a promise if the client needs time. */
  #give({ pieces, broken }: Reading<F["piece"]>, take: Take<readonly F["piece"][]>): Promise<void> | null {
    this.#report();
    const nowMs = this.#ports.deadlines.nowMs();
    if (!this.#answered && hasAnswer(this.#attempt.operation, pieces)) {
      this.#answered = true;
      this.#attempt.permit?.recordFirstPart(nowMs);
    }
    const taken = pieces.length > 0 ? take(pieces) : null;
    if (taken) return this.#wait(taken, nowMs, broken);
    if (broken !== undefined) throw broken;
    this.#expect(nowMs);
    return null;
  }

  /** While the client is slow, the provider's deadline is suspended. */
  async #wait(taken: Promise<void>, sinceMs: number, broken: unknown): Promise<void> {
    if (this.#answered) this.#call.extendTo(this.#attempt.totalAtMs);
    await taken;
    if (broken !== undefined) throw broken;
    const nowMs = this.#ports.deadlines.nowMs();
    this.#waitedMs += nowMs - sinceMs;
    this.#expect(nowMs);
  }

  /** Restarts the provider's idle deadline. */
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

  #finish({ usage }: Reader<F>): void {
    const tokens = usage && this.#attempt.operation.countAmounts(usage).completion;
    this.#attempt.permit?.finish(this.#ports.deadlines.nowMs(), tokens, this.#waitedMs);
    this.leave();
  }
}

/** True if any of the pieces belongs to the answer itself. */
export function hasAnswer<F extends Form>(operation: Operation<F>, pieces: readonly F["piece"][]): boolean {
  for (const piece of pieces) if (operation.isAnswer(piece)) return true;
  return false;
}

function yieldTurn(clock: Clock): Promise<void> {
  return new Promise((resolve) => void clock.after(0, resolve));
}
