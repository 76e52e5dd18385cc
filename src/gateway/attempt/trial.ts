// Tells whether a request can be sent in another way, and ends lessons once one that could was answered as it came.

import type { Attempt } from "../../core/models/attempt.ts";
import type { Refusal } from "../../core/models/refusals.ts";
import type { LearnedRefusals } from "../../health/refusals.ts";
import type { Form } from "../../operations/form.ts";
import type { RequestContext } from "../context.ts";

/** True if the request has something that these refusals are about, and that can be said in another way. */
export function canMend<F extends Form>(
  { call, ask, raw }: Pick<RequestContext<F>, "call" | "ask" | "raw">,
  { card }: Attempt,
  refuses: ReadonlySet<Refusal>,
): boolean {
  const route = call.routes.find(card, ask, raw);
  if (route === null || (raw !== null && route.lane !== null)) return false;
  return route.codec.mends?.(ask, card, refuses) ?? false;
}

/** The attempt was answered. If it tried what its model's server was found to refuse, the lessons about that end. */
export function settleTrial<F extends Form>(
  learned: LearnedRefusals,
  context: Pick<RequestContext<F>, "call" | "ask" | "raw">,
  attempt: Attempt,
  refuses: ReadonlySet<Refusal> | undefined,
): void {
  if (!learned.isTrial(refuses)) return;
  learned.settleTrial(attempt.card, (refusal) => canMend(context, attempt, new Set([refusal])));
}
