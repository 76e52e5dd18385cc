// Finds requests by their request id. The gateway's own ids begin with their time, so that the index of times finds them, and
// only the others have an index of their own.
import type { Value } from "../columns/found.ts";
import type { Step } from "./schema-step.ts";

/** As many low bits of the time as three digits have: 4,096 ms, within which nearly all requests have arrived. */
const SPAN_MS = 0x1000;
const OWN = /^req_([0-9a-f]{9})/;

/**
 * The condition that a request's id doesn't begin with the span of its row's time, in each engine's words: a client chose it, or
 * the request was long under way. It is part of the step below, so it never changes.
 */
export const UNTIMED = {
  sqlite: "substr(request_id, 1, 13) <> printf('req_%09x', at_ms >> 12)",
  postgres: "substr(request_id, 1, 13) <> 'req_' || lpad(to_hex(at_ms >> 12), 9, '0')",
} as const;

/** The whole index cost a page and more of each commit. Without it, a program from before looks through the log for a request id. */
export const REQUEST_IDS: Step = [
  {
    kind: "createIndex",
    name: "request_untimed_id",
    table: "request",
    columns: ["request_id"],
    where: UNTIMED,
  },
  { kind: "dropIndex", name: "request_request_id" },
];

/** Returns the condition that a row has the request id. Both of its parts find an index. */
export function composeRequestId(
  requestId: string,
  untimed: string,
  bindValue: (value: Value) => string,
): string {
  const same = `request_id = ${bindValue(requestId)}`;
  const span = OWN.exec(requestId)?.[1];
  if (span === undefined) return `${same} AND ${untimed}`;
  const fromMs = Number.parseInt(span, 16) * SPAN_MS;
  const timed = `at_ms >= ${bindValue(fromMs)} AND at_ms < ${bindValue(fromMs + SPAN_MS)}`;
  return `${same} AND ${untimed} OR ${same} AND ${timed}`;
}
