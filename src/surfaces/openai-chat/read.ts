// Reads a client's chat-completions body as the canonical request: checks bounds, resolves nulls and deprecated fields.
import { Fault } from "../../core/faults/fault.ts";
import { ElementWork, isGrowing, mapGrowing } from "../../core/json/growing.ts";
import { asArray, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import { findFirstFault } from "../../core/json/schema-fault.ts";
import type { Limits } from "../../core/settings.ts";
import type { Sealer } from "../../core/world/world.ts";
import type { ChatMessage, ChatRequest, ContentPart, Tool, ToolChoice } from "../../operations/chat/form.ts";
import { typePart } from "../../operations/chat/prompt/type-media.ts";
import { mapList } from "../../operations/text-json.ts";
import { readThinkingBlocks } from "../anthropic-messages/history.ts";
import { hasManyFields, refuseManyFields } from "../bounds.ts";
import { Checker, checkModelName, FIELDS_MAX, NEVER, refuseLargeNumber, refuseLongList } from "../checker.ts";
import { explainShared, refuseField } from "../lane.ts";
import { offersFunctions } from "./function-call.ts";
import { translateMistral } from "./mistral.ts";
import { NOTHING_SEALED, translateForms } from "./other-forms.ts";
import { areTexts, isPlainRequest } from "./plain.ts";
import { openDetails } from "./said-entries.ts";
import { chatRequestSchema } from "./schema.ts";

const CHECKER = new Checker(chatRequestSchema);

/** Fields that hold objects of a bounded size, with their bounds. */
const BOUNDED = Object.entries(chatRequestSchema.properties).flatMap(([field, { maxProperties }]) =>
  typeof maxProperties === "number" ? [[field, maxProperties] as const] : [],
);

const BOUNDED_MESSAGES = new ElementWork();
const READ_MESSAGES = new ElementWork();

/** Returns the checked request. Throws a Fault that names the first field out of bounds. */
export function readChatRequest(body: unknown, limits: Limits, seal?: Sealer): ChatRequest {
  let given = withoutNulls(body);
  refuseLongList(given.messages, limits.messagesMax, "messages");
  refuseLargeObjects(given);
  translateMistral(given);
  given = checkForms(given, seal);
  refuseLargeNumber(given.n, limits.choicesMax, "n");
  checkModelName(given.model);
  if (given.stream_options !== undefined && given.stream !== true) {
    const message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    throw new Fault("invalid_value", message, { param: "stream_options", shownCode: null });
  }
  return toChatRequest(given, seal ?? NOTHING_SEALED);
}

/** A body that fails the checks may be right in another API's form. */
function checkForms(given: JsonObject, seal: Sealer | undefined): JsonObject {
  if (isPlainRequest(given)) return given;
  if (given.system !== undefined) return CHECKER.check(translateForms(given, seal) ?? given, "messages");
  try {
    return CHECKER.check(given, "messages");
  } catch (fault) {
    const translated = translateForms(given, seal);
    if (translated === null) throw fault;
    return CHECKER.check(translated, "messages");
  }
}

/** A null optional field counts as missing, and so does an empty `tools` or `functions`. */
function withoutNulls(body: unknown): JsonObject {
  if (!isObject(body))
    throw findFirstFault(chatRequestSchema, body) ?? new Fault("invalid_json", "Not an object.");
  refuseManyFields(body, FIELDS_MAX, "");
  const kept: JsonObject = {};
  for (const field in body) {
    const value = body[field];
    if (NEVER.has(field)) continue;
    if (value === null && field !== "model" && field !== "messages") continue;
    if (Array.isArray(value) && value.length === 0 && (field === "tools" || field === "functions")) continue;
    kept[field] = value;
  }
  return kept;
}

/** Runs before any other check reads the objects. */
function refuseLargeObjects(given: JsonObject): void {
  for (const [field, most] of BOUNDED)
    if (given[field] !== undefined) refuseManyFields(given[field], most, field);
  refuseLargeMessages(asArray(given.messages));
}

function refuseLargeMessages(messages: readonly unknown[]): void {
  const goesOn = isGrowing(messages);
  for (let index = goesOn ? BOUNDED_MESSAGES.count(messages) : 0; index < messages.length; index++) {
    const message = messages[index];
    if (hasManyFields(message, FIELDS_MAX)) refuseManyFields(message, FIELDS_MAX, `messages[${index}]`);
    const { content, audio } = asObject(message);
    const id = isObject(audio) ? audio.id : undefined;
    if (id !== undefined && id !== null) {
      throw refuseField(`messages[${index}].audio.id`, explainShared("An earlier spoken answer"));
    }
    if (Array.isArray(content)) refuseFileIds(content, `messages[${index}].content`);
  }
  if (goesOn) BOUNDED_MESSAGES.note(messages, messages.length);
}

/** All clients share the provider's account, so nobody may name a file in it. */
function refuseFileIds(parts: readonly unknown[], path: string): void {
  for (const [index, part] of parts.entries()) {
    const { file_id: id } = asObject(asObject(part).file);
    if (id !== undefined && id !== null) {
      throw refuseField(`${path}[${index}].file.file_id`, explainShared("A file"));
    }
  }
}

/** Fields that are read into others. */
const READ: ReadonlySet<string> = new Set(["functions", "function_call", "stop", "messages", "tool_choice"]);

function toChatRequest(given: JsonObject, seal: Sealer): ChatRequest {
  const { functions, function_call: functionCall, stop, messages } = given;
  const request: JsonObject = {};
  for (const field in given) if (!READ.has(field)) request[field] = given[field];
  request.messages = readMessages(asArray(messages), seal);
  if (typeof stop === "string") request.stop = [stop];
  else if (Array.isArray(stop) && stop.length > 0) request.stop = stop;
  if (request.web_search_options !== undefined)
    request.web_search_options = readSearch(asObject(request.web_search_options));
  const tools = readTools(given, asArray(functions));
  if (tools.length > 0) request.tools = tools;
  const choice = given.tool_choice ?? readToolChoice(functionCall);
  if (tools.length > 0 && choice !== undefined) request.tool_choice = choice;
  if (tools.length === 0) {
    refuseForcedCall(choice);
    if (given.parallel_tool_calls !== undefined) delete request.parallel_tool_calls;
    // An answer in the deprecated form holds only one call.
  } else if (offersFunctions(given)) request.parallel_tool_calls = false;
  return asChecked(request);
}

/** The cast is safe: the schema was checked and the deprecated forms are gone. */
function asChecked<
  Checked extends
    | ChatRequest
    | ChatMessage
    | Tool
    | readonly ChatMessage[]
    | readonly ContentPart[]
    | readonly Tool[],
>(value: JsonObject | readonly unknown[]): Checked {
  return value as Checked;
}

/** Without tools, `auto` and `none` have no effect, but forcing a call is a mistake. */
function refuseForcedCall(choice: unknown): void {
  if (choice === undefined || choice === "auto" || choice === "none") return;
  const message = "Invalid 'tool_choice': it is only allowed when 'tools' are specified.";
  throw new Fault("invalid_value", message, { param: "tool_choice" });
}

/** In this API a search is always an offer. */
function readSearch({ is_forced: _forced, ...given }: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}

function readTools(given: JsonObject, functions: readonly unknown[]): readonly Tool[] {
  const tools = asChecked<readonly Tool[]>(asArray(given.tools));
  if (tools.length > 0 || functions.length === 0) return tools;
  return functions.map((definition) => asChecked<Tool>({ type: "function", function: definition }));
}

/** Returns the deprecated `function_call` as `tool_choice`. */
function readToolChoice(functionCall: unknown): ToolChoice | undefined {
  if (functionCall === "none" || functionCall === "auto") return functionCall;
  const name = asString(asObject(functionCall).name);
  return name === undefined ? undefined : { type: "function", function: { name } };
}

/** The ids of the latest calls, by the names of their functions. */
type CallIdMap = Map<unknown, string>;

interface ChatReadTerms {
  readonly callIds: CallIdMap;
  readonly seal: Sealer;
  /** The whole list. */
  readonly all: readonly unknown[];
}

/** Returns the same list if nothing changes. */
function readMessages(given: readonly unknown[], seal: Sealer): readonly ChatMessage[] {
  return areTexts(given) ? asChecked(given) : readForms(given, seal);
}

function readForms(given: readonly unknown[], seal: Sealer): readonly ChatMessage[] {
  const callIds: CallIdMap = new Map();
  // A message that stays the same has set no id.
  const terms = { callIds, seal, all: given };
  const read = (message: unknown, index: number) => readMessage(asObject(message), index, terms);
  return asChecked(mapGrowing(given, read, READ_MESSAGES));
}

/**
 * Returns a message without nulls and without fields that only other surfaces set, or the same one if it has none.
 * Deprecated function forms become tool forms with an id of our own. A result gets the id of its function's latest call
 * (`callIds`, by function name).
 */
function readMessage(given: JsonObject, index: number, terms: ChatReadTerms): ChatMessage {
  const read = withoutUnread(given);
  const message = Array.isArray(read.content) ? withTrueTypes(read, read.content) : read;
  if (message.role === "function") {
    const { name, ...rest } = message;
    const id = terms.callIds.get(name) ?? makeFunctionCallId(index);
    return asChecked({ ...rest, role: "tool", tool_call_id: id, content: given.content ?? "" });
  }
  if (message.role === "assistant") return asChecked(readAssistant(message, index, terms));
  return asChecked(message);
}

/** The parts of a chat request are already those of the conversation, so they keep their places. */
function withTrueTypes(message: JsonObject, content: readonly unknown[]): JsonObject {
  const typed = mapList(asChecked<readonly ContentPart[]>(content), typePart);
  return typed === content ? message : { ...message, content: typed };
}

function withoutUnread(given: JsonObject): JsonObject {
  for (const field in given) if (!isRead(given, field)) return keepRead(given);
  return given;
}

function isRead(given: JsonObject, field: string): boolean {
  return !NEVER.has(field) && field !== "parts" && (given[field] !== null || field === "content");
}

function keepRead(given: JsonObject): JsonObject {
  const fields = Object.keys(given).filter((field) => isRead(given, field));
  return Object.fromEntries(fields.map((field) => [field, given[field]]));
}

function makeFunctionCallId(index: number): string {
  return `call_fn_${index}`;
}

/** Returns an assistant's message with its call and its thinking in their usual forms. */
function readAssistant(
  message: JsonObject,
  index: number,
  { callIds, seal, all }: ChatReadTerms,
): JsonObject {
  const read = openDetails(readThinking(message, seal), () => all.slice(index + 1), seal);
  if (!isObject(read.function_call)) return read;
  const { function_call: call, ...rest } = read;
  const id = makeFunctionCallId(index);
  callIds.set(asObject(call).name, id);
  return { ...rest, tool_calls: [{ id, type: "function", function: call }] };
}

/**
 * LiteLLM's blocks of thinking are Anthropic's, and its own servers read them as they are. Of some details, clients leave no
 * more than null.
 */
function readThinking(message: JsonObject, seal: Sealer): JsonObject {
  const { reasoning_details: details, reasoning_content: content, thinking_blocks: blocks } = message;
  const given = asArray(details);
  const kept = given.filter(isObject);
  if (kept.length < given.length) return { ...message, reasoning_details: kept };
  if (given.length > 0 || !Array.isArray(blocks)) return message;
  const read = readThinkingBlocks(blocks, seal);
  if (read.details.length === 0) return message;
  return { ...message, reasoning_content: content || read.text, reasoning_details: read.details };
}
