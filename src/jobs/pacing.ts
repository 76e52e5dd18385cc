// Pacing: how many lines may ask one model at once, after its provider has said that it is busy.

/** The wait if the provider names no time. */
const BUSY_WAIT_MS = 1000;
/** One more at once for this many answers. */
const ANSWERS_PER_STEP = 20;
/** Models that nothing was heard of for this long have no bound any more. */
const FORGET_MS = 600_000;

interface Pace {
  running: number;
  /** The most at once. Infinity until the provider was busy. */
  most: number;
  answers: number;
  untilMs: number;
  atMs: number;
}

export class Pacing {
  readonly #models = new Map<string, Pace>();

  may(model: string, nowMs: number): boolean {
    const pace = this.#models.get(model);
    return pace === undefined || (nowMs >= pace.untilMs && pace.running < pace.most);
  }

  begin(model: string, nowMs: number): void {
    const pace = this.#find(model, nowMs);
    pace.running++;
    pace.atMs = nowMs;
  }

  /** A line has ended, or another try of it. */
  end(model: string, nowMs: number): void {
    const pace = this.#find(model, nowMs);
    pace.running = Math.max(0, pace.running - 1);
    pace.atMs = nowMs;
    if (pace.running === 0 && pace.most === Number.POSITIVE_INFINITY) this.#models.delete(model);
  }

  /** Half as many at once from then on, and none before the provider's time. Those that ran beside it count once. */
  slow(model: string, retryAfterMs: number | undefined, nowMs: number): void {
    const pace = this.#find(model, nowMs);
    const isNew = nowMs >= pace.untilMs;
    pace.untilMs = Math.max(pace.untilMs, nowMs + Math.max(BUSY_WAIT_MS, retryAfterMs ?? 0));
    pace.answers = 0;
    if (!isNew) return;
    const most = Number.isFinite(pace.most) ? pace.most : Math.max(1, pace.running);
    pace.most = Math.max(1, Math.floor(most / 2));
  }

  answer(model: string): void {
    const pace = this.#models.get(model);
    if (pace === undefined || !Number.isFinite(pace.most)) return;
    pace.answers++;
    if (pace.answers < ANSWERS_PER_STEP) return;
    pace.answers = 0;
    pace.most++;
  }

  #find(model: string, nowMs: number): Pace {
    for (const [name, { running, atMs }] of this.#models)
      if (running === 0 && nowMs - atMs > FORGET_MS) this.#models.delete(name);
    return this.#models.getOrInsertComputed(model, () => ({
      running: 0,
      most: Number.POSITIVE_INFINITY,
      answers: 0,
      untilMs: 0,
      atMs: nowMs,
    }));
  }
}
