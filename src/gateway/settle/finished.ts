// Describes a request that has ended for its spans.
import type { SettlementAnswer } from "../../core/demand.ts";
import type { UnsettledRecord } from "../../core/log/record.ts";
import type { FinishedAttempt, FinishedRequest, TraceContext } from "../../core/log/trace-context.ts";
import type { Form } from "../../operations/form.ts";
import type { RequestContext } from "../context.ts";

interface RequestEnd extends Pick<FinishedRequest, "content"> {
  /** On the monotonic clock. */
  readonly endMs: number;
  /** Null if the request has no row, or if that was not waited for. */
  readonly settled: SettlementAnswer | null;
}

export function describeFinished<F extends Form>(
  context: RequestContext<F>,
  trace: TraceContext,
  { endMs, settled, content }: RequestEnd,
): FinishedRequest {
  const { call, finishes, replayed } = context;
  const record = context.record ?? context.outcome(endMs).record;
  return {
    trace,
    record: replayed === null ? record : describeReplayed(record),
    chargedNanoUsd: settled?.chargedNanoUsd ?? null,
    finishes,
    selection: describeSelection(context, trace),
    admission: describeAdmission(context, trace),
    hooks: call.hooks ?? [],
    guardMs: call.guardMs && call.guardMs.request + call.guardMs.answer,
    attempts: describeAttempts(context, record, endMs),
    tool: describeTool(context, trace, endMs),
    parameters: call.operation.toLog(call.ask).request,
    content,
    endMs,
  };
}

/** An answer that was stored is shown as it is, without an attempt of this request. */
function describeReplayed(record: UnsettledRecord): UnsettledRecord {
  return { ...record, ended: "done", status: 200, faultCode: null };
}

function describeSelection<F extends Form>(
  { plan, selector, startedMs }: RequestContext<F>,
  { recording }: TraceContext,
): FinishedRequest["selection"] {
  const { attempts, decision } = plan;
  const startMs = recording?.plannedMs ?? null;
  if (startMs === null || decision === null) return null;
  return {
    startMs,
    endMs: startedMs,
    candidates: attempts.length,
    chosen: selector?.choice ?? decision.choice,
  };
}

function describeAdmission<F extends Form>(
  { granted, admittedMs }: RequestContext<F>,
  { recording }: TraceContext,
): FinishedRequest["admission"] {
  const startMs = recording?.admittingMs ?? null;
  return startMs === null || granted === null ? null : { startMs, endMs: admittedMs };
}

function describeTool<F extends Form>(
  { tracing }: RequestContext<F>,
  { recording }: TraceContext,
  endMs: number,
): FinishedRequest["tool"] {
  const [attempt] = tracing.attempts;
  if (!recording?.tool || attempt === undefined || attempt.spanId === null) return null;
  return { ...recording.tool, spanId: attempt.spanId, ...attempt.period(endMs) };
}

function describeAttempts<F extends Form>(
  { call, tracing, startedMs }: RequestContext<F>,
  { firstTokenMs }: UnsettledRecord,
  endMs: number,
): readonly FinishedAttempt[] {
  const { attempts, winner } = tracing;
  const shown = winner ?? attempts.at(-1);
  const firstMs = firstTokenMs === null ? null : startedMs + firstTokenMs;
  const finished: FinishedAttempt[] = [];
  for (const attempt of attempts) {
    const { card, pricedCard, spanId, outcome, fault } = attempt;
    const setup = call.routes.upstreams.get(card.provider)?.setup;
    if (spanId === null || setup === undefined) continue;
    const period = attempt.period(endMs);
    finished.push({
      spanId,
      card: pricedCard,
      platform: setup.platform ?? null,
      baseUrl: setup.baseUrl,
      startMs: period.startMs,
      endMs: period.endMs,
      outcome,
      faultCode: fault?.code ?? null,
      upstreamStatus: fault?.details.upstreamStatus ?? null,
      firstMs: attempt === winner ? firstMs : null,
      isShown: attempt === shown,
    });
  }
  return finished;
}
