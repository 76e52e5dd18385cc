// The client's messages as alternating turns, for servers that expect tool results in the user turn after their calls.
import type { JsonObject } from "../../core/json/json.ts";
import type { AssistantMessage, ChatMessage, SystemMessage } from "../../operations/chat/form.ts";
import { listParts } from "../../operations/chat/prompt/content-text.ts";
import {
  type BlockMaker,
  makeAnswer,
  makeContent,
  makeNote,
  makeResult,
  markNote,
} from "./message-blocks.ts";

export interface Turn<Block> {
  readonly role: "user" | "assistant" | "system";
  readonly content: readonly Block[];
}

/** A turn to which blocks may be added. */
interface OpenTurn<Block> extends Turn<Block> {
  readonly content: Block[];
}

/** Begins a conversation whose first turn is not the user's: it must be, and not empty. */
const OPENING = "Begin.";

export function isSystem(message: ChatMessage): message is SystemMessage {
  return message.role === "system" || message.role === "developer";
}

/** Counts the system and developer messages before all others. */
export function countLeading(messages: readonly ChatMessage[]): number {
  const firstOther = messages.findIndex((message) => !isSystem(message));
  return firstOther === -1 ? messages.length : firstOther;
}

/** True for an image in an assistant message, which has no place in such a turn. */
function hasGivenImage(message: ChatMessage): boolean {
  return message.role === "assistant" && listParts(message.content).some(({ type }) => type === "image_url");
}

export interface Conversation<Block> {
  readonly system: readonly Block[];
  /**
   * Alternating, beginning with a user turn, with system messages behind turns of the user's for models that take them.
   * Tool results come first in the turn after their calls.
   */
  readonly turns: readonly Turn<Block>[];
  /** True if an assistant's image was left out. */
  readonly isShortened: boolean;
  /** True if a change of tools has no user turn behind which it could stand. */
  readonly isUnplaced: boolean;
}

/** Makes leading system and developer messages the system prompt, and all others turns. */
export function splitConversation<Block extends JsonObject>(
  messages: readonly ChatMessage[],
  maker: BlockMaker<Block>,
): Conversation<Block> {
  const leading = messages.slice(0, countLeading(messages)).filter(isSystem);
  const late: Block[] = [];
  return {
    system: leading.flatMap((message, index) => makeContent(message, index, maker)),
    turns: makeTurns(messages, maker, late),
    isShortened: messages.some(hasGivenImage),
    isUnplaced: late.length > 0,
  };
}

/**
 * Makes the turns of the messages after the leading system messages. Tool results move into the one user turn right
 * after their calls, regardless of their order and of messages in between. No turn is empty. A later system message
 * stands behind the user turn in which or before which it stands, or else in that turn as a note, and so do changes of
 * tools. Those that no user turn follows are left in `late`.
 */
function makeTurns<Block extends JsonObject>(
  messages: readonly ChatMessage[],
  maker: BlockMaker<Block>,
  late: Block[],
): readonly Turn<Block>[] {
  const leading = countLeading(messages);
  const results = messages.some(isResult) ? mapResults(messages, maker) : NO_RESULTS;
  const turns: OpenTurn<Block>[] = [];
  const add = (role: Turn<Block>["role"], blocks: readonly Block[]) => {
    if (blocks.length === 0) return;
    const last = turns.at(-1);
    if (last?.role === role) for (const block of blocks) last.content.push(block);
    else turns.push({ role, content: [...blocks] });
  };
  for (const [at, message] of messages.slice(leading).entries()) {
    const index = leading + at;
    if (message.role === "assistant") {
      const answer = makeAnswer(message, index, maker);
      if (answer.length > 0) placeBefore(message, late, turns, maker);
      add("assistant", answer);
    } else if (isSystem(message)) add("user", readLate(message, index, maker, late));
    else if (message.role === "user") add("user", makeContent(message, index, maker));
    add("user", results.get(index) ?? []);
  }
  if (late.length > 0) placeLate(late, turns);
  if (turns[0]?.role !== "user") turns.unshift({ role: "user", content: [maker.text(OPENING)] });
  return turns;
}

/** Returns a later system message as blocks of the user's. If the model takes it as what it is, it is added to `late`. */
function readLate<Block extends JsonObject>(
  message: SystemMessage,
  index: number,
  maker: BlockMaker<Block>,
  late: Block[],
): readonly Block[] {
  if (!maker.takesSystem) return makeNote(message, index, maker);
  late.push(...makeContent(message, index, maker), ...(maker.changes?.(message) ?? []));
  return [];
}

/** Adds what stands between the user's turn and an answer to it. The gateway has said its own words last. */
function placeBefore<Block extends JsonObject>(
  answer: AssistantMessage,
  late: Block[],
  turns: OpenTurn<Block>[],
  { sayAgain }: BlockMaker<Block>,
): void {
  if (sayAgain && turns.at(-1)?.role === "user") late.push(...sayAgain(answer));
  if (late.length > 0) placeLate(late, turns);
}

/**
 * Adds a message for the late blocks. Behind an answer no model takes a system message, so a note has a turn of its own
 * there, and changes of tools wait for the next one.
 */
function placeLate<Block extends JsonObject>(late: Block[], turns: OpenTurn<Block>[]): void {
  const notes = turns.at(-1)?.role === "user" ? [] : late.filter(({ tool }) => tool === undefined);
  if (notes.length > 0) turns.push({ role: "user", content: notes.map(markNote) });
  if (turns.at(-1)?.role !== "user") return;
  const placed = late.splice(0).filter((block) => !notes.includes(block));
  if (placed.length > 0) turns.push({ role: "system", content: placed });
}

const NO_RESULTS: ReadonlyMap<number, readonly never[]> = new Map<number, readonly never[]>();

function isResult({ role }: ChatMessage): boolean {
  return role === "tool";
}

/**
 * Maps tool results to the index of the nearest assistant message before them that made the call. A result without a
 * call stays where it is, and the API reports the mistake.
 */
function mapResults<Block extends JsonObject>(
  messages: readonly ChatMessage[],
  maker: BlockMaker<Block>,
): ReadonlyMap<number, readonly Block[]> {
  const callers = new Map<string, number>();
  const results = new Map<number, Block[]>();
  for (const [index, message] of messages.entries()) {
    if (message.role === "assistant") for (const { id } of message.tool_calls ?? []) callers.set(id, index);
    if (message.role !== "tool") continue;
    const place = callers.get(message.tool_call_id) ?? index;
    const blocks = makeResult(message, index, maker);
    const known = results.get(place);
    if (known) known.push(...blocks);
    else results.set(place, [...blocks]);
  }
  return results;
}

/**
 * Returns the turns with these blocks at the end of the newest one of the user's, or if `role` is `system`, in a message
 * behind it. The same list if there are none.
 */
export function sayInTurns<Block>(
  turns: readonly Turn<Block>[],
  blocks: readonly Block[],
  role: "user" | "system",
): readonly Turn<Block>[] {
  if (blocks.length === 0) return turns;
  const newest = turns.findLastIndex((turn) => turn.role === "user");
  const place = role === "system" ? newest + 1 : newest;
  const there = turns[place];
  if (there?.role === role) return turns.with(place, { role, content: [...there.content, ...blocks] });
  return turns.toSpliced(place, 0, { role, content: blocks });
}
