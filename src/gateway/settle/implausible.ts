// The log line about a usage report that can't be true.
import type { Trace } from "../../core/log/trace.ts";
import type { LogEvent } from "../../core/world/world.ts";
import type { Form } from "../../operations/form.ts";
import type { RequestContext } from "../context.ts";

export function describeImplausible<F extends Form>(
  { call, attempt }: RequestContext<F>,
  claimed: NonNullable<Trace["usageImplausible"]>,
): LogEvent {
  const { id, requestId } = call;
  const about = { id, request_id: requestId, model: attempt?.card.id ?? null };
  const counts = { prompt_tokens: claimed.promptTokens, completion_tokens: claimed.completionTokens };
  return { event: "usage_implausible", level: "warn", ...about, ...counts };
}
