// One request's life: plan → steps → admit and hold → attempt → steps → settle. Read this first.

import type { AdmissionAnswer, GrantAnswer } from "../core/demand.ts";
import type { TraceSink } from "../core/log/trace-context.ts";
import { logBug } from "../core/world/bug.ts";
import type { Log, Vault } from "../core/world/world.ts";
import type { LearningPort } from "../learning/port.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Form } from "../operations/form.ts";
import type { Ports } from "../transport/client.ts";
import { type AnswerStart, AnswerStream, type OpenedAnswer } from "./answer/answer-stream.ts";
import { bufferFlow } from "./answer/buffered.ts";
import { type ContentPorts, Contents } from "./answer/contents.ts";
import type { AnswerFlow } from "./answer/flow.ts";
import type { LearnPorts } from "./answer/learn-later.ts";
import { beginFirst } from "./attempt/attempt-run.ts";
import { Failover } from "./attempt/failover.ts";
import { type Mode, STREAMED, WHOLE } from "./attempt/mode.ts";
import type { Call } from "./call.ts";
import { NO_STEPS, RequestContext } from "./context.ts";
import { Entrance } from "./entrance.ts";
import type { RequestLife } from "./life.ts";
import { OpenRequests } from "./open-requests.ts";
import { type PlanPorts, planRequest } from "./plan/plan-request.ts";
import { Admissions } from "./settle/admissions.ts";
import { Closing } from "./settle/closing.ts";
import { Settlements } from "./settle/settlements.ts";
import type { Later, Step } from "./step.ts";
import { beginAround } from "./step-list.ts";
import { makeTicket } from "./ticket.ts";

export interface GatewayPorts extends Ports, PlanPorts, LearnPorts {
  readonly learning: Pick<LearningPort, "known" | "learn">;
  readonly ledger: Ledger;
  readonly vault: Vault;
  readonly log: Log;
  /** Takes requests whose spans are exported. Missing if none are. */
  readonly traces?: Pick<TraceSink, "finish">;
  /** If missing, prompts and answers are not stored. */
  readonly contents?: ContentPorts;
  /** Returns the steps before and around the answer to a request, in order. Missing if there are none. */
  readonly steps?: <F extends Form>(call: Call<F>) => readonly Step[];
}

export class Gateway {
  readonly #ports: GatewayPorts;
  readonly #admissions: Admissions;
  readonly #settlements: Settlements;
  readonly #contents: Contents;
  readonly #closing: Closing;
  readonly #entrance: Entrance;
  readonly underWay: OpenRequests;

