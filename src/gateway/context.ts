// The state of one request, from its plan to its row in the log.

import type { Attempt } from "../core/attempt.ts";
import type { GrantAnswer, SettlementAnswer } from "../core/demand.ts";
import { Fault, toFault } from "../core/faults/fault.ts";
import { formatFindings } from "../core/log/finding.ts";
import type { EndingName, UnsettledRecord } from "../core/log/record.ts";
import { addOwners } from "../core/log/tags.ts";
import type { RawRequest } from "../core/models/dialect.ts";
import { describeRemoved, REFUSED_THINKING } from "../core/models/thinking/removed-reasoning.ts";
import type { MarkTime } from "../core/models/words/cache-marks.ts";
import { toUsd } from "../core/money/money.ts";
import { clientGone, type Ending } from "../core/world/ending.ts";
import { RequestRefusals } from "../health/credential.ts";
import type { Ticket } from "../ledger/ledger.ts";
import type { Outcome } from "../ledger/outcome.ts";
import { AnswerCollector, type ShownAnswer } from "../operations/collected.ts";
import { type Form, NONE } from "../operations/form.ts";
import type { Asking, Grader, Operation, SentAsk } from "../operations/operation.ts";
import { AnswerCount } from "./answer/answer-count.ts";
import type { ContentRecorder, Contents } from "./answer/contents.ts";
import { makeGrader } from "./answer/grading.ts";
import { openEnding } from "./answer/sharing.ts";
import { type Call, type Facts, shortenModel } from "./call.ts";
import { fitAsk } from "./plan/fitted.ts";
import { nameCause } from "./plan/home.ts";
import type { Plan } from "./plan/plan.ts";
import { findMarkup } from "./settle/bill.ts";
import { countPrompt, UNCOUNTED, type UsageCount } from "./settle/counted.ts";
import { ReplyCopy } from "./settle/idempotency.ts";
import { makeTrace } from "./settle/row-trace.ts";
import { Tracing, type TracingAttempt } from "./settle/tracing.ts";
import { findEnding, isByClient, judge } from "./settle/verdict.ts";
import type { Around, ChangedCall, OwnAnswer, Step } from "./step.ts";

export const NO_STEPS: readonly Step[] = [];

export class RequestContext<F extends Form> implements Facts, ShownAnswer<F> {
  readonly call: Call<F>;
  readonly plan: Plan;
  /** Ends the upstream calls. It is the client's own signal, unless other clients wait for the same answer. */
  readonly ending: Ending;
  readonly tracing: Tracing<F>;
  readonly refusals: RequestRefusals;
  /** Null if the content is not stored. */
  readonly recorder: ContentRecorder<F> | null;
  /** Grades the answer, which takes all of it. Null if the client named the model: nothing is learned from such answers. */
  grader: Grader<F> | null;
  /** The steps before and around the answer. A change of the configuration meanwhile doesn't change them. */
  steps: readonly Step[] = NO_STEPS;
  /** The steps around the answer. Null if there are none, or none yet. */
  around: Around<F> | null = null;
  ticket: Ticket;
  /** The client's own request, minus what a provider has refused, and the same in the operation's own form. */
  raw: RawRequest | null;
  ask: F["ask"];
  /** The client's request, if a step has changed it. */
  original: Pick<Asking<F>, "ask" | "raw"> | null = null;
  /** Null until the request is admitted. */
  granted: GrantAnswer | null = null;
  /** On the monotonic clock, 0 before. All attempts share the time from then on. */
  admittedMs = 0;
  /** Null until settlement has begun. It begins once. */
  settlement: Promise<SettlementAnswer | null> | null = null;
  /** Its result. Null if that wasn't known in time, undefined before. */
  settled: SettlementAnswer | null | undefined = undefined;
  /** The whole answer, if it is complete and may be kept for repeats. */
  reply: F["reply"] | null = null;
  /** The row that is settled. Null before. */
  record: UnsettledRecord | null = null;
  selector: Facts["selector"] = null;
  model: string | null = null;
  /** The attempt that answered. */
  attempt: Attempt | null = null;
  attempts = 0;
  dropped: readonly string[] = NONE;
  replayed: Facts["replayed"] = null;
  costs: Facts["costs"] = null;
  /** The request whose answer a step gave again. Null if none did. */
  from: NonNullable<OwnAnswer<F>["from"]> | null = null;
  /** The usage of the answer with its cost, once it is finished. */
  usage: F["usage"] | null = null;
  /** The fault that ended it. Null if it did not fail. */
  fault: Fault | null = null;
  readonly #atMs: number;
  /** When the gateway took it, on the monotonic clock. */
  readonly startedMs: number;
  readonly #count: AnswerCount<F>;
  /** The answer as it is kept for repeated requests. Null if nobody may repeat this one. */
  readonly #copy: ReplyCopy<F> | null;
  /** Null if nobody reads it. */
  #shown: AnswerCollector<F> | null = null;
  #firstTokenMs: number | null = null;
  #ended: EndingName = "client_gone";
  #isFinished = false;

