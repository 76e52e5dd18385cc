// The thinking of a request's history that the model wasn't shown: by the provider's report, and left out on the way.
import {
  formatRemoved,
  type RemovalReason,
  type RemovedReasoning,
} from "../../core/log/removed-reasoning.ts";
import type { Form } from "../../operations/form.ts";
import type { Meter } from "../../operations/operation.ts";
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
    formatRemoved([...(removed ?? []), ...countOwn("family", foreign), ...countOwn("refused", refused)]) ||
    null
  );
}

function countOwn(reason: RemovalReason, number = 0): readonly RemovedReasoning[] {
  return number === 0 ? [] : [{ reason, count: number }];
}
