// Cohere's v2 chat as an upstream dialect.
import type { ModelCard } from "../../core/card.ts";
import type { Decoder } from "../../operations/chat/decoder.ts";
import type { ChatReply, ChatRequest } from "../../operations/chat/form.ts";
import { explainChat } from "../_chat/error.ts";
import { listCustomNames, restoreCustomCalls, wrapCustomDecoder } from "../_chat/tools.ts";
import type { ChatDialect } from "../dialect.ts";
import { CohereReader } from "./decode.ts";
import { encode } from "./encode.ts";

export const cohere: ChatDialect = {
  name: "cohere",
  chat: {
    answersPerCall: () => 1,
    encode,
    decoder(_card: ModelCard, request: ChatRequest): Decoder {
      return wrapCustomDecoder(new CohereReader(), listCustomNames(request));
    },
    reply(body: unknown, _card: ModelCard, request: ChatRequest): ChatReply {
      return restoreCustomCalls(new CohereReader().reply(body), listCustomNames(request));
    },
  },
  explain: explainChat,
};