  /** `atMs` is wall time, `startedMs` is on the monotonic clock. */
  constructor(
    call: Call<F>,
    plan: Plan,
    ticket: Ticket,
    contents: Pick<Contents, "begin">,
    atMs: number,
    startedMs: number,
  ) {
    const { operation, ask, idempotency } = call;
    this.call = call;
    this.raw = call.raw;
    this.ask = ask;
    this.plan = plan;
    this.ticket = ticket;
    this.refusals = new RequestRefusals(call.key);
    this.recorder = contents.begin(call, this);
    this.#atMs = atMs;
    this.startedMs = startedMs;
    this.ending = idempotency === null && call.caching === null ? call.ending : openEnding(call);
    this.tracing = new Tracing(startedMs, call, this);
    this.#count = new AnswerCount(call);
    this.grader = plan.decision === null ? null : makeGrader(call, plan);
    this.#copy = idempotency && this.#makeCopy(operation);
  }

  #makeCopy(operation: Operation<F>): ReplyCopy<F> {
    return new ReplyCopy(operation, this, () => this.#count.meter.bytes);
  }

  get shown(): AnswerCollector<F> {
    this.#shown ??= new AnswerCollector(() => this.call.operation.fold());
    return this.#shown;
  }

  /** Goes on with another request in its place, before it is admitted. The plan stays: its order is no text. */
  change(changed: ChangedCall<F>): void {
    const { call, plan } = this;
    this.original ??= { ask: call.ask, raw: call.raw };
    ({ ask: call.ask, raw: call.raw, kept: call.kept } = changed);
    call.dropped = changed.dropped ?? call.dropped;
    ({ ask: this.ask, raw: this.raw } = changed);
    this.#count.restart();
    this.grader = plan.decision === null ? null : makeGrader(call, plan);
  }

  /** The admission grant. Throws if there is none, which would be a bug. */
  get grant(): GrantAnswer {
    if (this.granted === null) throw new Error("The request was not admitted.");
    return this.granted;
  }

