// The messages of a request as one server takes them: roles, fields, parts and earlier thinking.

import { ElementWork, isGrowing, mapRemembered } from "../../core/json/growing.ts";
import { asArray, asObject, asString, type JsonObject, keepSame } from "../../core/json/json.ts";
import type { AssistantMessage, ChatMessage, ContentPart, FilePart } from "../../operations/chat/form.ts";
import { joinText } from "../../operations/chat/prompt/content-text.ts";
import { withFileName } from "../../operations/chat/prompt/file-names.ts";
import { mapList } from "../../operations/text-json.ts";
import { BREAKPOINT, findBreakpoint } from "../_chat/cache/cache-breakpoint.ts";
import { BLANK_THOUGHT } from "../_chat/thinking.ts";
import { toFunctionCall } from "../_chat/tools.ts";
import type { OpenaiQuirks } from "./quirks.ts";

/** Fields that replies add to a message, but servers refuse in a request. */
const REPLY_FIELDS: ReadonlySet<string> = new Set([
  "annotations",
  "citations",
  "reasoning",
  "reasoning_content",
  "reasoning_details",
  "refusal",
  "audio",
  "parsed",
  "function_call",
  "provider_metadata",
]);
/** Handled below: a turn's order, which this API can't express, and `__proto__`, which must not be assigned. */
const OWN_CODE: ReadonlySet<string> = new Set(["role", "content", "tool_calls", "parts", "__proto__"]);
const CACHE_MARKS: ReadonlySet<string> = new Set(["cache_control", "prompt_cache_breakpoint"]);

/** The properties of the call that affect its messages. */
interface MessageNeeds {
  readonly thinks: boolean;
  /** True if the server is Gemini's, which signs its tool calls. */
  readonly keepsExtras: boolean;
}

const MADE = new ElementWork<JsonObject>();

/** Makes the messages for a server with these quirks. Returns the same list if it takes them as they are. */
export function makeMessages(
  messages: readonly ChatMessage[],
  quirks: OpenaiQuirks,
  needs: MessageNeeds,
): readonly JsonObject[] {
  const make = (message: ChatMessage) => keepSame<JsonObject>(message, makeMessage(message, quirks, needs));
  if (!isGrowing(messages)) return mapList(messages, make);
  return mapRemembered(messages, make, MADE, [quirks, needs.thinks, needs.keepsExtras]);
}

function makeMessage(
  message: ChatMessage,
  quirks: OpenaiQuirks,
  { thinks, keepsExtras }: MessageNeeds,
): JsonObject {
  const isRenamed = message.role === "developer" && !quirks.developerRole;
  const outgoing: JsonObject = { role: isRenamed ? "system" : message.role };
  for (const field of Object.keys(message)) {
    const value = message[field];
    if (value !== null && takesField(field, message.role, quirks)) outgoing[field] = value;
  }
  const content = makeContent(message, quirks);
  if (content !== undefined) outgoing.content = content;
  if (message.role !== "assistant") return outgoing;
  return Object.assign(
    outgoing,
    makeCalls(message, quirks, keepsExtras),
    makeThoughts(message, quirks, thinks),
  );
}

function takesField(field: string, role: ChatMessage["role"], quirks: OpenaiQuirks): boolean {
  const { messageFields } = quirks;
  if (OWN_CODE.has(field)) return false;
  if (field === "tool_call_id") return true;
  // A result is identified by its call alone. Lenient servers ignore a name.
  if (field === "name") return quirks.names && (role !== "tool" || messageFields === "any");
  if (CACHE_MARKS.has(field)) return field === quirks.cacheMark;
  return messageFields === "any" ? !REPLY_FIELDS.has(field) : messageFields.includes(field);
}

/** Makes the content without what the server refuses. It may be null only in an assistant message with tool calls. */
function makeContent(message: ChatMessage, quirks: OpenaiQuirks): unknown {
  const { content } = message;
  if (Array.isArray(content)) {
    return content.length === 0 ? "" : mapList(content, (part) => makePart(part, quirks, message.role));
  }
  if (message.role !== "assistant" || content) return content;
  const refusal = quirks.messageFields.includes("refusal") ? undefined : asString(message.refusal);
  // Some servers refuse an empty text beside calls, and none refuses null (odysseus, issue 837).
  const beside = content === "" ? null : content;
  return refusal ?? (message.tool_calls?.length ? beside : (content ?? ""));
}

