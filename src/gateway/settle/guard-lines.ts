// The log lines about the time that the guard searched.
import { GUARD_PLACES } from "../../core/models/guard.ts";
import type { LogEvent } from "../../core/world/world.ts";
import type { Form } from "../../operations/form.ts";
import type { Call } from "../call.ts";

/** Returns a line for each place that was searched. */
export function listGuardLines<F extends Form>(
  { id, requestId }: Pick<Call<F>, "id" | "requestId">,
  times: NonNullable<Call<F>["guardMs"]>,
): readonly LogEvent[] {
  return GUARD_PLACES.filter((at) => times[at] > 0).map((at) => ({
    event: "guard",
    level: "debug",
    id,
    request_id: requestId,
    at,
    ms: times[at],
  }));
}
