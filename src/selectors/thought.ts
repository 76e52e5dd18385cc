// The thinking in a conversation's history, as tokens: a model that can't read it has to think again.
import type { CachedPrefix } from "../core/attempt.ts";
import type { ModelCard } from "../core/models/card.ts";
import { findThinkingFormat, isReaderOf, SEALED_FORMATS } from "../core/models/thinking/readers.ts";
import type { ChatMessage, ReasoningDetail } from "../operations/chat/form.ts";

/** More thinking than this is never made again. */
const TOKENS_MAX = 32_000;
const CHARS_PER_TOKEN = 4;
/** Sealed thinking is base64, which takes four characters for three. */
const SEALED_SHARE = 3 / 4;

/** The thinking of a history. */
interface ThinkingTokens {
  /** The tokens of each format. Only sealed thinking is bound to its makers: all models read plain text. */
  readonly tokensByFormat: ReadonlyMap<string, number>;
  /** The format of the newest. Null if there is none. */
  readonly newest: string | null;
}

const NO_THOUGHT: ThinkingTokens = { tokensByFormat: new Map(), newest: null };

/** The model of a conversation before this turn, with the tokens of the prompt that it has probably cached. */
export interface ServingModel extends CachedPrefix {
  /** The evidence for it: the process's memory, the conversation's opening, or the family of the history's thinking. */
  readonly by: "memory" | "opening" | "thinking";
  readonly thought: ThinkingTokens;
}

export function readThought(messages: readonly ChatMessage[]): ThinkingTokens {
  const tokensByFormat = new Map<string, number>();
  let newest: string | null = null;
  for (const message of messages) {
    if (message.role !== "assistant" || !message.reasoning_details) continue;
    for (const detail of message.reasoning_details) {
      const { format, phases } = detail;
      // A list of phases says where a text was divided. It is no thinking.
      if (format === undefined || !SEALED_FORMATS.has(format) || Array.isArray(phases)) continue;
      tokensByFormat.set(format, (tokensByFormat.get(format) ?? 0) + countTokens(detail));
      newest = format;
    }
  }
  return newest === null ? NO_THOUGHT : { tokensByFormat, newest };
}

/** The text if it is shown, which is the whole of it or a summary, or else the length of what is sealed. */
function countTokens({ text, summary, signature, data }: ReasoningDetail): number {
  const shown = text || summary || "";
  const chars = shown === "" ? (data ?? signature ?? "").length * SEALED_SHARE : shown.length;
  return chars / CHARS_PER_TOKEN;
}

/** Returns the tokens of the thinking that a model can't read. `maker` is the model that answered before. */
export function countUnread({ tokensByFormat }: ThinkingTokens, card: ModelCard, maker: ModelCard): number {
  let tokens = 0;
  for (const [format, some] of tokensByFormat) if (!canRead(card, maker, format)) tokens += some;
  return Math.round(Math.min(TOKENS_MAX, tokens));
}

/** The history doesn't say which card made it. That of its own family, a model that answered before has made itself. */
function canRead(card: ModelCard, maker: ModelCard, format: string): boolean {
  const own = findThinkingFormat(card);
  if (card.id === maker.id) return own === null || own === format;
  return own === format && findThinkingFormat(maker) === format && isReaderOf(card, maker);
}
