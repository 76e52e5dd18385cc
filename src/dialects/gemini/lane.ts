// The native lane of generateContent: the client's own request, changed only in its limit.
import type { ModelCard } from "../../core/card.ts";
import type { Outgoing, RawRequest, Target } from "../../core/dialect.ts";
import { asObject } from "../../core/json.ts";
import { type ChatRequest, readOutputLimit } from "../../operations/chat/form.ts";
import { leaveOutUnpricedSearch, maySearch } from "../../operations/chat/searches.ts";
import type { ChatLane } from "../dialect.ts";
import { GeminiDecoder, parseReply } from "./decode.ts";
import { makeHeaders, makeUrl } from "./outgoing.ts";

export const GEMINI_LANE: ChatLane = {
  encode,
  searches: maySearch,
  decoder: (card, request) => new GeminiDecoder(card, request),
  reply: parseReply,
};

function encode(raw: RawRequest, request: ChatRequest, card: ModelCard, target: Target): Outgoing {
  const search = leaveOutUnpricedSearch(raw.body, card);
  const body = { ...raw.body, ...search.changes };
  const config = asObject(body.generationConfig);
  const asked = readOutputLimit(request);
  const limit = asked === undefined ? undefined : Math.min(asked, card.outputTokensMax ?? asked);
  const given = config.maxOutputTokens;
  const isLowered = limit !== undefined && (typeof given !== "number" || given > limit);
  return {
    url: makeUrl(card.name, target.baseUrl, request.stream === true),
    headers: makeHeaders(target),
    body: isLowered ? { ...body, generationConfig: { ...config, maxOutputTokens: limit } } : body,
    dropped: [
      ...search.dropped,
      ...(isLowered && given !== undefined ? ["generationConfig.maxOutputTokens"] : []),
    ],
  };
}
