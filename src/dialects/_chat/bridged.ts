// One provider behind two of its own interfaces: each request goes over the one that can serve it.
import type { ModelCard } from "../../core/card.ts";
import type { ChatRequest } from "../../operations/chat/form.ts";
import type { ChatDialect } from "../dialect.ts";

/**
 * The first dialect, and the second for requests that `useSecond` names. Both must have the same form of errors, and
 * the first must give one choice for cards that may go over the second if that gives only one.
 */
export function bridge(
  { chat: first, ...rest }: ChatDialect,
  { chat: second }: ChatDialect,
  useSecond: (card: ModelCard, request: ChatRequest) => boolean,
): ChatDialect {
  const over = (card: ModelCard, request: ChatRequest) => (useSecond(card, request) ? second : first);
  return {
    ...rest,
    chat: {
      answersPerCall: (card, request) => first.answersPerCall(card, request),
      takesImageUrls: (card) => [first, second].every((codec) => codec.takesImageUrls?.(card) !== false),
      encode: (request, card, target) => over(card, request).encode(request, card, target),
      decoder: (card, request) => over(card, request).decoder(card, request),
      reply: (body, card, request, headers) => over(card, request).reply(body, card, request, headers),
    },
  };
}
