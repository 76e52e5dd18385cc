// The pace of lines of batches at one model with one credential: how many may be there at once, and what they leave to single
// requests of the provider's limits.
import type { LinePace } from "../core/batches/line-pace.ts";
import { Headroom } from "./headroom.ts";
import type { CredentialLimits } from "./rate.ts";

/** One more at once for this many answers. */
const ANSWERS_PER_STEP = 20;
/** A bound is lifted if the provider hasn't been busy for this long and no line is there. */
const FORGET_MS = 600_000;
/** The wait reported while as many lines as may are there: one of them may end any time. */
const FULL_MS = 1000;

type LinePlace = Pick<LinePace, "restsUntilMs" | "answeredMs">;

/** Times are on the monotonic clock. */
export class DeploymentPace implements LinePace {
  /** Those of the credential, which a reload may change. */
  limits: CredentialLimits | null = null;
  readonly headroom = new Headroom();
  #running = 0;
  /** The most that were there at once since the provider was busy. */
  #peak = 0;
  /** The most at once. Infinity until the provider was busy. */
  #most = Number.POSITIVE_INFINITY;
  #answers = 0;
  #slowedMs = Number.NEGATIVE_INFINITY;
  /** After a 429 the model rests with the credential, for as long as the provider asked. */
  readonly #place: LinePlace;

  constructor(place: LinePlace) {
    this.#place = place;
  }

  get restsUntilMs(): number {
    return this.#place.restsUntilMs;
  }

  get answeredMs(): number {
    return this.#place.answeredMs;
  }

  countRoom(nowMs: number): number {
    if (nowMs < this.#place.restsUntilMs) return 0;
    if (this.#running === 0 && nowMs - this.#slowedMs > FORGET_MS) this.#most = Number.POSITIVE_INFINITY;
    const own = this.limits?.countLines(nowMs) ?? Number.POSITIVE_INFINITY;
    return Math.max(0, Math.min(this.#most - this.#running, own, this.headroom.count(nowMs)));
  }

  /** Milliseconds until a line may go there, as far as that is known. 0 if one may. */
  waitMs(nowMs: number): number {
    return this.countRoom(nowMs) >= 1 ? 0 : FULL_MS;
  }

  begin(): void {
    this.#running++;
    this.#peak = Math.max(this.#peak, this.#running);
    this.headroom.take();
  }

  end(): void {
    this.#running--;
  }

  /**
   * The provider was too busy for a call, of a line or not: half as many lines at once from then on. Calls that were on their
   * way beside it have hit the same limit, which counts once.
   */
  slow(sentMs: number, nowMs: number): void {
    this.#answers = 0;
    if (sentMs <= this.#slowedMs) return;
    this.#slowedMs = nowMs;
    if (this.#peak > 0) this.#most = Math.max(1, Math.floor(Math.min(this.#most, this.#peak) / 2));
    this.#peak = this.#running;
  }

  answer(): void {
    if (this.#most === Number.POSITIVE_INFINITY || ++this.#answers < ANSWERS_PER_STEP) return;
    this.#answers = 0;
    this.#most++;
  }
}
