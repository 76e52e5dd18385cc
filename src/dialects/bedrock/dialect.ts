// Amazon Bedrock's Converse API as an upstream dialect.
import { dropThinking } from "../../operations/chat/prompt/refused-thinking.ts";
import { explainAmazon } from "../../transport/framing/aws-faults.ts";
import { type Bounds, boundCodec, USUAL_BOUNDS } from "../_chat/bounds.ts";
import { planMarks } from "../_chat/cache/plan-marks.ts";
import { uniqueUpTo } from "../_chat/call-ids.ts";
import { isSignatureRefused } from "../_chat/error.ts";
import { readCustomCalls } from "../_chat/tools.ts";
import type { ChatDialect } from "../dialect.ts";
import { ConverseDecoder } from "./decode.ts";
import { encode, fit } from "./encode.ts";
import { BEDROCK_EMBEDDINGS, BEDROCK_RERANK } from "./invoke.ts";
import { findTraits } from "./models.ts";
import { REASONING_FORMAT } from "./reasoning.ts";

/** Converse API reference, "ToolUseBlock", "ToolSpecification". */
const BOUNDS: Bounds = { ...USUAL_BOUNDS, callIds: uniqueUpTo(64) };

export const bedrock: ChatDialect = {
  name: "bedrock",
  chat: boundCodec(
    {
      answersPerCall: () => 1,
      takesUrls: () => false,
      fit,
      encode,
      planMarks: (ask, card, mode, readSigns) =>
        findTraits(card.name).cache.prompt ? planMarks(ask, card, mode, readSigns) : null,
      ...readCustomCalls({
        decoder: () => new ConverseDecoder(),
        reply: (body) => new ConverseDecoder().reply(body),
      }),
      repair: (request, fault) =>
        isSignatureRefused(fault) ? dropThinking(request, REASONING_FORMAT) : null,
    },
    () => BOUNDS,
  ),
  embeddings: BEDROCK_EMBEDDINGS,
  rerank: BEDROCK_RERANK,
  explain: explainAmazon,
};
