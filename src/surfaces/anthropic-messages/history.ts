// The turns of a Messages request as chat messages.

import { ElementWork, isGrowing } from "../../core/json/growing.ts";
import { asArray, asObject, asString, type JsonObject } from "../../core/json/json.ts";
import { missingParameter } from "../../core/json/schema-fault.ts";
import { freezeDeep } from "../../core/world/frozen.ts";
import { remember } from "../../core/world/remember.ts";
import type { Sealer } from "../../core/world/world.ts";
import type {
  AssistantMessage,
  ChatMessage,
  ContentPart,
  ReasoningDetail,
  SystemMessage,
  ToolCall,
  ToolChange,
  ToolMessage,
} from "../../operations/chat/form.ts";
import { TurnBuilder } from "../../operations/chat/turn.ts";
import type { FamilyNeed } from "../../operations/operation.ts";
import { findEmptied, replaceEmptied } from "../emptied.ts";
import { ANTHROPIC_FORMAT, isOurSignature, openSignature } from "../signature.ts";
import { countUnread } from "../unread.ts";
import { addLost, type Blocks, copyCacheMark, listBlocks, readPart, readParts, textPart } from "./parts.ts";
import { SearchReader } from "./searches.ts";
import { findSealed, readSummary, writeSummary } from "./summaries.ts";
import { listToolChanges, writeToolChanges } from "./tool-changes.ts";

/** Claude Code's first system block, which identifies its requests to Anthropic: noise to other vendors. */
const ATTRIBUTION = /^x-anthropic-billing-header:/;

/** Blocks that become parts of chat messages. Only Anthropic reads the others. */
const READ_BLOCKS: ReadonlySet<unknown> = new Set([
  "text",
  "image",
  "document",
  "search_result",
  "tool_reference",
  "tool_use",
  "tool_result",
  "thinking",
  "redacted_thinking",
]);

/** Returns the bytes of the text that only Anthropic reads. */
export function countUnreadBlocks(blocks: unknown): number {
  let bytes = 0;
  for (const block of asArray(blocks)) {
    const { type, content } = asObject(block);
    if (!READ_BLOCKS.has(type) && readSummary(asObject(block)) === null) bytes += countUnread(block);
    else if (type === "tool_result") bytes += countUnreadBlocks(content);
  }
  return bytes;
}

function countUnreadTurn(message: unknown): number {
  return countUnreadBlocks(asObject(message).content);
}

/** The same, of messages that may go on from earlier ones. */
export function countUnreadTurns(messages: readonly unknown[]): number {
  let bytes = 0;
  const each = UNREAD.listResults(messages, countUnreadTurn);
  if (each === null) for (const message of messages) bytes += countUnreadTurn(message);
  else for (const ofMessage of each) bytes += ofMessage;
  return bytes;
}

const UNREAD = new ElementWork<number>();

/** True if a text has citations or a document asks for them: only Anthropic supports both. */
export function hasCitations(messages: readonly unknown[]): boolean {
  const known = UNCITED.count(messages);
  const isFound = (known === 0 ? messages : messages.slice(known)).some(isCited);
  if (!isFound) UNCITED.note(messages, messages.length);
  return isFound;
}

const UNCITED = new ElementWork();

function isCited(message: unknown): boolean {
  return asArray(asObject(message).content).some(isCitedBlock);
}

function isCitedBlock(block: unknown): boolean {
  const { citations } = asObject(block);
  return asArray(citations).length > 0 || asObject(citations).enabled === true;
}

interface ReadMessages {
  readonly messages: readonly ChatMessage[];
  /** Blocks that only Anthropic reads. */
  readonly lost: readonly string[];
}

/** Returns the system prompt as the conversation's first message, or nothing if it is empty. */
export function readSystem(system: unknown): ReadMessages {
  if (Array.isArray(system)) return Object.isFrozen(system) ? readShared(system) : readSystemBlocks(system);
  if (typeof system !== "string" || system === "" || ATTRIBUTION.test(system)) return NO_MESSAGES;
  return { messages: [{ role: "system", content: system }], lost: NONE };
}

