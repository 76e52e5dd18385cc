// Tells whether a request can be sent in another way, and ends lessons once one that could was answered as it came.

import { Fault } from "../../core/faults/fault.ts";
import { type RequestShape, readShape } from "../../core/models/learned/condition.ts";
import type { Refusal } from "../../core/models/refusals.ts";
import type { LearnedRefusals } from "../../health/refusals.ts";
import type { Form } from "../../operations/form.ts";
import { encode, isWrittenAnew, type WrittenCall } from "./attempt.ts";

const NOTHING: RequestShape = new Set<string>();

/** True if the request has something that these refusals are about, and that can be said in another way. */
export function canMend<F extends Form>(call: WrittenCall<F>, refuses: ReadonlySet<Refusal>): boolean {
  const { routes, card, ask, raw } = call;
  const route = routes.find(card, ask, raw);
  if (route === null) return false;
  const isNative = raw !== null && route.lane !== null;
  return (!isNative && route.codec.mends?.(ask, card, refuses) === true) || isWrittenAnew(call, refuses);
}

/** The call was answered. If it tried what its model's server was found to refuse, the lessons about that end. */
export function settleAnswered<F extends Form>(
  learned: LearnedRefusals,
  call: WrittenCall<F> & { readonly shape: RequestShape },
  nowMs: number,
): void {
  const { card, refuses } = call;
  const wasSent = (refusal: Refusal) => canMend(call, new Set([...(refuses ?? []), refusal]));
  if (learned.isTrial(refuses)) learned.settleTrial(card, call.shape, wasSent);
  else learned.recordAnswered(card, call, refuses, nowMs, wasSent);
}

/** Returns the shape in which a call leaves if nothing is known but the operator's words. */
export function findShape<F extends Form>(call: WrittenCall<F>): RequestShape {
  const { operation, card, credential, upstream, routes, raw, ask, mends } = call;
  const { refuses } = card;
  try {
    const { body } = encode({ operation, card, credential, upstream, routes, raw, ask, mends, refuses });
    return readShape(body, operation.choosing?.describe(ask).needs.keys() ?? []);
  } catch (thrown) {
    // It can't be written for this provider, as is found when it is about to be sent.
    if (thrown instanceof Fault) return NOTHING;
    throw thrown;
  }
}
