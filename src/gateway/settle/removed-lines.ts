// The log lines about thinking of the history that the model wasn't shown.
import { countAs } from "../../core/models/card.ts";
import { readRemoved } from "../../core/models/thinking/removed-reasoning.ts";
import type { LogEvent } from "../../core/world/world.ts";
import type { Form } from "../../operations/form.ts";
import type { RequestContext } from "../context.ts";

/** Returns a line for each reason, which counts the request. */
export function listRemovedLines<F extends Form>(
  { call, attempt }: RequestContext<F>,
  kept: string,
): readonly LogEvent[] {
  const { id, requestId } = call;
  const provider = attempt?.card.provider ?? null;
  const model = attempt && countAs(attempt.card);
  return readRemoved(kept).map(({ reason, count }) => ({
    event: "reasoning_removed",
    level: "debug",
    id,
    request_id: requestId,
    provider,
    model,
    reason,
    count,
  }));
}
