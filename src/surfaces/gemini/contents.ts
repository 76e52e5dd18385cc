// The contents of a generateContent request as chat messages.
import {
  asArray,
  asObject,
  asString,
  isObject,
  type JsonObject,
  omitUndefined,
} from "../../core/json/json.ts";
import type { Sealer } from "../../core/world/world.ts";
import type {
  AssistantMessage,
  ChatMessage,
  Content,
  ContentPart,
  ReasoningDetail,
  ToolCall,
} from "../../operations/chat/form.ts";
import { TurnBuilder } from "../../operations/chat/turn.ts";
import type { FamilyNeed } from "../../operations/operation.ts";
import { findEmptied, replaceEmptied } from "../emptied.ts";
import { placeAt, refusePrefix } from "../places.ts";
import { GEMINI_FORMAT, isOurSignature, openSignature } from "../signature.ts";
import { countUnread } from "../unread.ts";
import { makeDataPart, makeUrlPart } from "./media.ts";
import { readSignature } from "./signature.ts";

/** Older clients send calls without ids: a response answers its function's earliest open call. */
class CallIds {
  /** By function, the ids of its open calls in order, and how often each is open. */
  readonly #open = new Map<string, Map<string, number>>();
  readonly #results = new Map<string, string>();
  #count = 0;

  make(name: string, given: string | undefined): string {
    const id = given ?? `call_${++this.#count}`;
    const open = this.#open.getOrInsertComputed(name, makeOpen);
    open.set(id, (open.get(id) ?? 0) + 1);
    return id;
  }

  claim(name: string, given: string | undefined): string {
    const open = this.#open.get(name);
    const id = given ?? open?.keys().next().value;
    const times = id === undefined ? 0 : (open?.get(id) ?? 0);
    if (id !== undefined && times > 1) open?.set(id, times - 1);
    else if (id !== undefined) open?.delete(id);
    return id ?? `call_${name}`;
  }

  /** True for a repeated result. After resuming a session, Gemini CLI sends each twice, which others refuse. */
  isRepeated(name: string, id: string | undefined, result: string): boolean {
    if (id === undefined) return false;
    const isRepeated = this.#results.get(id) === result && !this.#open.get(name)?.has(id);
    this.#results.set(id, result);
    return isRepeated;
  }
}

/** Named, so that no call creates a function. */
const makeOpen = () => new Map<string, number>();

interface Findings {
  readonly lost: string[];
  /** The bytes of results that are in no message and that only Gemini receives. */
  unreadBytes: number;
}

/** The API accepts a single part without a list. */
function listParts(parts: unknown): readonly unknown[] {
  return isObject(parts) ? [parts] : asArray(parts);
}

/** Fields of the parts that become parts of chat messages. Only Gemini reads the others. */
const READ_PARTS: readonly string[] = [
  "text",
  "inlineData",
  "inline_data",
  "fileData",
  "file_data",
  "functionCall",
  "function_call",
  "functionResponse",
  "function_response",
];

function isRead(part: JsonObject): boolean {
  return READ_PARTS.some((field) => part[field] !== undefined && part[field] !== null);
}

/** Returns the bytes of the text that only Gemini reads. */
export function countUnreadParts(contents: readonly unknown[]): number {
  let bytes = 0;
  for (const content of contents) {
    for (const part of listParts(asObject(content).parts)) {
      if (!isRead(asObject(part))) bytes += countUnread(part);
    }
  }
  return bytes;
}

export function readSystem(instruction: unknown): readonly ChatMessage[] {
  const text =
    typeof instruction === "string"
      ? instruction
      : listParts(asObject(instruction).parts)
          .map((part) => asString(asObject(part).text) ?? "")
          .join("\n\n");
  return text === "" ? [] : [{ role: "system", content: text }];
}

export function readContents(
  contents: readonly unknown[],
  seal: Sealer,
): {
  readonly messages: readonly ChatMessage[];
  readonly nativeOnly: FamilyNeed | undefined;
} & Readonly<Findings> {
  const ids = new CallIds();
  const found: Findings = { lost: [], unreadBytes: 0 };
  const messages = contents.flatMap((one, index): readonly ChatMessage[] => {
    const { role, parts } = asObject(one);
    const given = listParts(parts).map(asObject);
    const path = `contents[${index}].parts`;
    if (role !== "model") return readUser(given, path, ids, found);
    return [readModel(given, path, ids, seal, found)];
  });
  return { messages, ...found, nativeOnly: findEmptied(messages) };
}

function readUser(
  given: readonly JsonObject[],
  path: string,
  ids: CallIds,
  found: Findings,
): readonly ChatMessage[] {
  const results: ChatMessage[] = [];
  const parts: ContentPart[] = [];
  for (const [index, part] of given.entries()) {
    const response = part.functionResponse ?? part.function_response;
    if (isObject(response)) {
      results.push(...readResult(response, `${path}[${index}]`, ids, found));
      continue;
    }
    const place = `${path}[${index}]`;
    const read = readPart(part, place);
    if (read) parts.push(...placeAt(place, [read]));
    else found.lost.push(place);
  }
  const isAnswered = given.some((part) => isObject(part.functionResponse ?? part.function_response));
  if (parts.length > 0 || given.length === 0) return [...results, { role: "user", content: parts }];
  return isAnswered ? results : [replaceEmptied(path)];
}

