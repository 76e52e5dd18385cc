// Since when a provider has been failing, and its last failure in its own words.

import { describeFailure } from "../core/faults/failure.ts";
import type { Fault } from "../core/faults/fault.ts";
import type { LastFailure } from "../core/health/health.ts";

/** A provider over all of its models and credentials. A limited rate (429) is no failure. Times are on the monotonic clock. */
export class Trouble {
  /** The time of the first failure since the last success. Null if the last call succeeded, or none was made. */
  sinceMs: number | null = null;
  /** The last failure, even if calls have succeeded since. */
  last: LastFailure | null = null;

  recordSuccess(): void {
    this.sinceMs = null;
  }

  recordFailure(nowMs: number, called: Pick<LastFailure, "model" | "last4">, fault: Fault): void {
    this.sinceMs ??= nowMs;
    this.last = {
      atMs: nowMs,
      ...called,
      faultCode: fault.code,
      upstreamStatus: fault.details.upstreamStatus ?? null,
      ...describeFailure(fault),
    };
  }
}
