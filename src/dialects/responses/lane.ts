// The native lane of the Responses API: the client's own request, changed only in its limit, `store`, and what the model
// refuses.

import type { Fault } from "../../core/faults/fault.ts";
import { asArray, asObject, asString, changeFields, type JsonObject } from "../../core/json/json.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Outgoing, RawRequest, Target } from "../../core/models/dialect.ts";
import { REFUSED_THINKING } from "../../core/models/thinking/removed-reasoning.ts";
import { type ChatRequest, readOutputLimit } from "../../operations/chat/form.ts";
import { leaveOutUnpricedSearch, maySearch } from "../../operations/chat/prompt/searches.ts";
import { mendMedia, nameMeantType } from "../_chat/lane-media.ts";
import { makeCall, passExtras } from "../_chat/outgoing.ts";
import { countForeign } from "../_chat/thinking.ts";
import { askTier } from "../_chat/tier.ts";
import { REASONING_FORMAT } from "../_responses/output.ts";
import type { ChatLane } from "../dialect.ts";
import { isReasoningRefused, READING } from "./dialect.ts";
import { OUTPUT_TOKENS_MIN } from "./encode.ts";
import { fitToModel } from "./lane-fit.ts";
import { findFacts } from "./models.ts";

const SEALED = "reasoning.encrypted_content";

export const RESPONSES_LANE: ChatLane = {
  ...READING,
  encode,
  searches: maySearch,
  repair: withoutRefusedReasoning,
};

function encode(raw: RawRequest, request: ChatRequest, card: ModelCard, target: Target): Outgoing {
  const search = leaveOutUnpricedSearch(raw.body, card);
  const media = target.mends ? mendMedia(request, raw.body.input, "input", typePart) : null;
  const typed = media && media.dropped.length > 0 ? { input: media.value } : {};
  const fitted = fitToModel({ ...raw.body, ...search.changes, ...typed }, card, target.mends);
  const passed = passExtras(fitted.body, "all", target);
  const { max_output_tokens: given, ...rest } = withoutPlainReasoning(passed.fields, card);
  const dropped = [...passed.dropped, ...search.dropped, ...(media?.dropped ?? []), ...fitted.dropped];
  if (raw.isCompaction) return encodeCompaction({ ...rest, max_output_tokens: given }, card, target, dropped);
  const asked = readOutputLimit(request);
  const limit = asked === undefined ? undefined : Math.min(asked, card.outputTokensMax ?? asked);
  const isLowered = limit !== undefined && (typeof given !== "number" || given > limit);
  const tokens = isLowered ? Math.max(OUTPUT_TOKENS_MIN, limit) : given;
  const body = {
    ...rest,
    model: card.name,
    // All clients share the provider's account, so nothing is stored there unless the operator lets clients request it.
    store: rest.store === true,
    ...includeSealed(rest.include, card),
    ...askTier(rest.service_tier, target),
    ...(tokens === undefined ? {} : { max_output_tokens: tokens }),
  };
  const lowered = isLowered && given !== undefined ? ["max_output_tokens"] : [];
  const call = makeCall(target, "/responses", body, [...dropped, ...lowered]);
  const foreign = countForeign(request, REASONING_FORMAT);
  return foreign.foreignThinking === undefined ? call : { ...call, ...foreign };
}

/** Fields of a response that the route for summaries doesn't have ("Compact a response", OpenAI's API reference). */
const NOT_COMPACTED = ["background", "include", "max_output_tokens", "max_tool_calls", "metadata"];

function encodeCompaction(
  { store: _store, ...given }: JsonObject,
  card: ModelCard,
  target: Target,
  dropped: readonly string[],
): Outgoing {
  const left = NOT_COMPACTED.filter((field) => given[field] !== undefined);
  const kept = changeFields(given, Object.fromEntries(left.map((field) => [field, undefined])));
  const body = { ...kept, model: card.name, ...askTier(given.service_tier, target) };
  return makeCall(target, "/responses/compact", body, [...dropped, ...left]);
}

/** OpenAI refuses a type that says nothing. Another type than the true one is fine (home-assistant, issue 167208). */
function typePart(part: JsonObject): JsonObject {
  const field = part.type === "input_image" ? "image_url" : part.type === "input_file" ? "file_data" : null;
  if (field === null) return part;
  const url = nameMeantType(part[field]);
  return url === part[field] ? part : { ...part, [field]: url };
}

/** OpenAI refuses reasoning that it hasn't encrypted. Other servers read theirs as plain content. */
function withoutPlainReasoning(body: JsonObject, card: ModelCard): JsonObject {
  if (!findFacts(card).openAi || !asArray(body.input).some(isPlainReasoning)) return body;
  return { ...body, input: asArray(body.input).filter((item) => !isPlainReasoning(item)) };
}

function isPlainReasoning(item: unknown): boolean {
  const { type, encrypted_content: sealed } = asObject(item);
  return type === "reasoning" && !asString(sealed);
}

/** Nothing is stored, so thinking must come in a form that clients can send back. Other models refuse the field. */
function includeSealed(include: unknown, card: ModelCard): JsonObject {
  const wanted = asArray(include);
  if (!findFacts(card).reasons || wanted.includes(SEALED)) return {};
  return { include: [...wanted, SEALED] };
}

/** Repairs a 400 about encrypted reasoning: another account made it, so it is removed. */
function withoutRefusedReasoning(raw: RawRequest, fault: Fault): RawRequest | null {
  if (!isReasoningRefused(fault)) return null;
  const input = asArray(raw.body.input);
  const kept = input.filter((item) => !isReasoning(item));
  if (kept.length === input.length) return null;
  return { ...raw, body: { ...raw.body, input: kept }, [REFUSED_THINKING]: countAnswers(input) };
}

function isReasoning(item: unknown): boolean {
  return asObject(item).type === "reasoning";
}

/** Counts the answers with reasoning: each ends where the client adds a message or a result. */
function countAnswers(input: readonly unknown[]): number {
  let count = 0;
  let isCounted = false;
  for (const item of input) {
    const { type, role } = asObject(item);
    if (isReasoning(item)) {
      if (!isCounted) count++;
      isCounted = true;
    } else if ((role !== undefined && role !== "assistant") || String(type).endsWith("_output"))
      isCounted = false;
  }
  return count;
}
