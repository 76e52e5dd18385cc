// The part of a request's life before its admission: an earlier answer, a look at what is surely refused, the steps, and
// the entry of a request that ends or waits there.
import type { AdmissionAnswer, ReplayAnswer } from "../core/demand.ts";
import { Fault } from "../core/faults/fault.ts";
import type { Clock, Deadlines, Log, Vault } from "../core/world/world.ts";
import type { Ledger, Ticket } from "../ledger/ledger.ts";
import type { Outcome } from "../ledger/outcome.ts";
import { withoutUsage } from "../operations/folding.ts";
import type { Form } from "../operations/form.ts";
import type { AnswerParts } from "./attempt/mode.ts";
import type { RequestContext } from "./context.ts";
import type { ReservingPorts } from "./plan/reserving.ts";
import { type Admissions, requireStaying } from "./settle/admissions.ts";
import type { Closing } from "./settle/closing.ts";
import { openReply, showReply } from "./settle/idempotency.ts";
import type { OwnAnswer } from "./step.ts";
import { passBefore } from "./step-list.ts";
import { makeTicket } from "./ticket.ts";

/** A key isn't moved more often than this while one request is admitted. */
const MOVES_MAX = 5;

interface EntrancePorts extends ReservingPorts {
  readonly ledger: Ledger;
  readonly clock: Pick<Clock, "nowMs">;
  readonly deadlines: Deadlines;
  readonly vault: Vault;
  readonly log: Log;
  readonly admissions: Admissions;
  readonly closing: Closing;
}

interface EntryTerms {
  readonly isLooking: boolean;
  /** True if it ends there, and is settled at once. */
  readonly isAnswered: boolean;
  readonly takesPlaces?: boolean;
}

/** Such a request counts as one that a provider refuses. */
function isRefusedByHook(thrown: unknown): boolean {
  return thrown instanceof Fault && thrown.code === "content_blocked";
}

export class Entrance {
  readonly #ports: EntrancePorts;

  constructor(ports: EntrancePorts) {
    this.#ports = ports;
  }

  /**
   * Returns the answer if no provider must be asked: an earlier one to the same Idempotency-Key, or a step's own. No step
   * works on a request that is surely refused, unless all of them only look something up: then its admission decides. A
   * request that ends at a step, or waits there, enters first: it is one of its minute.
   */
  async passBefore<F extends Form>(
    context: RequestContext<F>,
    isStreamed: boolean,
  ): Promise<AnswerParts<F> | null> {
    const { call, steps } = context;
    const isLooking = call.idempotency === null && steps.every(({ isLookup }) => isLookup);
    const earlier = isLooking ? null : await this.#ports.ledger.look(context.ticket);
    if (earlier !== null) return this.replay(context, earlier);
    let entering: Promise<void> | null = null;
    const enter = () => {
      entering ??= this.#enter(context, { isLooking, isAnswered: false });
      return entering;
    };
    let own: OwnAnswer<F> | null;
    try {
      own = await passBefore(context, enter, isStreamed);
    } catch (thrown) {
      if (isRefusedByHook(thrown)) {
        context.fail(thrown);
        await (entering ?? this.#enter(context, { isLooking, isAnswered: true, takesPlaces: true }));
      } else await enter();
      throw thrown;
    }
    if (own !== null) {
      const enterAnswered = () => entering ?? this.#enter(context, { isLooking, isAnswered: true });
      return this.#showOwn(context, own, enterAnswered);
    }
    context.ticket = this.#makeTicket(context);
    return null;
  }

  /** With `isAnswered`, it is settled at once. */
  async #enter<F extends Form>(
    context: RequestContext<F>,
    { isLooking, isAnswered, takesPlaces = false }: EntryTerms,
  ): Promise<void> {
    const { ledger, deadlines } = this.#ports;
    let outcome: Outcome | null = null;
    const enter = (ticket: Ticket) => {
      outcome = isAnswered ? this.#describe(context) : null;
      return ledger.enter(ticket, { isLooking, outcome, takesPlaces });
    };
    const admitted = await this.admitLater(context, await enter(context.ticket), enter);
    if (admitted.kind !== "granted") return;
    context.recordAdmission(admitted, deadlines.nowMs());
    if (outcome && admitted.settled) this.#ports.closing.noteSettled(context, outcome, admitted.settled);
  }

