// The fault for a store that can't be used, whatever its engine.
import { Fault } from "../../core/faults/fault.ts";

const RETRY_AFTER_MS = 1000;

/** The commit failed without an answer: it is unknown whether the transaction was written. */
export class CommitError extends Error {}

/** The store can't be opened because nothing answers at its address, or not yet: the same attempt may soon succeed. */
export class StoreAwayError extends Error {}

/** The store can't be used until the operator acts. The message says why. */
export class UnusableError extends Error {}

/** The fault for a store failure; `outcomeUnknown` after a commit in doubt. */
export function unavailable(cause: unknown): Fault {
  const message = "The gateway's store is unavailable. Please try again shortly.";
  const unknown = cause instanceof CommitError ? { outcomeUnknown: true as const } : {};
  return new Fault("store_unavailable", message, {
    retryAfterMs: RETRY_AFTER_MS,
    cause,
    ...unknown,
    reason: describeCause(cause),
  });
}

const REASON_CHARACTERS_MAX = 300;
/** An error's causes are followed this far: a commit's failure has the engine's own error behind it. */
const CAUSES_MAX = 4;

/** Returns the engine's own words, such as `database or disk is full`, which hold no secret and no row's values. */
function describeCause(cause: unknown): string {
  let error = cause;
  for (let at = 0; at < CAUSES_MAX && error instanceof Error && error.cause instanceof Error; at++)
    error = error.cause;
  const words = error instanceof Error ? error.message : String(error ?? "unknown");
  const code = error instanceof Error && "code" in error ? ` (${error.code})` : "";
  return `${words.replace(/\s+/g, " ").trim().slice(0, REASON_CHARACTERS_MAX)}${code}`;
}
