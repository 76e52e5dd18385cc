// Failover: tries the attempts of a plan in order until one answers or no other attempt could do better.

import type { Attempt } from "../core/attempt.ts";
import type { ModelCard } from "../core/card.ts";
import type { Granted } from "../core/demand.ts";
import type { RawRequest } from "../core/dialect.ts";
import { type Fault, toFault } from "../core/fault.ts";
import type { Log } from "../core/world.ts";
import type { Address } from "../health/address.ts";
import { RetirementBudget } from "../health/credential.ts";
import type { Permit } from "../health/permit.ts";
import type { Load } from "../health/rate.ts";
import type { Form } from "../operations/form.ts";
import type { Ports } from "../transport/client.ts";
import { AttemptRun, type Mode } from "./attempt-run.ts";
import type { Call } from "./call.ts";
import { countCalls } from "./calls.ts";
import type { RequestContext } from "./context.ts";
import { type Race, runRace } from "./hedge.ts";
import { CALLS_MAX } from "./plan.ts";
import type { PlanPorts } from "./plan-request.ts";
import { findRoute, type Upstream } from "./upstream.ts";

export type FailoverPorts = Ports & PlanPorts & { readonly log: Log };

/** Returns the result of the first attempt that answers. Throws the last attempt's fault if none does. */
export function runPlan<F extends Form, Result>(
  ports: FailoverPorts,
  context: RequestContext<F>,
  mode: Mode<F, Result>,
): Promise<Result> {
  return new Failover(ports, context, mode).run();
}

class Failover<F extends Form, Result> {
  readonly #ports: FailoverPorts;
  readonly #context: RequestContext<F>;
  readonly #mode: Mode<F, Result>;
  readonly #startedMs: number;
  readonly #left: Attempt[];
  readonly #spares: Attempt[];
  readonly #retirements = new RetirementBudget();
  /** Addresses that could not be connected to. */
  readonly #unreached = new Set<Address | undefined>();
  /** The number of attempts that failed before anything was sent. */
  #unsent = 0;
  /** The attempt to repeat on a new connection, or null. Only one attempt per request is repeated. */
  #again: Attempt | null = null;
  /** The client's own request, minus what a provider has refused. */
  #raw: RawRequest | null;
  /** The same request in the operation's own form. */
  #ask: F["ask"];
  /** The refusal that led to a repeated call without the refused part. Null if there was none. */
  #repaired: Fault | null = null;
  /** True if the next attempt merely replaces the last one, so it doesn't count as a retry. */
  #isReplaced = false;
  #last: Fault | null = null;
  #totalAtMs = Number.POSITIVE_INFINITY;

  constructor(ports: FailoverPorts, context: RequestContext<F>, mode: Mode<F, Result>) {
    this.#ports = ports;
    this.#context = context;
    this.#mode = mode;
    this.#startedMs = ports.deadlines.nowMs();
    this.#raw = context.call.raw;
    this.#ask = context.call.ask;
    const { grant } = context;
    const { attempts, spares } = context.plan;
    this.#left = attempts.filter(({ card }) => isPaidFor(grant, card));
    this.#spares = spares.filter(({ card }) => this.#left.some((attempt) => attempt.card === card));
  }

