// One attempt of a request: what it sends, the usage reported so far, and its end.

import type { GrantAnswer } from "../../core/demand.ts";
import { Fault, toFault } from "../../core/fault.ts";
import { formatTraceparent } from "../../core/log/trace-context.ts";
import type { Attempt } from "../../core/models/attempt.ts";
import type { ModelCard } from "../../core/models/card.ts";
import { priceCallAt } from "../../core/money/factors.ts";
import type { Load } from "../../health/rate.ts";
import { type Form, joinLists } from "../../operations/form.ts";
import { readRequestId } from "../../transport/report.ts";
import type { Call } from "../call.ts";
import type { RequestContext } from "../context.ts";
import { fitAsk } from "../plan/fitted.ts";
import type { PlanPorts } from "../plan/plan-request.ts";
import type { Upstream } from "../plan/upstream.ts";
import type { TracingAttempt } from "../settle/tracing.ts";
import type { AttemptCall, CallWatcher } from "./attempt.ts";
import { countCalls } from "./calls.ts";

const MS_PER_SECOND = 1000;

type AttemptPorts = Pick<PlanPorts, "health" | "stickiness" | "deadlines">;

/** Begins a request's first attempt. Returns null if failover must: it may be raced, or can't be made now. */
export function beginFirst<F extends Form>(
  ports: AttemptPorts,
  context: RequestContext<F>,
): AttemptRun<F> | null {
  const [first] = context.plan.attempts;
  if (first === undefined) return null;
  ports.health.countRequest(first.card, context.admittedMs);
  if (first.card.hedge || !isPaidByHold(context.grant, first.card)) return null;
  return beginAttempt(ports, context, first, context.admittedMs);
}

/** Begins an attempt. Returns null if the provider can't be called now. */
export function beginAttempt<F extends Form>(
  ports: AttemptPorts,
  context: RequestContext<F>,
  attempt: Attempt,
  nowMs: number,
  fresh = false,
  client = context.ending,
): AttemptRun<F> | null {
  const upstream = context.call.upstreams.get(attempt.card.provider);
  if (upstream === undefined) return null;
  const load = measureLoad(ports, context, attempt);
  const permit = ports.health.begin(attempt, nowMs, context.refusals, load);
  if (permit === null) return null;
  context.attempts++;
  context.model = attempt.card.id;
  const last4 = ports.health.key(attempt)?.last4 ?? null;
  const named = last4 === null ? { last4, ...findPosition(upstream, attempt) } : { last4 };
  const wallMs = context.call.created * MS_PER_SECOND + nowMs - context.startedMs;
  const priced = priceCallAt(attempt.card, attempt.credential.priceFactor ?? 1, wallMs);
  const traced = context.tracing.begin(priced, named, nowMs);
  const { refusals } = ports.health;
  const refuses = refusals.isInUse ? refusals.list(attempt.card, nowMs) : attempt.card.refuses;
  return new AttemptRun(ports, context, traced, attempt, { upstream, permit, fresh, client, refuses });
}

/** Returns the place of a credential whose secret is too short to show a part of it. A server may need none. */
function findPosition({ setup }: Upstream, { credential }: Attempt): { readonly position?: number } {
  if (credential.secret === null && credential.proof === undefined) return {};
  return { position: setup.credentials.indexOf(credential) + 1 };
}

/** A request may take several calls, and each of them counts. */
export function measureLoad<F extends Form>(
  { health }: Pick<AttemptPorts, "health">,
  { call: { operation, upstreams }, plan: { load }, raw, ask }: RequestContext<F>,
  { card }: Attempt,
): Load {
  const upstream = health.ownLimits.any ? upstreams.get(card.provider) : undefined;
  return upstream ? { ...load, requests: countCalls({ operation, upstream, card, ask, raw }) } : load;
}

/** True if the hold pays for the model. One without a price was left out of it. */
export function isPaidByHold({ outputTokens }: GrantAnswer, card: ModelCard): boolean {
  return outputTokens === null || outputTokens[card.id] !== undefined;
}

/** True if the client named the model itself, so that neither a selector, a group nor failover chose it. */
function isNamed({ selection }: Pick<Call<Form>, "selection">, card: ModelCard): boolean {
  return selection.kind === "card" && selection.card === card;
}

export class AttemptRun<F extends Form> implements CallWatcher {
  readonly attempt: Attempt;
  readonly call: AttemptCall<F>;
  /** The fault that it failed with, if any. */
  fault: Fault | null = null;
  /** True if another attempt was faster. */
  isOutrun = false;
  readonly #ports: AttemptPorts;
  readonly #context: RequestContext<F>;
  readonly #traced: TracingAttempt;
  /** The fields that were dropped to fit the hold. */
  readonly #cut: readonly string[];
  #dropped: readonly string[] = [];
  #usage: readonly [F["usage"], boolean] | null = null;
  #isWinner = false;

