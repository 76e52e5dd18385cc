// A chat answer's usage: the billed counts, the sum of several, and the cap at what the model can read and write.
import { asCount, type JsonObject } from "../../core/json/json.ts";
import { addTerms } from "../../core/money/terms.ts";
import { type Amounts, NO_AMOUNTS } from "../../core/money/units.ts";
import type { PlausibleUsage, SentAsk } from "../operation.ts";
import { CONTEXT_SLACK } from "../text-tokens.ts";
import { asksToCache } from "./cache-times.ts";
import { estimateWorstPromptTokens } from "./estimate.ts";
import { type ChatRequest, readOutputLimit, type Usage } from "./form.ts";
import { searchesMax } from "./prompt/searches.ts";

/** More than any answer can need. A larger count is a mistake and must not overflow the sums. */
const SEARCHES_MAX = 10_000;

/** The last report and its counts: an answer's own is counted for its limits, its plausibility and its bill. */
const latest: { usage: Usage | null; amounts: Amounts } = { usage: null, amounts: NO_AMOUNTS };

/** Converts a usage report to whole billed counts whose parts never exceed their whole. */
export function countAmounts(usage: Usage): Amounts {
  if (latest.usage === usage) return latest.amounts;
  latest.amounts = computeAmounts(usage);
  latest.usage = usage;
  return latest.amounts;
}

function computeAmounts(usage: Usage): Amounts {
  const prompt = asCount(usage.billed_units?.input_tokens ?? usage.prompt_tokens);
  const completion = asCount(usage.billed_units?.output_tokens ?? usage.completion_tokens);
  const cached = Math.min(prompt, asCount(usage.prompt_tokens_details?.cached_tokens));
  const cacheWrite = Math.min(prompt - cached, asCount(usage.prompt_tokens_details?.cache_write_tokens));
  const cacheWrite1h = Math.min(cacheWrite, asCount(usage.prompt_tokens_details?.cache_write_1h_tokens));
  const reasoning = Math.min(completion, asCount(usage.completion_tokens_details?.reasoning_tokens));
  const heard = asCount(usage.prompt_tokens_details?.audio_tokens);
  const spoken = asCount(usage.completion_tokens_details?.audio_tokens);
  return {
    ...NO_AMOUNTS,
    prompt,
    completion,
    cached,
    cacheWrite,
    cacheWrite1h,
    cacheWrite12h: Math.min(
      cacheWrite - cacheWrite1h,
      asCount(usage.prompt_tokens_details?.cache_write_12h_tokens),
    ),
    inputAudio: Math.min(prompt - cached - cacheWrite, heard),
    reasoning,
    outputAudio: Math.min(completion - reasoning, spoken),
    searches: Math.min(SEARCHES_MAX, asCount(usage.server_tool_use?.web_search_requests)),
  };
}

/** Adds the counts of several calls, each billed for its own prompt. Returns null if one reported none. */
export function addUsages(usages: readonly (Usage | null)[]): Usage | null {
  let sum: Usage | null = null;
  for (const usage of usages) {
    if (!usage) return null;
    sum = sum ? addUsage(sum, usage) : usage;
  }
  return sum;
}

function addUsage(a: Usage, b: Usage): Usage {
  const sum: Usage = {
    prompt_tokens: a.prompt_tokens + b.prompt_tokens,
    completion_tokens: a.completion_tokens + b.completion_tokens,
    total_tokens: a.total_tokens + b.total_tokens,
  };
  for (const part of COUNTED_PARTS) {
    if (a[part] || b[part]) Object.assign(sum, { [part]: addCounts(a[part], b[part]) });
  }
  const terms = addTerms(a.terms, b.terms);
  if (terms) sum.terms = terms;
  return sum;
}

const COUNTED_PARTS = [
  "prompt_tokens_details",
  "completion_tokens_details",
  "billed_units",
  "server_tool_use",
] as const;

function addCounts(a: object | undefined, b: object | undefined): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const [field, value] of [...Object.entries(a ?? {}), ...Object.entries(b ?? {})]) {
    if (typeof value === "number") sum[field] = (sum[field] ?? 0) + value;
  }
  return sum;
}

