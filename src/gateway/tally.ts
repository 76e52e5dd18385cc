// The account of one request: counted while it runs, made into its one record at its end.

import type { Attempt } from "../core/attempt.ts";
import { type Fault, toFault } from "../core/fault.ts";
import { toUsd } from "../core/money.ts";
import type { Ended, UnsettledRecord } from "../core/record.ts";
import type { Outcome } from "../ledger/ledger.ts";
import { likelyPromptTokens, likelyTextTokens } from "../operations/chat/estimate.ts";
import type { ChatChunk, Delta, Usage } from "../operations/chat/form.ts";
import { isAnswer } from "../operations/chat/normalise.ts";
import type { SentRequest } from "../operations/chat/plausible.ts";
import { listChunks, type Part, Run, Verbatim } from "../operations/chat/run.ts";
import type { KeptDecision } from "../selectors/decision.ts";
import { Grader } from "../selectors/learning/signal.ts";
import type { Call, Facts } from "./call.ts";
import { type Bill, type Counted, countAnswer, countPrompt, UNCOUNTED } from "./counted.ts";
import type { Seen } from "./lessons.ts";
import { SentCalls } from "./sent-calls.ts";
import { Tracing } from "./tracing.ts";
import { clientGone, isByClient, judge } from "./verdict.ts";

export class Tally {
  readonly tracing: Tracing;
  readonly sent = new SentCalls();
  readonly #call: Call;
  readonly #facts: Facts;
  readonly #decision: KeptDecision | null;
  readonly #atMs: number;
  readonly #startedMs: number;
  #attempt: Attempt | null = null;
  /** The request as the attempt that answers was sent it. */
  #asked: SentRequest | null = null;
  /** The provider's latest report of an answer that is not whole yet. */
  #reported: Usage | null = null;
  /** That report is the last word: every choice had come to its finish. */
  #isCounted = false;
  /** The count of the answer, worked out once. */
  #counted: Counted | null = null;
  #answered = false;
  /** Indexes of the choices that were begun or finished. */
  readonly #begun = new Set<number>();
  #producedBytes = 0;
  #firstTokenMs: number | null = null;
  #ended: Ended = "client_gone";
  #fault: Fault | null = null;
  #finished = false;
  /** null: the client named the model, and nothing is learned of its answer. */
  readonly #grader: Grader | null;

  /** `atMs` is wall time; `startedMs` is on the monotonic clock. */
  constructor(call: Call, facts: Facts, decision: KeptDecision | null, atMs: number, startedMs: number) {
    this.#call = call;
    this.#facts = facts;
    this.#decision = decision;
    this.#grader = decision && new Grader(call.request);
    this.#atMs = atMs;
    this.#startedMs = startedMs;
    this.tracing = new Tracing(startedMs);
  }

  /** True if a provider produced anything. */
  get produced(): boolean {
    return this.#finished || this.#answered;
  }

  /** The fault with which it failed; null: it did not. */
  get fault(): Fault | null {
    return this.#fault;
  }

  /** The usage that the provider reported and that can't be; null: there was none. */
  get implausible(): Usage | null {
    return this.#counted?.implausible ?? null;
  }

  /** True if something is learned of the answer: then all of it is to be seen. */
  get learns(): boolean {
    return this.#grader !== null;
  }

  get producedBytes(): number {
    return this.#producedBytes;
  }

  /** The provider says so much was used so far. */
  readonly reported = (usage: Usage, isWhole: boolean): void => {
    this.#reported = usage;
    this.#isCounted = isWhole;
  };

  /** The attempt that answers: what one before it reported is not this one's. */
  answeredBy(attempt: Attempt, asked: SentRequest, nowMs: number): void {
    this.#attempt = attempt;
    this.#asked = asked;
    this.#reported = null;
    this.#isCounted = false;
    this.#firstTokenMs = Math.round(nowMs - this.#startedMs);
  }

  /** Counts the parts that left for the client. */
  saw(parts: readonly Part[]): void {
    const grader = this.#grader;
    // A run says nothing of how an answer ends: who keeps no texts needs none of it.
    grader?.take(listChunks(grader.keeps ? parts : parts.filter((part) => !(part instanceof Run))));
    for (const part of parts) {
      // A run continues a choice that a chunk has begun.
      if (part instanceof Run) this.#producedBytes += part.bytes;
      else if (part instanceof Verbatim) for (const chunk of part.meaning) this.#sawChunk(chunk);
      else this.#sawChunk(part);
    }
  }

