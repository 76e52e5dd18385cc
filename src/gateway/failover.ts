// Going through a plan: one attempt after the other until one answers, or fails in a way that no other would mend.

import type { Attempt } from "../core/attempt.ts";
import type { ModelCard } from "../core/card.ts";
import type { Granted } from "../core/demand.ts";
import type { RawRequest } from "../core/dialect.ts";
import { type Fault, toFault } from "../core/fault.ts";
import type { Log } from "../core/world.ts";
import type { Address } from "../health/address.ts";
import { RetirementBudget } from "../health/credential.ts";
import type { Permit } from "../health/permit.ts";
import type { Ports } from "../transport/client.ts";
import type { Call, Facts } from "./call.ts";
import { type Race, raced } from "./hedge.ts";
import { CALLS_MAX } from "./plan.ts";
import type { PlanPorts } from "./planned.ts";
import { Running, type Way } from "./running.ts";
import type { Tally } from "./tally.ts";
import type { Upstream } from "./upstream.ts";

/** A request that was let in, while it is being answered. */
export interface Life {
  readonly call: Call;
  readonly facts: Facts;
  readonly plan: readonly Attempt[];
  readonly granted: Granted;
  readonly tally: Tally;
  /** Ends its upstream calls: the client's own signal, unless the answer is finished for others too. */
  readonly ending: AbortController;
}

export type FailoverPorts = Ports & PlanPorts & { readonly log: Log };

/** Gives the result of the first attempt to answer. Throws the last one's Fault when none does. */
export function failOver<Result>(ports: FailoverPorts, life: Life, way: Way<Result>): Promise<Result> {
  return new Failover(ports, life, way).result();
}

class Failover<Result> {
  readonly #ports: FailoverPorts;
  readonly #life: Life;
  readonly #way: Way<Result>;
  readonly #startedMs: number;
  readonly #left: Attempt[];
  readonly #retirements = new RetirementBudget();
  /** Addresses where no connection came about. */
  readonly #unreached = new Set<Address | undefined>();
  /** Attempts that sent nothing. */
  #unsent = 0;
  /** To be made once more, over a new connection; only one is. */
  #again: Attempt | null = null;
  /** The client's own request, without what a provider has refused to take back. */
  #raw: RawRequest | null;
  /** The refusal after which the call is made once more without the refused part; null: there was none. */
  #mended: Fault | null = null;
  /** The last attempt came to nothing for a reason of its own: the next one replaces it. */
  #isReplaced = false;
  #last: Fault | null = null;
  #totalAtMs = Number.POSITIVE_INFINITY;

  constructor(ports: FailoverPorts, life: Life, way: Way<Result>) {
    this.#ports = ports;
    this.#life = life;
    this.#way = way;
    this.#startedMs = ports.deadlines.nowMs();
    this.#raw = life.call.raw;
    this.#left = life.plan.filter(({ card }) => isPaidFor(life.granted, card));
  }

  async result(): Promise<Result> {
    const { call, facts, plan } = this.#life;
    const { health } = this.#ports;
    if (call.selection.kind === "selector") facts.selector = `Router#${call.selection.selector.name}`;
    if (plan[0]) health.asked(plan[0].card, this.#startedMs);
    for (let running = this.#next(); running; running = this.#mayGoOn() ? this.#next() : null) {
      try {
        const race = this.#raceOf(running);
        if (race === null) return this.#won({ result: await running.run(), by: running });
        return this.#won(await this.#outcome(race, running));
      } catch (thrown) {
        this.#last = toFault(thrown);
      }
    }
    throw this.#last ?? health.unavailable(plan, this.#ports.deadlines.nowMs());
  }

  /** Starts the next attempt that may be made now; null: there is none, or trying again has used up its budget. */
  #next(): Running<Result> | null {
    const { call, facts, plan } = this.#life;
    const { health, deadlines, log } = this.#ports;
    if (facts.attempts - this.#unsent >= CALLS_MAX) return null;
    for (let attempt = this.#taken(); attempt; attempt = this.#taken()) {
      const upstream = call.upstreams.get(attempt.card.provider);
      const nowMs = deadlines.nowMs();
      if (!upstream || this.#isHopeless(attempt) || !health.isReady(attempt, nowMs)) continue;
      const isRetry = facts.attempts > 0 && !this.#isReplacement(attempt);
      if (isRetry && !health.mayRetry(plan[0]?.card.provider ?? "", nowMs)) {
        log({ event: "retry_refused", level: "debug", request_id: call.requestId, model: attempt.card.id });
        return null;
      }
      const permit = health.begin(attempt, nowMs, this.#retirements);
      if (!permit) continue;
      facts.attempts++;
      facts.model = attempt.card.id;
      return this.#running(attempt, upstream, permit);
    }
    return null;
  }

  /** The plan's next: an address that was not reached comes behind all others. */
  #taken(): Attempt | undefined {
    const at = this.#left.findIndex(({ card }) => !this.#unreached.has(this.#addressOf(card)));
    return this.#left.splice(Math.max(at, 0), 1)[0];
  }

  #addressOf({ provider }: ModelCard): Address | undefined {
    return this.#ports.health.address(provider);
  }

  /** True when it replaces the last one rather than trying again, so that no retry has to be granted for it. */
  #isReplacement({ card }: Attempt): boolean {
    return this.#isReplaced && !this.#unreached.has(this.#addressOf(card));
  }

