// Log events as entries of OTLP: the fields of the line, each with its type.
import { asString } from "../core/json.ts";
import type { LogEvent } from "../core/world.ts";
import { createLine } from "./log-lines.ts";
import { Attributes, type LogEntry } from "./otlp-json.ts";

export function describeEvent(given: LogEvent, atMs: number): LogEntry {
  // The entry's own time stands in the place of the line's.
  const { at: _at, level: _level, event: _event, trace_id: traceId, ...fields } = createLine("", given);
  const attributes = new Attributes();
  for (const [name, value] of Object.entries(fields)) addField(attributes, `poundkey.${name}`, value);
  const { event, level: severity = "info" } = given;
  return { atMs, severity, event, attributes, traceId: asString(traceId) ?? null };
}

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