  async run(): Promise<Result> {
    const { attempts: plan, spares, load } = this.#context.plan;
    const { health } = this.#ports;
    if (plan[0]) health.countRequest(plan[0].card, this.#startedMs);
    for (let running = this.#next(); running; running = this.#mayGoOn() ? this.#next() : null) {
      const race = this.#makeRace(running);
      try {
        if (race === null) return this.#finish(await running.start(), running);
        const { result, winner, loser } = await runRace(race);
        if (loser) this.#logRace(winner, loser, winner === running);
        return this.#finish(result, winner);
      } catch (thrown) {
        this.#last = race === null ? running.fail(thrown) : toFault(thrown);
      }
    }
    throw this.#last ?? health.unavailable([...plan, ...spares], this.#ports.deadlines.nowMs(), load);
  }

  /** Starts the next attempt. Returns null if none is left or the retry budget is used up. */
  #next(): AttemptRun<F, Result> | null {
    const context = this.#context;
    const { call, plan } = context;
    const { health, deadlines, log } = this.#ports;
    if (context.attempts - this.#unsent >= CALLS_MAX) return null;
    for (let attempt = this.#takeNext(); attempt; attempt = this.#takeNext()) {
      const upstream = call.upstreams.get(attempt.card.provider);
      const nowMs = deadlines.nowMs();
      const load = this.#measureLoad(attempt, upstream);
      if (!upstream || this.#isHopeless(attempt) || !health.isReady(attempt, nowMs, load)) continue;
      const isRetry = context.attempts > 0 && !this.#isReplacement(attempt);
      if (isRetry && !health.mayRetry(plan.attempts[0]?.card.provider ?? "", nowMs)) {
        log({ event: "retry_refused", level: "debug", request_id: call.requestId, model: attempt.card.id });
        return null;
      }
      const permit = health.begin(attempt, nowMs, this.#retirements, load);
      if (!permit) continue;
      context.attempts++;
      context.model = attempt.card.id;
      return this.#prepare(attempt, upstream, permit, nowMs);
    }
    return null;
  }

  /** A request may take several calls, and each of them counts. */
  #measureLoad({ card }: Attempt, upstream: Upstream | undefined): Load {
    const { call, plan } = this.#context;
    const { operation, ask } = call;
    if (!upstream || !this.#ports.health.ownLimits.any) return plan.load;
    return { ...plan.load, requests: countCalls({ operation, upstream, card, ask, raw: this.#raw }) };
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

  #recordFailure(attempt: Attempt, { isKeyProbe }: Permit, fault: Fault): void {
    const { unsent = false, stale = false } = fault.details;
    this.#isReplaced = isKeyProbe || unsent || stale;
    if (unsent) {
      this.#unsent++;
      this.#unreached.add(this.#findAddress(attempt.card));
    }
    if (stale && this.#again === null) {
      this.#again = { ...attempt };
      this.#left.unshift(this.#again);
    }
    if (this.#repaired === null) this.#repair(attempt, fault);
    logAttempt(this.#ports.log, this.#context.call, attempt, fault);
  }

  /**
   * After a change of provider or credential, a conversation may contain thinking that only its maker accepts. The call
   * is repeated once without it.
   */
  #repair(attempt: Attempt, fault: Fault): void {
    const { operation, upstreams } = this.#context.call;
    const upstream = upstreams.get(attempt.card.provider);
    const raw = this.#raw;
    const route = upstream && findRoute(upstream, { operation, card: attempt.card, raw });
    if (!route) return;
    if (raw !== null && route.lane !== null) {
      const repaired = route.lane.repair?.(raw, fault) ?? null;
      if (repaired === null) return;
      this.#raw = repaired;
    } else {
      const repaired = route.codec.repair?.(this.#ask, fault) ?? null;
      if (repaired === null) return;
      this.#ask = repaired;
    }
    this.#repaired = fault;
    this.#isReplaced = true;
    this.#left.unshift(attempt);
  }

  #prepare(attempt: Attempt, upstream: Upstream, permit: Permit, nowMs: number): AttemptRun<F, Result> {
    const { deadlines, health } = this.#ports;
    const last4 = health.key(attempt)?.last4 ?? null;
    const traced = this.#context.tracing.begin(attempt.card, last4, nowMs);
    const running = new AttemptRun({
      context: this.#context,
      attempt,
      upstream,
      permit,
      traced,
      fresh: attempt === this.#again,
      raw: this.#raw,
      ask: this.#ask,
      mode: this.#mode,
      startedMs: this.#startedMs,
      nowMs: () => deadlines.nowMs(),
      onFailed: (fault) => this.#recordFailure(attempt, permit, fault),
    });
    this.#totalAtMs = running.totalAtMs;
    return running;
  }

  /** True if this model has already refused the request: it would refuse it again. */
  #isHopeless({ card }: Attempt): boolean {
    return this.#last?.row.otherModel === true && card.id === this.#context.model;
  }

  /** True if another attempt could succeed where the last one failed. */
  #mayGoOn(): boolean {
    const { call, ending } = this.#context;
    if (!this.#last || ending.reason) return false;
    const isLate = this.#ports.deadlines.nowMs() >= this.#totalAtMs;
    if (isLate) return false;
    return canRetryElsewhere(this.#last, call) || this.#last === this.#repaired;
  }

  /** Returns null if this model is not hedged. */
  #makeRace(first: AttemptRun<F, Result>): Race<AttemptRun<F, Result>, Result> | null {
    const { card } = first.attempt;
    const { health, clock, deadlines } = this.#ports;
    const known = health.card(card.id);
    if (!card.hedge || !known) return null;
    const { after } = card.hedge;
    const streamed = this.#context.call.ask.stream === true;
    const nowMs = deadlines.nowMs();
    const afterMs = "ms" in after ? after.ms : known.computeAnswerMs(after.percentile / 100, streamed, nowMs);
    if (afterMs === null) return null;
    return {
      first,
      second: () => {
        if (!known.takeHedge()) return null;
        if (this.#left.length === 0) this.#left.push(first.attempt);
        return this.#next();
      },
      onTime: (task) => clock.after(afterMs, task),
      isFinal: (error) => !canRetryElsewhere(toFault(error), this.#context.call),
    };
  }

  #logRace(winner: AttemptRun<F, Result>, loser: AttemptRun<F, Result>, isFirst: boolean): void {
    this.#ports.log({
      event: "hedged",
      level: "info",
      request_id: this.#context.call.requestId,
      model: winner.attempt.card.id,
      loser: loser.attempt.card.id,
      won: isFirst ? "first" : "second",
    });
  }

  #finish(result: Result, by: AttemptRun<F, Result>): Result {
    const { deadlines, stickiness } = this.#ports;
    const nowMs = deadlines.nowMs();
    this.#context.recordAnswer(by.attempt, by.asked, nowMs);
    by.win();
    stickiness.keep(this.#context.call.conversation, by.attempt, nowMs);
    return result;
  }
}

/** A model without a price was left out of the hold, so nobody would pay for it. */
function isPaidFor({ outputTokens }: Granted, card: ModelCard): boolean {
  return outputTokens === null || outputTokens[card.id] !== undefined;
}

function canRetryElsewhere({ row }: Fault, { selection }: Call<Form>): boolean {
  return row.elsewhere === true || (row.otherModel === true && selection.kind !== "card");
}

function logAttempt(log: Log, call: Call<Form>, attempt: Attempt, fault: Fault): void {
  log({
    event: "attempt_failed",
    level: fault.row.blame === "client" ? "debug" : "warn",
    request_id: call.requestId,
    model: attempt.card.id,
    fault: fault.code,
    upstream_status: fault.details.upstreamStatus ?? null,
    cause: describeCause(fault.details.cause),
    ...(fault.details.stale ? { stale: true } : {}),
  });
}

/** Returns the part of a cause that may be logged: the text of a system error names the host. */
function describeCause(cause: unknown): string | null {
  if (typeof cause === "string") return cause;
  if (!(cause instanceof Error)) return null;
  return "code" in cause ? String(cause.code) : cause.name;
}
