// The messages of a conversation as Gemini's `contents` and `systemInstruction`, including thinking and its signatures.

import { JsonBudget } from "../../core/json/bounds.ts";
import { asObject, asString, type JsonObject } from "../../core/json/json.ts";
import { isWithoutArguments } from "../../operations/chat/answer/tool-calls.ts";
import type {
  AssistantMessage,
  ChatMessage,
  ChatRequest,
  ReasoningDetail,
  SystemMessage,
  ToolCall,
  ToolMessage,
} from "../../operations/chat/form.ts";
import { joinText, listParts, SYSTEM_GAP } from "../../operations/chat/prompt/content-text.ts";
import { writeNote } from "../../operations/chat/prompt/note.ts";
import { listTurn, readText } from "../../operations/chat/turn.ts";
import { countLeading, isSystem } from "../_chat/turns.ts";
import { makeContentPart } from "./media.ts";
import type { GeminiModelFacts } from "./models.ts";
import { type HistoryCall, makeResponseParts, mapResults } from "./results.ts";
import { signLastTurn } from "./signatures.ts";
import { toSentName } from "./tools.ts";

/** The format of this provider's thinking in clients' messages (OpenRouter's name for it). */
export const REASONING_FORMAT = "google-gemini-v1";
/** The last turn if the model refuses a conversation that ends with its own answer. */
export const GO_ON = "Continue exactly where you stopped, without repeating anything.";

interface ContentTurn {
  readonly role: "user" | "model";
  readonly parts: JsonObject[];
}

/** The server and model for which the conversation is written. */
interface ConversationTarget {
  readonly facts: GeminiModelFacts;
  /** True if calls and their responses carry ids. Vertex AI refuses them for generations before 3. */
  readonly ids: boolean;
}

/** A conversation being written. */
interface ContentWriting extends ConversationTarget {
  /** Parses the arguments and results of calls. */
  readonly json: JsonBudget;
}

interface GeminiConversation {
  readonly fields: JsonObject;
  /** True if a turn was added at the end that asks for the rest of the last one. */
  readonly isContinued: boolean;
}

/** Makes the conversation's part of the body. `said` is a note at the end of the newest turn of the user's. */
export function makeConversation(
  request: ChatRequest,
  target: ConversationTarget,
  said: string,
): GeminiConversation {
  const leading = countLeading(request.messages);
  const system = request.messages.slice(0, leading).flatMap((message) => readSystemText(message));
  const turns = writeTurns(request.messages, leading, { ...target, json: new JsonBudget(request) });
  // Google refuses a conversation that starts with a call (gemini-cli, issue 11814).
  if (turns[0]?.role === "model" && turns[0].parts.some(({ functionCall }) => functionCall)) {
    turns.unshift({ role: "user", parts: [{ text: " " }] });
  }
  const signed = target.facts.signed ? [...signLastTurn(turns)] : turns;
  const isContinued = !target.facts.prefill && signed.at(-1)?.role === "model";
  if (isContinued) signed.push({ role: "user", parts: [{ text: GO_ON }] });
  if (said !== "") addSaid(signed, system, said);
  return { fields: withSystem(signed, system, target.facts.system), isContinued };
}

/** A system message inside the conversation keeps its place: at the front it would change every cached prefix. */
function makeNoteParts(message: SystemMessage): JsonObject[] {
  return readSystemText(message).map((text) => ({ text: writeNote(text) }));
}

/** A conversation without turns is its system text. */
function addSaid(turns: readonly ContentTurn[], system: string[], said: string): void {
  const newest = turns.findLast(({ role }) => role === "user");
  if (newest === undefined) system.push(said);
  else newest.parts.push({ text: writeNote(said) });
}

function readSystemText(message: ChatMessage): string[] {
  if (!isSystem(message)) return [];
  const text = joinText(message.content, SYSTEM_GAP);
  return text === "" ? [] : [text];
}

/** If there is only system text, it becomes the user's turn: without any turn there is nothing to answer. */
function withSystem(turns: ContentTurn[], system: readonly string[], apart: boolean): JsonObject {
  const parts = system.map((text) => ({ text }));
  if (turns.length === 0) {
    return { contents: [{ role: "user", parts: parts.length > 0 ? parts : [{ text: " " }] }] };
  }
  if (parts.length === 0) return { contents: turns };
  if (apart) return { systemInstruction: { parts }, contents: turns };
  const asked = turns.find((turn) => turn.role === "user");
  const text = { text: `${system.join(SYSTEM_GAP)}\n\n` };
  if (asked) asked.parts.unshift(text);
  else turns.unshift({ role: "user", parts: [text] });
  return { contents: turns };
}

/**
 * Consecutive assistant messages form one turn, and so do the results of their calls, right after it and regardless of
 * messages in between: Gemini pairs whole turns.
 */
