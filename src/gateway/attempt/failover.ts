// Failover, from a request's second attempt on: tries the attempts of its plan in order until one answers or no other
// could do better. Also races attempts against each other.

import type { Attempt } from "../../core/attempt.ts";
import { describeFailure } from "../../core/faults/failure.ts";
import { type Fault, toFault } from "../../core/faults/fault.ts";
import { waitForPlace } from "../../core/health/place.ts";
import type { ModelCard } from "../../core/models/card.ts";
import { nameProvider } from "../../core/models/upstream.ts";
import { Ending } from "../../core/world/ending.ts";
import type { Log } from "../../core/world/world.ts";
import type { Address } from "../../health/address.ts";
import type { Form } from "../../operations/form.ts";
import type { Ports } from "../../transport/client.ts";
import type { Call } from "../call.ts";
import type { RequestContext } from "../context.ts";
import { CALLS_MAX } from "../plan/gathering.ts";
import type { PlanPorts } from "../plan/plan-request.ts";
import { type AttemptRun, beginAttempt, isPaidByHold, measureLoad } from "./attempt-run.ts";
import { CredentialWalk } from "./credential-walk.ts";
import { type Race, runRace } from "./hedge.ts";
import { LeadingFailures, mayLeadAnywhere } from "./leads-on.ts";
import { confirmMended, type MendedCall, mendOrder, recordRefusedField, stripThinking } from "./mending.ts";
import type { Mode } from "./mode.ts";
import { suggestAnother } from "./no-fallbacks.ts";

type FailoverPorts = Ports & PlanPorts & { readonly log: Log };

type AttemptMode<F extends Form, Result> = Pick<Mode<F, Result, unknown>, "run" | "drop">;

/** The most calls of a request that are repeated because of what the one before was refused for. */
const MENDS_MAX = 16;

export class Failover<F extends Form, Result> {
  readonly #ports: FailoverPorts;
  readonly #context: RequestContext<F>;
  readonly #mode: AttemptMode<F, Result>;
  readonly #left: Attempt[];
  readonly #spares: Attempt[];
  /** Addresses that could not be connected to. */
  readonly #unreached = new Set<Address | undefined>();
  readonly #failures: LeadingFailures;
  readonly #walk: CredentialWalk;
  readonly #called = new Set<string>();
  /** The number of attempts that don't count: they failed before anything was sent, or only their credential was refused. */
  #free = 0;
  /** The attempt to repeat on a new connection, or null. Only one attempt per request is repeated. */
  #again: Attempt | null = null;
  /** The refusal that led to a repeated call in another form. Null if there was none. */
  #repaired: Fault | null = null;
  /** The last call repeated in another form. Null if there was none. */
  #mended: MendedCall | null = null;
  /** The attempt whose call is to be repeated for that, as the same attempt. Null if there is none. */
  #refused: { readonly running: AttemptRun<F>; readonly words: readonly string[] } | null = null;
  /** The number of calls repeated for it. */
  #mends = 0;
  /** True once thinking that a provider didn't accept was left out. */
  #isStripped = false;
  /** True if the next attempt merely replaces the last one, so it doesn't count as a retry. */
  #isReplaced = false;
  #last: Fault | null = null;
  /** The longest context, in tokens, that was too short for the request. */
  #tooShort = 0;
  #totalAtMs = Number.POSITIVE_INFINITY;

  /** `first` is the attempt that has failed. Null if none was made. */
  constructor(
    ports: FailoverPorts,
    context: RequestContext<F>,
    mode: AttemptMode<F, Result>,
    first: AttemptRun<F> | null,
  ) {
    this.#ports = ports;
    this.#context = context;
    this.#mode = mode;
    const { grant } = context;
    const { attempts, spares } = context.plan;
    this.#failures = new LeadingFailures(context.call.selection);
    this.#walk = new CredentialWalk(ports, context.call, context.refusals.payer);
    this.#left = attempts.filter(({ card }) => isPaidByHold(grant, card));
    this.#spares = spares.filter(({ card }) => this.#left.some((attempt) => attempt.card === card));
    if (first?.fault) {
      this.#left.shift();
      this.#called.add(first.attempt.card.provider);
      this.#totalAtMs = first.totalAtMs;
      this.#recordFailure(first, first.fault);
    }
  }

  /** Returns the result of the next attempt that answers. Throws the last one's fault if none does. */
  async run(): Promise<Result> {
    try {
      return await this.#runAttempts();
    } finally {
      this.#context.refusals.settle();
    }
  }