  #failed(attempt: Attempt, { isKeyProbe }: Permit, fault: Fault): void {
    const { unsent = false, stale = false } = fault.details;
    this.#isReplaced = isKeyProbe || unsent || stale;
    if (unsent) {
      this.#unsent++;
      this.#unreached.add(this.#addressOf(attempt.card));
    }
    if (stale && this.#again === null) {
      this.#again = { ...attempt };
      this.#left.unshift(this.#again);
    }
    if (this.#mended === null) this.#mend(attempt, fault);
    logAttempt(this.#ports.log, this.#life.call, attempt, fault);
  }

  /** A conversation that changed providers holds thinking that only its maker takes back: once, the call is made without it. */
  #mend(attempt: Attempt, fault: Fault): void {
    if (this.#raw === null) return;
    const lane = this.#life.call.upstreams.get(attempt.card.provider)?.dialect.lanes?.[this.#raw.family];
    const mended = lane?.mend?.(this.#raw, fault) ?? null;
    if (mended === null) return;
    this.#raw = mended;
    this.#mended = fault;
    this.#isReplaced = true;
    this.#left.unshift(attempt);
  }

  #running(attempt: Attempt, upstream: Upstream, permit: Permit): Running<Result> {
    const { deadlines, health } = this.#ports;
    const last4 = health.key(attempt)?.last4 ?? null;
    const traced = this.#life.tally.tracing.begins(attempt.card.id, last4, deadlines.nowMs());
    const running = new Running({
      life: this.#life,
      attempt,
      upstream,
      permit,
      traced,
      fresh: attempt === this.#again,
      raw: this.#raw,
      way: this.#way,
      startedMs: this.#startedMs,
      nowMs: () => deadlines.nowMs(),
      onFailed: (fault) => this.#failed(attempt, permit, fault),
    });
    this.#totalAtMs = running.totalAtMs;
    return running;
  }

  /** True if this model has refused the request already: it would refuse it again. */
  #isHopeless({ card }: Attempt): boolean {
    return this.#last?.row.otherModel === true && card.id === this.#life.facts.model;
  }

  /** True if the plan's next attempt may succeed where the last one failed. */
  #mayGoOn(): boolean {
    const { call, ending } = this.#life;
    if (!this.#last || ending.signal.aborted) return false;
    const isLate = this.#ports.deadlines.nowMs() >= this.#totalAtMs;
    if (isLate) return false;
    return isElsewhere(this.#last, call) || this.#last === this.#mended;
  }

  async #outcome(
    race: Race<Running<Result>, Result>,
    first: Running<Result>,
  ): Promise<{ readonly result: Result; readonly by: Running<Result> }> {
    const { result, winner, loser } = await raced(race);
    if (loser) this.#tellRace(winner, loser, winner === first);
    return { result, by: winner };
  }

  /** null: this model's slow answers are waited for. */
  #raceOf(first: Running<Result>): Race<Running<Result>, Result> | null {
    const { card } = first.attempt;
    const { health, clock, deadlines } = this.#ports;
    const known = health.card(card.id);
    if (!card.hedge || !known) return null;
    const { after } = card.hedge;
    const streamed = this.#life.call.request.stream === true;
    const nowMs = deadlines.nowMs();
    const afterMs = "ms" in after ? after.ms : known.answersWithin(after.percentile / 100, streamed, nowMs);
    if (afterMs === null) return null;
    return {
      first,
      second: () => {
        if (!known.takeHedge()) return null;
        if (this.#left.length === 0) this.#left.push(first.attempt);
        return this.#next();
      },
      onTime: (task) => clock.after(afterMs, task),
      isFinal: (error) => !isElsewhere(toFault(error), this.#life.call),
    };
  }

  #tellRace(winner: Running<Result>, loser: Running<Result>, isFirst: boolean): void {
    this.#ports.log({
      event: "hedged",
      level: "info",
      request_id: this.#life.call.requestId,
      model: winner.attempt.card.id,
      loser: loser.attempt.card.id,
      won: isFirst ? "first" : "second",
    });
  }

  #won({ result, by }: { readonly result: Result; readonly by: Running<Result> }): Result {
    const { call, tally } = this.#life;
    const { deadlines, stickiness } = this.#ports;
    const { attempt } = by;
    tally.answeredBy(attempt, by.asked, deadlines.nowMs());
    by.win();
    stickiness.keep(call.conversation, attempt, deadlines.nowMs());
    return result;
  }
}

/** A card without a price was not part of what is held, so nobody would pay for it. */
function isPaidFor({ outputTokens }: Granted, card: ModelCard): boolean {
  return outputTokens === null || outputTokens[card.id] !== undefined;
}

function isElsewhere({ row }: Fault, { selection }: Call): boolean {
  return row.elsewhere === true || (row.otherModel === true && selection.kind === "selector");
}

function logAttempt(log: Log, call: Call, attempt: Attempt, fault: Fault): void {
  log({
    event: "attempt_failed",
    level: fault.row.blame === "client" ? "debug" : "warn",
    request_id: call.requestId,
    model: attempt.card.id,
    fault: fault.code,
    upstream_status: fault.details.upstreamStatus ?? null,
    cause: causeOf(fault.details.cause),
    ...(fault.details.stale ? { stale: true } : {}),
  });
}

/** The part of a cause that the log may show: a system error's text names the host. */
function causeOf(cause: unknown): string | null {
  if (typeof cause === "string") return cause;
  if (!(cause instanceof Error)) return null;
  return "code" in cause ? String(cause.code) : cause.name;
}
