// Judges who caused a request's end, which decides what the request costs and what it gets back.
import type { Fault } from "../core/fault.ts";

export interface RequestEnd {
  /** null: the answer is whole. */
  readonly fault: Fault | null;
  /** True if any part of the answer was produced. */
  readonly hasAnswer: boolean;
  /** True if a provider may have read any byte of the request. */
  readonly isSent: boolean;
  /** Milliseconds since the request was first sent. */
  readonly silentMs: number;
}

export type Verdict =
  /** The answer, or as much of it as was produced, is owed. */
  | "produced"
  /** The client left a request that a provider was working on: its prompt is owed. */
  | "left"
  /** The provider refused the request itself. */
  | "refused"
  /** The provider or the gateway failed. */
  | "failed"
  /** No provider read any of it. */
  | "unsent";

/** A client that gives up on a provider after a minute of silence is not to blame for it. */
const SILENCE_EXCUSED_MS = 60_000;

export function judge({ fault, hasAnswer, isSent, silentMs }: RequestEnd): Verdict {
  if (hasAnswer || fault === null) return "produced";
  if (!isSent) return "unsent";
  if (isByClient(fault)) return silentMs >= SILENCE_EXCUSED_MS ? "failed" : "left";
  return fault.row.blame === "client" ? "refused" : "failed";
}

/** The client hung up, or the time that it allowed was over. */
export function isByClient({ code }: Fault): boolean {
  return code === "client_gone" || code === "client_timeout";
}
