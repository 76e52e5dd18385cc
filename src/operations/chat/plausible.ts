// Usage that can't be: what a provider reports beyond what its model can read or write is cut to that, and not charged.
import type { PlausibleUsage, SentAsk } from "../operation.ts";
import { CONTEXT_SLACK } from "../text-tokens.ts";
import { worstPromptTokens } from "./estimate.ts";
import { type ChatRequest, readOutputLimit, type Usage } from "./form.ts";
import { searchesMax } from "./searches.ts";
import { countAmounts } from "./usage.ts";

/** Tokenizers differ from the provider's own limit by a little, and some end an answer a sentence late. */
const OUTPUT_SLACK = 1.1;
const OUTPUT_SLACK_TOKENS = 64;
/** For cards that know no bound. */
const TIMES_ESTIMATE = 10;

type SentRequest = SentAsk<ChatRequest>;

/** The usage as far as it can be, and whether that is less than was reported. */
export function cutUsage(usage: Usage, sent: SentRequest): PlausibleUsage<Usage> {
  const { prompt, completion, searches } = countAmounts(usage);
  const promptMax = promptTokensMax(prompt, sent);
  const completionMax = completionTokensMax(sent);
  const searchesLimit = sent.calls * TIMES_ESTIMATE * Math.max(1, searchesMax(sent.ask, sent.card));
  if (prompt <= promptMax && completion <= completionMax && searches <= searchesLimit)
    return { usage, isCut: false };
  const [promptTokens, completionTokens] = [Math.min(prompt, promptMax), Math.min(completion, completionMax)];
  // Counts that are billed apart from those that were read and written (Cohere) go too: the cut counts are billed.
  const { billed_units: _billed, ...rest } = usage;
  return {
    isCut: true,
    usage: {
      ...rest,
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
      ...(usage.server_tool_use
        ? { server_tool_use: { web_search_requests: Math.min(searches, searchesLimit) } }
        : {}),
    },
  };
}

/** `reported` spares usual answers the reading of their prompt: the estimate is made only for counts that look too high. */
function promptTokensMax(reported: number, { ask, card, calls, unreadBytes }: SentRequest): number {
  const context = card.contextTokensMax;
  const rounds = 1 + searchesMax(ask, card);
  const byContext = context === null ? 0 : Math.ceil(calls * context * CONTEXT_SLACK * rounds);
  if (reported <= byContext) return byContext;
  const worst = calls * worstPromptTokens(ask, card, unreadBytes);
  // Images may take more than the context: some are billed for more tokens than the model reads.
  return context === null ? TIMES_ESTIMATE * worst : Math.max(byContext, worst);
}

function completionTokensMax({ ask, card }: SentRequest): number {
  const limit = readOutputLimit(ask) ?? card.outputTokensMax ?? card.contextTokensMax;
  // Without any bound nothing was held either, so nothing is charged.
  if (limit === null) return Number.POSITIVE_INFINITY;
  return Math.ceil((ask.n ?? 1) * (OUTPUT_SLACK * limit + OUTPUT_SLACK_TOKENS));
}
