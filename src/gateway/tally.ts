// What one request came to: counted while it runs, made into its one record at its end.
import type { Delta, Usage } from "../core/chat.ts";
import { type Fault, faultOf } from "../core/fault.ts";
import { type BillLine, usdOf } from "../core/money.ts";
import type { Ended, Tokens, UnsettledRecord, UsageSource } from "../core/record.ts";
import { likelyPromptTokens, likelyTextTokens } from "../ledger/estimate.ts";
import { costBy, linesOf, tokensOf } from "../ledger/price.ts";
import type { KeptDecision } from "../router/decision.ts";
import type { Attempt } from "../router/plan.ts";
import { Witness } from "../router/signal.ts";
import { isAnswer } from "../wire/normalise.ts";
import { chunksOf, isChunk, type Part, Run } from "../wire/run.ts";
import type { Call, Facts } from "./call.ts";
import type { Seen } from "./lessons.ts";
import { Tracing } from "./tracing.ts";

interface Bill extends Pick<UnsettledRecord, "tokens" | "costNanoUsd"> {
  readonly lines: readonly BillLine[];
}

const NOTHING: Bill = {
  tokens: { prompt: 0, completion: 0, cached: 0, cacheWrite: 0, reasoning: 0, searches: 0 },
  costNanoUsd: 0,
  lines: [],
};

export class Tally {
  readonly tracing: Tracing;
  readonly #call: Call;
  readonly #facts: Facts;
  readonly #decision: KeptDecision | null;
  readonly #atMs: number;
  readonly #startedMs: number;
  #attempt: Attempt | null = null;
  #calls = 1;
  /** The provider's latest report of an answer that is not whole yet. */
  #reported: Usage | null = null;
  /** That report is the last word: every choice had come to its finish. */
  #isCounted = false;
  #usage: Usage | null = null;
  /** Of the usage that the answer ended with, worked out once. */
  #bill: Bill | null = null;
  #source: UsageSource = "none";
  #answered = false;
  #producedBytes = 0;
  #firstTokenMs: number | null = null;
  #ended: Ended = "client_gone";
  #fault: Fault | null = null;
  #finished = false;
  /** null: the client named the model, and nothing is learned of its answer. */
  readonly #witness: Witness | null;

  /** `atMs` is wall time; `startedMs` is on the monotonic clock. */
  constructor(call: Call, facts: Facts, decision: KeptDecision | null, atMs: number, startedMs: number) {
    this.#call = call;
    this.#facts = facts;
    this.#decision = decision;
    this.#witness = decision && new Witness(call.request);
    this.#atMs = atMs;
    this.#startedMs = startedMs;
    this.tracing = new Tracing(startedMs);
  }

  /** Whether a provider produced anything: only then does the request count. */
  get produced(): boolean {
    return this.#finished || this.#answered;
  }

  /** Why it failed; null: it did not. */
  get fault(): Fault | null {
    return this.#fault;
  }

  /** Whether something is learned of the answer: then all of it is to be seen. */
  get learns(): boolean {
    return this.#witness !== null;
  }

  get producedBytes(): number {
    return this.#producedBytes;
  }

  /** The provider says so much was used so far. */
  readonly reported = (usage: Usage, isWhole: boolean): void => {
    this.#reported = usage;
    this.#isCounted = isWhole;
  };

  /** Another attempt begins, which takes so many calls: what one before it reported is not this one's. */
  begins(calls: number): void {
    this.#calls = calls;
    this.#reported = null;
    this.#isCounted = false;
  }

  /** The attempt that answers. */
  answeredBy(attempt: Attempt, nowMs: number): void {
    this.#attempt = attempt;
    this.#firstTokenMs = Math.round(nowMs - this.#startedMs);
  }

  /** What left for the client. */
  saw(parts: readonly Part[]): void {
    this.#answered ||= parts.some(isAnswer);
    const witness = this.#witness;
    // A run says nothing of how an answer ends: who keeps no texts needs none of it.
    witness?.take(witness.keeps ? chunksOf(parts) : parts.filter(isChunk));
    for (const part of parts) {
      if (part instanceof Run) this.#producedBytes += part.bytes;
      else for (const { delta } of part.choices) this.#producedBytes += bytesOf(delta);
    }
  }

  /** The answer is whole. Gives the usage with its cost, as the client sees it but for what was charged. */
  finished(reported: Usage | null): Usage {
    this.#finished = true;
    this.#ended = "done";
    this.#usage = reported ?? this.#estimate();
    this.#bill = null;
    this.#source = reported ? "provider" : "estimate";
    return { ...this.#usage, cost: usdOf(this.#billed().costNanoUsd) };
  }

  /** What can be learned of the answer; null: a selector didn't choose, or nobody answered. */
  seen(): Seen | null {
    const [card, decision, witness] = [this.#attempt?.card, this.#decision, this.#witness];
    return card && decision && witness ? { card, decision, witness } : null;
  }

  failed(thrown: unknown): void {
    if (this.#finished) return;
    this.#fault = faultOf(thrown);
    this.#ended = this.#endedBy(this.#fault);
  }

  /** The record, complete once the request is over. What was produced without a report is estimated. */
  record(nowMs: number): UnsettledRecord {
    if (!this.#usage && this.#answered) {
      this.#usage = (this.#isCounted ? this.#reported : null) ?? this.#estimate();
      this.#source = this.#isCounted ? "provider" : "estimate";
    }
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
      trace: this.#trace(totalMs),
      attempts: this.#facts.attempts,
      stream: request.stream === true,
      status: this.#fault ? this.#fault.row.status : this.#ended === "done" ? 200 : 499,
      faultCode: this.#fault?.code ?? (this.#ended === "done" ? null : "client_gone"),
      tokens: this.#billed().tokens,
      costNanoUsd: this.#billed().costNanoUsd,
      usageSource: this.#source,
      ended: this.#ended,
      totalMs,
      firstTokenMs: this.#firstTokenMs,
    };
  }

  #billed(): Bill {
    if (!this.#usage) return NOTHING;
    this.#bill ??= this.#billFor(tokensOf(this.#usage));
    return this.#bill;
  }

  #billFor(tokens: Tokens): Bill {
    const price = this.#attempt?.card.price ?? null;
    if (price === null) return { ...NOTHING, tokens };
    const lines = linesOf(price, tokens, this.#calls);
    return { tokens, costNanoUsd: costBy(lines, this.#call.markup), lines };
  }

  #trace(endMs: number): string {
    const { lines: bill } = this.#billed();
    const { markup } = this.#call;
    const firstTokenMs = this.#firstTokenMs;
    return this.tracing.text({
      endMs,
      firstTokenMs,
      isWhole: this.#finished,
      fault: this.#fault,
      bill,
      markup,
    });
  }

  #endedBy(fault: Fault): Ended {
    if (fault.code === "client_gone") return "client_gone";
    const asked = fault.details.upstreamStatus !== undefined || fault.row.blame !== "client";
    if (this.#facts.attempts === 0 || !asked) return "refused";
    if (fault.code === "store_unavailable" && !this.produced) return "lost";
    if (fault.code === "upstream_timeout") return "timeout";
    return this.produced ? "broken_off" : "upstream_failed";
  }

  /** What was produced, as far as the provider reported it, and no less than what was seen. */
  #estimate(): Usage {
    const promptTokens =
      this.#reported?.prompt_tokens ?? likelyPromptTokens(this.#call.request) * this.#calls;
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

/** What a client asked for, as far as a row has room for it. */
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