  /** True if a provider produced any output. */
  get #produced(): boolean {
    return this.#isFinished || this.#count.meter.hasAnswer;
  }

  /** Stores the provider's usage report. */
  report(usage: F["usage"], isWhole: boolean): void {
    this.#count.report(usage, isWhole);
  }

  recordAdmission(granted: GrantAnswer, nowMs: number): void {
    const { selection } = this.call;
    this.granted = granted;
    this.admittedMs = nowMs;
    if (selection.kind !== "selector") return;
    const { choice = null, why = null } = this.plan.decision ?? {};
    this.selector = { id: `Router#${selection.selector.name}`, choice, why: why ?? "" };
  }

  /** Sets the attempt that answers. */
  recordAnswer(attempt: Attempt, winner: TracingAttempt, sent: SentAsk<F["ask"]>, nowMs: number): void {
    this.attempt = attempt;
    this.model = attempt.card.id;
    this.#count.begin(sent);
    this.tracing.winner = winner;
    this.tracing.content?.takePrompt(sent.ask);
    this.#firstTokenMs = Math.round(nowMs - this.startedMs);
    this.tracing.answeredMs = nowMs;
  }

  get cached(): Facts["cached"] {
    return this.call.caching?.outcome ?? null;
  }

  get removedReasoning(): string | null {
    return this.tracing.winner?.isNative ? null : this.#describeRemoved();
  }

  #describeRemoved(): string | null {
    const { removed } = this.#count.meter;
    const foreign = this.tracing.winner?.foreignThinking ?? 0;
    const refused = this.raw?.[REFUSED_THINKING] ?? this.ask[REFUSED_THINKING] ?? 0;
    return removed || foreign + refused > 0 ? describeRemoved(removed ?? [], foreign, refused) : null;
  }

  get #cacheMarked(): MarkTime | null {
    const { cacheMarks = null } = this.tracing.winner ?? {};
    return cacheMarks === "resting" ? null : cacheMarks;
  }

  get times(): NonNullable<Facts["times"]> {
    return { startedMs: this.startedMs, upstreamMs: this.tracing.upstreamMs };
  }

  /** The reasons for which the answers ended, if the operation knows any. */
  get finishes(): readonly string[] {
    return this.#count.meter.finishes ?? [];
  }

  /** Adds pieces of the answer to the output count. */
  measure(pieces: readonly F["piece"][]): void {
    this.grader?.add(pieces);
    this.tracing.content?.add(pieces);
    this.#count.meter.add(pieces);
  }

  /** Counts pieces on their way to the client, if no steps had them counted before, and collects them for their readers. */
  pass(pieces: readonly F["piece"][]): void {
    if (this.around === null) this.measure(pieces);
    this.#shown?.add(pieces);
  }

  /** Marks the answer as finished. Returns its usage with the cost, but without the charge. */
  finish(reported: F["usage"] | null, reply: F["reply"] | null = null): F["usage"] {
    const { operation } = this.call;
    this.#isFinished = true;
    this.#ended = "done";
    if (reply !== null) this.#takeWhole(reply);
    const { usage, bill } = this.#count.count(reported);
    this.usage = operation.withCost(usage ?? this.#count.estimate(), { cost: toUsd(bill.costNanoUsd) });
    if (reply === null) this.reply = this.#copy?.reply(this.usage) ?? null;
    return this.usage;
  }

  /**
   * Returns the usage that the client sees, with what the settlement has charged. Throws the Fault `store_unavailable` if
   * a paid answer could not be settled.
   */
  chargeUsage(): F["usage"] {
    const { settled = null } = this;
    if (this.usage === null) throw new Error("The answer is not finished.");
    if (settled === null && this.grant.place.kind === "balance")
      throw new Fault("store_unavailable", "The gateway's store is unavailable.", { retryAfterMs: 1000 });
    const charged = settled?.chargedNanoUsd ?? 0;
    this.costs = { cost: this.#count.counted?.bill.costNanoUsd ?? 0, charged };
    return this.call.operation.withCost(this.usage, { charged: toUsd(charged) });
  }

  /** Ends it with a step's own answer, which costs nothing. With null, takes it back: the request isn't admitted. */
  end(own: OwnAnswer<F> | null): void {
    this.from = own?.from ?? null;
    this.model = own?.model ?? null;
    this.costs = own && { cost: 0, charged: 0 };
    this.#isFinished = own !== null;
    this.#ended = own === null ? "client_gone" : "done";
  }

  #takeWhole(reply: F["reply"]): void {
    this.#count.meter.takeWhole(reply);
    this.tracing.content?.takeWhole(reply);
  }

  fail(thrown: unknown): void {
    if (this.#isFinished) return;
    this.fault = toFault(thrown);
    this.#ended = findEnding(this.fault, this.attempts, this.#produced);
  }

  /**
   * Returns the cost and whether the place is given back. Only final once the request is over. `isUnread` is true for an answer
   * that comes when nobody waits for it any more: as if its client had left before the first word.
   */
  outcome(nowMs: number, isUnread = false): Omit<Outcome, "sealedReply"> {
    const fault = this.#isFinished && !isUnread ? null : (this.fault ?? clientGone());
    const { answers } = this.ticket.ask;
    const produced = this.#produced && !isUnread;
    const counted = produced ? this.#count.countProduced() : UNCOUNTED;
    const record = this.#record(nowMs, counted);
    const silentMs = this.tracing.silentMs(nowMs);
    // A hook's refusals are bounded as a provider's are.
    const isRefused = fault?.code === "content_blocked";
    switch (judge(fault, produced, this.tracing.isSent, silentMs)) {
      case "produced": {
        const isTheirs = fault === null || !isByClient(fault);
        const failed = isTheirs ? Math.max(0, answers - this.#count.meter.begun) : 0;
        const giveBack = { answers: failed, isBounded: true, beyond: null };
        return { produced, isDue: true, record, giveBack };
      }
      case "left": {
        const owed = this.#recordUnanswered(nowMs);
        const giveBack = { answers: 0, isBounded: true, beyond: null };
        return { produced, isDue: true, record: owed, giveBack };
      }
      case "refused": {
        const beyond = this.#recordUnanswered(nowMs);
        return { produced, isDue: false, record, giveBack: { answers, isBounded: true, beyond } };
      }
      case "failed":
        // A line's tries don't count: it keeps its place through all of them.
        return {
          produced,
          isDue: false,
          record,
          giveBack: { answers, isBounded: !this.call.line, beyond: null },
        };
      case "unsent":
        return { produced, isDue: false, record, giveBack: { answers, isBounded: isRefused, beyond: null } };
    }
  }

  /** Returns the row of a prompt that must be paid for although it produced no output. */
  #recordUnanswered(nowMs: number): UnsettledRecord {
    const { latest } = this.tracing;
    const { operation, markup } = this.call;
    if (latest === null) return this.#record(nowMs, UNCOUNTED);
    const { card, pricedCard, calls, unreadBytes, rounds } = latest;
    const ask = fitAsk(this.call, this.call.ask, card);
    const sent = { ask, card: pricedCard, calls, unreadBytes, rounds };
    return this.#record(nowMs, countPrompt(operation, sent, markup));
  }

  #formatFindings(): string | null {
    return this.call.guard ? formatFindings(this.call.guard) : null;
  }

  #record(nowMs: number, counted: UsageCount<F["usage"]>): UnsettledRecord {
    const { id, requestId, operation, surface, key, ask, origin } = this.call;
    const { from, plan } = this;
    const firstTokenMs = this.#firstTokenMs;
    const isWhole = this.#isFinished;
    const owners = this.granted?.tags;
    const traced = makeTrace(this, counted, this.#count, firstTokenMs, isWhole, nowMs);
    return {
      ...origin,
      id,
      requestId,
      keyId: key.id,
      accountId: key.accountId,
      atMs: this.#atMs,
      operation: operation.name,
      surface,
      modelAsked: shortenModel(ask.model),
      modelPlanned: this.ticket.ask.modelPlanned,
      modelTried: this.tracing.lastModel,
      modelUsed: this.attempt?.card.id ?? (from ? this.model : null),
      selector: this.selector?.id ?? null,
      decision: from ? null : plan.decision && JSON.stringify(plan.decision),
      trace: JSON.stringify(traced),
      traced,
      attempts: this.attempts,
      stream: ask.stream === true,
      status: this.fault ? this.fault.row.status : this.#ended === "done" ? 200 : 499,
      faultCode: this.fault?.code ?? (this.#ended === "done" ? null : "client_gone"),
      amounts: counted.bill.amounts,
      costNanoUsd: counted.bill.costNanoUsd,
      claimedNanoUsd: counted.bill.claimedNanoUsd ?? null,
      markupNanoUsd: findMarkup(counted.bill, this.call.markup),
      usageSource: counted.source,
      ended: this.#ended,
      totalMs: Math.round(nowMs - this.startedMs),
      firstTokenMs,
      mended: this.tracing.mended,
      reasoningRemoved: this.#describeRemoved(),
      cacheMarked: this.#cacheMarked,
      moved: plan.home ? nameCause(plan.home, this.attempt) : null,
      guard: this.#formatFindings(),
      cachedFrom: from?.id ?? null,
      savedNanoUsd: from?.costNanoUsd ?? 0,
      tags: owners === undefined ? origin.tags : addOwners(origin.tags, owners),
    };
  }
}
