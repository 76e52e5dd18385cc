// Tells whether a request can be sent in another way, and ends lessons once one that could was answered as it came.

import type { Refusal } from "../../core/models/refusals.ts";
import type { LearnedRefusals } from "../../health/refusals.ts";
import type { Form } from "../../operations/form.ts";
import { isWrittenAnew, type WrittenCall } from "./attempt.ts";

/** True if the request has something that these refusals are about, and that can be said in another way. */
export function canMend<F extends Form>(call: WrittenCall<F>, refuses: ReadonlySet<Refusal>): boolean {
  const { routes, card, ask, raw } = call;
  const route = routes.find(card, ask, raw);
  if (route === null) return false;
  const isNative = raw !== null && route.lane !== null;
  return (!isNative && route.codec.mends?.(ask, card, refuses) === true) || isWrittenAnew(call, refuses);
}

/** The call was answered. If it tried what its model's server was found to refuse, the lessons about that end. */
export function settleTrial<F extends Form>(learned: LearnedRefusals, call: WrittenCall<F>): void {
  const { card, refuses } = call;
  if (!learned.isTrial(refuses)) return;
  learned.settleTrial(card, (refusal) => canMend(call, new Set([...(refuses ?? []), refusal])));
}
