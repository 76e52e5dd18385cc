// The client's messages as Converse's system prompt and alternating turns.

import { JsonBudget } from "../../core/json/bounds.ts";
import { isObject } from "../../core/json/json.ts";
import type { ChatRequest, ToolMessage } from "../../operations/chat/form.ts";
import { type Conversation, splitConversation, type Turn } from "../_chat/turns.ts";
import { addPoint, type Block, makeDocument, makeImage } from "./content.ts";
import type { BedrockTraits } from "./models.ts";
import { makeReasoningBlock, REASONING_FORMAT } from "./reasoning.ts";

/** Only some models can continue an answer, so all are asked in words. */
const GO_ON: Block = {
  text: "Go on with your last message exactly where it ends, without repeating any of it.",
};
/** A document needs a text beside it (Converse API reference, "ContentBlock"). */
const BESIDE_DOCUMENT: Block = { text: "See the attached document." };
/** Converse refuses an empty result. */
const EMPTY_RESULT: Block = { text: "(empty)" };
const ERROR_PREFIX = "Error: ";

/**
 * Makes the system prompt and the turns. `isShortened` is also true if a turn was added at the end. Throws a Fault
 * `unsupported_capability` for audio, for images and files by address, which Bedrock doesn't fetch, and for those of
 * other types.
 */
export function makeConversation(request: ChatRequest, traits: BedrockTraits): Conversation<Block> {
  const conversation = splitConversation<Block>(request.messages, {
    json: new JsonBudget(request),
    takesSystem: false,
    text: (text) => ({ text }),
    image: makeImage,
    file: makeDocument,
    mark: addPoint,
    thinkingFormat: REASONING_FORMAT,
    thinking: makeReasoningBlock,
    isThinking: ({ reasoningContent }) => reasoningContent !== undefined,
    call: (toolUseId, name, input) => ({ toolUse: { toolUseId, name, input } }),
    result: (message, content) => makeResult(message, content, traits),
  });
  const turns = renameDuplicates(conversation.turns.map(addText));
  if (turns.at(-1)?.role !== "assistant") return { ...conversation, turns };
  return { ...conversation, turns: [...turns, { role: "user", content: [GO_ON] }], isShortened: true };
}

function makeResult(message: ToolMessage, given: readonly Block[], traits: BedrockTraits): Block[] {
  const points = given.filter(isPoint);
  const plain = given.filter((block) => !isPoint(block));
  const failed = message.is_error === true;
  const blocks = failed && !traits.resultStatus ? [{ text: ERROR_PREFIX }, ...plain] : plain;
  const content = blocks.length > 0 ? blocks : [EMPTY_RESULT];
  const status =
    message.is_error === undefined || !traits.resultStatus ? {} : { status: failed ? "error" : "success" };
  const result: Block = { toolResult: { toolUseId: message.tool_call_id, content, ...status } };
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
