// Answers that others than their own client may wait for.
import { Ending } from "../../core/world/ending.ts";
import type { Form } from "../../operations/form.ts";
import type { Call } from "../call.ts";

/**
 * True if others may get the answer that is made for this client: then it is read whether the client reads it or not. A
 * line's Idempotency-Key is only its own: a cancelled one ends its call.
 */
function mayShare<F extends Form>({ idempotency, caching, line }: Call<F>): boolean {
  return (idempotency !== null && !line) || (caching !== null && caching.ttlMs > 0);
}

/**
 * Returns what ends the calls to providers. It is the client's own, unless others may wait for the same answer: an
 * Idempotency-Key's is always finished, one for the cache as long as somebody waits for it.
 */
export function openEnding<F extends Form>(call: Call<F>): Ending {
  return mayShare(call) ? openShared(call) : call.ending;
}

function openShared<F extends Form>(call: Call<F>): Ending {
  const shared = new Ending();
  const { caching, idempotency, ending, line } = call;
  if (idempotency === null || line)
    ending.tell({ end: (reason) => caching?.whenAlone(() => shared.end(reason)) });
  return shared;
}
