// The outcome of a request, with which it is settled.
import type { Settlement } from "../core/demand.ts";
import type { UnsettledRecord } from "../core/log/record.ts";

export interface Outcome
  extends Pick<Settlement, "produced" | "isDue" | "giveBack">,
    Partial<Pick<Settlement, "place" | "note" | "hookCost">> {
  readonly record: UnsettledRecord;
  /** The folded reply, encrypted, for repeated requests. Null if none is kept. */
  readonly sealedReply: string | null;
  /**
   * Returns the outcome of a line's answer if its line has ended without it, as for a client that left. Missing for all other
   * requests.
   */
  readonly makeUnread?: () => Outcome;
  /** Milliseconds of the request's time in which no provider was called. Missing if unknown. */
  readonly gatewayMs?: number;
}

/** The outcome of a request lost with its node or its store: nothing is charged, and all its places are returned. */
export function makeLostOutcome(record: UnsettledRecord, answers: number): Outcome {
  const giveBack = { answers, isBounded: false, beyond: null };
  return { record, produced: false, isDue: false, giveBack, sealedReply: null };
}
