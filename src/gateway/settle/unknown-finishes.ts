// The log lines about ends of answers for which the provider has a word that the gateway doesn't know.
import type { LogEvent } from "../../core/world/world.ts";
import type { Form } from "../../operations/form.ts";
import type { RequestContext } from "../context.ts";

/** Returns a line for each. */
export function describeUnknownFinishes<F extends Form>(
  { call, attempt }: RequestContext<F>,
  reasons: readonly string[],
): readonly LogEvent[] {
  const { id, requestId } = call;
  const { provider = null, id: model = null } = attempt?.card ?? {};
  return reasons.map((reason) => ({
    event: "finish_reason_unknown",
    level: "warn",
    id,
    request_id: requestId,
    provider,
    model,
    reason,
  }));
}
