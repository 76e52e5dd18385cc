// One attempt of a request: what it sends, the usage reported so far, and its end.

import type { Attempt } from "../../core/attempt.ts";
import type { GrantAnswer } from "../../core/demand.ts";
import { Fault, toFault } from "../../core/faults/fault.ts";
import { formatTraceparent } from "../../core/log/trace-context.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Mending, RawRequest } from "../../core/models/dialect.ts";
import type { RequestShape } from "../../core/models/learned/condition.ts";
import type { Refusal } from "../../core/models/refusals.ts";
import { DEFAULT_MARKS, type PlannedMarks } from "../../core/models/words/cache-marks.ts";
import { priceCallAt } from "../../core/money/factors.ts";
import { isTimed } from "../../core/money/schedule.ts";
import { type Credential, findPosition } from "../../core/settings.ts";
import type { Ending } from "../../core/world/ending.ts";
import type { Permit } from "../../health/permit.ts";
import type { Load } from "../../health/rate.ts";
import type { Codec } from "../../operations/codec.ts";
import { type Form, joinLists, NONE } from "../../operations/form.ts";
import type { Asking, Operation, SentAsk } from "../../operations/operation.ts";
import { readRequestId } from "../../transport/report.ts";
import type { Call } from "../call.ts";
import type { RequestContext } from "../context.ts";
import { fitAsk } from "../plan/fitted.ts";
import type { PlanPorts } from "../plan/plan-request.ts";
import type { Routes } from "../plan/routes.ts";
import type { Upstream } from "../plan/upstream.ts";
import { claimCost } from "../settle/terms-bill.ts";
import { TracingAttempt } from "../settle/tracing.ts";
import type { AttemptCall, CallWatcher } from "./attempt.ts";
import { countCalls } from "./calls.ts";
import { AttemptSigns } from "./mark-signs.ts";
import { findShape, settleAnswered } from "./trial.ts";

const MS_PER_SECOND = 1000;

type AttemptPorts = Pick<PlanPorts, "health" | "stickiness" | "caches" | "deadlines" | "priceBook">;

/** Begins a request's first attempt. Returns null if failover must: it may be raced, or can't be made now. */
export function beginFirst<F extends Form>(
  ports: AttemptPorts,
  context: RequestContext<F>,
): AttemptRun<F> | null {
  const { attempts, coming } = context.plan;
  coming?.end();
  const [first] = attempts;
  if (first === undefined) return null;
  ports.health.countRequest(first.card, context.admittedMs, context.refusals.payer);
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
  const upstream = context.call.routes.upstreams.get(attempt.card.provider);
  if (upstream === undefined) return null;
  const load = measureLoad(ports, context, attempt);
  const permit = ports.health.begin(attempt, nowMs, context.refusals, load);
  if (permit === null) return null;
  context.attempts++;
  context.model = attempt.card.id;
  context.call.line?.placing.place();
  const run = new AttemptRun(ports, context, attempt, upstream, permit, client, fresh, nowMs);
  context.tracing.begin(run);
  return run;
}

/** Returns the place of a credential whose secret is too short to show a part of it. A server may need none. */
function findPlace({ setup }: Upstream, { credential }: Attempt): number | undefined {
  if (credential.secret === null && credential.proof === undefined) return undefined;
  return findPosition(setup, credential);
}

/** A request may take several calls, and each of them counts. */
export function measureLoad<F extends Form>(
  { health }: Pick<AttemptPorts, "health">,
  { call: { operation, routes }, plan: { load }, raw, ask }: RequestContext<F>,
  { card }: Attempt,
): Load {
  if (!health.ownLimits.any) return load;
  return { ...load, requests: countCalls({ operation, routes, card, ask, raw }) };
}

/** True if the hold pays for the model. One without a price was left out of it. */
export function isPaidByHold({ outputTokens }: GrantAnswer, card: ModelCard): boolean {
  return outputTokens === null || outputTokens[card.id] !== undefined;
}

