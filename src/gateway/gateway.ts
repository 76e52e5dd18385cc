// One request's life: plan → admit and hold → attempt → settle. Read this first.

import type { Granted } from "../core/demand.ts";
import { Fault, toFault } from "../core/fault.ts";
import { toUsd } from "../core/money.ts";
import type { Log } from "../core/world.ts";
import type { LearningPort } from "../learning/port.ts";
import { type Ledger, makeLostOutcome, type Outcome, type Settled, type Ticket } from "../ledger/ledger.ts";
import type { Form } from "../operations/form.ts";
import type { Ports } from "../transport/client.ts";
import { Admissions } from "./admissions.ts";
import { AnswerStream, type Opened, type OpenedAnswer, openAnswers } from "./answer-stream.ts";
import { beginFirst } from "./attempt-run.ts";
import { bufferFlow } from "./buffered.ts";
import { type Call, shortenModel } from "./call.ts";
import { completeAnswers, countPlaces } from "./calls.ts";
import { type ContentPorts, Contents } from "./contents.ts";
import { RequestContext } from "./context.ts";
import { Failover } from "./failover.ts";
import { makeOffers } from "./fitted.ts";
import type { AnswerFlow } from "./flow.ts";
import { forgetPrompt } from "./forget-prompt.ts";
import { openReply, sealReply, type Vault } from "./idempotency.ts";
import { type LearnPorts, learnLater } from "./learn-later.ts";
import { OpenRequests } from "./open-requests.ts";
import { isPayable, type Plan } from "./plan.ts";
import { type PlanPorts, planRequest } from "./plan-request.ts";
import { makeWithheldOutcome, Settlements } from "./settlements.ts";

export interface GatewayPorts extends Ports, PlanPorts, LearnPorts {
  readonly learning: Pick<LearningPort, "known" | "learn">;
  readonly ledger: Ledger;
  readonly vault: Vault;
  readonly log: Log;
  /** If missing, prompts and answers are not stored. */
  readonly contents?: ContentPorts;
}

/** The longest that the end of a free answer waits for its row to be written. */
const PATIENCE_MS = 1000;
/** The same for a paid answer, which never ends before it is posted. */
const PATIENCE_PAID_MS = 30_000;

const WHOLE = { run: completeAnswers, drop: () => {} };
const STREAMED = { run: openAnswers, drop: <F extends Form>({ rest }: OpenedAnswer<F>) => rest.leave() };

export class Gateway {
  readonly #ports: GatewayPorts;
  readonly #admissions: Admissions;
  readonly #settlements: Settlements;
  readonly #contents: Contents;
  readonly underWay: OpenRequests;

  constructor(ports: GatewayPorts) {
    this.#ports = ports;
    this.underWay = new OpenRequests(ports);
    this.#admissions = new Admissions(ports);
    this.#settlements = new Settlements(ports);
    this.#contents = new Contents(ports.contents ?? null, ports.log);
  }

  /** The number of open requests. */
  get open(): number {
    return this.underWay.size;
  }

  /** Resolves when no request is open and everything is written, after `withinMs` at the latest. */
  waitUntilSettled(withinMs: number): Promise<void> {
    const left = () => this.open + this.#settlements.waiting + this.#contents.waiting;
    return this.underWay.waitUntil(() => left() === 0, withinMs);
  }

