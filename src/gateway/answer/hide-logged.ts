// An answer as its steps want it logged.
import type { Form } from "../../operations/form.ts";
import type { Call } from "../call.ts";
import type { Step } from "../step.ts";

/** A request with the steps around its answer. */
export interface SteppedCall<F extends Form> {
  readonly call: Call<F>;
  readonly steps: readonly Step[];
}

/** Returns the answer itself if no step hides anything. */
export function hideLogged<F extends Form>({ call, steps }: SteppedCall<F>, reply: F["reply"]): F["reply"] {
  let hidden = reply;
  for (const step of steps) hidden = step.hideLogged?.(call, hidden) ?? hidden;
  return hidden;
}