/** True if the client named the model itself, so that neither a selector, a group nor failover chose it. */
function isNamed({ selection }: Pick<Call<Form>, "selection">, card: ModelCard): boolean {
  return selection.kind === "card" && selection.card === card;
}

/** One attempt: what its calls need, and what is recorded of them. */
export class AttemptRun<F extends Form> extends TracingAttempt implements AttemptCall<F>, CallWatcher<F> {
  readonly attempt: Attempt;
  /** True if another attempt was faster. */
  isOutrun = false;
  readonly credential: Credential;
  readonly upstream: Upstream;
  readonly routes: Routes<F>;
  readonly operation: Operation<F>;
  readonly permit: Permit;
  readonly ask: F["ask"];
  readonly raw: RawRequest | null;
  readonly dropped: readonly string[];
  readonly lost: readonly string[];
  readonly mends: Mending | undefined;
  readonly refuses: ReadonlySet<Refusal> | undefined;
  readonly offset = 0;
  readonly client: Ending;
  readonly fresh: boolean;
  readonly totalAtMs: number;
  readonly clientLimitAtMs: number;
  readonly watcher: CallWatcher<F> = this;
  readonly #ports: AttemptPorts;
  readonly #context: RequestContext<F>;
  /** The fields that were dropped to fit the hold. */
  readonly #cut: readonly string[];
  #reported: readonly string[] = NONE;
  #usage: F["usage"] | null = null;
  #isWhole = false;
  #isWinner = false;
  /** Found out where the model has lessons, or refuses something. */
  #shape: RequestShape | undefined;

  constructor(
    ports: AttemptPorts,
    context: RequestContext<F>,
    attempt: Attempt,
    upstream: Upstream,
    permit: Permit,
    client: Ending,
    fresh: boolean,
    nowMs: number,
  ) {
    const { call, tracing } = context;
    const { operation } = call;
    const { card, credential } = attempt;
    const last4 = ports.health.key(attempt)?.last4 ?? null;
    const position = last4 === null ? findPlace(upstream, attempt) : undefined;
    const wallMs = call.created * MS_PER_SECOND + nowMs - context.startedMs;
    const isUsual = !isTimed(card) && card.unfactored === undefined;
    const priced = isUsual ? card : priceCallAt(card, credential.priceFactor ?? 1, wallMs);
    super(card, priced, last4, position, nowMs, tracing.nameSpan());
    const held = context.grant.outputTokens?.[card.id];
    const bounded = operation.bound(context.ask, card, held, call.isLimitRequired);
    const { refusals } = ports.health;
    this.attempt = attempt;
    this.credential = credential;
    this.upstream = upstream;
    this.routes = call.routes;
    this.operation = operation;
    this.permit = permit;
    this.ask = bounded.ask;
    this.raw = context.raw;
    this.dropped = call.dropped;
    this.lost = call.lost;
    this.mends = isNamed(call, card) ? call.mendsNamed : "refused";
    this.refuses = refusals.isInUse ? refusals.list(card, nowMs, context.refusals, this) : card.refuses;
    this.client = client;
    this.fresh = fresh;
    this.totalAtMs = Math.min(context.admittedMs + upstream.setup.timeouts.totalMs, call.limitAtMs);
    this.clientLimitAtMs = call.limitAtMs;
    this.#ports = ports;
    this.#context = context;
    this.#cut = bounded.dropped;
  }

