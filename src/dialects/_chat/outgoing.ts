// The common parts of every call: headers, output limit, and the list of the client's fields that it can't carry.

import type { JsonObject } from "../../core/json/json.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Outgoing, Target } from "../../core/models/dialect.ts";
import { type ChatMessage, type ChatRequest, readOutputLimit } from "../../operations/chat/form.ts";
import type { Passing } from "../../operations/codec.ts";
import { type ChangedAsk, joinLists, NONE } from "../../operations/form.ts";
import { leaveOut } from "../../operations/leave-out.ts";
import { isAllowed, isRouting } from "./extra-fields.ts";
import { digestText } from "./shorten.ts";

/** A group of fields for the call's body, and the client's fields that had to be changed or left out for it. */
export interface EncodedFields {
  readonly fields: JsonObject;
  readonly dropped: readonly string[];
}

export const NOTHING: EncodedFields = { fields: {}, dropped: NONE };

/** Fields, and sentences for the end of the system prompt, which replace fields that the API lacks. */
export interface InstructedFields extends EncodedFields {
  readonly instructions: readonly string[];
}

export const UNASKED: InstructedFields = { ...NOTHING, instructions: [] };

/** Joins all fields. If two have the same name, the later one wins. */
export function mergeFields(...groups: readonly EncodedFields[]): EncodedFields {
  const fields: JsonObject = {};
  let dropped = NONE;
  for (const group of groups) {
    Object.assign(fields, group.fields);
    dropped = joinLists(dropped, group.dropped);
  }
  return { fields, dropped };
}

/** Returns the request's fields of these names that are set. */
export function pickFields(request: Readonly<JsonObject>, names: Iterable<string>): JsonObject {
  const fields: JsonObject = {};
  for (const name of names) if (request[name] !== undefined) fields[name] = request[name];
  return fields;
}

/** Nests the fields under one name, or returns an empty object if there are none. */
export function nestFields(name: string, fields: JsonObject): JsonObject {
  return Object.keys(fields).length > 0 ? { [name]: fields } : {};
}

/** Makes a call to a JSON API that takes its secret as a bearer token. */
export function makeCall(
  target: Target,
  path: string,
  body: JsonObject,
  dropped: readonly string[],
): Outgoing {
  return { url: `${target.baseUrl}${path}`, headers: makeBearerHeaders(target), body, dropped };
}

/** Returns `authorization: Bearer …` unless the server needs no secret, and the operator's own headers, which win. */
export function makeBearerHeaders(target: Target): Record<string, string> {
  return makeKeyHeaders(target, "authorization", "Bearer ");
}

/** Returns the secret in the given header unless the server needs none, and the operator's own headers, which win. */
export function makeKeyHeaders(target: Target, keyHeader: string, prefix = ""): Record<string, string> {
  const headers: Record<string, string> = {};
  if (target.secret !== null) headers[keyHeader] = prefix + target.secret;
  for (const [name, value] of Object.entries(target.headers)) headers[name.toLowerCase()] = value;
  return headers;
}

/** Moves the secret to the platform's own header. The operator's own headers win. */
export function moveKey(
  headers: Outgoing["headers"],
  { secret }: Target,
  from: "authorization" | "x-api-key",
  to: string,
): Outgoing["headers"] {
  const { [from]: key, ...rest } = headers;
  const write = (header: string) => (header === "authorization" ? `Bearer ${secret}` : String(secret));
  return secret === null || key !== write(from) ? headers : { [to]: write(to), ...rest };
}

/** OpenAI's bound on identifiers, the shortest known. */
const USER_CHARACTERS_MAX = 64;

const LIMITS = ["max_tokens", "max_completion_tokens"];

/** Returns the client's output limit in tokens: at least 1, at most the card's limit. */
export function clampOutputLimit(request: ChatRequest, card: ModelCard, field: string): EncodedFields {
  const asked = readOutputLimit(request);
  if (asked === undefined) return NOTHING;
  const tokens = Math.max(1, Math.min(asked, card.outputTokensMax ?? asked));
  if (tokens === asked) return { fields: { [field]: tokens }, dropped: NONE };
  return { fields: { [field]: tokens }, dropped: listLimits(request) };
}

