// The fault for a store that can't be used, whatever its engine.
import { Fault } from "../core/fault.ts";

const RETRY_AFTER_MS = 1000;

/** The commit failed without an answer: it is unknown whether the transaction was written. */
export class CommitError extends Error {}

/** The store can't be used until the operator acts. The message says why. */
export class UnusableError extends Error {}

/** The fault for a store failure; `outcomeUnknown` after a commit in doubt. */
export function unavailable(cause: unknown): Fault {
  const message = "The gateway's store is unavailable. Please try again shortly.";
  const unknown = cause instanceof CommitError ? { outcomeUnknown: true as const } : {};
  const reason = cause instanceof UnusableError ? { reason: cause.message } : {};
  return new Fault("store_unavailable", message, {
    retryAfterMs: RETRY_AFTER_MS,
    cause,
    ...unknown,
    ...reason,
  });
}
