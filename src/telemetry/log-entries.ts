// Log events as entries of OTLP: the fields of the line, each with its type.
import { asString } from "../core/json.ts";
import type { LogEvent } from "../core/world.ts";
import { createLine } from "./log-lines.ts";
import { Attributes, type LogEntry } from "./otlp-json.ts";

export function describeEvent(given: LogEvent, atMs: number): LogEntry {
  const line = createLine("", given);
  const attributes = new Attributes();
  for (const name in line) {
    if (!OWN.has(name)) addField(attributes, findKey(name), line[name]);
  }
  const { event, level: severity = "info" } = given;
  return { atMs, severity, event, attributes, traceId: asString(line.trace_id) ?? null };
}

/** By the names of fields, which are the program's own words. */
const keys = new Map<string, string>();

function findKey(name: string): string {
  const known = keys.get(name);
  if (known !== undefined) return known;
  const key = `poundkey.${name}`;
  keys.set(name, key);
  return key;
}

/** The fields of a line for which an entry has a place of its own. */
const OWN: ReadonlySet<string> = new Set(["at", "level", "event", "trace_id"]);

/** Lists and objects are written as JSON, as they stand in the line. */
function addField(attributes: Attributes, key: string, value: unknown): void {
  if (value === null || value === undefined) return;
  if (typeof value === "string") attributes.text(key, value);
  else if (typeof value === "boolean") attributes.truth(key, value);
  else if (typeof value === "number")
    if (Number.isInteger(value)) attributes.int(key, value);
    else attributes.double(key, value);
  else attributes.text(key, JSON.stringify(value));
}
