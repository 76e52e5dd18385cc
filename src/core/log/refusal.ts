// A request that was refused before any provider was called: who sent it, what it asked for, and which rule refused it.
import type { FaultCode } from "../faults/fault.ts";
import type { RefusingLimit } from "../limits/limit.ts";
import type { RequestOutcome } from "./record.ts";

/** The statuses whose refusals are kept: those that a key, a model's name, a size or a limit causes. */
const KEPT_STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 404, 413, 426, 429]);

/** Fields are null if unknown, for example because the request was refused before its body was read. */
export interface Refusal {
  /** The key whose secret was sent, also if it is revoked or expired. */
  readonly keyId: string | null;
  readonly accountId: string | null;
  /** The person whose key it is. Null for service keys. */
  readonly memberId: string | null;
  /** The last characters of a secret that no key has. */
  readonly last4: string | null;
  /** The look of such a secret, in a few words: `a placeholder`. */
  readonly shape: string | null;
  readonly modelAsked: string | null;
  /** The method and the path's pattern-free form, without its query. */
  readonly route: string;
  /** As far as it is kept (`log.address`). */
  readonly address: string | null;
  readonly code: FaultCode;
  readonly status: number;
  readonly limit: RefusingLimit | null;
  /** When the request would be accepted, in Unix milliseconds. Null if no wait helps, or if it is unknown. */
  readonly resetAtMs: number | null;
  /** The operation, the surface and the counted model (`RequestHead.modelPlanned`), under which sums count it. */
  readonly operation: string | null;
  readonly surface: string | null;
  readonly modelPlanned: string | null;
  readonly outcome: RequestOutcome;
  /** True if the request has a row in the log, in which it is counted already. */
  readonly hasRow: boolean;
}

export function isKept({ status }: Pick<Refusal, "status">): boolean {
  return KEPT_STATUSES.has(status);
}
