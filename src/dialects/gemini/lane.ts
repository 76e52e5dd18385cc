// The native lane of generateContent: the client's own request, changed only in its limit, in thinking that this leaves no
// room for, in calls of other models, and in what the model refuses.

import { asArray, asObject, isObject, type JsonObject } from "../../core/json/json.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Outgoing, RawRequest, Target } from "../../core/models/dialect.ts";
import { type ChatRequest, readOutputLimit } from "../../operations/chat/form.ts";
import { leaveOutUnpricedSearch, maySearch } from "../../operations/chat/prompt/searches.ts";
import { findMeantType, mendMedia } from "../_chat/lane-media.ts";
import { countForeign } from "../_chat/thinking.ts";
import type { ChatLane } from "../dialect.ts";
import { REASONING_FORMAT } from "./contents.ts";
import { makeNativeDecoder, parseNativeReply } from "./decode.ts";
import { fitToModel } from "./lane-fit.ts";
import { findFacts } from "./models.ts";
import { makeHeaders, makeUrl } from "./outgoing.ts";
import { signLastTurn } from "./signatures.ts";
import { fitThinking } from "./thinking.ts";

export const GEMINI_LANE: ChatLane = {
  encode,
  searches: maySearch,
  decoder: makeNativeDecoder,
  reply: parseNativeReply,
};

function encode(raw: RawRequest, request: ChatRequest, card: ModelCard, target: Target): Outgoing {
  const search = leaveOutUnpricedSearch(raw.body, card);
  const signed: JsonObject = { ...raw.body, ...search.changes, ...signCalls(raw, card) };
  const media = target.mends ? mendMedia(request, signed.contents, "contents", typeInline) : null;
  const typed = media && media.dropped.length > 0 ? { ...signed, contents: media.value } : signed;
  const fitted = fitToModel(typed, card, target);
  const { body } = fitted;
  const config = asObject(body.generationConfig);
  const asked = readOutputLimit(request);
  const limit = asked === undefined ? undefined : Math.min(asked, card.outputTokensMax ?? asked);
  const given = config.maxOutputTokens;
  const isLowered = limit !== undefined && (typeof given !== "number" || given > limit);
  const lowered = isLowered ? lowerLimit(config, card, limit) : null;
  return {
    url: makeUrl(card.name, target.baseUrl, request.stream === true),
    headers: makeHeaders(target),
    body: lowered ? { ...body, generationConfig: lowered } : body,
    dropped: [
      ...search.dropped,
      ...(media?.dropped ?? []),
      ...fitted.dropped,
      ...(lowered && given !== undefined ? ["generationConfig.maxOutputTokens"] : []),
      ...(lowered && lowered.thinkingConfig !== config.thinkingConfig
        ? ["generationConfig.thinkingConfig"]
        : []),
    ],
    ...countForeign(request, REASONING_FORMAT),
  };
}

/** Google refuses a type that says nothing. Another type than the true one is fine (home-assistant, issue 167208). */
function typeInline(part: JsonObject): JsonObject {
  for (const field of ["inlineData", "inline_data"]) {
    const blob = asObject(part[field]);
    const named = blob.mimeType === undefined ? "mime_type" : "mimeType";
    const { [named]: declared, data } = blob;
    if (typeof declared !== "string" || typeof data !== "string") continue;
    const type = findMeantType(data, declared);
    if (type !== declared) return { ...part, [field]: { ...blob, [named]: type } };
  }
  return part;
}

function lowerLimit(config: JsonObject, card: ModelCard, maxOutputTokens: number): JsonObject {
  const { thinkingConfig: given } = config;
  if (!isObject(given)) return { ...config, maxOutputTokens };
  const thinkingConfig = fitThinking(given, findFacts(card).thinking, maxOutputTokens);
  return { ...config, maxOutputTokens, thinkingConfig };
}

function signCalls({ body }: RawRequest, card: ModelCard): JsonObject {
  if (!findFacts(card).signed) return {};
  const given = asArray(body.contents).map(asObject);
  const contents = signLastTurn(given);
  return contents === given ? {} : { contents };
}
