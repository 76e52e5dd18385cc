// One request's life: plan → admit and hold → attempt → settle. Read this first.

import type { Attempt } from "../core/attempt.ts";
import type { Granted } from "../core/demand.ts";
import { Fault, toFault } from "../core/fault.ts";
import { toUsd } from "../core/money.ts";
import type { Log } from "../core/world.ts";
import { type Ledger, lostOutcome, type Outcome, type Settled, type Ticket } from "../ledger/ledger.ts";
import { unfold } from "../operations/chat/fold.ts";
import type { ChatReply, Usage } from "../operations/chat/form.ts";
import { makeOffers } from "../operations/chat/offer.ts";
import type { Part } from "../operations/chat/run.ts";
import type { Ports } from "../transport/client.ts";
import { Admissions } from "./admissions.ts";
import { AnswerStream, type Begun } from "./answer-stream.ts";
import type { Batches } from "./batches.ts";
import type { Call, Facts } from "./call.ts";
import { streamChoices, wholeChoices } from "./choices.ts";
import { type ContentPorts, type ContentRecorder, Contents } from "./contents.ts";
import { implausible } from "./counted.ts";
import { detached } from "./detached.ts";
import { failOver, type Life } from "./failover.ts";
import { Copy, openReply, sealReply, type Vault } from "./idempotency.ts";
import { type LessonPorts, Lessons } from "./lessons.ts";
import { once } from "./once.ts";
import { type OpenRequest, OpenRequests } from "./open-requests.ts";
import { opening } from "./opening.ts";
import { type PlanPorts, planned } from "./planned.ts";
import { addCharge, Settlements, withheld } from "./settlements.ts";
import { shownModel, Tally } from "./tally.ts";

export interface GatewayPorts extends Ports, PlanPorts, LessonPorts {
  readonly ledger: Ledger;
  readonly vault: Vault;
  readonly log: Log;
  /** Left out: prompts and answers are kept nowhere. */
  readonly contents?: ContentPorts;
}

/** The longest wait of a free answer's last part for its row. */
const PATIENCE_MS = 1000;
/** The longest wait of one that is paid for: its last part never leaves before it is posted. */
const PATIENCE_PAID_MS = 30_000;

/** A request from its beginning, with all that its end needs however it ends. */
interface Entered extends Omit<Life, "granted"> {
  readonly place: OpenRequest;
  /** null: its content is not kept. */
  readonly recorder: ContentRecorder | null;
  ticket: Ticket;
  settle: Answering["settle"];
}

interface Answering extends Life {
  readonly recorder: ContentRecorder | null;
  /** Resolves when the hold would survive a power failure: until then nothing of a paid answer may leave. */
  readonly durable: Promise<void>;
  /** May be called more than once, settles once; with the whole answer where it is to be kept. */
  readonly settle: (reply?: ChatReply) => Promise<Settled | null>;
}

export class Gateway {
  readonly #ports: GatewayPorts;
  readonly #admissions: Admissions;
  readonly #settlements: Settlements;
  readonly #lessons: Lessons;
  readonly #contents: Contents;
  readonly #underWay: OpenRequests;

  constructor(ports: GatewayPorts) {
    this.#ports = ports;
    this.#underWay = new OpenRequests(ports);
    this.#admissions = new Admissions(ports);
    this.#settlements = new Settlements(ports);
    this.#lessons = new Lessons(ports);
    this.#contents = new Contents(ports.contents ?? null, ports.log);
  }

  /** Requests under way. */
  get open(): number {
    return this.#underWay.size;
  }

  /** Ends the requests under way: their clients get the fault. */
  end(fault: Fault): void {
    this.#underWay.end(fault);
  }

  /** Resolves when nothing is under way and all is written down, at the latest after `withinMs`. */
  settled(withinMs: number): Promise<void> {
    const left = () => this.open + this.#settlements.waiting + this.#contents.waiting;
    return this.#underWay.until(() => left() === 0, withinMs);
  }

  /** Resolves when all that is under way now has ended, whatever has begun since; at the latest after `withinMs`. */
  ended(withinMs: number): Promise<void> {
    return this.#underWay.ended(withinMs);
  }

