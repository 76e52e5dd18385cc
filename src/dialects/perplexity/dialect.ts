// Perplexity's Agent API as an upstream dialect (Perplexity, "Migrate from Sonar to the Agent API").
import type { ModelCard } from "../../core/card.ts";
import type { Decoder } from "../../operations/chat/decoder.ts";
import type { ChatReply, ChatRequest } from "../../operations/chat/form.ts";
import { explainChat } from "../_chat/error.ts";
import { listCustomNames, restoreCustomCalls, wrapCustomDecoder } from "../_chat/tools.ts";
import { ResponseReader } from "../_responses/output.ts";
import type { ChatDialect } from "../dialect.ts";
import { encode } from "./encode.ts";
import { AgentOutput } from "./output.ts";

export const perplexity: ChatDialect = {
  name: "perplexity",
  chat: {
    answersPerCall: () => 1,
    encode,
    decoder(_card: ModelCard, request: ChatRequest): Decoder {
      return wrapCustomDecoder(new ResponseReader(new AgentOutput(request)), listCustomNames(request));
    },
    reply(body: unknown, _card: ModelCard, request: ChatRequest): ChatReply {
      return restoreCustomCalls(
        new ResponseReader(new AgentOutput(request)).reply(body),
        listCustomNames(request),
      );
    },
  },
  explain: explainChat,
};
