// Amazon Bedrock's Converse API as an upstream dialect.
import type { Fault } from "../../core/fault.ts";
import { dropThinking } from "../../operations/chat/refused-thinking.ts";
import { explain } from "../_bedrock/call.ts";
import { listCustomNames, restoreCustomCalls, wrapCustomDecoder } from "../_chat/tools.ts";
import type { ChatDialect } from "../dialect.ts";
import { ConverseDecoder } from "./decode.ts";
import { BEDROCK_EMBEDDINGS } from "./embeddings.ts";
import { encode } from "./encode.ts";
import { REASONING_FORMAT } from "./reasoning.ts";
import { BEDROCK_RERANK } from "./rerank.ts";

export const bedrock: ChatDialect = {
  name: "bedrock",
  chat: {
    answersPerCall: () => 1,
    takesImageUrls: () => false,
    encode,
    decoder: (_card, request) => wrapCustomDecoder(new ConverseDecoder(), listCustomNames(request)),
    reply: (body, _card, request) =>
      restoreCustomCalls(new ConverseDecoder().reply(body), listCustomNames(request)),
    mend: (request, fault) => (isSignatureRefused(fault) ? dropThinking(request, REASONING_FORMAT) : null),
  },
  embeddings: BEDROCK_EMBEDDINGS,
  rerank: BEDROCK_RERANK,
  explain,
};

/** True for the 400 of reasoning that the model did not sign; the model's own words stand in it. */
function isSignatureRefused({ code, message }: Fault): boolean {
  return code === "upstream_rejected" && /signature/i.test(message);
}
