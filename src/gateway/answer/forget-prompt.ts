// Lets go of a request's body once its answer has begun: from then on it can't be sent again.
import { forgetSources } from "../../core/json/source.ts";
import type { Form } from "../../operations/form.ts";
import type { RequestContext } from "../context.ts";

/** Forgetting a shorter prompt would free too little to be worth it. */
const BYTES_MIN = 65_536;

/** If the prompt is needed to the end, or can't be dropped before, its memory is held as long. */
export function forgetPrompt<F extends Form>({
  call,
  recorder,
  original,
  ask,
  raw,
}: RequestContext<F>): void {
  const { operation, held, kept } = call;
  forgetSources(call.ask);
  if (call.raw !== null) forgetSources(call.raw.body);
  if (!operation.forgetPrompt || kept !== null) return;
  if (held.bytes <= BYTES_MIN) {
    held.release();
    return;
  }
  recorder?.takePrompt();
  // A repaired request is a copy, without the part that a provider refused.
  if (ask !== call.ask || raw !== call.raw) operation.forgetPrompt(ask, raw);
  const left = operation.forgetPrompt(call.ask, call.raw);
  // The request that a step has replaced is still referred to by its reader.
  if (original !== null) operation.forgetPrompt(original.ask, original.raw);
  if (left <= BYTES_MIN) held.release();
  else held.shrinkTo(left);
}
