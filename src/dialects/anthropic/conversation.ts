// The client's messages as Anthropic's system prompt and alternating turns.

import { isObject, type JsonObject, parseJson } from "../../core/json.ts";
import type {
  AssistantMessage,
  ChatMessage,
  SystemMessage,
  ToolCall,
  ToolMessage,
} from "../../operations/chat/form.ts";
import { listTurn, writeTurn } from "../../operations/chat/turn.ts";
import { listThinking, type SignedThinking } from "../_chat/thinking.ts";
import {
  type Conversation,
  makeTurnBlocks,
  type Turn as SharedTurn,
  splitConversation,
} from "../_chat/turns.ts";
import { addMark, type Block, makeBlocks, makeTextBlock } from "./content.ts";
import { makeThinkingBlock, THINKING_FORMAT } from "./thinking.ts";

export type Turn = SharedTurn<Block>;

/** A conversation must begin with a user turn that is not empty. */
const OPENING: Block = { type: "text", text: "Begin." };

/**
 * Leading system and developer messages become the system prompt. A later one stays where it is, as a marked text in
 * the user's turn: moving it to the front would change its meaning and every cached prefix, and most models refuse a
 * `system` role inside the conversation. If `keepsThinking` is false, the thinking of earlier turns is left out. Throws
 * a Fault for parts that Claude can't take (see `makeBlocks`).
 */
export function makeConversation(
  messages: readonly ChatMessage[],
  keepsThinking: boolean,
): Conversation<Block> {
  return splitConversation<Block>(messages, {
    user: makeContent,
    note: makeNote,
    assistant(message, index, ids) {
      const call = (made: ToolCall) => makeCallBlock(made, ids(made.id, index));
      return makeAssistantBlocks(message, `messages[${index}].content`, call, keepsThinking);
    },
    result: (message, index, id) => [makeResultBlock(message, index, id)],
    opening: OPENING,
  });
}

function makeContent(message: ChatMessage, index: number): Block[] {
  return withMark(makeBlocks(message.content, `messages[${index}].content`), message);
}

/** A message's mark is set on its last block that can carry it. */
function withMark(blocks: readonly Block[], message: JsonObject): Block[] {
  const last = blocks.findLastIndex(({ type }) => !type.includes("thinking"));
  return blocks.map((block, index) => (index === last ? addMark(block, message) : block));
}

function makeNote(message: SystemMessage, index: number): Block[] {
  return makeContent(message, index).map((block) => ({
    ...block,
    text: `<system_message>\n${block.text}\n</system_message>`,
  }));
}

function makeAssistantBlocks(
  message: AssistantMessage,
  path: string,
  makeCall: (call: ToolCall) => Block,
  keepsThinking: boolean,
): Block[] {
  let apart: readonly SignedThinking[] = [];
  const blocks = writeTurn<Block>(listTurn(message), {
    thinking({ details }) {
      const own = keepsThinking ? listThinking(details, THINKING_FORMAT) : [];
      if (message.parts) return own.map(makeThinkingBlock);
      apart = own;
      return [];
    },
    text: (part) => makeTurnBlocks(part, path, { makeBlocks, makeTextBlock }),
    call: (call) => [makeCall(call)],
  });
  // In order of place, so each thinking block returns to its place, or to the end if fewer blocks precede it.
  for (const one of apart) blocks.splice(Math.min(one.place, blocks.length), 0, makeThinkingBlock(one));
  // Thinking at the end (of an answer cut short) is refused.
  while (blocks.at(-1)?.type.includes("thinking")) blocks.pop();
  return withMark(blocks, message);
}

function makeCallBlock(call: ToolCall, id: string): Block {
  if (call.type === "custom") {
    const { name, input } = call.custom;
    return addMark({ type: "tool_use", id, name, input: { input } }, call);
  }
  const { name, arguments: text } = call.function;
  return addMark({ type: "tool_use", id, name, input: readInput(text) }, call);
}

/** `input` must be an object. Other arguments (of a call cut short) are kept as text. */
function readInput(text: string): JsonObject {
  if (text.trim() === "") return {};
  const input = parseJson(text);
  return isObject(input) ? input : { arguments: text };
}

function makeResultBlock(message: ToolMessage, index: number, id: string): Block {
  const content = makeBlocks(message.content, `messages[${index}].content`);
  const failed = message.is_error === undefined ? {} : { is_error: message.is_error };
  const result: Block = { type: "tool_result", tool_use_id: id, ...failed };
  const only = content.length === 1 ? content[0] : undefined;
  // Plain text stays a string, which every server of this dialect accepts.
  if (only && typeof message.content === "string") result.content = only.text;
  else if (content.length > 0) result.content = content;
  return addMark(result, message);
}

/** True if the turns end in tool results of a loop that began without thinking. */
export function hasCallsWithoutThinking(turns: readonly Turn[]): boolean {
  const isResult = (turn: Turn | undefined) =>
    turn?.content.some(({ type }) => type === "tool_result") === true;
  let start = turns.length;
  while (start >= 2 && isResult(turns[start - 1])) start -= 2;
  const first = turns[start]?.content[0];
  return start < turns.length && !first?.type.includes("thinking");
}
