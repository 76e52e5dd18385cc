// The bounds of every provider on names and ids, written down independently of the code, and a check of calls by them.

import { Fault } from "../../src/core/faults/fault.ts";
import { asObject, isObject, type JsonObject } from "../../src/core/json/json.ts";
import { CAPABILITIES } from "../../src/core/models/card.ts";
import type { ChatDialect } from "../../src/dialects/dialect.ts";
import type { ChatRequest } from "../../src/operations/chat/form.ts";
import { CHAT } from "../../src/operations/chat/operation.ts";
import { makeModelCard } from "../harness/cards.ts";

interface Bound {
  readonly name: RegExp;
  readonly id: RegExp;
  readonly identifierMax: number;
}

export const CHAT_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const BOUNDS: Readonly<Record<string, Bound>> = {
  openai: { name: CHAT_NAME, id: /^.{1,40}$/s, identifierMax: 64 },
  responses: { name: /^[a-zA-Z0-9_-]{1,128}$/, id: /^.{1,64}$/s, identifierMax: 64 },
  anthropic: { name: /^[a-zA-Z0-9_-]{1,128}$/, id: /^[a-zA-Z0-9_-]{1,64}$/, identifierMax: 256 },
  bedrock: { name: CHAT_NAME, id: /^[a-zA-Z0-9_-]{1,64}$/, identifierMax: 64 },
  gemini: { name: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/, id: /^.{1,64}$/s, identifierMax: 64 },
  mistral: { name: CHAT_NAME, id: /^[a-zA-Z0-9]{9}$/, identifierMax: 64 },
  cohere: { name: CHAT_NAME, id: /^.{1,64}$/s, identifierMax: 64 },
  perplexity: { name: CHAT_NAME, id: /^.{1,64}$/s, identifierMax: 64 },
};

/** The names and ids in a call's body. */
interface Found {
  readonly names: Set<string>;
  readonly calls: Set<string>;
  readonly results: Set<string>;
}

/** The client's own JSON. */
const OPAQUE: ReadonlySet<string> = new Set([
  "parameters",
  "parametersJsonSchema",
  "input_schema",
  "inputSchema",
  "json_schema",
  "schema",
  "arguments",
  "args",
  "response",
  "text",
  "format",
  "response_format",
]);

/** Adds the names and ids of a value to what was found. */
function find(value: unknown, key: string, found: Found): void {
  if (Array.isArray(value)) for (const one of value) find(one, key, found);
  if (!isObject(value)) return;
  addNamed(value, key, found);
  for (const [field, held] of Object.entries(value)) {
    if (!OPAQUE.has(field) && !(field === "input" && value.type === "tool_use")) find(held, field, found);
  }
}

const NAMED: ReadonlySet<string> = new Set([
  "function",
  "custom",
  "toolUse",
  "toolSpec",
  "functionCall",
  "functionResponse",
  "functionDeclarations",
  "tools",
]);
const CALLS: ReadonlySet<unknown> = new Set(["tool_use", "function_call", "custom_tool_call"]);

function addNamed(value: JsonObject, key: string, { names, calls, results }: Found): void {
  const { type, name, id, call_id, toolUseId } = value;
  const add = (to: Set<string>, given: unknown) => {
    if (typeof given === "string") to.add(given);
  };
  if (NAMED.has(key) || CALLS.has(type)) add(names, name);
  if (key === "tool_calls" || key === "functionCall" || type === "tool_use") add(calls, id);
  if (CALLS.has(type)) add(calls, call_id);
  if (key === "toolUse") add(calls, toolUseId);
  if (key === "toolResult") add(results, toolUseId);
  if (key === "functionResponse") add(results, id);
  if (String(type).endsWith("_call_output")) add(results, call_id);
  add(results, value.tool_use_id ?? value.tool_call_id);
}

/** Returns what is wrong with a call's body. */
export function lint(body: JsonObject, dialect: string): readonly string[] {
  const bound = BOUNDS[dialect];
  if (bound === undefined) return [`${dialect}: no bounds`];
  const found: Found = { names: new Set(), calls: new Set(), results: new Set() };
  find(body, "", found);
  const { user, safety_identifier, prompt_cache_key, metadata } = body;
  const identifiers = [user, safety_identifier, prompt_cache_key, asObject(metadata).user_id];
  return [
    ...[...found.names].filter((name) => !bound.name.test(name)).map((name) => `name ${name}`),
    ...[...found.calls, ...found.results].filter((id) => !bound.id.test(id)).map((id) => `id ${id}`),
    ...[...found.results].filter((id) => !found.calls.has(id)).map((id) => `no call of ${id}`),
    ...identifiers
      .filter((id) => String(id ?? "").length > bound.identifierMax)
      .map((id) => `identifier ${id}`),
    ...Object.entries(asObject(metadata))
      .filter(([key, value]) => key.length > 64 || String(value).length > 512)
      .map(([key]) => `metadata ${key}`),
    ...(Object.keys(asObject(metadata)).length > 16 ? ["metadata: too many"] : []),
  ];
}

/** Returns the names and ids of a call's body, in its order. */
export function listNamed(body: JsonObject) {
  const found: Found = { names: new Set(), calls: new Set(), results: new Set() };
  find(body, "", found);
  return { names: [...found.names], calls: [...found.calls], results: [...found.results] };
}

/** A model of a provider, and the dialect that it is called in. */
export interface Server {
  readonly label: string;
  readonly dialect: ChatDialect;
  readonly name: string;
}

const TARGET = { baseUrl: "https://upstream.example/v1", secret: "s", headers: {} };

/** Encodes a request for a server. Null if it can't take it at all. */
export function encode(server: Server, request: ChatRequest) {
  const { dialect, name, label } = server;
  const card = makeModelCard(label, { capabilities: new Set(CAPABILITIES) });
  try {
    return CHAT.encode(dialect.chat, request, { ...card, name }, TARGET);
  } catch (thrown) {
    if (thrown instanceof Fault) return null;
    throw thrown;
  }
}