function listLimits(request: ChatRequest): readonly string[] {
  return LIMITS.filter((name) => request[name] !== undefined);
}

/** Raises an output limit below the lowest that the API accepts. */
export function raiseOutputLimit(
  { ask, dropped }: ChangedAsk<ChatRequest>,
  tokensMin: number,
): ChangedAsk<ChatRequest> {
  if ((readOutputLimit(ask) ?? tokensMin) >= tokensMin) return { ask, dropped };
  const unlimited = leaveOutFields(ask, LIMITS);
  const raised = { ...unlimited.ask, max_completion_tokens: tokensMin };
  return { ask: raised, dropped: [...dropped, ...unlimited.dropped] };
}

/** Leaves out those of these fields that are set. */
export function leaveOutFields(request: ChatRequest, names: readonly string[]): ChangedAsk<ChatRequest> {
  if (names.length === 0) return { ask: request, dropped: NONE };
  return leaveOut(
    request,
    names.map((name) => [name, name]),
  );
}

/** Leaves out the fields that `passRest` doesn't pass. */
export function leaveOutRest(
  request: ChatRequest,
  carried: ReadonlySet<string>,
  documented: readonly string[],
  operator: Passing,
): ChangedAsk<ChatRequest> {
  const { dropped } = passRest(request, carried, documented, operator);
  return { ask: leaveOutFields(request, dropped).ask, dropped };
}

/** Fields that the gateway handles itself for every upstream, and those that every encoder handles. */
export const CARRIED_ALWAYS: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "stream",
  "stream_options",
  "n",
  "max_tokens",
  "max_completion_tokens",
  "tools",
  "tool_choice",
  "response_format",
  "reasoning_effort",
]);

/** The other fields of the chat-completions API (OpenAI API reference, "Create chat completion"). */
export const CHAT_FIELDS: ReadonlySet<string> = new Set([
  ...CARRIED_ALWAYS,
  "audio",
  "frequency_penalty",
  "function_call",
  "functions",
  "logit_bias",
  "logprobs",
  "metadata",
  "modalities",
  "moderation",
  "parallel_tool_calls",
  "prediction",
  "presence_penalty",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "safety_identifier",
  "seed",
  "service_tier",
  "stop",
  "store",
  "temperature",
  "top_logprobs",
  "top_p",
  "user",
  "verbosity",
  "web_search_options",
]);

/** Lists the request's fields that are set but not carried, in the request's order. */
function listLeftOut(request: ChatRequest, carried: ReadonlySet<string>): string[] {
  const fields: string[] = [];
  for (const field in request)
    if (!CARRIED_ALWAYS.has(field) && !carried.has(field) && request[field] !== undefined) fields.push(field);
  if (!carried.has("citations") && isCited(request)) fields.push("citations");
  if (!carried.has(NAMES) && request.messages.some(isNamed)) fields.push(NAMES);
  const last = request.messages.at(-1);
  for (const mark of BEGUN_MARKS)
    if (last?.[mark] === true && !carried.has(`messages.${mark}`)) fields.push(`messages.${mark}`);
  return fields;
}

/** Ask the model to go on with the last message: at DeepSeek and Mistral, at Moonshot and Qwen. */
const BEGUN_MARKS = ["prefix", "partial"];

/** The same as fields that a dialect carries: it goes on with a last message of the assistant, or says that it can't. */
export const BEGUN: readonly string[] = BEGUN_MARKS.map((mark) => `messages.${mark}`);

/** The names of a conversation's participants, as a field that a dialect carries or not. */
export const NAMES = "messages.name";

/** A tool's result is identified by its call, with or without a name. */
function isNamed({ role, name }: ChatMessage): boolean {
  return role !== "tool" && typeof name === "string" && name !== "";
}

