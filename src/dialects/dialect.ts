// The port that every upstream dialect implements: pure functions between an operation's own form and one wire format.
import type { ModelCard } from "../core/card.ts";
import type { DialectName, Outgoing, Target } from "../core/dialect.ts";
import type { ChatForm } from "../operations/chat/decoder.ts";
import type { Codec, Codecs, Explain, Lane } from "../operations/codec.ts";

/** Returns a dialect's call as a platform carries it: at another address, with the model in the path, in other frames. Pure. */
type Carrier = (outgoing: Outgoing, card: ModelCard, target: Target) => Outgoing;

export interface Dialect extends Codecs {
  readonly name: DialectName;
  explain: Explain;
  /** Left out: calls leave as the dialect makes them. */
  readonly carry?: Carrier;
  /** Cards that name no dialect are served in it only if their name matches; left out: all are. */
  readonly names?: RegExp;
}

/** A dialect of chat completions. */
export interface ChatDialect extends Dialect {
  readonly chat: Codec<ChatForm>;
}

export type ChatLane = Lane<ChatForm>;
