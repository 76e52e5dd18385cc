// Card payments that need the operator: kept for a day, in this process, beside its lines in the log.
import type { Clock, Log } from "../core/world/world.ts";

const SHOWN_MS = 86_400_000;
const SHOWN_MAX = 20;
/** Anybody can send what isn't signed. */
const REFUSALS_EVERY_MS = 10_000;

interface PaymentTrouble {
  readonly atMs: number;
  readonly message: string;
}

export class PaymentTroubles {
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #log: Log;
  readonly #kept = new Map<string, PaymentTrouble>();
  #refusals = 0;
  #refusedAtMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, "nowMs">, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** The last one of a name is kept. */
  note(name: string, message: string): void {
    this.#kept.delete(name);
    this.#kept.set(name, { atMs: this.#clock.nowMs(), message });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > SHOWN_MAX && oldest !== undefined) this.#kept.delete(oldest);
  }

  /** Logs a refused signature, but not each of many. */
  noteRefusal(reason: string): void {
    const nowMs = this.#clock.nowMs();
    this.#refusals++;
    if (nowMs - this.#refusedAtMs < REFUSALS_EVERY_MS) return;
    this.#log({ event: "stripe.refused", level: "warn", reason, refusals: this.#refusals });
    this.#refusedAtMs = nowMs;
    this.#refusals = 0;
  }

  list(): readonly PaymentTrouble[] {
    const sinceMs = this.#clock.nowMs() - SHOWN_MS;
    return [...this.#kept.values()].filter(({ atMs }) => atMs > sinceMs);
  }
}