  constructor(
    ports: AttemptPorts,
    context: RequestContext<F>,
    traced: TracingAttempt,
    attempt: Attempt,
    parts: Pick<AttemptCall<F>, "upstream" | "permit" | "fresh" | "client" | "refuses">,
  ) {
    const { call, raw, ask, grant, admittedMs } = context;
    const { operation, isLimitRequired, limitAtMs, dropped, lost } = call;
    const { card, credential } = attempt;
    const bounded = operation.bound(ask, card, grant.outputTokens?.[card.id], isLimitRequired);
    this.attempt = attempt;
    this.#ports = ports;
    this.#context = context;
    this.#traced = traced;
    this.#cut = bounded.dropped;
    this.call = {
      ...parts,
      card,
      credential,
      operation,
      ask: bounded.ask,
      raw,
      dropped,
      lost,
      mends: isNamed(call, card) ? call.mendsNamed : "refused",
      offset: 0,
      totalAtMs: Math.min(admittedMs + parts.upstream.setup.timeouts.totalMs, limitAtMs),
      clientLimitAtMs: limitAtMs,
      watcher: this,
      onUsage: (usage, isWhole) => {
        if (this.#isWinner) context.report(usage, isWhole);
        else this.#usage = [usage, isWhole];
      },
    };
  }

  /** Makes this attempt the one that answers: the request takes over its facts and the usage it has reported so far. */
  win(): void {
    const { deadlines, stickiness } = this.#ports;
    const { raw } = this.call;
    const { card, calls, unreadBytes, rounds } = this.#traced;
    const context = this.#context;
    const { operation, upstreams } = context.call;
    const ask = fitAsk({ operation, upstreams, raw }, this.call.ask, card);
    const nowMs = deadlines.nowMs();
    this.#isWinner = true;
    context.recordAnswer(this.attempt, { ask, card, calls, unreadBytes, rounds }, nowMs);
    context.tracing.winner = this.#traced;
    context.dropped = this.#dropped;
    if (this.#usage) context.report(...this.#usage);
    stickiness.keep(context.call.conversation, this.attempt, nowMs);
  }

  /** Records the failure. Call it once. Returns the fault. */
  fail(thrown: unknown): Fault {
    const nowMs = this.#ports.deadlines.nowMs();
    const fault = toFault(thrown);
    this.fault = fault;
    this.call.permit?.fail(nowMs, fault);
    this.#traced.end("failed", nowMs, fault);
    this.#recordClaim();
    return fault;
  }

  /** Ends it because another attempt was faster. Its call's `client` must be its own. */
  lose(): void {
    const nowMs = this.#ports.deadlines.nowMs();
    this.isOutrun = true;
    this.#traced.end("outrun", nowMs);
    this.#recordClaim();
    this.call.permit?.lose(nowMs, this.call.ask.stream === true);
    this.call.client.end(new Fault("client_gone", "Another attempt was faster."));
  }

  /** The usage of a call that came to nothing is on the provider's invoice all the same. */
  #recordClaim(): void {
    if (this.#usage) this.#traced.claimed = this.call.operation.countAmounts(this.#usage[0]);
  }

  get traceparent(): string | null {
    const { trace } = this.#context.call;
    const { spanId } = this.#traced;
    return trace?.isPropagated && spanId !== null ? formatTraceparent(trace, spanId) : null;
  }

  recordSent(isNative: boolean): void {
    const { call, tracing } = this.#context;
    const { unreadBytes, searches, fetches = 0 } = call;
    const own = isNative ? { unreadBytes, rounds: searches + fetches } : { unreadBytes: 0, rounds: 0 };
    tracing.recordCall(this.#traced, own, this.#ports.deadlines.nowMs());
  }

  retractSent(): void {
    this.#traced.calls--;
  }

  recordResponse(headers: Headers): void {
    const id = readRequestId(headers);
    if (id !== null) this.#traced.addRequestId(id);
  }

  recordDropped(fields: readonly string[]): void {
    const { names = {} } = this.#context.call;
    const all = joinLists(this.#cut, fields);
    // As usual. The fields of an earlier attempt no longer count.
    if (all.length === 0) {
      this.#context.dropped = this.#dropped = all;
      return;
    }
    const named = all.map((field) => (Object.hasOwn(names, field) ? names[field] : undefined) ?? field);
    this.#dropped = [...new Set(named)];
    this.#context.dropped = this.#dropped;
  }

  time<Result>(work: () => Result): Result {
    return this.#context.call.time(work);
  }
}
