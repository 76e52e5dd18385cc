// The dialect of OpenAI's chat-completions API and of the many servers that speak it, each with its quirks.

import { chatDecoder, chatReply } from "../_chat/decode.ts";
import { explainChat } from "../_chat/error.ts";
import { customDecoder, customNames, withCustomCalls } from "../_chat/tools.ts";
import type { Dialect } from "../dialect.ts";
import { encodeChat } from "./encode.ts";
import { type OpenaiQuirks, quirksFor } from "./quirks.ts";

/** The dialect for a server with these quirks (OpenAI API reference, `/chat/completions`). */
export function openaiChat(quirks: OpenaiQuirks): Dialect {
  return {
    choicesMax: (card) => quirksFor(quirks, card.name).choicesMax,
    encode: (request, card, target) => encodeChat(quirks, request, card, target),
    decoder(card, request) {
      const custom = customNames(request);
      if (custom.size === 0 || quirksFor(quirks, card.name).customTools) return chatDecoder();
      return customDecoder(chatDecoder(), custom);
    },
    reply(body, card, request) {
      const custom = customNames(request);
      const reply = chatReply(body);
      return custom.size === 0 || quirksFor(quirks, card.name).customTools
        ? reply
        : withCustomCalls(reply, custom);
    },
    explain: (status, headers, body, nowMs) => explainChat(status, headers, body, nowMs, quirks.errors),
  };
}
