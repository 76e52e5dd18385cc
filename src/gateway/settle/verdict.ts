// Decides who caused the end of a request, and so what it costs and what is given back.
import type { Fault } from "../../core/faults/fault.ts";
import type { EndingName } from "../../core/log/record.ts";

type Verdict =
  /** The client owes the answer, or the part that was produced. */
  | "produced"
  /** The client left while a provider was working: it owes the prompt. */
  | "left"
  /** The provider refused the request. */
  | "refused"
  /** The provider or the gateway failed. */
  | "failed"
  /** No provider read any of it. */
  | "unsent";

/** A client that gives up after a minute of silence is not to blame. */
const SILENCE_EXCUSED_MS = 60_000;

/**
 * `fault` is null if the answer is complete. `hasAnswer` is true if any part of it was produced, and `isSent` if a provider
 * may have read any byte of the request, which was first sent `silentMs` milliseconds ago.
 */
export function judge(fault: Fault | null, hasAnswer: boolean, isSent: boolean, silentMs: number): Verdict {
  if (hasAnswer || fault === null) return "produced";
  if (!isSent) return "unsent";
  if (isByClient(fault)) return silentMs >= SILENCE_EXCUSED_MS ? "failed" : "left";
  return fault.row.blame === "client" ? "refused" : "failed";
}

/** True if the client hung up or its own time limit passed. */
export function isByClient({ code }: Fault): boolean {
  return code === "client_gone" || code === "client_timeout";
}

export function findEnding(fault: Fault, attempts: number, hasAnswer: boolean): EndingName {
  if (fault.code === "client_gone") return "client_gone";
  if (fault.code === "client_timeout" && attempts > 0) return "timeout";
  const asked = fault.details.upstreamStatus !== undefined || fault.row.blame !== "client";
  if (attempts === 0 || (!asked && !hasAnswer)) return "refused";
  if (fault.code === "store_unavailable" && !hasAnswer) return "lost";
  if (fault.code === "upstream_timeout") return "timeout";
  return hasAnswer ? "broken_off" : "upstream_failed";
}
