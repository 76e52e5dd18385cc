// The dialect of Mistral's chat API: OpenAI's, more strictly, with thinking as parts of the content.

import { makeChatDecoder, parseChatReply } from "../_chat/decode.ts";
import { explainChat } from "../_chat/error.ts";
import { listCustomNames, restoreCustomCalls, wrapCustomDecoder } from "../_chat/tools.ts";
import type { ChatDialect } from "../dialect.ts";
import { encodeMistral } from "./encode.ts";

/** The API bills the prompt of n choices once. */
const CHOICES_MAX = 16;

export const mistral: ChatDialect = {
  name: "mistral",
  chat: {
    answersPerCall: () => CHOICES_MAX,
    encode: encodeMistral,
    decoder(_card, request) {
      const custom = listCustomNames(request);
      return custom.size === 0 ? makeChatDecoder() : wrapCustomDecoder(makeChatDecoder(), custom);
    },
    reply(body, _card, request) {
      const custom = listCustomNames(request);
      const reply = parseChatReply(body);
      return custom.size === 0 ? reply : restoreCustomCalls(reply, custom);
    },
  },
  explain: explainChat,
};
