// Anthropic's Messages API (`POST {base}/messages`) as an upstream dialect.
import type { Dialect } from "../dialect.ts";
import { MessageDecoder, reply } from "./decode.ts";
import { encode } from "./encode.ts";
import { explain } from "./errors.ts";

export const anthropic: Dialect = {
  choicesMax: () => 1,
  encode,
  decoder: (_card, request) => new MessageDecoder(request),
  reply: (body, _card, request) => reply(body, request),
  explain,
};
