// Cohere's v2 chat as an upstream dialect.
import { explainChat } from "../_chat/error.ts";
import { readCustomCalls } from "../_chat/tools.ts";
import type { ChatDialect } from "../dialect.ts";
import { CohereReader } from "./decode.ts";
import { encode, fit } from "./encode.ts";

export const cohere: ChatDialect = {
  name: "cohere",
  chat: {
    answersPerCall: () => 1,
    fit,
    encode,
    ...readCustomCalls({
      decoder: () => new CohereReader(),
      reply: (body) => new CohereReader().reply(body),
    }),
  },
  explain: explainChat,
};
