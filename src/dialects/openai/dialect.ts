// The dialect of OpenAI's chat-completions API and of the many servers that use it, each with its quirks.

import { can } from "../../core/card.ts";
import type { Codecs } from "../../operations/codec.ts";
import { boundCodec } from "../_chat/bounds.ts";
import { ChatDecoder, parseChatReply } from "../_chat/decode.ts";
import { explainChat } from "../_chat/error.ts";
import { readCustomCalls } from "../_chat/tools.ts";
import type { ChatDialect } from "../dialect.ts";
import { encodeChat, fitChat } from "./encode.ts";
import { SEARCHES_IN_CHAT } from "./models.ts";
import { findQuirks, type OpenaiQuirks } from "./quirks.ts";

/** Makes the dialect for a server (OpenAI API reference, `/chat/completions`), which may serve more than chat. */
export function makeOpenaiDialect(quirks: OpenaiQuirks, beyondChat: Omit<Codecs, "chat"> = {}): ChatDialect {
  const fit: ChatDialect["chat"]["fit"] = (request, card, operator) =>
    fitChat(quirks, request, card, operator);
  return {
    name: "openai",
    ...beyondChat,
    chat: boundCodec(
      {
        answersPerCall: (card) => findQuirks(quirks, card.name).choicesMax,
        takesImageUrls: (card) => findQuirks(quirks, card.name).imageUrls,
        fit,
        encode: (request, card, target) => encodeChat(quirks, request, card, target),
        // Search models are known by their names, and search always.
        searches: (card) =>
          !findQuirks(quirks, card.name).refuses.includes("web_search_options") &&
          (can(card, "search") || SEARCHES_IN_CHAT.test(card.name)),
        ...readCustomCalls(
          { decoder: () => new ChatDecoder(), reply: parseChatReply },
          (card) => findQuirks(quirks, card.name).customTools,
        ),
      },
      (card) => findQuirks(quirks, card.name).bounds,
    ),
    explain: (status, headers, body, nowMs) => explainChat(status, headers, body, nowMs, quirks.errors),
  };
}
