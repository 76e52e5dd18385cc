// Writes log events as JSON lines.
import { findOutcome, findProvider } from "../core/log/outcome.ts";
import type { RequestRecord } from "../core/log/record.ts";
import { LEVELS, type Level, type LogEvent } from "../core/world/world.ts";

/** Returns a log that writes events of the level `least` and above as one JSON line each. `nowMs` is their time. */
export function createLineLog(
  write: (line: string) => void,
  nowMs: () => number,
  least: () => Level = () => "info",
): (event: LogEvent) => void {
  const formatTime = makeTimeFormatter();
  return (event) => {
    if (!isWritten(event, least())) return;
    write(`${JSON.stringify(createLine(formatTime(nowMs()), event))}\n`);
  };
}

/** Formats the last moment once: the requests of a transaction end in the same millisecond. */
function makeTimeFormatter(): (atMs: number) => string {
  let last = { atMs: Number.NaN, text: "" };
  return (atMs) => {
    if (last.atMs !== atMs) last = { atMs, text: new Date(atMs).toISOString() };
    return last.text;
  };
}

/** True if the event is of the level `least` or above. */
export function isWritten({ level = "info" }: LogEvent, least: Level): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(least);
}

type LogLine = Record<string, unknown>;

/** Returns the fields of an event's line. `at` is its time, in ISO 8601. */
export function createLine(at: string, given: LogEvent): Readonly<Record<string, unknown>> {
  const { event, level = "info", record } = given;
  const line: LogLine =
    record === undefined ? { at, level, event } : createRecordLine(at, level, event, record);
  for (const field in given) if (!OWN.has(field)) line[field] = given[field];
  return line;
}

/** The fields of an event that stand elsewhere in its line, or aren't written. */
const OWN: ReadonlySet<string> = new Set(["event", "level", "record", "refusal"]);

/**
 * Writes all lines of one turn of the event loop at once, because under load a write costs more than a line. `later` runs a
 * task after the turn. The returned `flush` writes what is waiting, for a process that is about to end.
 */
export function gatherWrites(
  write: (text: string) => void,
  later: (task: () => void) => void,
): { readonly write: (line: string) => void; readonly flush: () => void } {
  let waiting = "";
  const flush = () => {
    const text = waiting;
    waiting = "";
    if (text !== "") write(text);
  };
  return {
    write: (line) => {
      if (waiting === "") later(flush);
      waiting += line;
    },
    flush,
  };
}

/** Creates the whole object at once, because it is written for every request. */
function createRecordLine(at: string, level: Level, event: string, record: RequestRecord): LogLine {
  return {
    at,
    level,
    event,
    id: record.id,
    request_id: record.requestId,
    key_id: record.keyId,
    account_id: record.accountId,
    operation: record.operation,
    surface: record.surface,
    model_asked: record.modelAsked,
    model: record.modelUsed,
    provider: findProvider(record),
    outcome: findOutcome(record),
    selector: record.selector,
    attempts: record.attempts,
    stream: record.stream,
    status: record.status,
    fault: record.faultCode,
    address: record.address,
    session: record.session,
    trace_id: record.traceId,
    tags: record.tags,
    prompt_tokens: record.amounts.prompt,
    completion_tokens: record.amounts.completion,
    cost_nanousd: record.costNanoUsd,
    charged_nanousd: record.chargedNanoUsd,
    usage_source: record.usageSource,
    ended: record.ended,
    total_ms: record.totalMs,
    first_token_ms: record.firstTokenMs,
  };
}