  constructor(ports: GatewayPorts) {
    const { log, contents = null } = ports;
    this.#ports = ports;
    this.underWay = new OpenRequests(ports);
    this.#admissions = new Admissions(ports);
    this.#settlements = new Settlements(ports);
    this.#contents = new Contents(contents, log);
    this.#closing = new Closing({
      ...ports,
      underWay: this.underWay,
      admissions: this.#admissions,
      settlements: this.#settlements,
      contents: this.#contents,
    });
    this.#entrance = new Entrance({ ...ports, admissions: this.#admissions, closing: this.#closing });
  }

  /** For the calls of tools. */
  get life(): RequestLife {
    return {
      underWay: this.underWay,
      admissions: this.#admissions,
      entrance: this.#entrance,
      contents: this.#contents,
      closing: this.#closing,
    };
  }

  /** The number of open requests. */
  get open(): number {
    return this.underWay.size;
  }

  /** Returns the completions that may have a hold: those that are open, and those whose settlement isn't written yet. */
  listRunning(): readonly string[] {
    return [...this.underWay.listIds(), ...this.#settlements.listIds()];
  }

  /** Resolves when no request is open and everything is written, after `withinMs` at the latest. */
  waitUntilSettled(withinMs: number): Promise<void> {
    const left = () => this.open + this.#settlements.waiting + this.#contents.waiting;
    return this.underWay.waitUntil(() => left() === 0, withinMs);
  }

  /** Plans a request for `complete` or `stream`. Throws a Fault if no model can serve it. */
  begin<F extends Form>(call: Call<F>): RequestContext<F> {
    const { clock, deadlines } = this.#ports;
    const recording = call.trace?.recording;
    if (recording) recording.plannedMs = deadlines.nowMs();
    const plan = planRequest(this.#ports, call);
    const ticket = makeTicket(this.#ports, call, plan);
    return new RequestContext(call, plan, ticket, this.#contents, clock.nowMs(), deadlines.nowMs());
  }

  /** Returns the whole answer. Throws the Fault to show to the client. */
  complete<F extends Form>(context: RequestContext<F>): Promise<F["reply"]> {
    return this.#answer<F, F["reply"], F["reply"]>(context, WHOLE);
  }

  /**
   * Returns the answer as a flow of batches. The last batch holds the usage. Failover is possible until the first piece
   * of content; from then on the context's facts are final. If a client leaves early, fire the call's signal.
   */
  stream<F extends Form>(context: RequestContext<F>): AnswerFlow<readonly F["piece"][]> {
    const open = () => this.#answer<F, OpenedAnswer<F>, AnswerStart<F>>(context, STREAMED);
    const stream = new AnswerStream<F>(context, this.#closing, open);
    const isShared = context.ending !== context.call.ending;
    if (!isShared) return stream;
    return bufferFlow(stream, (thrown) => logBug(this.#ports, thrown));
  }

  /**
   * This is all that happens to the usual request, whole or up to the first part of its stream. The functions called here
   * hold everything else: the steps, waiting for a request with the same Idempotency-Key, repeating an answer, and every
   * attempt after the first.
   */
  async #answer<F extends Form, Result extends object, Answer>(
    context: RequestContext<F>,
    mode: Mode<F, Result, Answer>,
  ): Promise<Answer> {
    const ports = this.#ports;
    const { call } = context;
    let isOver = !mode.staysOpen;
    try {
      const hasSteps = this.#enter(context);
      const early = hasSteps ? await this.#passBefore(context, mode.staysOpen) : null;
      if (early !== null) return mode.show(context, early);
      const first = await this.#admit(context);
      const admitted = first.kind === "granted" ? first : await this.#entrance.admitLater(context, first);
      if (admitted.kind === "replayed")
        return mode.show(context, await this.#entrance.replay(context, admitted));
      const durable = this.#recordAdmission(context, admitted);
      const attempt = beginFirst(ports, context);
      let result: Result | null = null;
      this.underWay.rest(call);
      try {
        if (attempt !== null) result = await mode.run(ports, attempt);
        attempt?.win();
      } catch (thrown) {
        attempt?.fail(thrown);
      } finally {
        this.underWay.work(call);
      }
      result ??= await this.underWay.restUntil(call, new Failover(ports, context, mode, attempt).run());
      try {
        if (durable) await durable;
        if (hasSteps) context.around = beginAround(context);
        const handed = mode.hand(context, result);
        const answer = handed instanceof Promise ? await this.underWay.restUntil(call, handed) : handed;
        if (mode.staysOpen) return answer;
        context.settled = await this.#closing.settle(context);
        return mode.charge(context, answer);
      } catch (thrown) {
        mode.drop(result);
        throw thrown;
      }
    } catch (thrown) {
      isOver = true;
      this.#closing.fail(context, thrown);
      throw thrown;
    } finally {
      const closing = this.#leave(context, isOver);
      if (closing) await closing;
    }
  }

  /** Returns true if there are steps. */
  #enter<F extends Form>(context: RequestContext<F>): boolean {
    const { call, ending } = context;
    this.underWay.enter(ending, call.id, call);
    this.underWay.work(call);
    context.steps = this.#ports.steps?.(call) ?? NO_STEPS;
    return context.steps.length > 0;
  }

  #passBefore<F extends Form>(context: RequestContext<F>, isStreamed: boolean) {
    return this.underWay.restUntil(context.call, this.#entrance.passBefore(context, isStreamed));
  }

  #leave<F extends Form>(context: RequestContext<F>, isOver: boolean): Later<void> | null {
    this.underWay.rest(context.call);
    return isOver ? this.#closing.close(context) : null;
  }

  #admit<F extends Form>(context: RequestContext<F>): Promise<AdmissionAnswer> {
    return context.call.trace === null ? this.#admissions.admit(context.ticket) : this.#admitTraced(context);
  }

  #admitTraced<F extends Form>({ call, ticket }: RequestContext<F>): Promise<AdmissionAnswer> {
    const recording = call.trace?.recording;
    if (recording) recording.admittingMs = this.#ports.deadlines.nowMs();
    return this.#admissions.admit(ticket);
  }

  /**
   * Starts syncing while the provider works: no part of a paid answer may leave before its hold is durable. Returns null
   * if nothing is held.
   */
  #recordAdmission<F extends Form>(context: RequestContext<F>, granted: GrantAnswer): Promise<void> | null {
    const { ledger, deadlines } = this.#ports;
    context.recordAdmission(granted, deadlines.nowMs());
    return granted.place.kind === "balance" ? ledger.durable() : null;
  }
}