  /** Plans a request for `complete` or `stream`. Throws a Fault if no model can serve it. */
  begin<F extends Form>(call: Call<F>): RequestContext<F> {
    const { clock, deadlines } = this.#ports;
    const plan = planRequest(this.#ports, call);
    const [ticket, recorder] = [this.#makeTicket(call, plan), this.#contents.begin(call)];
    return new RequestContext(call, plan, ticket, recorder, clock.nowMs(), deadlines.nowMs());
  }

  /**
   * Returns the whole answer. Throws the Fault to show to the client. This is all that happens to the usual request;
   * what another one needs is in the functions called here: waiting for a request with the same Idempotency-Key,
   * repeating an answer, and every attempt after the first.
   */
  async complete<F extends Form>(context: RequestContext<F>): Promise<F["reply"]> {
    const { operation } = context.call;
    const ports = this.#ports;
    this.underWay.enter(context.ending);
    try {
      const first = await this.#admissions.admit(context.ticket);
      const admitted = first.kind === "pending" ? await this.#waitForTwin(context, first.id) : first;
      if (admitted.kind === "replayed") return await this.#replay(context, admitted.sealed);
      const durable = this.#recordAdmission(context, admitted);
      const attempt = beginFirst(ports, context);
      let reply: F["reply"] | null = null;
      try {
        if (attempt !== null) reply = await completeAnswers(ports, attempt.call);
        attempt?.win();
      } catch (thrown) {
        attempt?.fail(thrown);
      }
      reply ??= await new Failover(ports, context, WHOLE, attempt).run();
      if (durable) await durable;
      const reported = operation.readUsage(reply);
      // Measuring is only needed if the provider reports no usage, or if the selectors learn from the answer.
      if (!reported || context.grader) context.measure(operation.unfold(reply));
      const usage = context.finish(reported, reply);
      const whole = operation.withUsage(reply, usage);
      context.recorder?.takeWhole(whole);
      const settled = await this.#settle(context, whole);
      return operation.withUsage(reply, withCharge(context, usage, settled));
    } catch (thrown) {
      this.#fail(context, thrown);
      await this.#settleGranted(context);
      throw thrown;
    } finally {
      this.underWay.leave(context.ending);
      context.call.held.release();
      this.#admissions.wakeTwins(context.call.id);
    }
  }

  /**
   * Returns the answer as a flow of batches. The last batch holds the usage. Failover is possible until the first piece
   * of content; from then on the context's facts are final. If a client leaves early, fire the call's signal.
   */
  stream<F extends Form>(context: RequestContext<F>): AnswerFlow<readonly F["piece"][]> {
    const { call } = context;
    const stream = new AnswerStream<F>({
      open: () => {
        this.underWay.enter(context.ending);
        return this.#openStream(context);
      },
      pass: (pieces) => context.pass(pieces),
      finish: async (reported) => {
        const usage = context.finish(reported);
        const settled = await this.#settle(context, context.copy?.reply(usage));
        return [call.operation.usagePiece(withCharge(context, usage, settled))];
      },
      fail: (thrown) => this.#fail(context, thrown),
      leave: () => {
        this.underWay.leave(context.ending);
        call.held.release();
        return this.#settleGranted(context).finally(() => this.#admissions.wakeTwins(call.id));
      },
    });
    return call.idempotency === null ? stream : bufferFlow(stream);
  }

  /** The same steps as in `complete`, up to the first piece of content. */
  async #openStream<F extends Form>(context: RequestContext<F>): Promise<Opened<F>> {
    const ports = this.#ports;
    const first = await this.#admissions.admit(context.ticket);
    const admitted = first.kind === "pending" ? await this.#waitForTwin(context, first.id) : first;
    if (admitted.kind === "replayed") {
      const reply = await this.#replay(context, admitted.sealed);
      return { first: context.call.operation.unfold(reply), rest: null };
    }
    const durable = this.#recordAdmission(context, admitted);
    const attempt = beginFirst(ports, context);
    let opened: OpenedAnswer<F> | null = null;
    try {
      if (attempt !== null) opened = await openAnswers(ports, attempt.call);
      attempt?.win();
    } catch (thrown) {
      attempt?.fail(thrown);
    }
    const answer =
      opened ?? (await new Failover<F, OpenedAnswer<F>>(ports, context, STREAMED, attempt).run());
    await durable?.catch((error: unknown) => {
      answer.rest.leave();
      throw error;
    });
    forgetPrompt(context);
    context.pass(answer.first);
    return answer;
  }

  /** Waits until the earlier request with the same Idempotency-Key has been answered. */
  #waitForTwin<F extends Form>(context: RequestContext<F>, id: string) {
    const { call, plan, ending } = context;
    const again = () => {
      context.ticket = this.#makeTicket(call, plan);
      return context.ticket;
    };
    return this.#admissions.wait(id, again, [call.ending, ending], call.timeoutMs);
  }

