// The native lane of the Messages API: the client's own request, changed only in its limit.
import type { ModelCard } from "../../core/card.ts";
import type { Outgoing, RawRequest, Target } from "../../core/dialect.ts";
import type { Fault } from "../../core/fault.ts";
import { asArray, asObject, isObject, type JsonObject } from "../../core/json.ts";
import { type ChatRequest, readOutputLimit } from "../../operations/chat/form.ts";
import { leaveOutUnpricedSearch, maySearch } from "../../operations/chat/searches.ts";
import { isSignatureRefused } from "../_chat/error.ts";
import { passExtras } from "../_chat/outgoing.ts";
import type { ChatLane } from "../dialect.ts";
import { leaveOutAddedSearches } from "./added-tools.ts";
import { MessageDecoder, parseReply } from "./decode.ts";
import { makeHeaders } from "./encode.ts";

/** The smallest thinking budget, and the least that it leaves for the answer (Messages API reference). */
const THINKING_TOKENS_MIN = 1024;

export const ANTHROPIC_LANE: ChatLane = {
  encode,
  searches: maySearch,
  decoder: () => new MessageDecoder(),
  reply: parseReply,
  repair: (raw, fault) => withoutRefusedBetas(raw, fault) ?? withoutRefusedThinking(raw, fault),
};

const BETAS = "anthropic-beta";

function encode(raw: RawRequest, request: ChatRequest, card: ModelCard, target: Target): Outgoing {
  const search = leaveOutUnpricedSearch(raw.body, card);
  const messages = leaveOutAddedSearches(raw.body.messages, card);
  const { fields: given, dropped } = passExtras({ ...raw.body, ...search.changes, messages }, "all");
  const asked = readOutputLimit(request);
  const most = Math.min(asked ?? Number.POSITIVE_INFINITY, card.outputTokensMax ?? Number.POSITIVE_INFINITY);
  const isLowered = typeof given.max_tokens === "number" && given.max_tokens > most;
  const thinking = isLowered ? fitThinking(given.thinking, most) : given.thinking;
  const betas = listBetas(raw);
  const isLong = (card.contextTokensMax ?? LONG_CONTEXT_TOKENS) >= LONG_CONTEXT_TOKENS;
  const covered = betas.filter((beta) => isLong || !LONG_CONTEXT.test(beta));
  return {
    url: `${target.baseUrl}/messages`,
    headers: makeHeaders(target, covered),
    body: {
      ...given,
      model: card.name,
      ...(isLowered ? { max_tokens: most } : {}),
      ...(thinking === given.thinking ? {} : { thinking }),
    },
    dropped: [
      ...[...dropped, ...search.dropped],
      ...(messages === raw.body.messages ? [] : ["messages"]),
      ...(isLowered ? ["max_tokens"] : []),
      ...(thinking === given.thinking ? [] : ["thinking"]),
      ...(covered.length < betas.length ? [BETAS] : []),
    ],
  };
}

/** Longer prompts than the card's context cost more than its price, and more than is held. */
const LONG_CONTEXT = /^context-1m-/;
const LONG_CONTEXT_TOKENS = 1_000_000;

function listBetas({ headers }: RawRequest): readonly string[] {
  return (headers[BETAS] ?? "").split(",").map((beta) => beta.trim());
}

/** Repairs a 400 that names betas: clouds know fewer than Anthropic, and coding agents send all they know. */
function withoutRefusedBetas(raw: RawRequest, fault: Fault): RawRequest | null {
  if (fault.code !== "upstream_rejected" || !fault.message.includes(BETAS)) return null;
  const betas = listBetas(raw);
  const named = new Set(fault.message.split(/[^\w.-]+/));
  const kept = betas.filter((beta) => beta === "" || !named.has(beta));
  return kept.length === betas.length
    ? null
    : { ...raw, headers: { ...raw.headers, [BETAS]: kept.join(",") } };
}

/** Fits the thinking budget into a lowered limit. A budget below the minimum disables thinking. */
function fitThinking(thinking: unknown, limit: number): unknown {
  if (!isObject(thinking) || typeof thinking.budget_tokens !== "number") return thinking;
  const most = limit - THINKING_TOKENS_MIN;
  if (thinking.budget_tokens <= most) return thinking;
  return most < THINKING_TOKENS_MIN ? { type: "disabled" } : { ...thinking, budget_tokens: most };
}

/**
 * Repairs a 400 about a signature: if another provider continued the conversation, it holds thinking that Anthropic
 * didn't sign. All thinking before the last user turn is removed, or if there is none, that of the current turn.
 */
function withoutRefusedThinking(raw: RawRequest, fault: Fault): RawRequest | null {
  if (!isSignatureRefused(fault)) return null;
  const messages = asArray(raw.body.messages);
  const lastUser = messages.findLastIndex(isUserTurn);
  const before = withoutThinking(messages, lastUser);
  const repaired = before ?? withoutThinking(messages, messages.length);
  return repaired && { ...raw, body: { ...raw.body, messages: repaired } };
}

/** True if a person speaks in the turn. A turn with only tool results belongs to the turn before. */
function isUserTurn(message: unknown): boolean {
  const { role, content } = asObject(message);
  return role === "user" && !(Array.isArray(content) && content.every((one) => isType(one, "tool_result")));
}

function isType(block: unknown, ...types: readonly string[]): boolean {
  return types.includes(String(asObject(block).type));
}

/** Removes the thinking before that index. Returns null if there was none. */
function withoutThinking(messages: readonly unknown[], end: number): readonly JsonObject[] | null {
  let isChanged = false;
  const kept = messages.flatMap((message, index): readonly JsonObject[] => {
    const given = asObject(message);
    if (index >= end || given.role !== "assistant" || !Array.isArray(given.content)) return [given];
    const content = given.content.filter((block) => !isType(block, "thinking", "redacted_thinking"));
    if (content.length === given.content.length) return [given];
    isChanged = true;
    return content.length === 0 ? [] : [{ ...given, content }];
  });
  return isChanged ? kept : null;
}