/** True if any file asks for citations, as in Claude's API. */
function isCited({ messages }: ChatRequest): boolean {
  return messages.some(asksForCitations);
}

function asksForCitations({ content }: ChatMessage): boolean {
  return Array.isArray(content) && content.some((part) => part.type === "file" && part.citations);
}

/** A number that an API accepts only within a range, by the client's name and the API's own. */
export interface NumberRange {
  readonly from: string;
  readonly to: string;
  readonly min: number;
  readonly max: number;
}

/** Returns the request's numbers, those outside of their range at its nearer end. */
export function clampNumbers(request: ChatRequest, ranges: readonly NumberRange[]): EncodedFields {
  const fields: JsonObject = {};
  const dropped: string[] = [];
  for (const { from, to, min, max } of ranges) {
    const given = request[from];
    if (typeof given !== "number") continue;
    const within = Math.min(max, Math.max(min, given));
    fields[to] = within;
    if (within !== given) dropped.push(from);
  }
  return { fields, dropped };
}

/** Returns the stop sequences with a visible character: some APIs refuse the others. */
export function listStops({ stop = [] }: ChatRequest): {
  stops: readonly string[];
  dropped: readonly string[];
} {
  const stops = stop.filter((sequence) => sequence.trim() !== "");
  return { stops, dropped: stops.length < stop.length ? ["stop"] : [] };
}

/**
 * Passes on the client's fields outside the API that the server documents or the operator allows, and names the others.
 * In the provider's own format ("all") only fields that choose a route are left out, unless the operator names them.
 */
export function passExtras(
  given: Readonly<JsonObject>,
  documented: "all" | readonly string[],
  operator: Passing = {},
): EncodedFields {
  if (documented === "all" && passesWhole(given)) return { fields: given, dropped: NONE };
  return passFields(given, documented, operator);
}

/** True if all fields are set, and none chooses a route. */
function passesWhole(given: Readonly<JsonObject>): boolean {
  for (const name in given)
    if (given[name] === undefined || name === "__proto__" || isRouting(name)) return false;
  return true;
}

function passFields(
  given: Readonly<JsonObject>,
  documented: "all" | readonly string[],
  operator: Passing,
): EncodedFields {
  const passes = (name: string) =>
    documented === "all"
      ? !isRouting(name) || operator.extraFields?.includes(name) === true
      : documented.includes(name) || isAllowed(name, operator);
  const names = Object.keys(given).filter((name) => given[name] !== undefined);
  const [passed, dropped] = partition(names, (name) => name !== "__proto__" && passes(name));
  const fields = pickFields(given, passed);
  const { user } = fields;
  if (documented === "all" || typeof user !== "string" || user.length <= USER_CHARACTERS_MAX)
    return { fields, dropped };
  return { fields: { ...fields, user: digestText(user) }, dropped: [...dropped, "user"] };
}

/**
 * The same for the fields of a chat request that a dialect has no place for. A field of the chat-completions API itself
 * passes only by its name, since `*` means fields outside of it.
 */
export function passRest(
  request: ChatRequest,
  carried: ReadonlySet<string>,
  documented: readonly string[],
  target: Passing,
): EncodedFields {
  const left = listLeftOut(request, carried);
  if (left.length === 0) return NOTHING;
  const [own, foreign] = partition(left, (name) => CHAT_FIELDS.has(name));
  const named = (target.extraFields ?? []).filter((name) => own.includes(name));
  const { fields } = passExtras(pickFields(request, foreign), documented, target);
  Object.assign(fields, pickFields(request, named));
  return { fields, dropped: left.filter((name) => !Object.hasOwn(fields, name)) };
}

function partition<Item>(
  items: readonly Item[],
  isFirst: (item: Item) => boolean,
): readonly [readonly Item[], readonly Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

/** True if a request leaves the service tier to the settings of the project. */
export function isTierOpen(value: unknown): boolean {
  return value === undefined || value === null || value === "auto";
}
