// The effects that calls to tool servers need.
import type { Evidence, Passage } from "../../core/health/evidence.ts";
import type { ToolSessions } from "../../core/tools/tool-sessions.ts";
import type { Clock, Deadlines, Fetch, Log, Random } from "../../core/world/world.ts";
import type { Authorize } from "../auth/authorize.ts";

/** A circuit breaker of one tool, which stops calls of those for whom it fails. Times are on the monotonic clock. */
export interface ToolBreaker {
  isOpenFor(nowMs: number, payer: string): boolean;
  /** Null if the wait ends with a call under way. */
  waitMs(nowMs: number, payer: string): number | null;
  pass(nowMs: number, payer: string): Passage | null;
  /** True if it may pass in a moment. */
  lacksPlace(nowMs: number, payer: string): boolean;
  recordSuccess(nowMs: number, payer: string, passage: Passage): unknown;
  recordFailure(nowMs: number, payer: string, passage: Passage, evidence: Evidence): unknown;
  release(payer: string, passage: Passage): void;
  hasten(nowMs: number): void;
}

export interface ToolServerPorts {
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly random: Random;
  readonly fetch: Fetch;
  readonly authorize: Authorize;
  readonly sessions: ToolSessions;
  /** A keyed digest of a client's own credential: the credential itself is kept no longer than its request. */
  readonly digest: (text: string) => string;
  readonly makeBreaker: () => ToolBreaker;
  readonly log: Log;
  /** The gateway's version. */
  readonly version: string;
}
