// Writes values as TOML: on one line, or an object as tables.
import { isObject, type JsonObject } from "../../../core/json/json.ts";
import { type SettingPath, SettingsError } from "./format.ts";
import { escapeOdd } from "./text.ts";

const BARE = /^[A-Za-z0-9_-]+$/;

export function writeKeys(path: SettingPath): string {
  return path.map((key) => (BARE.test(key) ? key : writeText(key))).join(".");
}

/** All that JSON escapes, TOML escapes alike. */
function writeText(text: string): string {
  return escapeOdd(JSON.stringify(text));
}

export function writeInline(value: unknown): string {
  if (typeof value === "string") return writeText(value);
  if (typeof value === "number") return writeNumber(value);
  if (typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return `[${value.map(writeInline).join(", ")}]`;
  if (!isObject(value)) throw new SettingsError("TOML has no null");
  const fields = Object.entries(value).map(([key, field]) => `${writeKeys([key])} = ${writeInline(field)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

function writeNumber(value: number): string {
  if (Number.isNaN(value)) return "nan";
  return Number.isFinite(value) ? String(value) : value > 0 ? "inf" : "-inf";
}

/** Returns the lines of a table and of those within it, which have a line between them. */
export function writeTables(path: SettingPath, table: JsonObject): readonly string[] {
  const fields = Object.entries(table);
  const inner = fields.filter((field): field is [string, JsonObject] => isObject(field[1]));
  const own = fields.filter(([, value]) => !isObject(value));
  const header = own.length === 0 && inner.length > 0 ? [] : [`[${writeKeys(path)}]`];
  const lines = [...header, ...own.map(([key, value]) => `${writeKeys([key])} = ${writeInline(value)}`)];
  return [
    ...lines,
    ...inner.flatMap(([key, value], at) => [
      ...(at > 0 || lines.length > 0 ? [""] : []),
      ...writeTables([...path, key], value),
    ]),
  ];
}
