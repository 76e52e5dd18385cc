// Completes a truncated JSON object: clients parse a call's arguments, which may be cut off in the middle.

import type { JsonBudget } from "../core/json/bounds.ts";
import type { JsonObject } from "../core/json/json.ts";
import type { Finish } from "../operations/chat/form.ts";

/** The texts that may complete a value: the rest of a key, an element or a field, of a number, and of each word. */
const RESTS = [
  "",
  ":null",
  "null",
  '"":null',
  "0",
  ...["true", "false", "null"].flatMap((word) => Array.from(word, (_, at) => word.slice(at)).slice(1)),
];

interface CallInput {
  /** Completed if it was cut off. Null if it is no object, or exceeds the bounds. */
  readonly input: JsonObject | null;
  /** True if the arguments were cut off: nobody should run such a call. */
  readonly isCut: boolean;
}

export function readCallInput(text: string, json: JsonBudget): CallInput {
  const whole = json.parseObject(text);
  if (whole !== undefined) return { input: whole, isCut: false };
  const ending = closeJson(text, json);
  const input = ending === null ? null : (json.parseObject(text + ending) ?? null);
  return { input, isCut: isCutEnding(text, ending) };
}

/** True if a call's arguments were cut off. */
export function isCutCall(text: string, json: JsonBudget): boolean {
  return isCutEnding(text, closeJson(text, json));
}

/** `ending` is what completes the text. A call without arguments lacks nothing. */
export function isCutEnding(text: string, ending: string | null): boolean {
  return ending !== null && ending !== "" && text.trim() !== "";
}

/** True if an answer ended as one does that is complete. With a call that was cut off, it isn't. */
export function isUsualEnd({ finish_reason: reason }: Finish): boolean {
  return reason === "stop" || reason === "tool_calls";
}

/** An answer with a call that was cut off has not ended as its provider says: other clients run what looks complete. */
export function endAsCut(finish: Finish, isCut: boolean): Finish {
  return isCut && isUsualEnd(finish) ? { finish_reason: "length" } : finish;
}

/**
 * Returns the shortest text that completes a call's arguments to an object: "" if they are whole. Null if nothing can, or
 * if they exceed the bounds.
 */
export function closeJson(given: string, json: JsonBudget): string | null {
  const text = given.trim();
  if (text === "") return "{}";
  if (!text.startsWith("{")) return null;
  return json.findEnding(text, () => listEndings(text)) ?? null;
}

function listEndings(text: string): readonly string[] {
  const { string, closers } = findOpen(text);
  return RESTS.map((rest) => string + rest + closers);
}

/** Returns the ends of what is open at the end of a text: of a string, and of the objects and lists around it. */
function findOpen(text: string): { readonly string: string; readonly closers: string } {
  const closers: string[] = [];
  let inString = false;
  /** The string's current escape, which may be cut in half. */
  let begun = "";
  for (const character of text) {
    if (begun !== "") begun = continueEscape(begun + character);
    else if (inString && character === "\\") begun = character;
    else if (character === '"') inString = !inString;
    else if (!inString) nest(closers, character);
  }
  return { string: inString ? `${endEscape(begun)}"` : "", closers: closers.toReversed().join("") };
}

/** Returns the escape so far, or "" once it is complete. */
function continueEscape(begun: string): string {
  return begun.length === (begun[1] === "u" ? ESCAPE_CHARACTERS : 2) ? "" : begun;
}

function nest(closers: string[], character: string): void {
  if (character === "{") closers.push("}");
  else if (character === "[") closers.push("]");
  else if (character === "}" || character === "]") closers.pop();
}

/** The length of an escape like `\u00e9`. */
const ESCAPE_CHARACTERS = 6;

function endEscape(begun: string): string {
  return begun.length < 2 ? begun : "0".repeat(ESCAPE_CHARACTERS - begun.length);
}
