// The client's messages as alternating turns, for servers that take tool results in the user's turn right after their calls.
import {
  type AssistantMessage,
  type ChatMessage,
  type Content,
  listParts,
  type SystemMessage,
  type ToolMessage,
  type UserMessage,
} from "../../operations/chat/form.ts";
import type { TextOfTurn } from "../../operations/chat/turn.ts";

export interface Turn<Block> {
  readonly role: "user" | "assistant";
  readonly content: readonly Block[];
}

/** Returns the id under which a call of the message at `place` is sent. */
type Ids = (id: string, place: number) => string;

/** Makes the blocks of one message; `index` is its place among all messages. */
export interface BlockMaker<Block> {
  /** Also makes those of the system messages before all others. */
  user(message: UserMessage | SystemMessage, index: number): readonly Block[];
  /** A system message amid the conversation. */
  note(message: SystemMessage, index: number): readonly Block[];
  assistant(message: AssistantMessage, index: number, ids: Ids): readonly Block[];
  result(message: ToolMessage, index: number, id: string): readonly Block[];
  /** The first turn where the client gives none of the user's: a conversation must begin with one. */
  readonly opening: Block;
}

export function isSystem(message: ChatMessage): message is SystemMessage {
  return message.role === "system" || message.role === "developer";
}

/** The number of system and developer messages before all others. */
export function countLeading(messages: readonly ChatMessage[]): number {
  const firstOther = messages.findIndex((message) => !isSystem(message));
  return firstOther === -1 ? messages.length : firstOther;
}

/** True for an image that the assistant gave, which has no place in such a turn. */
function hasGivenImage(message: ChatMessage): boolean {
  return message.role === "assistant" && listParts(message.content).some(({ type }) => type === "image_url");
}

/** Makes a dialect's blocks of texts; null: there is nothing to see in a text. */
interface TextMaker<Block> {
  makeBlocks(content: Content, path: string): Block[];
  makeTextBlock(text: string): Block | null;
}

/** The blocks of a text of the assistant's. A refusal is said where nothing else was. */
export function makeSaid<Block>(
  { content, refusal }: TextOfTurn,
  path: string,
  maker: TextMaker<Block>,
): readonly Block[] {
  const parts = listParts(content).filter(({ type }) => type === "text" || type === "refusal");
  const said = maker.makeBlocks(parts, path);
  const refused = said.length === 0 ? maker.makeTextBlock(refusal) : null;
  return refused ? [refused] : said;
}

export interface Conversation<Block> {
  readonly system: readonly Block[];
  /** Alternating, the first one the user's; tool results stand first in the turn after their calls. */
  readonly turns: readonly Turn<Block>[];
  /** Something of a message has no place in it: an image that the assistant gave. */
  readonly isShortened: boolean;
}

/** Leading system and developer messages are the system prompt, all others turns. */
export function splitConversation<Block>(
  messages: readonly ChatMessage[],
  maker: BlockMaker<Block>,
): Conversation<Block> {
  const leading = messages.slice(0, countLeading(messages)).filter(isSystem);
  return {
    system: leading.flatMap((message, index) => maker.user(message, index)),
    turns: makeTurns(messages, maker),
    isShortened: messages.some(hasGivenImage),
  };
}

/**
 * The turns of the messages behind the leading system messages. Tool results go, whatever their order and whatever stands
 * between, into the one user turn right after the calls they answer. No turn is empty.
 */
function makeTurns<Block>(
  messages: readonly ChatMessage[],
  maker: BlockMaker<Block>,
): readonly Turn<Block>[] {
  const leading = countLeading(messages);
  const ids = mapIds(messages);
  const results = mapResults(messages, ids, maker);
  const turns: { role: Turn<Block>["role"]; content: Block[] }[] = [];
  const add = (role: Turn<Block>["role"], blocks: readonly Block[]) => {
    if (blocks.length === 0) return;
    const last = turns.at(-1);
    if (last?.role === role) for (const block of blocks) last.content.push(block);
    else turns.push({ role, content: [...blocks] });
  };
  for (const [index, message] of messages.entries()) {
    if (index < leading) continue;
    if (message.role === "assistant") add("assistant", maker.assistant(message, index, ids));
    else if (isSystem(message)) add("user", maker.note(message, index));
    else if (message.role === "user") add("user", maker.user(message, index));
    add("user", results.get(index) ?? []);
  }
  if (turns[0]?.role !== "user") turns.unshift({ role: "user", content: [maker.opening] });
  return turns;
}

/** Bedrock's limit (Converse API reference, "ToolUseBlock"); Anthropic names none. */
const ID_CHARACTERS_MAX = 64;

/**
 * Ids must match `^[a-zA-Z0-9_-]+$` and be used once in a conversation, but some providers count from 0 in each turn. A
 * character beyond the pattern becomes its code, an id used before gets its message's index, at call and result alike. Of
 * a longer id the end is kept, which is what tells it from others.
 */
function mapIds(messages: readonly ChatMessage[]): Ids {
  const firstUses = new Map<string, number>();
  for (const [index, message] of messages.entries()) {
    if (message.role !== "assistant") continue;
    for (const { id } of message.tool_calls ?? []) if (!firstUses.has(id)) firstUses.set(id, index);
  }
  return (id, place) => {
    const code = (character: string) => `_${character.charCodeAt(0).toString(16)}_`;
    const legal = id.replace(/[^a-zA-Z0-9_-]/g, code) || "call";
    const own = (firstUses.get(id) ?? place) === place ? legal : `${legal}_${place}`;
    return own.slice(-ID_CHARACTERS_MAX);
  };
}

/**
 * Tool results by the index of the message after which they belong: the nearest assistant message before them that made
 * the call, whatever stands between. A result without its call stays where it is; the API says what is wrong with it.
 */
function mapResults<Block>(
  messages: readonly ChatMessage[],
  ids: Ids,
  maker: BlockMaker<Block>,
): ReadonlyMap<number, readonly Block[]> {
  const callers = new Map<string, number>();
  const results = new Map<number, Block[]>();
  for (const [index, message] of messages.entries()) {
    if (message.role === "assistant") for (const { id } of message.tool_calls ?? []) callers.set(id, index);
    if (message.role !== "tool") continue;
    const place = callers.get(message.tool_call_id) ?? index;
    const blocks = maker.result(message, index, ids(message.tool_call_id, place));
    const known = results.get(place);
    if (known) known.push(...blocks);
    else results.set(place, [...blocks]);
  }
  return results;
}
