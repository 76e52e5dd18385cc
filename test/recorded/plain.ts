// Shared by the readers of recorded native requests: rejecting what OpenAI's form can't express, and comparing bodies.

import { asArray, asString, isObject, type JsonObject, parseJson } from "../../src/core/json/json.ts";
import type { ChatMessage, ChatRequest } from "../../src/operations/chat/form.ts";

/** Thrown for a request that no chat-completion request can express, so no gateway client could have caused it. */
export class NotPlain extends Error {}

export function notPlain(what: string): never {
  throw new NotPlain(what);
}

/** Throws NotPlain if the object has a field beyond these. Null and empty ones don't count. */
export function only(object: JsonObject, where: string, ...known: readonly string[]): void {
  for (const [field, value] of Object.entries(object)) {
    if (!known.includes(field) && !isNothing(value)) notPlain(`${where}.${field}`);
  }
}

export function isNothing(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

/** The object without empty fields and without the named ones. */
export function without(object: JsonObject, ...fields: readonly string[]): JsonObject {
  const kept = Object.entries(object).filter(
    ([field, value]) => !isNothing(value) && !fields.includes(field),
  );
  return Object.fromEntries(kept);
}

/** A request assembled from converted messages and fields, without empty ones. */
export function chatRequest(
  model: unknown,
  messages: readonly JsonObject[],
  fields: JsonObject,
): ChatRequest {
  const typed = messages.filter(isMessage);
  if (typed.length !== messages.length || typed.length === 0) notPlain("messages");
  return { ...without(fields), model: asString(model) ?? "unknown", messages: typed };
}

function isMessage(message: JsonObject): message is ChatMessage & JsonObject {
  return typeof message.role === "string";
}

/** Merges consecutive turns of one role. */
export function merged(turns: readonly { role: unknown; parts: readonly unknown[] }[]): JsonObject[] {
  const out: { role: unknown; parts: unknown[] }[] = [];
  for (const turn of turns) {
    const last = out.at(-1);
    if (last && last.role === turn.role) last.parts.push(...turn.parts);
    else out.push({ role: turn.role, parts: [...turn.parts] });
  }
  return out;
}

/** Unwraps a tool's result: a text, a JSON text, `{result: …}`, `{output: …}`. Models see the same in each. */
export function toolResult(value: unknown): unknown {
  if (typeof value === "string") {
    const parsed = parseJson(value);
    return isObject(parsed) || Array.isArray(parsed) ? toolResult(parsed) : value;
  }
  if (!isObject(value)) return Array.isArray(value) ? value : String(value ?? "");
  const [field, ...more] = Object.keys(value);
  const wrapped = more.length === 0 && (field === "result" || field === "output" || field === "content");
  return wrapped ? toolResult(value[field]) : value;
}

/** Returns the first few differences of two bodies as paths with both values. */
export function bodyDifferences(recorded: unknown, made: unknown, path = ""): string[] {
  if (Bun.deepEquals(recorded, made)) return [];
  if (isObject(recorded) && isObject(made)) {
    const fields = new Set([...Object.keys(recorded), ...Object.keys(made)]);
    return [...fields].flatMap((field) => bodyDifferences(recorded[field], made[field], `${path}.${field}`));
  }
  if (Array.isArray(recorded) && Array.isArray(made) && recorded.length === made.length) {
    return asArray(recorded).flatMap((one, index) => bodyDifferences(one, made[index], `${path}[${index}]`));
  }
  return [`${path}: ${short(made)}, recorded ${short(recorded)}`];
}

function short(value: unknown): string {
  const json = JSON.stringify(value) ?? "nothing";
  return json.length > 90 ? `${json.slice(0, 87)}…` : json;
}
