// What the model wasn't shown of the thinking in a request's history: by the provider's report, and by what was left out on the way.
import {
  formatRemoved,
  type RemovalReason,
  type RemovedReasoning,
  readRemoved,
} from "../../core/log/removed-reasoning.ts";
import { countAs } from "../../core/models/card.ts";
import type { LogEvent } from "../../core/world/world.ts";
import type { Form } from "../../operations/form.ts";
import type { Meter } from "../../operations/operation.ts";
import type { RequestContext } from "../context.ts";
import type { TracingAttempt } from "./tracing.ts";

/**
 * Returns it as the row has it. Null for nothing. `refused` is the number of answers whose thinking was left out after a
 * refusal.
 */
export function describeRemoved<F extends Form>(
  { removed }: Pick<Meter<F>, "removed">,
  { foreignThinking: foreign }: Pick<TracingAttempt, "foreignThinking">,
  refused: number | undefined,
): string | null {
  if (removed === undefined && foreign === undefined && refused === undefined) return null;
  return (
    formatRemoved([...(removed ?? []), ...count("family", foreign), ...count("refused", refused)]) || null
  );
}

function count(reason: RemovalReason, number = 0): readonly RemovedReasoning[] {
  return number === 0 ? [] : [{ reason, count: number }];
}

/** Returns a line for each reason, which counts the request. */
export function listRemovedLines<F extends Form>(
  { call, attempt }: RequestContext<F>,
  kept: string,
): readonly LogEvent[] {
  const { id, requestId } = call;
  const provider = attempt?.card.provider ?? null;
  const model = attempt && countAs(attempt.card);
  return readRemoved(kept).map(({ reason, count: number }) => ({
    event: "reasoning_removed",
    level: "debug",
    id,
    request_id: requestId,
    provider,
    model,
    reason,
    count: number,
  }));
}
