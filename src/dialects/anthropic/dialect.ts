// Anthropic's Messages API (`POST {base}/messages`) as an upstream dialect.
import { dropThinking } from "../../operations/chat/prompt/refused-thinking.ts";
import { type Bounds, boundCodec } from "../_chat/bounds.ts";
import { planMarks } from "../_chat/cache/plan-marks.ts";
import { uniqueUpTo } from "../_chat/call-ids.ts";
import { isSignatureRefused } from "../_chat/error.ts";
import { namesUpTo } from "../_chat/tool-names.ts";
import { readCustomCalls } from "../_chat/tools.ts";
import type { ChatDialect } from "../dialect.ts";
import { MessageDecoder, parseReply } from "./decode.ts";
import { encode, fit, searches } from "./encode.ts";
import { explain, isThinkingMissed } from "./errors.ts";
import { THINKING_FORMAT } from "./thinking.ts";

/** Anthropic API reference, "Messages": `user_id`, the names of tools, and the characters of call ids. */
const BOUNDS: Bounds = {
  identifierCharactersMax: 256,
  toolNames: namesUpTo(128),
  callIds: uniqueUpTo(64),
};

export const anthropic: ChatDialect = {
  name: "anthropic",
  chat: boundCodec(
    {
      answersPerCall: () => 1,
      demandsCalls: true,
      changesTools: () => true,
      fit,
      encode,
      planMarks,
      searches,
      ...readCustomCalls({
        decoder: (_card, request) => new MessageDecoder(request),
        reply: (body, _card, request) => parseReply(body, request),
      }),
      repair: (request, fault) =>
        isSignatureRefused(fault) || isThinkingMissed(fault) ? dropThinking(request, THINKING_FORMAT) : null,
    },
    () => BOUNDS,
  ),
  explain,
};