  async #runAttempts(): Promise<Result> {
    const { refusals } = this.#context;
    const { attempts, spares, load } = this.#context.plan;
    const { health, deadlines, clock } = this.#ports;
    if (this.#last === null) await waitForPlace(clock, (nowMs) => this.#lacksPlace(nowMs));
    for (let running = this.#goOn(); running; running = this.#goOn()) {
      const race = this.#makeRace(running);
      try {
        if (race) return await this.#run(race);
        const result = await this.#mode.run(this.#ports, running);
        this.#win(running);
        return result;
      } catch (thrown) {
        if (!race) this.#fail(running, thrown);
      }
    }
    if (this.#last !== null) throw suggestAnother(this.#last, this.#context.call.selection);
    const fault = health.unavailable([...attempts, ...spares], deadlines.nowMs(), refusals.payer, load);
    const [provider, ...others] = new Set(attempts.map(({ card }) => card.provider));
    throw provider === undefined || others.length > 0 ? fault : nameProvider(fault, provider);
  }

  /** True if nothing can be called but what may have a place in a moment. */
  #lacksPlace(nowMs: number): boolean {
    const { payer } = this.#context.refusals;
    const { health } = this.#ports;
    const ready = [...this.#left, ...this.#spares].filter((attempt) =>
      health.isReady(attempt, nowMs, payer, measureLoad(this.#ports, this.#context, attempt)),
    );
    const isWaiting = ready.length > 0 && !this.#context.ending.reason;
    return isWaiting && ready.every((attempt) => health.lacksPlace(attempt, nowMs, payer));
  }

  /** Returns the next attempt, or null if no other could succeed where the last one failed. */
  #goOn(): AttemptRun<F> | null {
    if (this.#last === null) return this.#next();
    if (this.#context.ending.reason || this.#ports.deadlines.nowMs() >= this.#totalAtMs) return null;
    return this.#nextCredential() ?? this.#next();
  }

  /** Begins an attempt with another credential of the same model, if the last one's was refused. */
  #nextCredential(): AttemptRun<F> | null {
    const nowMs = this.#ports.deadlines.nowMs();
    for (const attempt of this.#walk.list(this.#left, nowMs)) {
      const running = this.#begin(attempt, nowMs);
      if (running === null) continue;
      this.#free++;
      const at = this.#left.indexOf(attempt);
      if (at >= 0) this.#left.splice(at, 1);
      return running;
    }
    return null;
  }

  /** Begins the next attempt. Returns null if none is left, or none within the retry budgets. */
  #next(): AttemptRun<F> | null {
    const context = this.#context;
    const { health, deadlines, log } = this.#ports;
    const { payer } = context.refusals;
    if (context.attempts - this.#free >= CALLS_MAX) return null;
    for (let attempt = this.#takeNext(); attempt; attempt = this.#takeNext()) {
      const nowMs = deadlines.nowMs();
      const { card } = attempt;
      const load = measureLoad(this.#ports, context, attempt);
      if (!this.#mayAsk(card) || !health.isReady(attempt, nowMs, payer, load)) continue;
      const isRetry = this.#called.has(card.provider) && !this.#isReplacement(attempt);
      if (isRetry && !health.mayRetry(card.provider, nowMs, payer)) {
        log({ event: "retry_refused", level: "debug", request_id: context.call.requestId, model: card.id });
        continue;
      }
      if (context.attempts > 0 && !this.#called.has(card.provider))
        health.countStep(card.provider, nowMs, payer);
      const running = this.#begin(attempt, nowMs);
      if (running !== null) return running;
    }
    return null;
  }

  #begin(attempt: Attempt, nowMs: number): AttemptRun<F> | null {
    // It may lose a race, and ends then before its request does.
    const client = new Ending(this.#context.ending);
    const fresh = attempt === this.#again;
    const running = beginAttempt(this.#ports, this.#context, attempt, nowMs, fresh, client);
    if (running === null) return null;
    this.#totalAtMs = running.totalAtMs;
    this.#called.add(attempt.card.provider);
    this.#join(running);
    return running;
  }

  /** A call that is repeated because its form was refused is the same attempt once more. */
  #join(repeated: AttemptRun<F>): void {
    const refused = this.#refused;
    if (refused?.running.attempt !== repeated.attempt) return;
    this.#refused = null;
    this.#context.attempts--;
    this.#context.tracing.repeat(refused.running, repeated, refused.words);
  }

  /** Takes the next attempt, preferring addresses that have not failed to connect. */
  #takeNext(): Attempt | undefined {
    if (this.#left.length === 0) {
      const spares = this.#spares.splice(0);
      this.#left.push(...spares.filter(({ card }) => !this.#unreached.has(this.#findAddress(card))));
    }
    const at = this.#left.findIndex(({ card }) => !this.#unreached.has(this.#findAddress(card)));
    return this.#left.splice(Math.max(at, 0), 1)[0];
  }

  #findAddress({ provider }: ModelCard): Address | undefined {
    return this.#ports.health.addresses.find(provider);
  }

  /** True if the attempt replaces the last one, so it doesn't need a permit to retry. */
  #isReplacement({ card }: Attempt): boolean {
    return this.#isReplaced && !this.#unreached.has(this.#findAddress(card));
  }

  #recordFailure(running: AttemptRun<F>, fault: Fault): void {
    const { attempt, permit } = running;
    const { unsent = false, stale = false } = fault.details;
    this.#last = fault;
    this.#isReplaced = permit?.isKeyProbe || unsent || stale;
    this.#walk.recordFailure(attempt, fault, this.#ports.deadlines.nowMs());
    if (unsent) {
      this.#free++;
      this.#unreached.add(this.#findAddress(attempt.card));
    }
    if (stale && this.#again === null) {
      this.#again = { ...attempt };
      this.#left.unshift(this.#again);
    }
    if (fault.code === "context_length_exceeded" && !fault.details.beyondMinute) {
      this.#tooShort = Math.max(this.#tooShort, attempt.card.contextTokensMax ?? 0);
    }
    const isMended = this.#mend(running, fault);
    const isStripped = !isMended && !this.#isStripped && stripThinking(this.#context, attempt, fault);
    if (isMended || isStripped) {
      this.#isStripped ||= isStripped;
      this.#repaired = fault;
      this.#isReplaced = true;
      this.#left.unshift(attempt);
    } else this.#failures.record(attempt.card, fault);
    logAttempt(this.#ports.log, this.#context.call, attempt, fault);
    if (fault.code === "upstream_rejected" && !isMended && !isStripped)
      recordRefusedField(this.#ports, attempt, fault);
  }

  /** Returns true if the call is repeated in another form. */
  #mend(running: AttemptRun<F>, fault: Fault): boolean {
    const mended = this.#mends < MENDS_MAX ? mendOrder(this.#ports, this.#context, running, fault) : null;
    if (mended === null) return false;
    const before = this.#mended?.card === mended.card ? this.#mended.refuses : [];
    this.#mended = { card: mended.card, refuses: [...before, ...mended.refuses] };
    this.#mends++;
    this.#refused = { running, words: mended.refuses };
    return true;
  }

  /** True if the last failure leads to this model, and it isn't known to refuse the request. */
  #mayAsk(card: ModelCard): boolean {
    const last = this.#last;
    if (last === null || last === this.#repaired) return true;
    if ((card.contextTokensMax ?? Number.POSITIVE_INFINITY) <= this.#tooShort) return false;
    return !this.#failures.isFinal(card) && this.#failures.leadsTo(last, card);
  }

  #fail(running: AttemptRun<F>, thrown: unknown): Fault {
    const fault = running.fail(thrown);
    if (!running.isOutrun) this.#recordFailure(running, fault);
    return fault;
  }

  /** Returns null if this model is not hedged. */
  #makeRace(first: AttemptRun<F>): Race<AttemptRun<F>, Result> | null {
    const { card } = first.attempt;
    const { health, clock, deadlines } = this.#ports;
    const known = health.card(card.id);
    if (!card.hedge || !known) return null;
    const { after } = card.hedge;
    const streamed = this.#context.call.ask.stream === true;
    const nowMs = deadlines.nowMs();
    const { payer } = this.#context.refusals;
    const afterMs =
      "ms" in after ? after.ms : known.computeAnswerMs(after.percentile / 100, streamed, nowMs, payer);
    if (afterMs === null) return null;
    return {
      first,
      second: () => {
        if (!known.takeHedge(payer)) return null;
        if (this.#left.length === 0) this.#left.push(first.attempt);
        return this.#next();
      },
      start: (running) => this.#mode.run(this.#ports, running),
      fail: (running, thrown) => this.#fail(running, thrown),
      end: (running) => running.lose(),
      drop: this.#mode.drop,
      onTime: (task) => clock.after(afterMs, task),
      isFinal: (error) => this.#isFinal(toFault(error)),
    };
  }

  /** True if no other model could succeed where one failed like this. */
  #isFinal(fault: Fault): boolean {
    if (mayLeadAnywhere(fault, this.#context.call.selection)) return false;
    return !this.#left.some(({ card }) => this.#failures.leadsTo(fault, card));
  }

  async #run(race: Race<AttemptRun<F>, Result>): Promise<Result> {
    const { result, winner, loser } = await runRace(race);
    if (loser)
      this.#ports.log({
        event: "hedged",
        level: "info",
        request_id: this.#context.call.requestId,
        model: winner.attempt.card.id,
        loser: loser.attempt.card.id,
        won: winner === race.first ? "first" : "second",
      });
    this.#win(winner);
    return result;
  }

  #win(winner: AttemptRun<F>): void {
    winner.win();
    confirmMended(this.#ports, winner, this.#mended);
  }
}

function logAttempt(log: Log, call: Call<Form>, attempt: Attempt, fault: Fault): void {
  const failure = describeFailure(fault);
  log({
    event: "attempt_failed",
    level: fault.row.blame === "client" ? "debug" : "warn",
    request_id: call.requestId,
    model: attempt.card.id,
    fault: fault.code,
    upstream_status: fault.details.upstreamStatus ?? null,
    upstream_code: failure.upstreamCode,
    message: failure.message,
    cause: failure.cause ?? describeCause(fault.details.cause),
    address: failure.address,
    upstream_request_id: failure.upstreamRequestId,
    ...(fault.details.stale ? { stale: true } : {}),
  });
}

/** Returns the part of a cause that may be logged: the text of a system error names the host. */
function describeCause(cause: unknown): string | null {
  if (!(cause instanceof Error)) return null;
  return "code" in cause ? String(cause.code) : cause.name;
}
