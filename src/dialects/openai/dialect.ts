// The dialect of OpenAI's chat-completions API and of the many servers that use it, each with its quirks.

import { can, type ModelCard } from "../../core/models/card.ts";
import { remember } from "../../core/world/remember.ts";
import type { ChatForm } from "../../operations/chat/decoder.ts";
import type { AnswerCodec, Codec, Codecs } from "../../operations/codec.ts";
import { isArrangeable } from "../_chat/arrange.ts";
import { boundCodec } from "../_chat/bounds.ts";
import { planMarks } from "../_chat/cache/plan-marks.ts";
import { ChatDecoder, parseChatReply } from "../_chat/decode.ts";
import { explainChat } from "../_chat/error.ts";
import { SearchingDecoder, tellSearch } from "../_chat/found-pages.ts";
import { removePrefix } from "../_chat/prefix.ts";
import { readCustomCalls } from "../_chat/tools.ts";
import type { ChatDialect } from "../dialect.ts";
import { encodeChat, fitChat } from "./encode.ts";
import { SEARCHES_IN_CHAT } from "./models.ts";
import { thinksWithTools } from "./plan.ts";
import { findQuirks, type OpenaiQuirks } from "./quirks.ts";

/** Makes the dialect for a server (OpenAI API reference, `/chat/completions`), which may serve more than chat. */
export function makeOpenaiDialect(quirks: OpenaiQuirks, beyondChat: Omit<Codecs, "chat"> = {}): ChatDialect {
  // Each step of a request asks for them.
  const quirksOf = remember((card: ModelCard) => findQuirks(quirks, card));
  const canMark = quirks.models.some((one) => one.quirks.marksPrompts === true);
  const planOwn: Codec<ChatForm>["planMarks"] = (ask, card, mode, readSigns) =>
    quirksOf(card).marksPrompts ? planMarks(ask, card, mode, readSigns) : null;
  const reading: AnswerCodec<ChatForm> = {
    decoder(_card, { web_search_options: search }) {
      const decoder = new ChatDecoder(quirks.errors);
      return search === undefined ? decoder : new SearchingDecoder(decoder);
    },
    reply(body, _card, { web_search_options: search }) {
      const reply = parseChatReply(body, quirks.errors);
      return search === undefined ? reply : tellSearch(reply);
    },
  };
  return {
    name: "openai",
    ...beyondChat,
    chat: boundCodec(
      {
        answersPerCall: (card) => quirksOf(card).choicesMax,
        takesUrls: (kind, card) => quirksOf(card)[kind === "image" ? "imageUrls" : "fileUrls"],
        fit: (request, card, operator) => fitChat(quirksOf(card), request, card, operator),
        encode: (request, card, target) => encodeChat(quirksOf(card), request, card, target),
        ...(canMark ? { planMarks: planOwn } : {}),
        plainBounds(card) {
          const { ranges, stopsMax, bounds, refusesTurns, marksPrompts } = quirksOf(card);
          if (refusesTurns.size > 0 || marksPrompts) return null;
          return { ranges, stopsMax, identifierCharactersMax: bounds.identifierCharactersMax };
        },
        mends: (request, card, refuses) =>
          isArrangeable(request, card, refuses) ||
          (refuses.has("tools_with_effort") && thinksWithTools(request, quirksOf(card))),
        // Search models are known by their names, and search always.
        searches: (card) =>
          !quirksOf(card).refuses.includes("web_search_options") &&
          (can(card, "search") || SEARCHES_IN_CHAT.test(card.name)),
        ...readCustomCalls(
          quirks.repeatsPrefix ? removePrefix(reading) : reading,
          (card) => quirksOf(card).customTools,
        ),
      },
      (card) => quirksOf(card).bounds,
    ),
    explain: (status, headers, body, nowMs) => explainChat(status, headers, body, nowMs, quirks.errors),
  };
}
