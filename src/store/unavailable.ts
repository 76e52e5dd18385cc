// The fault of a store that can't be used, whatever its engine.
import { Fault } from "../core/fault.ts";

const RETRY_AFTER_MS = 1000;

/** Nobody knows whether the transaction was written. */
export class CommitError extends Error {}

/** The fault for a failure of the store; after a commit in doubt it says so. */
export function unavailable(cause: unknown): Fault {
  const message = "The gateway's store can't be used right now. Please try again shortly.";
  const unknown = cause instanceof CommitError ? { outcomeUnknown: true as const } : {};
  return new Fault("store_unavailable", message, { retryAfterMs: RETRY_AFTER_MS, cause, ...unknown });
}
