// The turns of bodies to be parsed: large ones one at a time, and no account's for long before others' requests.
import type { Clock } from "../../core/world/world.ts";

/** Bodies of this size get a turn of the loop to themselves. A shorter one is parsed in a few milliseconds. */
const LARGE_BYTES = 262_144;
/** Bodies up to this size have no turns: they take less time than their connections. */
const SMALL_BYTES = 8192;
/**
 * One long text is parsed at about this speed, the fastest of all bodies. Only what takes longer is counted. At 0.6 million
 * bytes a millisecond, others got a fifth of their requests beside an account that sends lists in strings.
 */
const USUAL_BYTES_PER_MS = 5_000_000;
/**
 * While others' requests arrive, an account's next body waits this many times as long as its last ones took beyond that:
 * the account gets a tenth of a busy loop, or a fifth with the work that isn't counted.
 */
const REST = 12;
const REST_MAX_MS = 1000;
/** Without a request of others for this long, nobody has to wait. Shorter, a blocked loop would look like a quiet one. */
const QUIET_MS = 20;
/** Others whose last request came this long before costly work are given `QUIET_MS` after it to send the next. */
const ACTIVE_MS = 200;
/** Accounts that have rested are forgotten once there are this many. */
const LANES_MAX = 1000;
/** Work in steps goes on for this long in its first turn, in which a picture of 5 MB is parsed, and in each later one. */
const FIRST_STEPS_MS = 5;
const STEPS_MS = 1;

/** One account's bodies. */
interface Lane {
  readonly waiting: (() => void)[];
  /** Until then, others' requests come first. */
  restsUntilMs: number;
}

interface Arrival {
  readonly owner: string;
  atMs: number;
}

const NOBODY: Arrival = { owner: "", atMs: Number.NEGATIVE_INFINITY };

/**
 * An account that sends bodies which are costly to parse would otherwise slow down all others: each of their requests
 * would wait for one such body at every step. This costs nothing while only one account sends requests.
 */
export class BodyTurns {
  readonly #clock: Pick<Clock, "after" | "monotonicMs">;
  readonly #lanes = new Map<string, Lane>();
  #latest: Arrival = NOBODY;
  /** The latest arrival of another owner. */
  #latestOther: Arrival = NOBODY;
  #isTurning = false;

  constructor(clock: Pick<Clock, "after" | "monotonicMs">) {
    this.#clock = clock;
  }

  /** Notes that a request of any size has arrived. */
  arrive(owner: string, nowMs: number): void {
    if (owner === this.#latest.owner) {
      this.#latest.atMs = nowMs;
      return;
    }
    this.#latestOther = this.#latest;
    this.#latest = { owner, atMs: nowMs };
  }

  /** Resolves when a body of this size may be parsed. Null if it may be at once. */
  next(owner: string, bytes: number): Promise<void> | null {
    if (bytes <= SMALL_BYTES) return null;
    if (bytes > LARGE_BYTES) return this.wait(owner);
    const lane = this.#lanes.get(owner);
    const isFree = !lane || (lane.waiting.length === 0 && !this.#isResting(owner, lane));
    return isFree ? null : this.wait(owner);
  }

  /** Resolves in a turn of the loop that no other caller gets. */
  wait(owner: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#open(owner).waiting.push(resolve);
    if (!this.#isTurning) this.#turnLater(0);
    return promise;
  }

  /** Does a part of the work on a request with a body of this size, and counts the time beyond the usual. */
  time<Given, Result>(owner: string, bytes: number, work: (given: Given) => Result, given: Given): Result {
    if (bytes <= SMALL_BYTES) return work(given);
    const startedMs = this.#clock.monotonicMs();
    try {
      return work(given);
    } finally {
      this.#rest(owner, bytes, startedMs);
    }
  }

  /** Takes the steps in as many turns as they need, and returns what they end with. */
  async takeSteps<Result>(owner: string, steps: Generator<undefined, Result>): Promise<Result> {
    const take = (forMs: number) => this.time(owner, LARGE_BYTES, () => this.#takeSome(steps, forMs), null);
    let step = take(FIRST_STEPS_MS);
    while (!step.done) {
      await this.wait(owner);
      step = take(STEPS_MS);
    }
    return step.value;
  }

  #takeSome<Result>(steps: Generator<undefined, Result>, forMs: number): IteratorResult<undefined, Result> {
    const untilMs = this.#clock.monotonicMs() + forMs;
    let step = steps.next();
    while (!step.done && this.#clock.monotonicMs() < untilMs) step = steps.next();
    return step;
  }

  #rest(owner: string, bytes: number, startedMs: number): void {
    const nowMs = this.#clock.monotonicMs();
    const costMs = nowMs - startedMs - bytes / USUAL_BYTES_PER_MS;
    if (costMs <= 0) return;
    const lane = this.#open(owner);
    const other = this.#findOther(owner);
    if (startedMs - other.atMs < ACTIVE_MS) other.atMs = nowMs;
    const untilMs = Math.max(nowMs, lane.restsUntilMs) + REST * costMs;
    lane.restsUntilMs = Math.min(untilMs, nowMs + REST_MAX_MS);
  }

  #open(owner: string): Lane {
    const found = this.#lanes.get(owner);
    if (found) return found;
    if (this.#lanes.size >= LANES_MAX) this.#forgetRested();
    const lane = { waiting: [], restsUntilMs: 0 };
    this.#lanes.set(owner, lane);
    return lane;
  }

  /** True while others' requests come first. */
  #isResting(owner: string, { restsUntilMs }: Lane): boolean {
    const nowMs = this.#clock.monotonicMs();
    return nowMs < restsUntilMs && nowMs - this.#findOther(owner).atMs < QUIET_MS;
  }

  /** Returns the latest arrival of anybody else. */
  #findOther(owner: string): Arrival {
    return this.#latest.owner === owner ? this.#latestOther : this.#latest;
  }

  #turnLater(delayMs: number): void {
    this.#isTurning = true;
    this.#clock.after(delayMs, () => this.#turn());
  }

  /** Lets the first account that doesn't rest parse a body, and puts it behind the others. */
  #turn(): void {
    this.#isTurning = false;
    const waiting = [...this.#lanes].filter(([, lane]) => lane.waiting.length > 0);
    const [owner = "", lane] = waiting.find(([name, one]) => !this.#isResting(name, one)) ?? [];
    if (lane) {
      this.#lanes.delete(owner);
      this.#lanes.set(owner, lane);
    }
    const resolve = lane?.waiting.shift();
    if (waiting.some(([, one]) => one.waiting.length > 0)) this.#turnLater(resolve ? 0 : 1);
    resolve?.();
  }

  #forgetRested(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [owner, lane] of this.#lanes)
      if (lane.waiting.length === 0 && lane.restsUntilMs <= nowMs) this.#lanes.delete(owner);
  }
}
