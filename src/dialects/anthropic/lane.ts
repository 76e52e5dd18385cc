// The native lane of the Messages API: the client's own request, changed only in its limit, its thinking, and what the
// model refuses.

import type { Fault } from "../../core/fault.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Outgoing, RawRequest, Target } from "../../core/models/dialect.ts";
import { type ChatRequest, readOutputLimit } from "../../operations/chat/form.ts";
import { leaveOutUnpricedSearch, maySearch } from "../../operations/chat/prompt/searches.ts";
import { mendMedia } from "../_chat/lane-media.ts";
import { passExtras } from "../_chat/outgoing.ts";
import { countForeign } from "../_chat/thinking.ts";
import type { ChatLane } from "../dialect.ts";
import { leaveOutAddedSearches } from "./added-tools.ts";
import { MessageDecoder, parseReply } from "./decode.ts";
import { makeHeaders } from "./encode.ts";
import { fitToModel } from "./lane-fit.ts";
import { mayType, typeBlock } from "./lane-media.ts";
import { planLaneThinking, withoutRefusedThinking } from "./lane-thinking.ts";
import { THINKING_FORMAT } from "./thinking.ts";

export const ANTHROPIC_LANE: ChatLane = {
  encode,
  searches: maySearch,
  decoder: () => new MessageDecoder(),
  reply: (body) => parseReply(body),
  repair: (raw, fault) => withoutRefusedBetas(raw, fault) ?? withoutRefusedThinking(raw, fault),
};

const BETAS = "anthropic-beta";

function encode(raw: RawRequest, request: ChatRequest, card: ModelCard, target: Target): Outgoing {
  const search = leaveOutUnpricedSearch(raw.body, card);
  const kept = leaveOutAddedSearches(raw.body.messages, card);
  const isTyped = mayType(card, target.mends);
  const media = isTyped ? mendMedia(request, kept, "messages", typeBlock) : { value: kept, dropped: [] };
  const messages = media.value;
  const geo = leaveOutGeo(raw, target);
  const all = { ...raw.body, ...search.changes, ...geo.changes, messages };
  const { fields: given, dropped } = passExtras(all, "all", target);
  const asked = readOutputLimit(request);
  const most = Math.min(asked ?? Number.POSITIVE_INFINITY, card.outputTokensMax ?? Number.POSITIVE_INFINITY);
  const isLowered = typeof given.max_tokens === "number" && given.max_tokens > most;
  const fitted = fitToModel(given, card, target, most);
  const thinking = planLaneThinking(fitted.body, card, isLowered ? most : null);
  const betas = listBetas(raw);
  const isLong = (card.contextTokensMax ?? LONG_CONTEXT_TOKENS) >= LONG_CONTEXT_TOKENS;
  const covered = betas.filter((beta) => isLong || !LONG_CONTEXT.test(beta));
  return {
    url: `${target.baseUrl}/messages`,
    headers: makeHeaders(target, covered),
    body: { ...thinking.body, model: card.name, ...(isLowered ? { max_tokens: most } : {}) },
    dropped: [
      ...geo.dropped,
      ...dropped,
      ...search.dropped,
      ...(kept === raw.body.messages ? [] : ["messages"]),
      ...media.dropped,
      ...(isLowered ? ["max_tokens"] : []),
      ...fitted.dropped,
      ...thinking.dropped,
      ...(covered.length < betas.length ? [BETAS] : []),
    ],
    ...countForeign(request, THINKING_FORMAT),
  };
}

const GEO = "inference_geo";

/** Inference in a chosen region costs more than the card's price, so only the operator lets a client choose it. */
function leaveOutGeo({ body }: RawRequest, { extraFields }: Target) {
  if (body[GEO] === undefined || extraFields?.includes(GEO)) return { changes: {}, dropped: [] };
  return { changes: { [GEO]: undefined }, dropped: body[GEO] === null ? [] : [GEO] };
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
