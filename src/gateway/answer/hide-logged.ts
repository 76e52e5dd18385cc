// An answer as its steps want it logged.
import type { Form } from "../../operations/form.ts";
import type { Call } from "../call.ts";
import type { Later, Step } from "../step.ts";

/** A request with the steps around its answer. */
export interface SteppedCall<F extends Form> {
  readonly call: Call<F>;
  readonly steps: readonly Step[];
}

/** Calls `write` with the answer, at once if no step hides anything. Without an answer, nothing is hidden. */
export function writeHidden<F extends Form, Result>(
  { call, steps }: SteppedCall<F>,
  reply: F["reply"] | null,
  write: (hidden: F["reply"] | null) => Result,
): Later<Result> {
  if (reply === null) return write(null);
  const hiding = steps.filter((step) => step.hideLogged !== undefined);
  return hiding.length === 0 ? write(reply) : hideAll(hiding, call, reply).then(write);
}

async function hideAll<F extends Form>(
  steps: readonly Step[],
  call: Call<F>,
  reply: F["reply"],
): Promise<F["reply"]> {
  let hidden = reply;
  for (const step of steps) hidden = (await step.hideLogged?.(call, hidden)) ?? hidden;
  return hidden;
}
