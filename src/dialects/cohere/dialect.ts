// Cohere's v2 chat as an upstream dialect.
import { boundCodec, USUAL_BOUNDS } from "../_chat/bounds.ts";
import { explainChat } from "../_chat/error.ts";
import { readCustomCalls } from "../_chat/tools.ts";
import type { ChatDialect } from "../dialect.ts";
import { CohereReader } from "./decode.ts";
import { encode, fit } from "./encode.ts";

export const cohere: ChatDialect = {
  name: "cohere",
  chat: boundCodec(
    {
      answersPerCall: () => 1,
      fit,
      encode,
      ...readCustomCalls({
        decoder: () => new CohereReader(),
        reply: (body) => new CohereReader().reply(body),
      }),
    },
    () => USUAL_BOUNDS,
  ),
  explain: explainChat,
};
