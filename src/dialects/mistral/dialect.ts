// The dialect of Mistral's chat API: OpenAI's, more strictly, with thinking as parts of the content.

import { chatDecoder, chatReply } from "../_chat/decode.ts";
import { explainChat } from "../_chat/error.ts";
import { customDecoder, customNames, withCustomCalls } from "../_chat/tools.ts";
import type { Dialect } from "../dialect.ts";
import { encodeMistral } from "./encode.ts";

/** The API bills the prompt of n choices once. */
const CHOICES_MAX = 16;

export const mistral: Dialect = {
  choicesMax: () => CHOICES_MAX,
  encode: encodeMistral,
  decoder(_card, request) {
    const custom = customNames(request);
    return custom.size === 0 ? chatDecoder() : customDecoder(chatDecoder(), custom);
  },
  reply(body, _card, request) {
    const custom = customNames(request);
    const reply = chatReply(body);
    return custom.size === 0 ? reply : withCustomCalls(reply, custom);
  },
  explain: explainChat,
};
