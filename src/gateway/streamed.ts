// A streamed attempt of a plan: the provider's answer as batches of parts, drawn one by one.
import type { ChatReply, Usage } from "../core/chat.ts";
import { Fault } from "../core/fault.ts";
import { AnswerReader, type Reading } from "../wire/answer.ts";
import { unfold } from "../wire/fold.ts";
import { isAnswer } from "../wire/normalise.ts";
import type { Part } from "../wire/run.ts";
import { type AttemptCall, callFor, replyOf, send, told } from "./attempt.ts";
import { firstByteMsOf, type Ports, REPLY_BYTES_MAX, type UpstreamCall } from "./upstream.ts";

/** A streamed answer, drawn batch by batch. */
export interface PartStream {
  /** What the next read gave; null once the answer is whole. Throws the Fault of whatever broke it. */
  next(): Promise<readonly Part[] | null>;
  /** As far as it was reported. */
  readonly usage: Usage | null;
  /** Nobody wants the rest: the upstream call is ended. */
  leave(): void;
}

/**
 * Written as an object and not as generators within generators: each of those costs a stream of single chunks a
 * twentieth of its CPU, and a kilobyte of memory for as long as it is open.
 */
export class StreamedAttempt implements PartStream {
  readonly #ports: Ports;
  readonly #attempt: AttemptCall;
  readonly #startedMs: number;
  readonly #call: UpstreamCall;
  #reader: AnswerReader | null = null;
  /** An answer that came whole. */
  #reply: ChatReply | null = null;
  #stage: "send" | "body" | "rest" | "over" = "send";
  /** What broke the answer behind the parts that were given. */
  #broken: unknown;
  #answered = false;
  #reported: Usage | null = null;
  /** When the client was given the latest batch. */
  #givenMs: number | null = null;
  /** How long the client has kept the provider waiting. */
  #waitedMs = 0;
  #isOver = false;

  constructor(ports: Ports, attempt: AttemptCall) {
    const { card, upstream, totalAtMs } = attempt;
    this.#ports = ports;
    this.#attempt = attempt;
    this.#startedMs = ports.deadlines.nowMs();
    const firstByteMs = firstByteMsOf(upstream.setup.timeouts, card.capabilities.has("reasoning"));
    this.#call = callFor(ports, attempt, Math.min(this.#startedMs + firstByteMs, totalAtMs));
  }

  get usage(): Usage | null {
    return this.#reader?.usage ?? null;
  }

  async next(): Promise<readonly Part[] | null> {
    if (this.#isOver) return null;
    try {
      for (;;) {
        this.#wait();
        const reading = await this.#reading();
        if (!reading) return this.#finish();
        this.#broken = reading.broken;
        this.#report();
        if (reading.parts.length > 0) return this.#given(reading.parts);
      }
    } catch (thrown) {
      const { deadlines } = this.#ports;
      const fault = told(this.#attempt, this.#call.faultOf(thrown), this.#startedMs, deadlines.nowMs());
      this.leave();
      throw fault;
    }
  }

  leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#call.close();
    this.#attempt.trial?.left();
  }

  /** Null: nothing more comes. */
  async #reading(): Promise<Reading | null> {
    if (this.#broken !== undefined) throw this.#broken;
    const reader = this.#reader ?? (await this.#sent());
    while (this.#stage === "body") {
      const bytes = await this.#call.read().catch(this.#late);
      // Comments are no progress: an upstream that sends nothing else runs into its deadline.
      const reading = bytes instanceof Uint8Array ? reader.push(bytes) : bytes;
      if (reader.done) this.#call.complete();
      if (!bytes || reader.done) this.#stage = "rest";
      if (reading) return reading;
    }
    if (this.#stage === "over") return null;
    this.#stage = "over";
    return this.#reply ? { parts: reader.take(unfold(this.#reply)), broken: undefined } : reader.end();
  }

  async #sent(): Promise<AnswerReader> {
    const { card, request, upstream, choiceOffset } = this.#attempt;
    const { response, stops } = await send(this.#attempt, this.#call);
    const decoder = upstream.dialect.decoder(card, request);
    this.#reader = new AnswerReader({ decoder, request, choiceOffset, stops, splices: true });
    this.#stage = "rest";
    // A server that ignores `stream` and sends one JSON is understood too.
    if (/^application\/json\b/i.test(response.headers.get("content-type") ?? "")) {
      this.#reply = replyOf(this.#attempt, await this.#call.text(response, REPLY_BYTES_MAX));
    } else if (response.body) {
      this.#call.open(response.body);
      this.#stage = "body";
    }
    return this.#reader;
  }

  /** Some servers hold the connection open behind an answer that is whole, and send no mark of its end. */
  readonly #late = (thrown: unknown): Reading => {
    const isLate = thrown instanceof Fault && thrown.code === "upstream_timeout";
    const parts = isLate ? this.#reader?.early() : null;
    if (!parts) throw thrown;
    this.#stage = "over";
    return { parts, broken: undefined };
  };

  /** While the client takes its time, the provider is not to blame. */
  #given(parts: readonly Part[]): readonly Part[] {
    const nowMs = this.#ports.deadlines.nowMs();
    this.#givenMs = nowMs;
    this.#answered ||= parts.some(isAnswer);
    if (this.#answered) {
      this.#attempt.trial?.answered(nowMs);
      this.#call.extendTo(this.#attempt.totalAtMs);
    }
    return parts;
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
    this.#attempt.onUsage(usage, (this.#reader?.finished ?? 0) >= (this.#attempt.request.n ?? 1));
  }

  #finish(): readonly Part[] | null {
    const last = this.#reader?.finish() ?? [];
    const tokens = this.usage?.completion_tokens ?? null;
    this.#attempt.trial?.finished(this.#ports.deadlines.nowMs(), tokens, this.#waitedMs);
    this.leave();
    return last.length > 0 ? last : null;
  }
}
