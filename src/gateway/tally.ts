// What one request came to: counted while it runs, made into its one record at its end.
import { type ChatChunk, type ChatRequest, type Delta, textOf, type Usage } from "../core/chat.ts";
import { type Fault, faultOf } from "../core/fault.ts";
import { usdOf } from "../core/money.ts";
import type { Ended, RequestRecord, Tokens, UsageSource } from "../core/record.ts";
import { cost, tokensOf } from "../ledger/price.ts";
import type { Attempt } from "../router/plan.ts";
import type { Call, Facts } from "./gateway.ts";

/** Bytes of text per token where the provider reported no count: near the mean of prose in current tokenizers. */
const BYTES_PER_TOKEN = 4;

const NO_TOKENS: Tokens = { prompt: 0, completion: 0, cached: 0, cacheWrite: 0, reasoning: 0, searches: 0 };

export class Tally {
  readonly #call: Call;
  readonly #facts: Facts;
  readonly #atMs: number;
  readonly #startedMs: number;
  #attempt: Attempt | null = null;
  #usage: Usage | null = null;
  #source: UsageSource = "none";
  #producedBytes = 0;
  #firstTokenMs: number | null = null;
  #ended: Ended = "client_gone";
  #fault: Fault | null = null;
  #finished = false;

  /** `atMs` is wall time; `startedMs` is on the monotonic clock. */
  constructor(call: Call, facts: Facts, atMs: number, startedMs: number) {
    this.#call = call;
    this.#facts = facts;
    this.#atMs = atMs;
    this.#startedMs = startedMs;
  }

  /** Whether a provider produced anything: only then does the request count. */
  get produced(): boolean {
    return this.#finished || this.#producedBytes > 0;
  }

  /** The attempt that answers. */
  answeredBy(attempt: Attempt, nowMs: number): void {
    this.#attempt = attempt;
    this.#firstTokenMs = Math.round(nowMs - this.#startedMs);
  }

  /** What left for the client. */
  saw(chunks: readonly ChatChunk[]): void {
    for (const { choices } of chunks) {
      for (const { delta } of choices) this.#producedBytes += bytesOf(delta);
    }
  }

  /** The answer is whole. Gives the usage with its cost, as the client sees it. */
  finished(reported: Usage | null): Usage {
    this.#finished = true;
    this.#ended = "done";
    this.#usage = reported ?? this.#estimate();
    this.#source = reported ? "provider" : "estimate";
    return { ...this.#usage, cost: usdOf(this.#cost()), charged: 0 };
  }

  failed(thrown: unknown): void {
    if (this.#finished) return;
    this.#fault = faultOf(thrown);
    this.#ended = this.#endedBy(this.#fault);
  }

  /** The record, complete once the request is over. What was produced without a report is estimated. */
  record(nowMs: number): RequestRecord {
    if (!this.#usage && this.#producedBytes > 0) {
      this.#usage = this.#estimate();
      this.#source = "estimate";
    }
    const { id, requestId, key, request } = this.#call;
    return {
      id,
      requestId,
      keyId: key.id,
      accountId: key.accountId,
      atMs: this.#atMs,
      modelAsked: request.model.slice(0, 200),
      modelUsed: this.#attempt?.card.id ?? null,
      selector: this.#facts.selector,
      attempts: this.#facts.attempts,
      stream: request.stream === true,
      status: this.#fault ? this.#fault.row.status : this.#ended === "done" ? 200 : 499,
      faultCode: this.#fault?.code ?? (this.#ended === "done" ? null : "client_gone"),
      tokens: this.#usage ? tokensOf(this.#usage) : NO_TOKENS,
      costNanoUsd: this.#cost(),
      chargedNanoUsd: 0,
      usageSource: this.#source,
      ended: this.#ended,
      totalMs: Math.round(nowMs - this.#startedMs),
      firstTokenMs: this.#firstTokenMs,
    };
  }

  #cost(): number {
    if (!this.#usage || !this.#attempt) return 0;
    return cost(this.#attempt.card.price, tokensOf(this.#usage), this.#call.markup);
  }

  #endedBy(fault: Fault): Ended {
    if (fault.code === "client_gone") return "client_gone";
    const asked = fault.details.upstreamStatus !== undefined || fault.row.blame !== "client";
    if (this.#facts.attempts === 0 || !asked) return "refused";
    if (fault.code === "upstream_timeout") return "timeout";
    return this.produced ? "broken_off" : "upstream_failed";
  }

  #estimate(): Usage {
    const prompt = promptBytesOf(this.#call.request) / BYTES_PER_TOKEN;
    const completion = this.#producedBytes / BYTES_PER_TOKEN;
    const [promptTokens, completionTokens] = [Math.ceil(prompt), Math.ceil(completion)];
    return {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    };
  }
}

function promptBytesOf(request: ChatRequest): number {
  let bytes = request.tools ? JSON.stringify(request.tools).length : 0;
  for (const message of request.messages) bytes += Buffer.byteLength(textOf(message.content));
  return bytes;
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