const NONE: readonly never[] = [];
const NO_MESSAGES: ReadMessages = { messages: NONE, lost: NONE };

/** For blocks that requests share. */
const readShared = remember((blocks: readonly unknown[]) => freezeDeep(readSystemBlocks(blocks)));

function readSystemBlocks(blocks: readonly unknown[]): ReadMessages {
  const lost: string[] = [];
  return { messages: readSystemTurn(blocks.map(asObject), "system", lost), lost };
}

interface ReadConversation extends ReadMessages {
  /** Set if something that matters can't be translated. */
  readonly nativeOnly: FamilyNeed | undefined;
}

/**
 * Returns the conversation in order. A turn with tool results becomes several messages. `first` is the place of the first
 * message in the request.
 */
export function readMessages(given: readonly unknown[], seal: Sealer, first = 0): ReadConversation {
  const lost: string[] = [];
  const messages: ChatMessage[] = [];
  const turns = isGrowing(given) ? listTurns(given, seal, first) : null;
  if (turns === null) {
    let index = first;
    for (const one of given)
      for (const message of readMessage(one, index++, seal, lost)) messages.push(message);
  } else for (const turn of turns) addTurn(turn, messages, lost);
  return { messages, lost, nativeOnly: findSealed(given) ?? findEmptied(messages) };
}

function addTurn(turn: ReadMessages, messages: ChatMessage[], lost: string[]): void {
  for (const message of turn.messages) messages.push(message);
  for (const path of turn.lost) lost.push(path);
}

function listTurns(given: readonly unknown[], seal: Sealer, first: number): readonly ReadMessages[] | null {
  const read = (one: unknown, index: number): ReadMessages => {
    const lost: string[] = [];
    return { messages: readMessage(one, first + index, seal, lost), lost };
  };
  return TURNS.listResults(given, read, first);
}

/** A list goes on from those of the same account, which has one seal. */
const TURNS = new ElementWork<ReadMessages>();

function readMessage(value: unknown, index: number, seal: Sealer, lost: string[]): readonly ChatMessage[] {
  const { role, content } = asObject(value);
  if (typeof content === "string" && role !== "assistant" && role !== "system")
    return [{ role: "user", content }];
  const path = `messages[${index}].content`;
  if (role === "assistant") return readAssistant(content, path, seal, lost);
  if (role === "system") return readSystemTurn(listBlocks(content), path, lost);
  return readUser(listBlocks(content), path, lost);
}

/** In the canonical form a message's texts stand before its changes of tools: a text behind a change begins another message. */
function readSystemTurn(blocks: Blocks, path: string, lost: string[]): readonly ChatMessage[] {
  const messages: SystemMessage[] = [];
  let texts: ContentPart[] = [];
  let changes: ToolChange[] = [];
  const end = () => {
    const made = changes.length > 0 ? { tool_changes: changes } : {};
    if (texts.length + changes.length > 0) messages.push({ role: "system", content: texts, ...made });
    [texts, changes] = [[], []];
  };
  for (const [index, block] of blocks.entries()) {
    if (block.type !== "text") {
      addLost(block, `${path}[${index}]`, lost);
      changes.push(...listToolChanges([block]));
    } else if (!ATTRIBUTION.test(asString(block.text) ?? "")) {
      if (changes.length > 0) end();
      texts.push(textPart(block));
    }
  }
  end();
  return messages;
}

function readUser(blocks: Blocks, path: string, lost: string[]): readonly ChatMessage[] {
  const lostBefore = lost.length;
  const results: ToolMessage[] = [];
  const parts: ContentPart[] = [];
  for (const [index, block] of blocks.entries()) {
    if (block.type === "tool_result") results.push(readResult(block, `${path}[${index}]`, lost));
    else for (const part of readPart(block, `${path}[${index}]`, lost)) parts.push(part);
  }
  if (parts.length > 0) return [...results, { role: "user", content: parts }];
  if (results.length > 0) return results;
  return [lost.length > lostBefore ? replaceEmptied(path) : { role: "user", content: parts }];
}