  /** The row of a request that is admitted and settled in one says when that began. */
  #describe<F extends Form>(context: RequestContext<F>): Outcome {
    const nowMs = this.#ports.deadlines.nowMs();
    context.admittedMs = nowMs;
    return this.#ports.closing.describe(context, nowMs);
  }

  /** A step's own answer costs nothing. */
  async #showOwn<F extends Form>(
    context: RequestContext<F>,
    own: OwnAnswer<F>,
    enter: () => Promise<void>,
  ): Promise<AnswerParts<F>> {
    const { operation } = context.call;
    const reported = operation.readUsage(own.reply);
    const usage = reported && operation.withCost(reported, { cost: 0, charged: 0 });
    const reply = usage ? operation.withUsage(own.reply, usage) : own.reply;
    context.end(own);
    context.recorder?.takeWhole(reply);
    try {
      await enter();
    } catch (thrown) {
      context.end(null);
      throw thrown;
    }
    await this.#ports.closing.settle(context);
    return {
      reply,
      // A whole answer's client needs none, and some are only made when they are asked for.
      get pieces() {
        const { pieces = operation.unfold(withoutUsage(own.reply)) } = own;
        return usage ? [...pieces, operation.usagePiece(usage)] : pieces;
      },
    };
  }

  /**
   * A key that was moved to another account after its look-up is admitted there, but not for a line of a batch or a turn of a
   * WebSocket, which belong to the account that made them. Throws the Fault of a refusal.
   */
  async admitLater<F extends Form>(
    context: RequestContext<F>,
    first: AdmissionAnswer,
    admit = (ticket: Ticket) => this.#ports.admissions.admit(ticket),
  ) {
    const { call } = context;
    let admitted = first;
    const movesMax = call.line || call.origin.socketId ? 0 : MOVES_MAX;
    for (let moves = 0; admitted.kind === "moved" && moves < movesMax; moves++) {
      call.key = { ...call.key, accountId: admitted.accountId };
      context.ticket = this.#makeTicket(context);
      admitted = await admit(context.ticket);
    }
    const staying =
      admitted.kind === "pending" ? await this.#waitForTwin(context, admitted.id) : requireStaying(admitted);
    if (staying.kind !== "refused") return staying;
    // Its entry is undone: it was never admitted, and has no row.
    context.granted = null;
    context.selector = null;
    throw staying.fault;
  }

  /** Waits until the earlier request with the same Idempotency-Key has been answered. */
  #waitForTwin<F extends Form>(context: RequestContext<F>, id: string) {
    const { call, ending } = context;
    const again = () => {
      context.ticket = this.#makeTicket(context);
      return context.ticket;
    };
    return this.#ports.admissions.wait(id, again, [call.ending, ending], call.limitAtMs);
  }

  #makeTicket<F extends Form>({ call, plan, granted }: RequestContext<F>): Ticket {
    return makeTicket(this.#ports, call, plan, granted !== null);
  }

  async replay<F extends Form>(
    context: RequestContext<F>,
    { sealed }: ReplayAnswer,
  ): Promise<AnswerParts<F>> {
    const { vault, ledger, log } = this.#ports;
    const { operation, idempotency, requestId } = context.call;
    const { id, created, model, reply } = openReply(vault, idempotency?.replyId ?? "", sealed, operation);
    context.model = model;
    context.replayed = { id, created };
    log({ event: "replayed", request_id: requestId, id });
    const shown = showReply(operation, reply, await ledger.charged(id));
    if (shown.usage === null) return { reply };
    context.costs = shown.costs;
    context.usage = shown.usage;
    return { reply: shown.reply };
  }
}
