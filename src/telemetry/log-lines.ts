// Log events as JSON lines.
import type { RequestRecord } from "../core/record.ts";
import type { LogEvent } from "../core/world.ts";

const LEVELS = ["debug", "info", "warn", "error"] as const;
export type Level = (typeof LEVELS)[number];

/** A function that writes events of at least `least` as one JSON line each. `nowMs` stamps them. */
export function createLineLog(
  write: (line: string) => void,
  nowMs: () => number,
  least: Level = "info",
): (event: LogEvent) => void {
  const leastIndex = LEVELS.indexOf(least);
  return ({ event, level = "info", record, ...fields }) => {
    if (LEVELS.indexOf(level) < leastIndex) return;
    const at = new Date(nowMs()).toISOString();
    const shown = record === undefined ? { at, level, event } : createRecordLine(at, level, event, record);
    write(`${JSON.stringify(Object.assign(shown, fields))}\n`);
  };
}

/**
 * Writes what comes within one turn of the event loop at once: under load a write per line costs more than the line.
 * `later` runs a task after the turn. The returned `flush` writes what waits now, for who is about to end.
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

/** Made in one piece: this line is written for every request. */
function createRecordLine(at: string, level: Level, event: string, record: RequestRecord): object {
  return {
    at,
    level,
    event,
    id: record.id,
    request_id: record.requestId,
    key: record.keyId,
    account: record.accountId,
    model_asked: record.modelAsked,
    model: record.modelUsed,
    selector: record.selector,
    attempts: record.attempts,
    stream: record.stream,
    status: record.status,
    fault: record.faultCode,
    prompt_tokens: record.tokens.prompt,
    completion_tokens: record.tokens.completion,
    cost_nanousd: record.costNanoUsd,
    charged_nanousd: record.chargedNanoUsd,
    usage_source: record.usageSource,
    ended: record.ended,
    total_ms: record.totalMs,
    first_token_ms: record.firstTokenMs,
  };
}
