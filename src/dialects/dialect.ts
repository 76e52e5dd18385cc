// The port that every upstream dialect implements: pure functions between an operation's own form and one wire format.
import type { ModelCard } from "../core/models/card.ts";
import type { Outgoing, Target } from "../core/models/dialect.ts";
import type { DialectName } from "../core/models/dialect-names.ts";
import type { ChatForm } from "../operations/chat/decoder.ts";
import type { Codec, Codecs, Explain, Lane } from "../operations/codec.ts";

/** Moves a dialect's call to a platform: another address, the model in the path, other frames. Pure. */
type Carrier = (outgoing: Outgoing, card: ModelCard, target: Target) => Outgoing;

export interface Dialect extends Codecs {
  readonly name: DialectName;
  explain: Explain;
  /** Missing if calls are sent as the dialect makes them. */
  readonly carry?: Carrier;
  /** Cards that name no dialect use this one only if their name matches. Missing if all do. */
  readonly names?: RegExp;
}

/** A dialect of chat completions. */
export interface ChatDialect extends Dialect {
  readonly chat: Codec<ChatForm>;
}

export type ChatLane = Lane<ChatForm>;
