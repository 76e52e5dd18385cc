// One provider behind two of its own interfaces: each request takes the one that can serve it.
import type { ModelCard } from "../../core/models/card.ts";
import type { Refusal } from "../../core/models/refusals.ts";
import type { ChatRequest } from "../../operations/chat/form.ts";
import type { ChatDialect } from "../dialect.ts";

const TOOLS_WITH_EFFORT: ReadonlySet<Refusal> = new Set(["tools_with_effort"]);

/**
 * Combines two dialects: requests that `useSecond` selects take the second, all others the first. Both must have the
 * same error format.
 */
export function combineDialects(
  { chat: first, ...rest }: ChatDialect,
  { chat: second }: ChatDialect,
  useSecond: (card: ModelCard, request: ChatRequest) => boolean,
): ChatDialect {
  const over = (card: ModelCard, request: ChatRequest) => (useSecond(card, request) ? second : first);
  const isRefused = (card: ModelCard, request: ChatRequest) =>
    first.mends?.(request, card, TOOLS_WITH_EFFORT) === true &&
    (request.n ?? 1) <= second.answersPerCall(card, request);
  return {
    ...rest,
    chat: {
      answersPerCall: (card, request) => over(card, request).answersPerCall(card, request),
      takesUrls: (kind, card, request) => over(card, request).takesUrls?.(kind, card, request) !== false,
      changesTools: (card, request) => over(card, request).changesTools?.(card, request) === true,
      fit: (request, card, operator) => over(card, request).fit(request, card, operator),
      encode: (request, card, target) => over(card, request).encode(request, card, target),
      plainBounds: (card, request) => over(card, request).plainBounds?.(card, request) ?? null,
      mends: (request, card, refuses) => over(card, request).mends?.(request, card, refuses) === true,
      instead(request, card, refuses) {
        const isFirst = !useSecond(card, request);
        const isTurned = isFirst && refuses.has("tools_with_effort") && isRefused(card, request);
        const codec = isTurned || !isFirst ? second : first;
        return codec.instead?.(request, card, refuses) ?? (isTurned ? second : null);
      },
      decoder: (card, request) => over(card, request).decoder(card, request),
      reply: (body, card, request, headers) => over(card, request).reply(body, card, request, headers),
      searches: (card, request) => over(card, request).searches?.(card, request) === true,
    },
  };
}