function writeTurns(
  messages: readonly ChatMessage[],
  leading: number,
  target: ContentWriting,
): ContentTurn[] {
  const calls = new Map<string, HistoryCall>();
  const turns: ContentTurn[] = [];
  const later = mapResults(messages);
  let results: ToolMessage[] = [];
  let isAnswered = false;
  const flush = () => {
    if (results.length > 0) turns.push({ role: "user", parts: makeResponseParts(results, calls, target) });
    results = [];
    isAnswered = false;
  };
  for (const [index, message] of messages.entries()) {
    if (index < leading) continue;
    const isTool = message.role === "tool";
    if (!isTool && (isAnswered || message.role !== "assistant")) flush();
    results.push(...(later.get(index) ?? []));
    isAnswered ||= isTool;
    if (isTool) continue;
    if (isSystem(message)) addNote(turns, makeNoteParts(message));
    else if (message.role === "user")
      addTurn(turns, "user", listParts(message.content).flatMap(makeContentPart));
    else addTurn(turns, "model", makeModelParts(message, calls, target));
  }
  flush();
  return turns;
}

function addTurn(turns: ContentTurn[], role: ContentTurn["role"], parts: JsonObject[]): void {
  if (parts.length === 0) return;
  const last = turns.at(-1);
  if (role === "model" && last?.role === "model") for (const part of parts) last.parts.push(part);
  else turns.push({ role, parts });
}

/** Adds a note to the user turn before it: alone, it would seem a new request, whose calls need other signatures. */
function addNote(turns: ContentTurn[], parts: JsonObject[]): void {
  const last = turns.at(-1);
  if (last?.role === "user") for (const part of parts) last.parts.push(part);
  else addTurn(turns, "user", parts);
}

/**
 * Makes the parts of a turn. A separate signature belongs to the text before it, or if there is none, to the text that
 * follows.
 */
function makeModelParts(
  message: AssistantMessage,
  calls: Map<string, HistoryCall>,
  target: ContentWriting,
): JsonObject[] {
  const isOwn = (each: ReasoningDetail) => each.format === REASONING_FORMAT && target.facts.thinking !== null;
  const own = (message.reasoning_details ?? []).filter(isOwn);
  const signatures = mapSignatures(own);
  const parts: JsonObject[] = [];
  let waiting: string | undefined;
  for (const part of listTurn(message)) {
    if (part.kind === "call") parts.push(makeCallPart(part.call, signatures, calls, target));
    else if (part.kind === "thinking") {
      const details = part.details.filter(isOwn);
      parts.push(...details.flatMap(makeThoughtPart));
      waiting = findTextSignature(details) ?? waiting;
      if (waiting !== undefined && signLast(parts, waiting)) waiting = undefined;
    } else if (part.kind === "text" && pushText(parts, readText(part), waiting)) waiting = undefined;
  }
  if (waiting !== undefined) parts.push({ text: "", thoughtSignature: waiting });
  return parts;
}

/** Leaves out empty texts, which the API refuses. */
function pushText(parts: JsonObject[], text: string, signature: string | undefined): boolean {
  if (text === "") return false;
  parts.push({ text, ...addSignature(signature) });
  return true;
}

/** Signs the last part if it is an unsigned text. */
function signLast(parts: readonly JsonObject[], signature: string): boolean {
  const last = parts.at(-1);
  if (!last || !isUnsigned(last)) return false;
  last.thoughtSignature = signature;
  return true;
}

function isUnsigned({ text, thought, thoughtSignature }: JsonObject): boolean {
  return text !== undefined && thought === undefined && thoughtSignature === undefined;
}

function addSignature(signature: string | undefined): { thoughtSignature?: string } {
  return signature === undefined ? {} : { thoughtSignature: signature };
}

function makeThoughtPart(detail: ReasoningDetail): JsonObject[] {
  if (detail.type !== "reasoning.text" || !detail.text) return [];
  return [{ text: detail.text, thought: true, ...addSignature(detail.signature) }];
}

/** Returns the text's signature: opaque data without a call's id, or a thought with only a signature. */
function findTextSignature(details: readonly ReasoningDetail[]): string | undefined {
  const all = details.map((each) => {
    if (each.type === "reasoning.encrypted") return each.id ? undefined : each.data;
    return each.text ? undefined : each.signature;
  });
  return all.findLast((each) => each !== undefined);
}

/** Maps the ids of calls to their signatures. The first detail of a call counts. */
function mapSignatures(details: readonly ReasoningDetail[]): ReadonlyMap<string, string | undefined> {
  const signatures = new Map<string, string | undefined>();
  for (const { id, data } of details) if (id && !signatures.has(id)) signatures.set(id, data);
  return signatures;
}

function makeCallPart(
  call: ToolCall,
  signatures: ReadonlyMap<string, string | undefined>,
  calls: Map<string, HistoryCall>,
  target: ContentWriting,
): JsonObject {
  const { name: given, args } = findCalled(call, target.json);
  const name = toSentName(given);
  calls.set(call.id, { name, order: calls.size });
  const carried = asObject(asObject(call.extra_content).google).thought_signature;
  const signature = asString(carried) ?? signatures.get(call.id);
  const id = target.ids ? call.id : undefined;
  return { functionCall: { id, name, args }, ...(target.facts.thinking ? addSignature(signature) : {}) };
}

/** Arguments that are not a JSON object within bounds, as other models may leave them, are kept under one name. */
function findCalled(call: ToolCall, json: JsonBudget): { name: string; args: JsonObject } {
  if (call.type === "custom") return { name: call.custom.name, args: { input: call.custom.input } };
  const { name, arguments: text } = call.function;
  return { name, args: isWithoutArguments(text) ? {} : (json.parseObject(text) ?? { input: text }) };
}
