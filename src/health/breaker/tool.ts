// The breaker of one tool of a tool server.
import { Breaker } from "./breaker.ts";
import type { CircuitTerms } from "./circuit.ts";

/** Tools are called far less often than models, so failures between successes say little about the next call. */
const TOOL_TERMS: CircuitTerms = {
  inRowMax: 5,
  countsShare: false,
  waitMs: 10_000,
  waitMaxMs: 60_000,
  relapseMs: 0,
  sharedShuts: false,
};

export function makeToolBreaker(): Breaker {
  return new Breaker(TOOL_TERMS);
}
