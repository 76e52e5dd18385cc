// Anthropic's Messages API (`POST {base}/messages`) as an upstream dialect.
import { dropThinking } from "../../operations/chat/refused-thinking.ts";
import { isSignatureRefused } from "../_chat/error.ts";
import { readCustomCalls } from "../_chat/tools.ts";
import type { ChatDialect } from "../dialect.ts";
import { MessageDecoder, parseReply } from "./decode.ts";
import { encode, fit, searches } from "./encode.ts";
import { explain } from "./errors.ts";
import { THINKING_FORMAT } from "./thinking.ts";

export const anthropic: ChatDialect = {
  name: "anthropic",
  chat: {
    answersPerCall: () => 1,
    fit,
    encode,
    searches,
    ...readCustomCalls({ decoder: () => new MessageDecoder(), reply: parseReply }),
    repair: (request, fault) => (isSignatureRefused(fault) ? dropThinking(request, THINKING_FORMAT) : null),
  },
  explain,
};
