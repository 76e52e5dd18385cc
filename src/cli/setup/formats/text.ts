// A settings file as text: places, lines and splices.
import { SettingsError } from "./format.ts";

/** Text that takes the place of what stands from `start` to `end`. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function insertAt(at: number, text: string): Splice {
  return { start: at, end: at, text };
}

/** Makes all splices at once. Those of one place keep their order; of what two of them take out, each takes a part. */
export function spliceText(text: string, splices: readonly Splice[]): string {
  let changed = "";
  let at = 0;
  for (const { start, end, text: put } of splices.toSorted((one, other) => one.start - other.start)) {
    changed += text.slice(at, Math.max(at, start)) + put;
    at = Math.max(at, end);
  }
  return changed + text.slice(at);
}

/** Returns how the text ends its lines. */
export function readLineEnd(text: string): string {
  const at = text.indexOf("\n");
  return at > 0 && text[at - 1] === "\r" ? "\r\n" : "\n";
}

export function findLineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

/** Returns the place before the line's end. */
export function findLineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  if (end === -1) return text.length;
  return end > at && text[end - 1] === "\r" ? end - 1 : end;
}

/** Returns the place where the next line begins. */
export function findNextLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end + 1;
}

/** Returns the space that the line of a place begins with. */
export function readIndent(text: string, at: number): string {
  const start = findLineStart(text, at);
  let end = start;
  while (text[end] === " " || text[end] === "\t") end++;
  return text.slice(start, end);
}

export function skipSpaces(text: string, at: number): number {
  let end = at;
  while (text[end] === " " || text[end] === "\t") end++;
  return end;
}

/** Returns the splice that takes out a part of the text, with its line if nothing else stands there. */
export function takeOutPart(text: string, start: number, end: number): Splice {
  let lineStart = start;
  while (text[lineStart - 1] === " " || text[lineStart - 1] === "\t") lineStart--;
  if (lineStart > 0 && text[lineStart - 1] !== "\n") return { start, end, text: "" };
  const rest = skipSpaces(text, end);
  const isLast = rest === text.length || /^\r?\n/.test(text.slice(rest, rest + 2));
  return isLast
    ? { start: lineStart, end: findNextLine(text, rest), text: "" }
    : { start, end: rest, text: "" };
}

export function explainAt(text: string, at: number, words: string): SettingsError {
  let line = 1;
  for (let end = text.indexOf("\n"); end !== -1 && end < at; end = text.indexOf("\n", end + 1)) line++;
  return new SettingsError(`line ${line}: ${words}`);
}

/** Characters that one of the formats doesn't take in quotes, or takes for the end of a line. */
const ODD = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** Escapes in JSON what JSON alone takes as it is. */
export function escapeOdd(json: string): string {
  return json.replace(ODD, (odd) => `\\u${odd.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
