// Parses JSON in which the values of tools keep integers that no double holds, such as ids: those become bigints.
import { parseJson } from "./json.ts";

declare global {
  interface JSON {
    rawJSON(text: string): unknown;
  }
  interface BigInt {
    toJSON(): unknown;
  }
}

/**
 * Without it, a bigint can't be written as JSON at all. It is a method of every bigint because bodies are written in some
 * sixty places: one without a replacer would throw at a tool's id, and a replacer makes writing take three times as long.
 * An object of `JSON.rawJSON` needs neither, but would be walked and copied as an object of the client's; a primitive isn't.
 */
BigInt.prototype.toJSON = function writeDigits(): unknown {
  return JSON.rawJSON(this.toString());
};

/** Finds nearly all texts without such an integer. A double holds any of 15 digits. */
const LONG_INTEGER = /[[:,\s-]\d{16}/;

/** Longer ones are no ids, and reading millions of digits as an integer takes seconds. */
const INTEGER = /^-?\d{16,64}$/;

/**
 * Parses JSON that belongs to a tool as a whole: a call's arguments, or a result. Returns undefined if the text is not
 * JSON.
 */
export function parseExact(text: string): unknown {
  try {
    return LONG_INTEGER.test(text) ? JSON.parse(text, keepInteger) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Parses a request, an answer or an event of one. Only the values of tools in it are exact: every other number is a
 * double, which code can compute with. Returns undefined if the text is not JSON.
 */
export function parseWithTools(text: string): unknown {
  if (!LONG_INTEGER.test(text)) return parseJson(text);
  const body = { body: parseExact(text) };
  roundOthers(body);
  return body.body;
}

/** `context` holds the text that a value was parsed from. */
function keepInteger(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== "number" || Number.isSafeInteger(value) || source === undefined) return value;
  return INTEGER.test(source) ? BigInt(source) : value;
}

/** The fields that hold a tool's own values, beside its name or its call's id, in all forms of calls and results. */
const TOOL_FIELDS: ReadonlySet<string> = new Set(["input", "args", "arguments", "response", "result"]);

/** True for arrays too, whose fields are their places. */
function isHolder(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Makes the bigints outside tools' values doubles again. Received JSON is parsed within bounds on its depth. */
function roundOthers(fields: Record<string, unknown>): void {
  const isTool = typeof fields.name === "string" || typeof fields.call_id === "string";
  for (const field of Object.keys(fields)) {
    const value = fields[field];
    if (typeof value === "bigint") fields[field] = Number(value);
    else if (isHolder(value) && !(isTool && TOOL_FIELDS.has(field))) roundOthers(value);
  }
}
