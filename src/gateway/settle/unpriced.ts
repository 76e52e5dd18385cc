// The log lines about what an answer came from that its card has no price for.
import type { LogEvent } from "../../core/world/world.ts";
import type { Form } from "../../operations/form.ts";
import type { RequestContext } from "../context.ts";

/** Returns a line for each. Most answers are of the usual service. */
export function describeUnpriced<F extends Form>(
  { call, attempt }: RequestContext<F>,
  unpriced: readonly string[],
): readonly LogEvent[] {
  const { id, requestId } = call;
  const { provider = null, id: model = null } = attempt?.card ?? {};
  return unpriced.map((what) => ({
    event: "answer_unpriced",
    level: "warn",
    id,
    request_id: requestId,
    provider,
    model,
    what,
  }));
}
