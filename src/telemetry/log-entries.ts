// Log events as entries of OTLP: the fields of the line, each with its type.
import type { Level, LogEvent } from "../core/world.ts";
import { createRecordLine } from "./log-lines.ts";
import { Attributes, type LogEntry } from "./otlp-json.ts";

export function describeEvent(
  { event, level: _, record, ...fields }: LogEvent,
  severity: Level,
  atMs: number,
): LogEntry {
  const attributes = new Attributes();
  if (record !== undefined) addFields(attributes, createRecordLine("", severity, event, record));
  addFields(attributes, fields);
  return { atMs, severity, event, attributes, traceId: record?.traceId ?? null };
}

/** Fields of a line that an entry has a place of its own for. */
const OWN: ReadonlySet<string> = new Set(["at", "level", "event"]);

/** Lists and objects are written as JSON, as they stand in the line. */
function addFields(attributes: Attributes, fields: object): void {
  for (const [name, value] of Object.entries(fields)) {
    if (value === null || value === undefined || OWN.has(name)) continue;
    const key = `poundkey.${name}`;
    if (typeof value === "string") attributes.text(key, value);
    else if (typeof value === "boolean") attributes.truth(key, value);
    else if (typeof value === "number")
      if (Number.isInteger(value)) attributes.int(key, value);
      else attributes.double(key, value);
    else attributes.text(key, JSON.stringify(value));
  }
}
