// Values of foreign tables, as a database gives them or as text in a CSV file.

import { parseReceived } from "../core/json/bounds.ts";
import { isObject, type JsonObject } from "../core/json/json.ts";
import { type NanoUsd, toNearestNanoUsd } from "../core/money/money.ts";

export type ForeignRow = JsonObject;

export function readText(row: ForeignRow, column: string): string | null {
  const value = row[column];
  return typeof value === "string" && value !== "" ? value : null;
}

/** Returns null for an empty column, and for anything that isn't a finite number. */
export function readNumber(row: ForeignRow, column: string): number | null {
  const value = row[column];
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

/** True for a cell that says nothing: missing, false, zero, or an empty text, list or object. */
export function isEmptyCell(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === 0) return true;
  if (typeof value === "string") return /^\s*(|\{\s*\}|\[\s*\]|null|f|false|0)\s*$/i.test(value);
  return typeof value === "object" && !(value instanceof Date) && Object.keys(value).length === 0;
}

export function readFlag(row: ForeignRow, column: string): boolean {
  const value = row[column];
  return value === true || value === 1 || (typeof value === "string" && /^(t|true|1)$/i.test(value));
}

/** A time in Unix milliseconds. Those without a zone are UTC, as both gateways write them. */
export function readTime(row: ForeignRow, column: string): number | null {
  const value = row[column];
  if (value instanceof Date) return value.getTime();
  const text = typeof value === "string" ? value.trim().replace(" ", "T") : "";
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return null;
  const hasZone = /(Z|[+-]\d{2}(:?\d{2})?)$/.test(text.slice(10));
  const time = Date.parse(
    hasZone ? text.replace(/([+-]\d{2})$/, "$1:00") : `${text}${text.length > 10 ? "Z" : ""}`,
  );
  return Number.isNaN(time) ? null : time;
}

/** A list as an array, as JSON or in PostgreSQL's form, `{a,"b c"}`. */
export function readList(row: ForeignRow, column: string): readonly string[] {
  const value = row[column];
  if (Array.isArray(value)) return value.map(String);
  const text = typeof value === "string" ? value.trim() : "";
  const json = parseReceived(text);
  if (Array.isArray(json)) return json.map(String);
  const inner = /^\{(.*)\}$/s.exec(text)?.[1] ?? "";
  return [...inner.matchAll(/"((?:[^"\\]|\\.)*)"|([^,]+)/g)].map(([, quoted, plain = ""]) =>
    quoted === undefined ? plain : quoted.replace(/\\(.)/g, "$1"),
  );
}

export function readObject(row: ForeignRow, column: string): JsonObject {
  const value = row[column];
  const json = typeof value === "string" ? parseReceived(value) : value;
  return isObject(json) ? json : {};
}

/** Rounds USD, which other gateways keep as floating-point numbers, to whole nano-dollars. Negative amounts are 0. */
export function roundUsd(usd: number): NanoUsd {
  const nano = toNearestNanoUsd(usd);
  return Math.max(0, Math.min(nano, Number.MAX_SAFE_INTEGER));
}

export const NAME_CHARACTERS_MAX = 100;

/** Returns a name of one line. */
export function cutName(text: string): string {
  const line = text.replace(/[\p{C}\s]+/gu, " ").trim();
  return [...line].slice(0, NAME_CHARACTERS_MAX).join("");
}

/** Returns the parts that aren't empty, without spaces around them. */
export function splitList(text: string | null, separator: RegExp): readonly string[] {
  return (text ?? "")
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
