// The end of a request: its settlement, its row, and what it lets go of. Each happens once, however it ended.

import type { SettlementAnswer } from "../../core/demand.ts";
import { Fault, toFault } from "../../core/fault.ts";
import type { TraceContext, TraceSink } from "../../core/log/trace-context.ts";
import { toUsd } from "../../core/money/money.ts";
import { tagRecord } from "../../core/text/tags.ts";
import type { Deadlines, Log, Vault } from "../../core/world/world.ts";
import { makeLostOutcome, type Outcome } from "../../ledger/outcome.ts";
import { COMMIT_UNKNOWN } from "../../ledger/settle.ts";
import type { Form } from "../../operations/form.ts";
import type { Contents } from "../answer/contents.ts";
import { type LearnPorts, learnLater } from "../answer/learn-later.ts";
import type { Call } from "../call.ts";
import type { RequestContext } from "../context.ts";
import type { OpenRequests } from "../open-requests.ts";
import type { Later } from "../step.ts";
import type { Admissions } from "./admissions.ts";
import { describeFinished } from "./finished.ts";
import { sealReply } from "./idempotency.ts";
import { describeImplausible } from "./implausible.ts";
import { makeWithheldOutcome, type Settlements } from "./settlements.ts";
import { describeUnpriced } from "./unpriced.ts";

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

  /** Call this on every exit, once. Settles the request if it was admitted, however it ended. */
  close<F extends Form>(context: RequestContext<F>): Promise<void> {
    const { call, ending } = context;
    const { underWay, admissions, deadlines } = this.#ports;
    // A kept answer may have been found before the admission refused the request.
    if (call.caching && context.granted === null) call.caching.outcome = null;
    try {
      const endMs = call.trace === null ? 0 : deadlines.nowMs();
      return this.#settleGranted(context).then((settled) => {
        admissions.wakeTwins(call.id);
        const { fault, usage, record, finishes } = context;
        const told = context.around?.over({ fault, isStored: settled !== null, usage, record, finishes });
        if (call.trace !== null) this.#finishTrace(context, call.trace, endMs, settled);
        return this.#tellSteps(context, told);
      });
    } finally {
      underWay.leave(ending);
      call.held.release();
    }
  }

  /** Not async: without steps, or if none waits for anything, it costs nothing. */
  #tellSteps<F extends Form>({ call, steps }: RequestContext<F>, told: Later<void>): Later<void> {
    if (told instanceof Promise) return told.then(() => tellEnded(call, steps));
    tellEnded(call, steps);
  }

  /** May be called more than once but settles only once. Pass the whole answer if it is to be kept. */
  settle<F extends Form>(context: RequestContext<F>, reply?: F["reply"]): Promise<SettlementAnswer | null> {
    context.settlement ??= this.#write(context, reply);
    return context.settlement;
  }

  /** Returns how the request ends now, by its row, which is kept as the one to settle. */
  describe<F extends Form>(context: RequestContext<F>, nowMs: number): Outcome {
    const gatewayMs = context.tracing.measureOwnMs(nowMs);
    const { produced, isDue, record, giveBack } = context.outcome(nowMs);
    context.record = record;
    return { produced, isDue, record, giveBack, gatewayMs, sealedReply: null };
  }

  /** Takes note of a settlement that was written with the request's entry. */
  noteSettled<F extends Form>(context: RequestContext<F>, outcome: Outcome, settled: SettlementAnswer): void {
    const { contents, settlements } = this.#ports;
    if (context.recorder) contents.keep(context.recorder, context.fault);
    const record = tagRecord(outcome.record, context.granted?.tags);
    settlements.report({ record, gatewayMs: outcome.gatewayMs }, settled);
    context.settlement = Promise.resolve(settled);
  }

  /** Settles the finished answer and returns its usage with the charge. */
  charge<F extends Form>(
    context: RequestContext<F>,
    usage: F["usage"],
    reply: F["reply"] | undefined,
  ): Promise<F["usage"]> {
    return this.settle(context, reply).then((settled) => withCharge(context, usage, settled));
  }

  #finishTrace<F extends Form>(
    context: RequestContext<F>,
    trace: TraceContext,
    endMs: number,
    settled: SettlementAnswer | null,
  ): void {
    if (trace.recording !== null)
      this.#ports.traces?.finish(describeFinished(context, trace, endMs, settled));
  }

  #settleGranted<F extends Form>(context: RequestContext<F>): Promise<SettlementAnswer | null> {
    return context.granted === null ? Promise.resolve(null) : this.settle(context);
  }

  /** Waits briefly for the row. Only a paid answer is held back until the store works again. */
  #write<F extends Form>(
    context: RequestContext<F>,
    reply: F["reply"] | undefined,
  ): Promise<SettlementAnswer | null> {
    const { call, ticket, grant, recorder } = context;
    const { contents, deadlines, log, settlements } = this.#ports;
    if (recorder) contents.keep(recorder, context.fault);
    const ended = this.describe(context, deadlines.nowMs());
    const { record, produced } = ended;
    const implausible = describeImplausible(context);
    if (implausible) log(implausible);
    if (record.traced?.unpriced)
      for (const line of describeUnpriced(context, record.traced.unpriced)) log(line);
    const { answers } = ticket.ask;
    learnLater(this.#ports, context, record);
    const { place } = grant;
    const outcome = { ...ended, place, sealedReply: this.#seal(call, record.modelUsed, reply) };
    const isPaid = place.kind === "balance";
    if (!isPaid || !produced) return settlements.add(ticket, outcome, PATIENCE_MS);
    const makeUnanswered = () => (call.ask.stream === true ? outcome : makeWithheldOutcome(outcome, answers));
    return settlements.add(ticket, outcome, PATIENCE_PAID_MS, makeUnanswered);
  }

  #seal<F extends Form>(
    { id, created, idempotency, operation }: Call<F>,
    model: string | null,
    reply: F["reply"] | undefined,
  ): string | null {
    if (!reply || !idempotency) return null;
    const kept = { id, created, model: model ?? "", reply };
    return sealReply(this.#ports.vault, idempotency.replyId, kept, operation.kept.bytesMax);
  }
}

function tellEnded<F extends Form>(call: Call<F>, steps: RequestContext<F>["steps"]): void {
  for (const step of steps) step.ended?.(call);
}

/**
 * Adds the amount charged to the usage that the client sees. Throws the Fault `store_unavailable` if a paid answer could
 * not be settled.
 */
function withCharge<F extends Form>(
  context: RequestContext<F>,
  usage: F["usage"],
  settled: SettlementAnswer | null,
): F["usage"] {
  const { call, grant } = context;
  if (settled === null && grant.place.kind === "balance")
    throw new Fault("store_unavailable", "The gateway's store is unavailable.", { retryAfterMs: 1000 });
  const charged = settled?.chargedNanoUsd ?? 0;
  context.costs = { cost: context.costNanoUsd, charged };
  return call.operation.withCost(usage, { charged: toUsd(charged) });
}
