// The count of a request: its usage, the source of that, and the bill that the card makes of it.

import type { BillLine } from "../core/money.ts";
import type { Tokens, UnsettledRecord, UsageSource } from "../core/record.ts";
import type { LogEvent } from "../core/world.ts";
import { listBillLines, sumBill } from "../ledger/price.ts";
import { likelyPromptTokens } from "../operations/chat/estimate.ts";
import type { ChatRequest, Usage } from "../operations/chat/form.ts";
import { cutUsage, type SentRequest } from "../operations/chat/plausible.ts";
import { countTokens } from "../operations/chat/usage.ts";

export interface Bill extends Pick<UnsettledRecord, "tokens" | "costNanoUsd"> {
  readonly lines: readonly BillLine[];
}

export interface Counted {
  readonly usage: Usage | null;
  readonly source: UsageSource;
  readonly bill: Bill;
  /** The provider's own report, where it can't be. */
  readonly implausible: Usage | null;
}

export const UNCOUNTED: Counted = {
  usage: null,
  source: "none",
  bill: {
    tokens: { prompt: 0, completion: 0, cached: 0, cacheWrite: 0, reasoning: 0, searches: 0 },
    costNanoUsd: 0,
    lines: [],
  },
  implausible: null,
};

/** An answer, at the provider's report or an estimate of what was produced. */
export function countAnswer(usage: Usage, source: UsageSource, asked: SentRequest, markup: number): Counted {
  const cut = cutUsage(usage, asked);
  const bill = makeBill(countTokens(cut.usage), asked, markup);
  return { usage: cut.usage, source, bill, implausible: cut.isCut ? usage : null };
}

/** A prompt that was sent and not answered: nobody but us counts it. */
export function countPrompt(
  request: ChatRequest,
  sent: Pick<SentRequest, "card" | "calls">,
  markup: number,
): Counted {
  const prompt = likelyPromptTokens(request) * sent.calls;
  const usage = { prompt_tokens: prompt, completion_tokens: 0, total_tokens: prompt };
  return { usage, source: "estimate", bill: makeBill(countTokens(usage), sent, markup), implausible: null };
}

function makeBill(
  tokens: Tokens,
  { card: { price }, calls }: Pick<SentRequest, "card" | "calls">,
  markup: number,
): Bill {
  if (price === null) return { ...UNCOUNTED.bill, tokens };
  const lines = listBillLines(price, tokens, calls);
  return { tokens, costNanoUsd: sumBill(lines, markup), lines };
}

/** The log's line on a report that can't be. */
export function implausible({ id, requestId, modelUsed: model }: UnsettledRecord, claimed: Usage): LogEvent {
  const { prompt_tokens, completion_tokens } = claimed;
  const about = { id, request_id: requestId, model, prompt_tokens, completion_tokens };
  return { event: "usage_implausible", level: "warn", ...about };
}
