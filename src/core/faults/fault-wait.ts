// Computes the time after which a client should try again.
import type { Fault } from "./fault.ts";

/** The wait to show for temporary faults whose duration is unknown. */
const WAIT_UNKNOWN_MS = 1000;
/** SDKs ignore a provider's longer wait and retry at once. */
const PROVIDER_WAIT_MAX_MS = 60_000;

/** Returns the milliseconds after which a client may try again, or undefined if waiting doesn't help. */
export function findWaitMs({ code, row, details }: Fault): number | undefined {
  const mayPass = row.status === 503 || code === "provider_busy";
  const waitMs = details.retryAfterMs ?? (mayPass ? WAIT_UNKNOWN_MS : undefined);
  if (waitMs === undefined || row.blame !== "provider") return waitMs;
  return Math.min(waitMs, PROVIDER_WAIT_MAX_MS);
}
