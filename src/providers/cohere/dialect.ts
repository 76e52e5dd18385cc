// Cohere's v2 chat as an upstream dialect.
import type { ChatReply } from "../../core/chat.ts";
import type { Decoder, Dialect } from "../../core/dialect.ts";
import { explainChat } from "../chat-error.ts";
import { CohereReader } from "./decode.ts";
import { encode } from "./encode.ts";

export const cohere: Dialect = {
  choicesMax: () => 1,
  encode,
  decoder(): Decoder {
    return new CohereReader();
  },
  reply(body: unknown): ChatReply {
    return new CohereReader().reply(body);
  },
  explain: explainChat,
};
