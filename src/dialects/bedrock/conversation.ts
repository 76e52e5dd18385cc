// The client's messages as Converse's system prompt and alternating turns.
import { isObject, type JsonObject, parseJson } from "../../core/json.ts";
import type {
  AssistantMessage,
  ChatMessage,
  SystemMessage,
  ToolCall,
  ToolMessage,
} from "../../operations/chat/form.ts";
import { listTurn, writeTurn } from "../../operations/chat/turn.ts";
import { toFunctionCall } from "../_chat/tools.ts";
import { type Conversation, makeTurnBlocks, splitConversation, type Turn } from "../_chat/turns.ts";
import { addPoint, type Block, makeBlocks, makeTextBlock } from "./content.ts";
import type { Traits } from "./models.ts";
import { makeReasoningBlocks } from "./reasoning.ts";

const OPENING: Block = { text: "Begin." };
/** Only some models can continue an answer, so all are asked in words. */
const GO_ON: Block = {
  text: "Go on with your last message exactly where it ends, without repeating any of it.",
};
/** A document needs a text beside it (Converse API reference, "ContentBlock"). */
const BESIDE_DOCUMENT: Block = { text: "See the attached document." };
/** Converse refuses an empty result. */
const EMPTY_RESULT: Block = { text: "(empty)" };
const ERROR_PREFIX = "Error: ";

/** `isShortened` is also true if a turn was added at the end. Throws a Fault for parts that Bedrock can't take. */
export function makeConversation(messages: readonly ChatMessage[], traits: Traits): Conversation<Block> {
  const conversation = splitConversation<Block>(messages, {
    user: makeContent,
    note: makeNote,
    assistant: (message, index, ids) =>
      makeAssistantBlocks(message, `messages[${index}].content`, (call) =>
        makeCall(call, ids(call.id, index)),
      ),
    result: (message, index, id) => makeResult(message, index, id, traits),
    opening: OPENING,
  });
  const turns = renameDuplicates(conversation.turns.map(addText));
  if (turns.at(-1)?.role !== "assistant") return { ...conversation, turns };
  return { ...conversation, turns: [...turns, { role: "user", content: [GO_ON] }], isShortened: true };
}

function makeContent(message: ChatMessage, index: number): Block[] {
  return addPoint(makeBlocks(message.content, `messages[${index}].content`), message);
}

function makeNote(message: SystemMessage, index: number): Block[] {
  return makeContent(message, index).map((block) =>
    typeof block.text === "string" ? { text: `<system_message>\n${block.text}\n</system_message>` } : block,
  );
}

function makeAssistantBlocks(
  message: AssistantMessage,
  path: string,
  makeOwnCall: (call: ToolCall) => readonly Block[],
): Block[] {
  const blocks = writeTurn<Block>(listTurn(message), {
    thinking: ({ details }) => makeReasoningBlocks(details),
    text: (part) => makeTurnBlocks(part, path, { makeBlocks, makeTextBlock }),
    call: makeOwnCall,
  });
  // Reasoning at the end (of an answer cut short) is refused.
  while (blocks.at(-1)?.reasoningContent !== undefined) blocks.pop();
  return addPoint(blocks, message);
}

function makeCall(call: ToolCall, toolUseId: string): Block[] {
  const functionCall = toFunctionCall(call, false);
  if (functionCall.type !== "function") return [];
  const { name, arguments: text } = functionCall.function;
  return addPoint([{ toolUse: { toolUseId, name, input: readInput(text) } }], call);
}

/** `input` must be an object. Other arguments (of a call cut short) are kept as text. */
function readInput(text: string): JsonObject {
  const input = parseJson(text);
  return isObject(input) ? input : { arguments: text };
}

function makeResult(message: ToolMessage, index: number, toolUseId: string, traits: Traits): Block[] {
  const all = makeBlocks(message.content, `messages[${index}].content`);
  const points = all.filter(isPoint);
  const plain = all.filter((block) => !isPoint(block));
  const failed = message.is_error === true;
  const blocks = failed && !traits.resultStatus ? [{ text: ERROR_PREFIX }, ...plain] : plain;
  const content = blocks.length > 0 ? blocks : [EMPTY_RESULT];
  const status =
    message.is_error === undefined || !traits.resultStatus ? {} : { status: failed ? "error" : "success" };
  const result: Block = { toolResult: { toolUseId, content, ...status } };
  return addPoint([result, ...points.slice(-1)], points.length > 0 ? {} : message);
}

export function isPoint(block: Block): boolean {
  return block.cachePoint !== undefined;
}

function addText(turn: Turn<Block>): Turn<Block> {
  const isMute = !turn.content.some(({ text }) => text !== undefined);
  const hasDocument = turn.content.some(({ document }) => document !== undefined);
  return isMute && hasDocument ? { ...turn, content: [...turn.content, BESIDE_DOCUMENT] } : turn;
}

/** Renames documents with the same name: Bedrock refuses a conversation with duplicate names. */
function renameDuplicates(turns: readonly Turn<Block>[]): readonly Turn<Block>[] {
  const names = new Set<string>();
  /** The next number to try for each name: starting over for each document would take quadratic time. */
  const next = new Map<string, number>();
  const rename = (block: Block): Block => {
    const { document, toolResult } = block;
    if (isObject(toolResult) && Array.isArray(toolResult.content))
      return { toolResult: { ...toolResult, content: toolResult.content.map(rename) } };
    if (!isObject(document)) return block;
    const given = String(document.name);
    let name = given;
    let use = next.get(given) ?? 2;
    for (; names.has(name); use++) name = `${given} (${use})`;
    next.set(given, use);
    names.add(name);
    return { document: { ...document, name } };
  };
  return turns.map((turn) => ({ ...turn, content: turn.content.map(rename) }));
}
