// Describes a request that has ended for its spans.
import type { Settled } from "../core/demand.ts";
import type { UnsettledRecord } from "../core/record.ts";
import type { FinishedAttempt, FinishedRequest, TraceContext } from "../core/trace-context.ts";
import type { Form } from "../operations/form.ts";
import type { RequestContext } from "./context.ts";
import type { TracingAttempt } from "./tracing.ts";

/** `endMs` is on the monotonic clock. `settled` is null if the request has no row, or if that was not waited for. */
export function describeFinished<F extends Form>(
  context: RequestContext<F>,
  trace: TraceContext,
  endMs: number,
  settled: Settled | null,
): FinishedRequest {
  const { call, tracing, finishes } = context;
  const { content, attempts, winner } = tracing;
  // If no provider answered, the prompt is still that of the calls that failed.
  if (attempts.length > 0) content?.takePrompt(call.ask);
  const record = context.record ?? context.outcome(endMs).record;
  const shown = winner ?? attempts.at(-1);
  const firstMs = record.firstTokenMs === null ? null : context.startedMs + record.firstTokenMs;
  const describe = (one: TracingAttempt) =>
    describeAttempt(context, one, {
      isShown: one === shown,
      firstMs: one === winner ? firstMs : null,
      endMs,
    });
  return {
    trace,
    record: context.replayed === null ? record : describeReplayed(record),
    chargedNanoUsd: settled?.chargedNanoUsd ?? null,
    finishes,
    ...describeTimes(context, trace),
    hooks: call.hooks ?? [],
    attempts: attempts.flatMap(describe),
    parameters: call.operation.toLog(call.ask).request,
    content: content?.write() ?? null,
    endMs,
  };
}

/** An answer that was stored is shown as it is, without an attempt of this request. */
function describeReplayed(record: UnsettledRecord): UnsettledRecord {
  return { ...record, ended: "done", status: 200, faultCode: null };
}

function describeTimes<F extends Form>(
  { plan, selector, granted, admittedMs, startedMs }: RequestContext<F>,
  { recording }: TraceContext,
): Pick<FinishedRequest, "selection" | "admission"> {
  const { plannedMs = null, admittingMs = null } = recording ?? {};
  const { decision } = plan;
  return {
    selection:
      plannedMs === null || decision === null
        ? null
        : {
            ...{ startMs: plannedMs, endMs: startedMs },
            candidates: plan.attempts.length,
            chosen: selector?.choice ?? decision.choice,
          },
    admission: admittingMs === null || granted === null ? null : { startMs: admittingMs, endMs: admittedMs },
  };
}

function describeAttempt<F extends Form>(
  { call }: RequestContext<F>,
  attempt: TracingAttempt,
  { endMs, ...more }: Pick<FinishedAttempt, "isShown" | "firstMs" | "endMs">,
): readonly FinishedAttempt[] {
  const { card, spanId } = attempt;
  const setup = call.upstreams.get(card.provider)?.setup;
  if (spanId === null || setup === undefined) return [];
  const { baseUrl, platform = null } = setup;
  const { outcome, faultCode, upstreamStatus } = attempt.build(0, null, endMs);
  const ended = { ...attempt.period(endMs), outcome, faultCode, upstreamStatus };
  return [{ spanId, card, platform, baseUrl, ...ended, ...more }];
}