function makeCalls(message: AssistantMessage, quirks: OpenaiQuirks, keepsExtras: boolean): JsonObject {
  if (!message.tool_calls?.length) return {};
  const calls = mapList(message.tool_calls, (call) =>
    call.type === "custom" && quirks.customTools ? call : toFunctionCall(call, keepsExtras),
  );
  return { tool_calls: calls };
}

function makePart(part: ContentPart, quirks: OpenaiQuirks, role: ChatMessage["role"]): JsonObject {
  if (part.type === "refusal" && !quirks.messageFields.includes("refusal")) {
    return { type: "text", text: part.refusal };
  }
  return markPart(part.type === "file" ? makeFilePart(part) : part, quirks, role);
}

function makeFilePart(part: FilePart): JsonObject {
  const file = withFileName(part.file);
  if (part.citations === undefined && file === part.file) return part;
  const { citations: _, ...rest } = part;
  return { ...rest, file };
}

/** Anthropic's mark becomes OpenAI's, which assistants' parts can't have. */
function markPart(part: JsonObject, quirks: OpenaiQuirks, role: ChatMessage["role"]): JsonObject {
  const marked = withCacheMark(part, quirks);
  if (!quirks.crossesMarks || part.cache_control === undefined || role === "assistant") return marked;
  const breakpoint = findBreakpoint(part, true);
  return breakpoint === undefined ? marked : { ...marked, [BREAKPOINT]: breakpoint };
}

/** Returns a part or tool without the cache marks of other servers. */
export function withCacheMark(marked: JsonObject, quirks: OpenaiQuirks): JsonObject {
  if (marked.cache_control === undefined && marked.prompt_cache_breakpoint === undefined) return marked;
  const { cache_control: _, prompt_cache_breakpoint: __, ...rest } = marked;
  const mark = quirks.cacheMark === null ? undefined : marked[quirks.cacheMark];
  return quirks.cacheMark === null || mark === undefined ? rest : { ...rest, [quirks.cacheMark]: mark };
}

/** Returns earlier thinking in the field that the server accepts, or nothing if it accepts none. */
function makeThoughts(message: AssistantMessage, quirks: OpenaiQuirks, thinks: boolean): JsonObject {
  const { reasoning_content: content, reasoning } = message;
  const details = listDetails(message);
  const text = content || asString(reasoning) || joinDetails(details);
  switch (quirks.thoughts) {
    case null:
      return {};
    case "any":
      return makeAnyThoughts(message, text, details);
    case "reasoning_details":
      if (quirks.detailsFormat !== null) return makeDetails(details, text, quirks.detailsFormat);
      if (details.length > 0) return { reasoning_details: details };
      return text ? { reasoning: text } : {};
    case "reasoning":
      return text ? { reasoning: text } : {};
    case "reasoning_content":
      if (text) return { reasoning_content: text };
      return isThoughtRequired(message, quirks, thinks) ? { reasoning_content: BLANK_THOUGHT } : {};
  }
}

function listDetails({ reasoning_details: given }: AssistantMessage): readonly unknown[] {
  const details = asArray(given);
  return details.length === 0 ? details : details.filter((one) => asObject(one).is_foreign !== true);
}

/** The server's own thinking goes back as it came, another's as a text. */
function makeDetails(details: readonly unknown[], text: string, format: string): JsonObject {
  const own = details.filter((detail) => asObject(detail).format === format);
  if (own.length > 0) return { reasoning_details: own };
  if (text === "") return {};
  return { reasoning_details: [{ type: "reasoning.text", id: "reasoning-text-1", format, index: 0, text }] };
}

/** Keeps each field that the message has, for a server that accepts any of them. */
function makeAnyThoughts(message: AssistantMessage, text: string, details: readonly unknown[]): JsonObject {
  const { reasoning_content: content, reasoning } = message;
  return {
    ...(content || (text && !reasoning) ? { reasoning_content: text } : {}),
    ...(reasoning ? { reasoning } : {}),
    ...(details.length > 0 ? { reasoning_details: details } : {}),
  };
}

function isThoughtRequired(message: AssistantMessage, quirks: OpenaiQuirks, thinks: boolean): boolean {
  return quirks.thoughtsRequired && thinks && (message.tool_calls?.length ?? 0) > 0;
}

function joinDetails(details: readonly unknown[]): string {
  return details
    .map((detail) => asString(asObject(detail).text) ?? asString(asObject(detail).summary) ?? "")
    .join("");
}

/** True if any message contains "JSON", which several servers require for their JSON mode. */
export function mentionsJson(messages: readonly ChatMessage[]): boolean {
  return messages.some((message) => /json/i.test(joinText(message.content)));
}
