// The log's line about a request that was refused before any call, from which metrics are counted.
import type { Fault } from "../core/fault.ts";
import { LIMIT_KINDS } from "../core/limit.ts";
import type { LogEvent } from "../core/world.ts";

/** A refusal for the gateway's own trouble, such as its store's, is an error and says why. */
export function describeRefusal(requestId: string, { code, details, row }: Fault): LogEvent {
  const { clientAddress, limit, reason } = details;
  const trouble = row.blame === "gateway" ? ({ level: "error", cause: reason ?? null } as const) : {};
  const address = clientAddress === undefined ? {} : { client_address: clientAddress };
  // The gateway's own limits, such as its memory for bodies, are no owner's.
  const isOwners = LIMIT_KINDS.some((kind) => kind === limit?.kind);
  const refusing = limit && isOwners ? { limit_kind: limit.kind, limit_scope: limit.scope } : {};
  return { event: "refused", request_id: requestId, fault: code, ...trouble, ...address, ...refusing };
}
