// The native lane of the Messages API: the client's own request, changed only in its limit, its thinking, and what the
// model refuses.

import type { Fault } from "../../core/faults/fault.ts";
import { isObject, type JsonObject } from "../../core/json/json.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Outgoing, RawRequest, Target } from "../../core/models/dialect.ts";
import { remember } from "../../core/world/remember.ts";
import { type ChatRequest, readOutputLimit } from "../../operations/chat/form.ts";
import { listMedia } from "../../operations/chat/prompt/media.ts";
import { leaveOutUnpricedSearch, maySearch } from "../../operations/chat/prompt/searches.ts";
import { joinLists, NONE } from "../../operations/form.ts";
import { mendMedia } from "../_chat/lane-media.ts";
import { passExtras } from "../_chat/outgoing.ts";
import { countForeign } from "../_chat/thinking.ts";
import type { ChatLane } from "../dialect.ts";
import { leaveOutAddedSearches } from "./added-tools.ts";
import { MessageDecoder, parseReply } from "./decode.ts";
import { makeHeaders } from "./encode.ts";
import { fitToModel } from "./lane-fit.ts";
import { mayType, typeBlock } from "./lane-media.ts";
import { planLaneThinking, type ThinkingPlan, withoutRefusedThinking } from "./lane-thinking.ts";
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
  const media = typeMedia(request, kept, card, target);
  const messages = media?.value ?? kept;
  const geo = leaveOutGeo(raw, target);
  const isKept = search.dropped.length === 0 && geo === KEPT && messages === raw.body.messages;
  const all = isKept ? raw.body : { ...raw.body, ...search.changes, ...geo.changes, messages };
  const { fields: given, dropped } = passExtras(all, "all", target);
  const asked = readOutputLimit(request);
  const most = Math.min(asked ?? Number.POSITIVE_INFINITY, card.outputTokensMax ?? Number.POSITIVE_INFINITY);
  const isLowered = typeof given.max_tokens === "number" && given.max_tokens > most;
  const fitted = fitThinking(fitToModel(given, card, target, most), card, isLowered ? most : null);
  const betas = listBetas(raw);
  const covered = listCovered(betas, card);
  const found = joinLists(geo.dropped, dropped, search.dropped, kept === raw.body.messages ? NONE : MESSAGES);
  const lowered = isLowered ? LIMIT : NONE;
  const body: JsonObject = { ...fitted.body, model: card.name };
  if (isLowered) body.max_tokens = most;
  const fit = joinLists(media?.dropped ?? NONE, lowered, fitted.dropped);
  const { url, headers } = findPlace(target);
  return {
    url,
    headers: covered.length === 0 ? headers : makeHeaders(target, covered),
    body,
    dropped: joinLists(found, fit, covered.length < betas.length ? [BETAS] : NONE),
    ...countForeign(request, THINKING_FORMAT),
  };
}

/** Null for a request without a picture or a file. */
function typeMedia(request: ChatRequest, messages: unknown, card: ModelCard, { mends }: Target) {
  if (listMedia(request).length === 0 || !mayType(card, mends)) return null;
  return mendMedia(request, messages, "messages", typeBlock);
}

/** Returns the same plan if its body asks for no thinking. */
function fitThinking(fitted: ThinkingPlan, card: ModelCard, limit: number | null): ThinkingPlan {
  if (!isObject(fitted.body.thinking)) return fitted;
  const { body, dropped } = planLaneThinking(fitted.body, card, limit);
  return { body, dropped: joinLists(fitted.dropped, dropped) };
}

const MESSAGES: readonly string[] = ["messages"];
const LIMIT: readonly string[] = ["max_tokens"];

/** The address and the headers of a target's calls that name no betas. */
const findPlace = remember((target: Target) => {
  return { url: `${target.baseUrl}/messages`, headers: Object.freeze(makeHeaders(target, NONE)) };
});

const GEO = "inference_geo";
const KEPT: { readonly changes: JsonObject; readonly dropped: readonly string[] } = {
  changes: {},
  dropped: NONE,
};

/** Inference in a chosen region costs more than the card's price, so only the operator lets a client choose it. */
function leaveOutGeo({ body }: RawRequest, { extraFields }: Target) {
  if (body[GEO] === undefined || extraFields?.includes(GEO)) return KEPT;
  return { changes: { [GEO]: undefined }, dropped: body[GEO] === null ? NONE : [GEO] };
}

/** Longer prompts than the card's context cost more than its price, and more than is held. */
const LONG_CONTEXT = /^context-1m-/;
const LONG_CONTEXT_TOKENS = 1_000_000;

function listCovered(betas: readonly string[], { contextTokensMax }: ModelCard): readonly string[] {
  const isLong = (contextTokensMax ?? LONG_CONTEXT_TOKENS) >= LONG_CONTEXT_TOKENS;
  return isLong ? betas : betas.filter((beta) => !LONG_CONTEXT.test(beta));
}

function listBetas({ headers }: RawRequest): readonly string[] {
  const named = headers[BETAS];
  return named === undefined ? NONE : named.split(",").map((beta) => beta.trim());
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
