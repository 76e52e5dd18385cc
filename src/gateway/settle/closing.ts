// The end of a request: its settlement, its row, and what it lets go of. Each happens once, however it ended.

import type { SettlementAnswer } from "../../core/demand.ts";
import { FAULTS, toFault } from "../../core/faults/fault.ts";
import type { SpanMessages } from "../../core/log/span-messages.ts";
import { tagRecord } from "../../core/log/tags.ts";
import type { HookCost, TracedHook } from "../../core/log/trace.ts";
import type { TraceContext, TraceSink } from "../../core/log/trace-context.ts";
import { logBug } from "../../core/world/bug.ts";
import type { Deadlines, Log, Vault } from "../../core/world/world.ts";
import { makeLostOutcome, type Outcome } from "../../ledger/outcome.ts";
import { COMMIT_UNKNOWN } from "../../ledger/settle.ts";
import type { Form } from "../../operations/form.ts";
import type { Contents } from "../answer/contents.ts";
import { type LearnPorts, learnLater } from "../answer/learn-later.ts";
import type { RequestContext } from "../context.ts";
import type { OpenRequests } from "../open-requests.ts";
import type { Later } from "../step.ts";
import type { Admissions } from "./admissions.ts";
import { describeFinished } from "./finished.ts";
import { listGuardLines } from "./guard-lines.ts";
import { sealReply } from "./idempotency.ts";
import { logOddities } from "./oddities.ts";
import { makeWithheldOutcome, type Settlements } from "./settlements.ts";

interface ClosingPorts extends LearnPorts {
  readonly vault: Vault;
  readonly deadlines: Deadlines;
  readonly log: Log;
  readonly underWay: OpenRequests;
  readonly admissions: Admissions;
  readonly settlements: Settlements;
  readonly contents: Contents;
  readonly traces?: Pick<TraceSink, "finish">;
}

/** An outcome without the parts that only its settlement adds. */
type SettledOutcome = { -readonly [Name in keyof Outcome]: Outcome[Name] };

/** The longest answer of a batch's line. Its copy is deleted once the line's result is written. */
const LINE_ANSWER_BYTES_MAX = 32 * 1024 * 1024;

/** The longest that the end of a free answer waits for its row to be written. */
const PATIENCE_MS = 1000;
/** The same for a paid answer, which never ends before it is posted. */
const PATIENCE_PAID_MS = 30_000;

export class Closing {
  readonly #ports: ClosingPorts;

  constructor(ports: ClosingPorts) {
    this.#ports = ports;
  }

  fail<F extends Form>(context: RequestContext<F>, thrown: unknown): void {
    context.fail(thrown);
    if (toFault(thrown).details.outcomeUnknown !== true) return;
    // The request may have been admitted although the store's reply was lost.
    const { record } = context.outcome(this.#ports.deadlines.nowMs());
    const undone = makeLostOutcome(record, context.ticket.ask.answers);
    void this.#ports.settlements.add(context.ticket, { ...undone, note: COMMIT_UNKNOWN }, 0);
  }

  /**
   * Call this on every exit, once. Settles the request if it was admitted, however it ended. Waits for nothing if that is
   * done.
   */
  close<F extends Form>(context: RequestContext<F>): Later<void> {
    const { call, ending } = context;
    // A kept answer may have been found before the admission refused the request.
    if (call.caching && context.granted === null) call.caching.outcome = null;
    try {
      const endMs = call.trace === null ? 0 : this.#ports.deadlines.nowMs();
      const settled = context.granted === null ? null : context.settled;
      return settled === undefined ? this.#settleLast(context, endMs) : this.#finish(context, endMs, settled);
    } finally {
      context.plan.coming?.end();
      this.#ports.underWay.leave(ending, call);
      call.held.release();
    }
  }

  #settleLast<F extends Form>(context: RequestContext<F>, endMs: number): Promise<void> {
    return this.settle(context).then((settled) => this.#finish(context, endMs, settled));
  }

  #finish<F extends Form>(
    context: RequestContext<F>,
    endMs: number,
    settled: SettlementAnswer | null,
  ): Later<void> {
    const { call, around, fault, usage, record } = context;
    this.#ports.admissions.wakeTwins(call.id);
    const isStored = settled !== null;
    const told = around?.over({ fault, isStored, usage, record, finishes: context.finishes });
    if (call.guardMs) for (const line of listGuardLines(call, call.guardMs)) this.#ports.log(line);
    if (call.trace !== null) this.#finishTrace(context, call.trace, endMs, settled);
    return told instanceof Promise ? this.#tellLater(context, told) : tellEnded(context);
  }

