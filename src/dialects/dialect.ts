// The port that every upstream dialect implements: pure functions between an operation's own form and one wire format.
import type { ChatForm } from "../operations/chat/decoder.ts";
import type { Codec, Codecs, Explain, Lane } from "../operations/codec.ts";

export interface Dialect extends Codecs {
  explain: Explain;
}

/** A dialect of chat completions. */
export interface ChatDialect extends Dialect {
  readonly chat: Codec<ChatForm>;
}

export type ChatLane = Lane<ChatForm>;
