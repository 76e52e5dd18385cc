// The grader of a request's answer.
import type { Form } from "../../operations/form.ts";
import type { Grader } from "../../operations/operation.ts";
import type { Call } from "../call.ts";
import type { Plan } from "../plan/plan.ts";

/** Returns null if the client named the model: nothing is learned from such answers. */
export function makeGrader<F extends Form>(
  { operation, ask }: Call<F>,
  { decision }: Plan,
): Grader<F> | null {
  return (decision && operation.choosing?.grade(ask)) ?? null;
}
