// Writes values as YAML that its versions 1.1 and 1.2 read alike.
import { isObject } from "../../../core/json/json.ts";
import { escapeOdd } from "./text.ts";

const UNIT = "  ";
const PLAIN_KEY = /^[A-Za-z_][\w-]*$/;
/** Words that a version of YAML takes for something else than text. */
const WORDS = /^(y|yes|n|no|on|off|true|false|null)$/i;

function writeYamlKey(key: string): string {
  return PLAIN_KEY.test(key) && !WORDS.test(key) ? key : escapeOdd(JSON.stringify(key));
}

/** Writes a value on one line. */
export function writeFlow(value: unknown): string {
  return escapeOdd(
    JSON.stringify(value, null, 1)
      .replace(/,\n\s*/g, ", ")
      .replace(/\n\s*/g, ""),
  );
}

/** True for what needs lines of its own. */
export function isBlock(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0;
}

/** Writes an object or a list as lines that are indented so. */
export function writeBlock(value: unknown, indent: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((entry) => writeEntry(entry, indent));
  return Object.entries(value ?? {}).flatMap(([key, field]) => {
    const name = `${indent}${writeYamlKey(key)}:`;
    return isBlock(field) ? [name, ...writeBlock(field, indent + UNIT)] : [`${name} ${writeFlow(field)}`];
  });
}

function writeEntry(entry: unknown, indent: string): readonly string[] {
  if (Array.isArray(entry) || !isBlock(entry)) return [`${indent}- ${writeFlow(entry)}`];
  const [first = "", ...rest] = writeBlock(entry, indent + UNIT);
  return [`${indent}- ${first.trimStart()}`, ...rest];
}