  /** The whole answer. Throws the Fault that the client is to see. */
  async complete(call: Call, facts: Facts): Promise<ChatReply> {
    const entered = this.#enter(call, facts);
    try {
      const admitted = await this.#admitted(entered);
      if (admitted.kind === "replayed") return await this.#kept(entered, admitted.sealed);
      return await this.#whole(this.#answering(entered, admitted));
    } catch (thrown) {
      this.#failed(entered, thrown);
      throw thrown;
    } finally {
      await this.#leave(entered);
    }
  }

  /**
   * The answer as it arrives, in batches; the last one holds the usage. The first batch comes with the first part of
   * the answer: until then other attempts may take over, and `facts` is complete with it. A client that leaves early
   * fires the call's signal.
   */
  stream(call: Call, facts: Facts): Batches<readonly Part[]> {
    const stream = new AnswerStream<Entered>({
      enter: () => this.#enter(call, facts),
      begin: (entered) => this.#begun(entered),
      failed: (entered, thrown) => this.#failed(entered, thrown),
      leave: (entered) => this.#leave(entered),
    });
    return call.idempotency === null ? stream : detached(stream);
  }

  /** `leave` follows every `enter`: however the answer ends, the request is settled once, before its last part leaves. */
  #enter(call: Call, facts: Facts): Entered {
    const { clock, deadlines } = this.#ports;
    const { attempts: plan, decision } = planned(this.#ports, call);
    const tally = new Tally(call, facts, decision, clock.nowMs(), deadlines.nowMs());
    const ending = call.idempotency === null ? call.ending : new AbortController();
    const ticket = this.#ticketOf(call, plan);
    const place = this.#underWay.enter(ending);
    const recorder = this.#contents.begin(call);
    return { call, facts, plan, tally, ending, place, recorder, ticket, settle: async () => null };
  }