/** Returns no message for a repeated result. */
function readResult(
  response: JsonObject,
  path: string,
  ids: CallIds,
  found: Findings,
): readonly ChatMessage[] {
  const name = asString(response.name) ?? "";
  const id = asString(response.id);
  const content = writeResult(response.response);
  if (ids.isRepeated(name, id, content)) {
    found.unreadBytes += countUnread(response);
    return [];
  }
  const media: ContentPart[] = [];
  for (const [index, part] of listParts(response.parts).map(asObject).entries()) {
    const place = `${path}.functionResponse.parts[${index}]`;
    const read = readPart(part, place);
    if (read) media.push(...placeAt(place, [read]));
    else {
      found.unreadBytes += countUnread(part);
      found.lost.push(place);
    }
  }
  return [{ role: "tool", tool_call_id: ids.claim(name, id), content: addMedia(content, media) }];
}

/** A result's pictures and files follow its text. */
function addMedia(text: string, media: readonly ContentPart[]): Content {
  return media.length === 0 ? text : [{ type: "text", text }, ...media];
}

/** Most tools answer with one text under `output` or `result`. */
function writeResult(response: unknown): string {
  const given = asObject(response);
  const [only, ...others] = Object.entries(given);
  const isText = only && others.length === 0 && ["output", "result", "content"].includes(only[0]);
  return isText && typeof only[1] === "string" ? only[1] : JSON.stringify(given);
}

function readPart(part: JsonObject, path: string): ContentPart | null {
  if (typeof part.text === "string") return { type: "text", text: part.text };
  const inline = part.inlineData ?? part.inline_data;
  if (isObject(inline)) {
    const mediaType = asString(inline.mimeType ?? inline.mime_type) ?? "";
    const data = asString(inline.data) ?? "";
    refusePrefix(data, `${path}.inlineData.data`, "mimeType");
    return makeDataPart(mediaType, data, asString(inline.displayName));
  }
  const file = part.fileData ?? part.file_data;
  if (!isObject(file)) return null;
  const mediaType = asString(file.mimeType ?? file.mime_type) ?? "";
  return makeUrlPart(asString(file.fileUri ?? file.file_uri) ?? "", mediaType, undefined);
}

function readModel(
  given: readonly JsonObject[],
  path: string,
  ids: CallIds,
  seal: Sealer,
  found: Findings,
): AssistantMessage {
  const [only] = given;
  if (only && given.length === 1 && isTextAlone(only)) return { role: "assistant", content: only.text };
  const turn = new TurnBuilder("");
  for (const [index, part] of given.entries()) {
    const signature = readSignature(part.thoughtSignature ?? part.thought_signature);
    const call = part.functionCall ?? part.function_call;
    const text = asString(part.text) ?? "";
    const details = readDetails(part, text, signature, seal);
    // The signature of a call or a text goes after it; a thought's, and any of ours, goes before.
    if (part.thought === true && !isObject(call)) turn.think(text, details);
    else if (isObject(call)) {
      turn.think("", details);
      turn.call(readCall(call, signature, ids));
    } else if (isOther(part)) loseOther(part, `${path}[${index}]`, found);
    else {
      turn.say({ type: "text", text });
      turn.think("", details);
    }
  }
  return turn.message();
}

/** Fields that a model's text may have. */
const TEXT_FIELDS: ReadonlySet<string> = new Set([
  "text",
  "thought",
  "thoughtSignature",
  "thought_signature",
]);

/** True for a picture, code or its result, which an assistant's message in the chat form has no place for. */
function isOther(part: JsonObject): boolean {
  if (typeof part.text === "string") return false;
  for (const field in part) if (!TEXT_FIELDS.has(field)) return true;
  return false;
}

/** Parts that become no message anywhere are counted with all contents. */
function loseOther(part: JsonObject, path: string, found: Findings): void {
  found.lost.push(path);
  if (isRead(part)) found.unreadBytes += countUnread(part);
}

function isTextAlone(part: JsonObject): part is { text: string } {
  for (const field in part) if (field !== "text") return false;
  return typeof part.text === "string";
}

/** A call's own signature stays with the call. */
function readDetails(
  part: JsonObject,
  text: string,
  signature: string,
  seal: Sealer,
): readonly ReasoningDetail[] {
  if (isOurSignature(signature)) return openSignature(seal, text, signature) ?? [];
  const isThought = part.thought === true;
  if (isObject(part.functionCall ?? part.function_call) || (signature === "" && !isThought)) return [];
  const shown = { text: isThought ? text : undefined, signature: signature || undefined };
  return [omitUndefined<ReasoningDetail>({ type: "reasoning.text", ...shown, format: GEMINI_FORMAT })];
}

function readCall(call: JsonObject, signature: string, ids: CallIds): ToolCall {
  const name = asString(call.name) ?? "";
  const own = signature !== "" && !isOurSignature(signature);
  return {
    id: ids.make(name, asString(call.id)),
    type: "function",
    function: { name, arguments: JSON.stringify(call.args ?? {}) },
    ...(own ? { extra_content: { google: { thought_signature: signature } } } : {}),
  };
}