  #tellLater<F extends Form>(context: RequestContext<F>, told: Promise<void>): Promise<void> {
    return told.then(() => tellEnded(context));
  }

  /** May be called more than once but settles only once. Resolves once the answer's charge is known, or not in time. */
  settle<F extends Form>(context: RequestContext<F>): Promise<SettlementAnswer | null> {
    context.settlement ??= this.#write(context);
    return context.settlement;
  }

  /** Returns how the request ends now, by its row, which is kept as the one to settle. */
  describe<F extends Form>(context: RequestContext<F>, nowMs: number): SettledOutcome {
    const gatewayMs = context.tracing.measureOwnMs(nowMs);
    const { produced, isDue, record, giveBack } = context.outcome(nowMs);
    context.record = record;
    const { hooks } = context.call;
    const ended = {
      produced,
      isDue,
      record,
      giveBack,
      gatewayMs,
      place: null,
      note: null,
      sealedReply: null,
    };
    return hooks === undefined ? ended : { ...ended, hookCost: sumHookCosts(hooks) };
  }

  /** Takes note of a settlement that was written with the request's entry. */
  noteSettled<F extends Form>(context: RequestContext<F>, outcome: Outcome, settled: SettlementAnswer): void {
    const { contents, settlements } = this.#ports;
    if (context.recorder) contents.keep(context.recorder, context.fault, context.steps);
    const record = tagRecord(outcome.record, context.granted?.tags);
    settlements.report({ record, gatewayMs: outcome.gatewayMs }, settled);
    context.settlement = Promise.resolve(settled);
  }

  #finishTrace<F extends Form>(
    context: RequestContext<F>,
    trace: TraceContext,
    endMs: number,
    settled: SettlementAnswer | null,
  ): void {
    if (trace.recording === null) return;
    const { traces } = this.#ports;
    const finished = describeFinished(context, trace, { endMs, settled, content: null });
    const content = this.#writeContent(context);
    if (content instanceof Promise)
      void content.then((later) => traces?.finish({ ...finished, content: later }));
    else traces?.finish({ ...finished, content });
  }

  /** Never rejects. */
  #writeContent<F extends Form>(context: RequestContext<F>): Later<SpanMessages | null> {
    const { content, attempts } = context.tracing;
    // If no provider answered, the prompt is still that of the calls that failed.
    if (attempts.length > 0) content?.takePrompt(context.call.ask);
    const fail = (thrown: unknown) => {
      logBug(this.#ports, thrown);
      return null;
    };
    try {
      const written = content?.write(context) ?? null;
      return written instanceof Promise ? written.catch(fail) : written;
    } catch (thrown) {
      return fail(thrown);
    }
  }

  /** Waits briefly for the row. Only a paid answer is held back until the store works again. */
  #write<F extends Form>(context: RequestContext<F>): Promise<SettlementAnswer | null> {
    const { ticket, grant, recorder, steps } = context;
    const { contents, deadlines, log, settlements } = this.#ports;
    if (recorder) contents.keep(recorder, context.fault, steps);
    const outcome = this.describe(context, deadlines.nowMs());
    const { traced, reasoningRemoved, moved } = outcome.record;
    const isAnswerOdd = traced?.usageImplausible || traced?.unpriced || traced?.unknownFinishes;
    const isOdd = isAnswerOdd || reasoningRemoved || moved || context.tracing.winner?.cacheMarks;
    if (isOdd) logOddities(log, context, outcome.record);
    learnLater(this.#ports, context, outcome.record);
    outcome.place = grant.place;
    outcome.sealedReply = this.#seal(context, outcome.record.modelUsed);
    if (context.call.line !== null && context.reply !== null)
      outcome.makeUnread = () => this.#describeUnread(context);
    return grant.place.kind === "balance" && outcome.produced
      ? this.#writePaid(context, outcome)
      : settlements.add(ticket, outcome, PATIENCE_MS);
  }

  /** Its line of a batch has ended without it. */
  #describeUnread<F extends Form>(context: RequestContext<F>): Outcome {
    const { record, ...ended } = context.outcome(this.#ports.deadlines.nowMs(), true);
    const { status } = FAULTS.client_gone;
    const left = { ...record, ended: "client_gone", status, faultCode: "client_gone" } as const;
    return { ...ended, record: left, place: context.grant.place, sealedReply: null };
  }

  #writePaid<F extends Form>({ call, ticket }: RequestContext<F>, outcome: Outcome) {
    const { answers } = ticket.ask;
    const makeUnanswered = () => (call.ask.stream === true ? outcome : makeWithheldOutcome(outcome, answers));
    return this.#ports.settlements.add(ticket, outcome, PATIENCE_PAID_MS, makeUnanswered);
  }

  #seal<F extends Form>({ call, reply }: RequestContext<F>, model: string | null): string | null {
    const { id, created, idempotency, operation, line } = call;
    if (reply === null || !idempotency) return null;
    const kept = { id, created, model: model ?? "", reply };
    const bytesMax = line ? LINE_ANSWER_BYTES_MAX : operation.kept.bytesMax;
    return sealReply(this.#ports.vault, idempotency.replyId, kept, bytesMax);
  }
}

function tellEnded<F extends Form>({ call, steps }: RequestContext<F>): void {
  for (const step of steps) step.ended?.(call);
}

/** Returns the price of all calls to hooks, by the model of the first. Undefined if none had one. */
function sumHookCosts(hooks: readonly TracedHook[]): HookCost | undefined {
  const costs = hooks.flatMap(({ cost }) => cost ?? []);
  const [first] = costs;
  return first && { model: first.model, nanoUsd: costs.reduce((sum, { nanoUsd }) => sum + nanoUsd, 0) };
}
