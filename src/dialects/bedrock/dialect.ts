// Amazon Bedrock's Converse API as an upstream dialect.
import { explain } from "../_bedrock/call.ts";
import { listCustomNames, restoreCustomCalls, wrapCustomDecoder } from "../_chat/tools.ts";
import type { ChatDialect } from "../dialect.ts";
import { ConverseDecoder } from "./decode.ts";
import { BEDROCK_EMBEDDINGS } from "./embeddings.ts";
import { encode } from "./encode.ts";
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
  },
  embeddings: BEDROCK_EMBEDDINGS,
  rerank: BEDROCK_RERANK,
  explain,
};