  /**
   * Starts syncing while the provider works: no part of a paid answer may leave before its hold is durable. Returns null
   * if nothing is held.
   */
  #recordAdmission<F extends Form>(context: RequestContext<F>, granted: Granted): Promise<void> | null {
    const { ledger, deadlines } = this.#ports;
    context.recordAdmission(granted, deadlines.nowMs());
    if (granted.place.kind !== "balance") return null;
    const durable = ledger.durable();
    // A rejection is handled once the answer arrives, if it does.
    durable.catch(() => {});
    return durable;
  }

  async #replay<F extends Form>(context: RequestContext<F>, sealed: string): Promise<F["reply"]> {
    const { vault, ledger, log } = this.#ports;
    const { operation, idempotency, requestId } = context.call;
    const { id, created, model, reply } = openReply(vault, idempotency?.replyId ?? "", sealed, operation);
    context.model = model;
    context.replayed = { id, created };
    log({ event: "replayed", request_id: requestId, id });
    // When the answer was stored, the amount that the balance would cover was not yet known.
    const charged = await ledger.charged(id);
    const usage = operation.readUsage(reply);
    return usage ? operation.withUsage(reply, operation.withCost(usage, { charged: toUsd(charged) })) : reply;
  }

  #fail<F extends Form>(context: RequestContext<F>, thrown: unknown): void {
    context.fail(thrown);
    if (toFault(thrown).details.outcomeUnknown !== true) return;
    // The request may have been admitted although the store's reply was lost.
    const { record } = context.outcome(this.#ports.deadlines.nowMs());
    void this.#settlements.add(context.ticket, makeLostOutcome(record, context.ticket.ask.answers), 0);
  }

  /** Settles a request that was admitted, however it ended. */
  #settleGranted<F extends Form>(context: RequestContext<F>): Promise<Settled | null> {
    return context.granted === null ? Promise.resolve(null) : this.#settle(context);
  }

  #makeTicket<F extends Form>(call: Call<F>, plan: Plan): Ticket {
    const { operation, surface, id, requestId, key, proof, ask, selection, idempotency } = call;
    const { offerLeast } = operation;
    const cards = plan.attempts.map(({ card }) => card);
    return this.#ports.ledger.ticket({
      id,
      isNew: true,
      requestId,
      key,
      proof,
      operation: operation.name,
      surface,
      modelAsked: shortenModel(ask.model),
      selector: selection.kind === "selector" ? `Router#${selection.selector.name}` : null,
      stream: ask.stream === true,
      answers: countPlaces(call, plan.attempts),
      offers: () => makeOffers(call, cards),
      leastOffers: offerLeast && (() => cards.map((card) => offerLeast(ask, card))),
      isPayable: isPayable(selection),
      isGroup: selection.kind === "group",
      idempotency,
      nowMs: this.#ports.clock.nowMs(),
    });
  }

  /** May be called more than once but settles only once. Pass the whole answer if it is to be kept. */
  #settle<F extends Form>(context: RequestContext<F>, reply?: F["reply"]): Promise<Settled | null> {
    context.settlement ??= this.#write(context, reply);
    return context.settlement;
  }

  /** Waits briefly for the row. Only a paid answer is held back until the store works again. */
  #write<F extends Form>(context: RequestContext<F>, reply: F["reply"] | undefined): Promise<Settled | null> {
    const { call, ticket, grant, recorder } = context;
    if (recorder) this.#contents.keep(recorder, context.fault);
    const ended = context.outcome(this.#ports.deadlines.nowMs());
    const { record, produced } = ended;
    const implausible = context.logImplausible();
    if (implausible) this.#ports.log(implausible);
    const { answers } = ticket.ask;
    learnLater(this.#ports, context, record);
    const outcome: Outcome = { ...ended, sealedReply: this.#seal(call, record.modelUsed, reply) };
    const isPaid = grant.place.kind === "balance";
    if (!isPaid || !produced) return this.#settlements.add(ticket, outcome, PATIENCE_MS);
    const makeUnanswered = () => (call.ask.stream === true ? outcome : makeWithheldOutcome(outcome, answers));
    return this.#settlements.add(ticket, outcome, PATIENCE_PAID_MS, makeUnanswered);
  }

  #seal<F extends Form>(
    { id, created, idempotency, operation }: Call<F>,
    model: string | null,
    reply: F["reply"] | undefined,
  ): string | null {
    if (!reply || !idempotency) return null;
    const kept = { id, created, model: model ?? "", reply };
    return sealReply(this.#ports.vault, idempotency.replyId, kept, operation.keptBytesMax);
  }
}

/**
 * Adds the amount charged to the usage that the client sees. Throws the Fault `store_unavailable` if a paid answer could
 * not be settled.
 */
function withCharge<F extends Form>(
  { call, grant }: RequestContext<F>,
  usage: F["usage"],
  settled: Settled | null,
): F["usage"] {
  if (settled === null && grant.place.kind === "balance")
    throw new Fault("store_unavailable", "The gateway's store is unavailable.", { retryAfterMs: 1000 });
  return call.operation.withCost(usage, { charged: toUsd(settled?.chargedNanoUsd ?? 0) });
}