/** Tokenizers differ slightly from the provider's limit, and some models end a sentence late. */
const OUTPUT_SLACK = 1.1;
const OUTPUT_SLACK_TOKENS = 64;
/** For cards without known bounds. */
const TIMES_ESTIMATE = 10;

type SentRequest = SentAsk<ChatRequest>;

/** Counts all cache writes at the longest time that was asked for, if the report doesn't say for how long they are kept. */
function splitWrites(usage: Usage, { ask, card }: SentRequest): Usage {
  const details = usage.prompt_tokens_details;
  if (card.price?.cacheWrite12h === undefined || !details?.cache_write_tokens) return usage;
  if (details.cache_write_12h_tokens !== undefined || !asksToCache(ask, "12h")) return usage;
  const split = { ...details, cache_write_12h_tokens: details.cache_write_tokens };
  return { ...usage, prompt_tokens_details: split };
}

/** Caps the usage at what is possible, and says whether that is less than reported: the rest is not charged. */
export function cutUsage(reported: Usage, sent: SentRequest): PlausibleUsage<Usage> {
  const usage = splitWrites(reported, sent);
  const { prompt, completion, searches } = countAmounts(usage);
  const promptMax = promptTokensMax(prompt, sent);
  const completionMax = completionTokensMax(sent);
  const usual = TIMES_ESTIMATE * Math.max(1, searchesMax(sent.ask, sent.card));
  const searchesLimit = sent.calls * Math.max(sent.rounds, usual);
  if (prompt <= promptMax && completion <= completionMax && searches <= searchesLimit)
    return { usage, isCut: false };
  const promptTokens = Math.min(prompt, promptMax);
  const completionTokens = Math.min(completion, completionMax);
  // Separately billed counts (Cohere) are dropped too, and the capped counts are billed.
  const { billed_units: _billed, ...rest } = usage;
  return {
    isCut: true,
    usage: {
      ...rest,
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
      ...cutDetails("prompt_tokens_details", usage.prompt_tokens_details, promptTokens),
      ...cutDetails("completion_tokens_details", usage.completion_tokens_details, completionTokens),
      ...(usage.server_tool_use
        ? { server_tool_use: { web_search_requests: Math.min(searches, searchesLimit) } }
        : {}),
    },
  };
}

/** No part of a count may be more than the count. */
function cutDetails(field: string, details: JsonObject | undefined, tokensMax: number): JsonObject {
  if (details === undefined) return {};
  const cut = Object.entries(details).map(([name, count]) => [
    name,
    typeof count === "number" ? Math.min(count, tokensMax) : count,
  ]);
  return { [field]: Object.fromEntries(cut) };
}

/** The searches and fetches that each call allowed. */
function countRounds({ ask, card, rounds }: SentRequest): number {
  return Math.max(rounds, searchesMax(ask, card));
}

/** Only counts that look too high are compared with an estimate, which reads the prompt. */
function promptTokensMax(reported: number, sent: SentRequest): number {
  const { ask, card, calls, unreadBytes } = sent;
  const context = card.contextTokensMax;
  const rounds = countRounds(sent);
  const byContext = context === null ? 0 : Math.ceil(calls * context * CONTEXT_SLACK * (1 + rounds));
  if (reported <= byContext) return byContext;
  const worst = calls * estimateWorstPromptTokens(ask, card, unreadBytes, rounds);
  // Images may exceed the context, because some are billed for more tokens than the model reads.
  return context === null ? TIMES_ESTIMATE * worst : Math.max(byContext, worst);
}

function completionTokensMax({ ask, card }: SentRequest): number {
  const limit = readOutputLimit(ask) ?? card.outputTokensMax ?? card.contextTokensMax;
  // Without any bound nothing was held, so nothing is charged.
  if (limit === null) return Number.POSITIVE_INFINITY;
  return Math.ceil((ask.n ?? 1) * (OUTPUT_SLACK * limit + OUTPUT_SLACK_TOKENS));
}