function readResult(block: JsonObject, path: string, lost: string[]): ToolMessage {
  const id = asString(block.tool_use_id);
  if (id === undefined) throw missingParameter(`${path}.tool_use_id`);
  const parts = readParts(listBlocks(block.content), `${path}.content`, lost);
  const isText = typeof block.content === "string" || parts.length === 0;
  return {
    role: "tool",
    tool_call_id: id,
    content: isText ? (asString(block.content) ?? "") : parts,
    ...(block.is_error === true ? { is_error: true } : {}),
    ...copyCacheMark(block),
  };
}

/** A text before a summary stays a turn of its own, as the summary is the user's. */
function readAssistant(content: unknown, path: string, seal: Sealer, lost: string[]): readonly ChatMessage[] {
  if (typeof content === "string") return [{ role: "assistant", content: content === "" ? null : content }];
  const blocks = listBlocks(content);
  const messages: ChatMessage[] = [];
  let from = 0;
  for (const [at, block] of blocks.entries()) {
    const summary = readSummary(block);
    if (summary === null) continue;
    if (at > from) messages.push(readTurn(blocks, from, at, path, seal, lost));
    messages.push({ role: "user", content: [writeSummary(summary, block)] });
    messages.push(...writeToolChanges(asArray(block.tool_changes).map(asObject)));
    from = at + 1;
  }
  if (from < blocks.length || from === 0)
    messages.push(readTurn(blocks, from, blocks.length, path, seal, lost));
  return messages;
}

/** Reads the blocks of a turn from one place up to another. */
function readTurn(
  blocks: Blocks,
  from: number,
  to: number,
  path: string,
  seal: Sealer,
  lost: string[],
): AssistantMessage {
  const turn = new TurnBuilder(null);
  const searches = new SearchReader();
  for (let index = from; index < to; index++) {
    const block = blocks[index] ?? {};
    const search = searches.read(block);
    if (search !== undefined) {
      if (search !== null) turn.say({ type: "text", text: search });
      continue;
    }
    switch (block.type) {
      case "text":
        turn.say(textPart(block));
        break;
      case "tool_use":
        turn.call(readCall(block));
        break;
      case "thinking":
      case "redacted_thinking":
        think(turn, block, index, seal);
        break;
      default:
        addLost(block, `${path}[${index}]`, lost);
    }
  }
  return turn.message();
}

/** Thinking without a valid signature is left out. Our own signature is one also if its provider signs nothing. */
function think(turn: TurnBuilder, block: JsonObject, index: number, seal: Sealer): void {
  const details = readThinking(block, index, seal);
  if (details !== null) turn.think(asString(block.thinking) ?? "", details);
}

function readCall(block: JsonObject): ToolCall {
  const call: ToolCall = {
    id: asString(block.id) ?? "",
    type: "function",
    function: { name: asString(block.name) ?? "", arguments: JSON.stringify(block.input ?? {}) },
  };
  return { ...call, ...copyCacheMark(block) };
}

/** Thinking in blocks, with its text. */
interface ReadThinking {
  readonly text: string;
  readonly details: readonly ReasoningDetail[];
}

/** Reads blocks of thinking that stand apart from a turn's others, as LiteLLM's clients send them. */
export function readThinkingBlocks(blocks: readonly unknown[], seal: Sealer): ReadThinking {
  const turn = new TurnBuilder(null);
  for (const [index, block] of blocks.entries()) think(turn, asObject(block), index, seal);
  const { reasoning_content: text, reasoning_details: details = NONE } = turn.message();
  return { text: text ?? "", details };
}

/** Opens our own signatures. Any other is Anthropic's. Null if it is missing, another account's or was changed. */
function readThinking(block: JsonObject, index: number, seal: Sealer): readonly ReasoningDetail[] | null {
  const text = asString(block.thinking) ?? "";
  const signature = asString(block.signature) ?? asString(block.data) ?? "";
  if (signature === "") return null;
  if (isOurSignature(signature)) return openSignature(seal, text, signature);
  if (block.type === "redacted_thinking") {
    return [{ type: "reasoning.encrypted", data: signature, format: ANTHROPIC_FORMAT, index }];
  }
  return [{ type: "reasoning.text", text, signature, format: ANTHROPIC_FORMAT, index }];
}