  #sawChunk(chunk: ChatChunk): void {
    const hasAnswer = isAnswer(chunk);
    this.#answered ||= hasAnswer;
    for (const { index, delta, finish_reason } of chunk.choices) {
      if (hasAnswer || finish_reason !== null) this.#begun.add(index);
      this.#producedBytes += bytesOf(delta);
    }
  }

  /** The answer is whole. Gives the usage with its cost, as the client sees it but for what was charged. */
  finished(reported: Usage | null, choices: Iterable<{ readonly index: number }> = []): Usage {
    this.#finished = true;
    this.#ended = "done";
    for (const { index } of choices) this.#begun.add(index);
    const { usage, bill } = this.#count(reported);
    return { ...(usage ?? this.#estimate()), cost: toUsd(bill.costNanoUsd) };
  }

  /** The material to learn from; null: a selector didn't choose, or nobody answered. */
  seen(): Seen | null {
    const [card, decision, grader] = [this.#attempt?.card, this.#decision, this.#grader];
    return card && decision && grader ? { card, decision, grader } : null;
  }

  failed(thrown: unknown): void {
    if (this.#finished) return;
    this.#fault = toFault(thrown);
    this.#ended = this.#endedBy(this.#fault);
  }

  /** The cost of the request and what it gets back, complete once the request is over. */
  outcome(nowMs: number): Omit<Outcome, "sealedReply"> {
    const fault = this.#finished ? null : (this.#fault ?? clientGone());
    const answers = this.#call.request.n ?? 1;
    const none = { produced: this.produced, isDue: false, record: this.#record(nowMs, this.#produced()) };
    const giveBack = { answers, isBounded: true, beyond: null };
    switch (
      judge({ fault, hasAnswer: this.produced, isSent: this.sent.any, silentMs: this.sent.silentMs(nowMs) })
    ) {
      case "produced": {
        const isTheirs = fault === null || !isByClient(fault);
        const failed = isTheirs ? Math.max(0, answers - this.#begun.size) : 0;
        return { ...none, isDue: true, giveBack: { ...giveBack, answers: failed } };
      }
      case "left":
        return {
          ...none,
          isDue: true,
          record: this.#unanswered(nowMs),
          giveBack: { ...giveBack, answers: 0 },
        };
      case "refused":
        return { ...none, giveBack: { ...giveBack, beyond: this.#unanswered(nowMs) } };
      case "failed":
        return { ...none, giveBack };
      case "unsent":
        return { ...none, giveBack: { ...giveBack, isBounded: false } };
    }
  }

  /** The row of a prompt that has to be paid for although nothing was produced. */
  #unanswered(nowMs: number): UnsettledRecord {
    const { latest } = this.sent;
    const { request, markup } = this.#call;
    return this.#record(nowMs, latest ? countPrompt(request, latest, markup) : UNCOUNTED);
  }

  #record(nowMs: number, { bill, source }: Counted): UnsettledRecord {
    const { id, requestId, key, request } = this.#call;
    const totalMs = Math.round(nowMs - this.#startedMs);
    return {
      id,
      requestId,
      keyId: key.id,
      accountId: key.accountId,
      atMs: this.#atMs,
      modelAsked: shownModel(request.model),
      modelTried: this.tracing.lastModel,
      modelUsed: this.#attempt?.card.id ?? null,
      selector: this.#facts.selector,
      decision: this.#decision && JSON.stringify(this.#decision),
      trace: this.#trace(totalMs, bill),
      attempts: this.#facts.attempts,
      stream: request.stream === true,
      status: this.#fault ? this.#fault.row.status : this.#ended === "done" ? 200 : 499,
      faultCode: this.#fault?.code ?? (this.#ended === "done" ? null : "client_gone"),
      tokens: bill.tokens,
      costNanoUsd: bill.costNanoUsd,
      usageSource: source,
      ended: this.#ended,
      totalMs,
      firstTokenMs: this.#firstTokenMs,
    };
  }

  /** Counts what was produced; without a whole report it is estimated. */
  #produced(): Counted {
    if (!this.produced) return UNCOUNTED;
    return this.#counted ?? this.#count(this.#isCounted ? this.#reported : null);
  }

  #count(reported: Usage | null): Counted {
    if (this.#asked === null) return UNCOUNTED;
    const usage = reported ?? this.#estimate();
    this.#counted = countAnswer(usage, reported ? "provider" : "estimate", this.#asked, this.#call.markup);
    return this.#counted;
  }

  #trace(endMs: number, { lines: bill }: Bill): string {
    const { implausible } = this;
    return this.tracing.text({
      endMs,
      firstTokenMs: this.#firstTokenMs,
      isWhole: this.#finished,
      fault: this.#fault,
      bill,
      markup: this.#call.markup,
      usageImplausible: implausible && {
        promptTokens: implausible.prompt_tokens,
        completionTokens: implausible.completion_tokens,
      },
    });
  }

  #endedBy(fault: Fault): Ended {
    if (fault.code === "client_gone") return "client_gone";
    if (fault.code === "client_timeout" && this.#facts.attempts > 0) return "timeout";
    const asked = fault.details.upstreamStatus !== undefined || fault.row.blame !== "client";
    if (this.#facts.attempts === 0 || !asked) return "refused";
    if (fault.code === "store_unavailable" && !this.produced) return "lost";
    if (fault.code === "upstream_timeout") return "timeout";
    return this.produced ? "broken_off" : "upstream_failed";
  }

  /** The usage as far as the provider reported it, and no less than what was seen. */
  #estimate(): Usage {
    const calls = this.#asked?.calls ?? 1;
    const promptTokens = this.#reported?.prompt_tokens ?? likelyPromptTokens(this.#call.request) * calls;
    const seenTokens = likelyTextTokens(this.#producedBytes);
    const completionTokens = Math.max(seenTokens, this.#reported?.completion_tokens ?? 0);
    return {
      ...this.#reported,
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    };
  }
}

/** The model that a client asked for, as far as a row has room for it. */
export function shownModel(model: string): string {
  return model.slice(0, 200);
}

function bytesOf(delta: Delta): number {
  let bytes = Buffer.byteLength(delta.content ?? "");
  if (delta.reasoning_content) bytes += Buffer.byteLength(delta.reasoning_content);
  if (delta.refusal) bytes += Buffer.byteLength(delta.refusal);
  for (const call of delta.tool_calls ?? []) {
    bytes += Buffer.byteLength(call.function?.arguments ?? call.custom?.input ?? "");
    bytes += (call.function?.name ?? call.custom?.name ?? "").length;
  }
  return bytes;
}
