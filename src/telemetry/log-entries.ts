// Log events as entries of OTLP: the fields of the line, each with its type.
import { asString } from "../core/json/json.ts";
import type { Level, LogEvent } from "../core/world/world.ts";
import { createLine } from "./log-lines.ts";
import type { OtlpWriter } from "./otlp-json.ts";
import { Phrases } from "./phrases.ts";

export function writeLogEntry(to: OtlpWriter, given: LogEvent, atMs: number): void {
  const line = createLine("", given);
  const { event, level: severity = "info" } = given;
  to.openLog(atMs).written(NAMES.find(event, severity));
  const isRequest = given.record !== undefined;
  for (const name in line) {
    const { key, run } = FIELDS.get(name) ?? learnField(name);
    if (isRequest && run !== null) {
      if (run.names[0] === name) to.written(run.phrases.find(...run.names.map((one) => line[one])));
    } else if (!OWN.has(name)) addField(to, key, line[name]);
  }
  to.closeLog(asString(line.trace_id) ?? null);
}

const NAMES = new Phrases((to, event: string, severity: Level) => to.nameLog(event, severity));

/** The fields of a line for which an entry has a place of its own. */
const OWN: ReadonlySet<string> = new Set(["at", "level", "event", "trace_id"]);

/** Neighbours in the line of a request that most requests of a key, or to a model, have in common. */
interface FieldRun {
  readonly names: readonly string[];
  readonly phrases: Phrases<readonly unknown[]>;
}

const RUNS: readonly FieldRun[] = [
  ["key_id", "account_id", "operation", "surface"],
  ["model_asked", "model", "provider", "outcome", "selector", "attempts", "stream", "status", "fault"],
  ["usage_source", "ended"],
].map((names) => ({
  names,
  phrases: new Phrases((to, ...values: readonly unknown[]) => {
    for (const [at, name] of names.entries()) addField(to, `poundkey.${name}`, values[at]);
  }),
}));

interface LogField {
  readonly key: string;
  readonly run: FieldRun | null;
}

/** By the names of fields, which are the program's own words. */
const FIELDS = new Map<string, LogField>();

function learnField(name: string): LogField {
  const run = RUNS.find(({ names }) => names.includes(name)) ?? null;
  const field = { key: `poundkey.${name}`, run };
  FIELDS.set(name, field);
  return field;
}

/** Lists and objects are written as JSON, as they stand in the line. */
function addField(to: OtlpWriter, key: string, value: unknown): void {
  if (value === null || value === undefined) return;
  if (typeof value === "string") to.text(key, value);
  else if (typeof value === "boolean") to.truth(key, value);
  else if (typeof value === "number")
    if (Number.isInteger(value)) to.int(key, value);
    else to.double(key, value);
  else to.text(key, JSON.stringify(value));
}
