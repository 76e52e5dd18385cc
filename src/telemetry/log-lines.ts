// Log events as JSON lines.
import type { RequestRecord } from "../core/record.ts";
import type { LogEvent } from "../core/world.ts";

const LEVELS = ["debug", "info", "warn", "error"] as const;
export type Level = (typeof LEVELS)[number];

/** A function that writes events of at least `least` as one JSON line each. `nowMs` stamps them. */
export function logLines(
  write: (line: string) => void,
  nowMs: () => number,
  least: Level = "info",
): (event: LogEvent) => void {
  return ({ event, level = "info", record, ...fields }) => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return;
    const shown = record === undefined ? fields : { ...recordFields(record), ...fields };
    write(`${JSON.stringify({ at: new Date(nowMs()).toISOString(), level, event, ...shown })}\n`);
  };
}

function recordFields(record: RequestRecord): object {
  return {
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
