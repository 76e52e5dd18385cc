// The hold that stands for a noted request, as far as its meter knows it.
import type { RequestHead } from "./log/record.ts";
import type { Hold, Meter, NotedRequest, Place } from "./rows.ts";

/** Only the memory of a request's node knew these of it. The operator's views show the empty texts as null. */
const UNKNOWN_HEAD: Omit<RequestHead, "operation" | "surface"> = {
  requestId: "",
  modelAsked: "",
  modelPlanned: null,
  selector: null,
  stream: false,
};

/** `place` is the admission's, if it is known: the meter only says what is given back of it. */
export function makeNotedHold(
  { accountId, owner, day }: Pick<Meter, "accountId" | "owner" | "day">,
  { id, node, atMs, operation, surface, keyId, places }: NotedRequest,
  place: Place | null = null,
): Hold {
  return {
    ...UNKNOWN_HEAD,
    id,
    accountId,
    keyId: keyId ?? owner,
    node,
    atMs,
    operation,
    surface,
    place: place ?? { ...NO_SLOT, kind: places > 0 ? "allowance" : "unlimited", owner, day, places },
    nanoUsd: 0,
    replyId: null,
  };
}

const NO_SLOT = { slots: 0, everyMs: 0, taken: null, previous: null, giveBackMax: 0, freeNanoUsd: null };
