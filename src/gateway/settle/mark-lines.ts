// The log line about the cache marks that the gateway set, or would have set had they paid.

import { countAs } from "../../core/models/card.ts";
import type { PlannedMarks } from "../../core/models/words/cache-marks.ts";
import type { LogEvent } from "../../core/world/world.ts";
import type { Form } from "../../operations/form.ts";
import type { RequestContext } from "../context.ts";

export function describeMarks<F extends Form>(
  { call, attempt }: RequestContext<F>,
  marks: PlannedMarks,
): LogEvent {
  return {
    event: "cache_marks",
    level: "debug",
    id: call.id,
    request_id: call.requestId,
    provider: attempt?.card.provider ?? null,
    model: attempt && countAs(attempt.card),
    state: marks === "resting" ? "resting" : "marked",
  };
}