  onUsage(usage: F["usage"], isWhole: boolean): void {
    this.#usage = usage;
    this.#isWhole = isWhole;
    if (this.#isWinner) this.#context.report(usage, isWhole);
  }

  /** Makes this attempt the one that answers: the request takes over its facts and the usage it has reported so far. */
  win(): void {
    const { deadlines, stickiness, health } = this.#ports;
    const nowMs = deadlines.nowMs();
    this.#isWinner = true;
    if (health.refusals.isInUse) settleAnswered(health.refusals, this, nowMs);
    this.priceId = this.#ports.priceBook?.identify(this.pricedCard);
    this.#context.recordAnswer(this.attempt, this, this.#describeSent(), nowMs);
    this.#context.dropped = this.#reported;
    if (this.#usage !== null) this.#context.report(this.#usage, this.#isWhole);
    stickiness.keep(this.#context.call.conversation, this.attempt, nowMs);
  }

  get shape(): RequestShape {
    this.#shape ??= findShape(this);
    return this.#shape;
  }

  /** Returns the request as the provider was sent it. */
  #describeSent(): SentAsk<F["ask"]> {
    const { pricedCard, calls, unreadBytes, rounds } = this;
    const ask = fitAsk(this.#context.call, this.ask, this.card, this.raw);
    return { ask, card: pricedCard, calls, unreadBytes, rounds };
  }

  /** Records the failure. Call it once. Returns the fault. */
  fail(thrown: unknown): Fault {
    const nowMs = this.#ports.deadlines.nowMs();
    const fault = toFault(thrown);
    this.permit.fail(nowMs, fault);
    this.end("failed", nowMs, fault);
    this.#recordClaim();
    return fault;
  }

  /** Ends it because another attempt was faster. Its call's `client` must be its own. */
  lose(): void {
    const nowMs = this.#ports.deadlines.nowMs();
    this.isOutrun = true;
    this.end("outrun", nowMs);
    this.#recordClaim();
    this.permit.lose(nowMs, this.ask.stream === true);
    this.client.end(new Fault("client_gone", "Another attempt was faster."));
  }

  /** The usage of a call that came to nothing is on the provider's invoice all the same. */
  #recordClaim(): void {
    const usage = this.#usage;
    if (usage !== null) this.claimed = { ...this.operation.countAmounts(usage), ...claimCost(usage.terms) };
  }

  get traceparent(): string | null {
    const { trace } = this.#context.call;
    return trace?.isPropagated && this.spanId !== null ? formatTraceparent(trace, this.spanId) : null;
  }

  recordSent(isNative: boolean, foreignThinking = 0): void {
    const { call, tracing } = this.#context;
    this.isNative = isNative;
    this.foreignThinking = foreignThinking;
    this.unreadBytes = isNative ? call.unreadBytes : 0;
    this.rounds = isNative ? call.searches + (call.fetches ?? 0) : 0;
    tracing.recordCall(this, this.#ports.deadlines.nowMs());
  }

  planMarks(codec: Codec<F>): PlannedMarks | null {
    if (codec.planMarks === undefined || this.upstream.setup.cacheMarks === "off") return null;
    const readSigns = () => new AttemptSigns(this.#ports, this.#context.call, this.card);
    return codec.planMarks(this.ask, this.card, this.upstream.setup.cacheMarks ?? DEFAULT_MARKS, readSigns);
  }

  recordMarks(marks: PlannedMarks): void {
    this.cacheMarks = marks;
  }

  retractSent(): void {
    this.calls--;
  }

  recordResponse(headers: Headers): void {
    const id = readRequestId(headers);
    if (id !== null) this.addRequestId(id);
    this.permit.recordResponse(headers, this.#ports.deadlines.nowMs());
  }

  recordDropped(fields: readonly string[]): void {
    const all = joinLists(this.#cut, fields);
    // As usual. The fields of an earlier attempt no longer count.
    this.#reported = all.length === 0 ? all : renameFields(all, this.#context.call.names);
    this.#context.dropped = this.#reported;
  }

  time<Given, Result>(work: (given: Given) => Result, given: Given): Result {
    return this.#context.call.time(work, given);
  }
}

/** Returns fields by the client's own names, each once. */
function renameFields(fields: readonly string[], names: Asking<Form>["names"] = {}): readonly string[] {
  const named = fields.map((field) => (Object.hasOwn(names, field) ? names[field] : undefined) ?? field);
  return [...new Set(named)];
}