  #admitted(entered: Entered): ReturnType<Admissions["admit"]> {
    const { call, plan, ending } = entered;
    const again = () => {
      entered.ticket = this.#ticketOf(call, plan);
      return entered.ticket;
    };
    const signals = [call.ending.signal, ending.signal];
    return this.#admissions.admit(entered.ticket, again, signals, call.timeoutMs);
  }

  #answering(entered: Entered, granted: Granted): Answering {
    const { call, facts, plan, tally, ending, recorder, ticket } = entered;
    facts.limits = granted.limits;
    tally.tracing.admitted(this.#ports.deadlines.nowMs());
    const settle = once((reply?: ChatReply) => {
      if (recorder) this.#contents.keep(recorder, tally.fault);
      return this.#settle(ticket, granted, call, tally, reply);
    });
    entered.settle = settle;
    return { call, facts, plan, granted, tally, ending, recorder, durable: this.#durable(granted), settle };
  }

  #failed({ ticket, tally }: Entered, thrown: unknown): void {
    tally.failed(thrown);
    if (isOutcomeUnknown(thrown)) this.#callOff(ticket, tally);
  }

  async #leave({ call, place, settle }: Entered): Promise<void> {
    this.#underWay.leave(place);
    await settle().finally(() => this.#admissions.over(call.id));
  }

  async #whole(life: Answering): Promise<ChatReply> {
    const { tally, recorder, settle, durable } = life;
    const reply = await failOver(this.#ports, life, {
      run: (attemptCall) => wholeChoices(this.#ports, attemptCall),
      drop: () => {},
    });
    await durable;
    // The answer is measured only if nobody reports its usage, or something is learned of it.
    if (!reply.usage || tally.learns) tally.saw(unfold(reply));
    const usage = tally.finished(reply.usage ?? null, reply.choices);
    recorder?.whole({ ...reply, usage });
    const settled = await settle({ ...reply, usage });
    return { ...reply, usage: addCharge(usage, settled) };
  }

  async #begun(entered: Entered): Promise<Begun> {
    const admitted = await this.#admitted(entered);
    if (admitted.kind === "replayed") {
      const first = unfold(await this.#kept(entered, admitted.sealed));
      return { first, rest: null, took: () => {}, last: async () => [] };
    }
    const life = this.#answering(entered, admitted);
    const { call, tally, recorder, settle, durable } = life;
    const { first, rest } = await failOver(this.#ports, life, {
      run: (attemptCall) => opening(streamChoices(this.#ports, attemptCall)),
      drop: (opened) => opened.rest.leave(),
    });
    const copy = call.idempotency === null ? null : new Copy();
    const took = (parts: readonly Part[]) => {
      tally.saw(parts);
      copy?.take(parts, tally.producedBytes);
      recorder?.take(parts);
    };
    const last = async (reported: Usage | null): Promise<readonly Part[]> => {
      const usage = tally.finished(reported);
      const settled = await settle(copy?.reply(usage));
      return [{ choices: [], usage: addCharge(usage, settled) }];
    };
    await durable.catch((error: unknown) => {
      rest.leave();
      throw error;
    });
    took(first);
    return { first, rest, took, last };
  }

  async #kept({ call, facts }: Entered, sealed: string): Promise<ChatReply> {
    const { vault, ledger, log } = this.#ports;
    const { id, created, model, reply } = openReply(vault, call.idempotency?.replyId ?? "", sealed);
    facts.model = model;
    facts.replayed = { id, created };
    log({ event: "replayed", request_id: call.requestId, id });
    // It was sealed before anybody knew what of its cost the balance would cover.
    const charged = await ledger.charged(id);
    const usage = reply.usage && { ...reply.usage, charged: toUsd(charged) };
    return { ...reply, ...(usage ? { usage } : {}) };
  }

  #ticketOf(call: Call, plan: readonly Attempt[]): Ticket {
    const { id, requestId, key, request, selection, idempotency } = call;
    return this.#ports.ledger.ticket({
      id,
      isNew: true,
      requestId,
      key,
      modelAsked: shownModel(request.model),
      selector: selection.kind === "selector" ? `Router#${selection.selector.name}` : null,
      stream: request.stream === true,
      answers: request.n ?? 1,
      offers: () =>
        makeOffers(
          plan.map(({ card }) => card),
          request,
          call,
        ),
      isPayable: selection.kind === "selector" || selection.card.price !== null,
      idempotency,
      nowMs: this.#ports.clock.nowMs(),
    });
  }

  /** Begins at once, beside the wait for the provider. */
  #durable({ place }: Granted): Promise<void> {
    if (place.kind !== "balance") return Promise.resolve();
    const durable = this.#ports.ledger.durable();
    // It is looked at when the answer has come, if one comes.
    durable.catch(() => {});
    return durable;
  }

  /** Waits a little for the row: only an answer that is paid for is withheld until the store can be used again. */
  async #settle(
    ticket: Ticket,
    granted: Granted,
    call: Call,
    tally: Tally,
    reply: ChatReply | undefined,
  ): Promise<Settled | null> {
    const ended = tally.outcome(this.#ports.deadlines.nowMs());
    const { record, produced } = ended;
    const isPaid = granted.place.kind === "balance";
    if (tally.implausible) this.#ports.log(implausible(record, tally.implausible));
    this.#lessons.ended(tally.seen(), { call, record, granted });
    const { id, created, idempotency } = call;
    const kept = reply && idempotency ? { id, created, model: record.modelUsed ?? "", reply } : null;
    const sealedReply = kept && idempotency ? sealReply(this.#ports.vault, idempotency.replyId, kept) : null;
    const outcome: Outcome = { ...ended, sealedReply };
    if (!isPaid || !produced) return this.#settlements.add(ticket, outcome, PATIENCE_MS);
    const unanswered = call.request.stream === true ? outcome : withheld(outcome, ticket.ask.answers);
    const settled = await this.#settlements.add(ticket, outcome, PATIENCE_PAID_MS, unanswered);
    if (settled || record.ended !== "done") return settled;
    throw new Fault("store_unavailable", "The gateway's store can't be used right now.", {
      retryAfterMs: 1000,
    });
  }

  /** A request that may have been let in without anybody knowing must not stay held. */
  #callOff(ticket: Ticket, tally: Tally): void {
    const { record } = tally.outcome(this.#ports.deadlines.nowMs());
    void this.#settlements.add(ticket, lostOutcome(record, ticket.ask.answers), 0);
  }
}

function isOutcomeUnknown(thrown: unknown): boolean {
  return toFault(thrown).details.outcomeUnknown === true;
}
