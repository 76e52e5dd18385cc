// Models of a day that are away for a while or for good, and one that takes few calls.
import { Fault } from "../../src/core/faults/fault.ts";
import type { LineCall } from "../../src/jobs/ports.ts";
import type { ManualClock } from "../harness/manual-clock.ts";

const MINUTE_MS = 60_000;
/** A tenth of the calls find that the model fails, and the others that a breaker is open. */
const TRIALS = 0.1;
const NAMES = ["well", "dead", "back", "busy"] as const;

export class DayModels {
  /** The unsent lines that were refused for good. */
  readonly ended = new Set<string>();
  readonly #chance: () => number;
  readonly #clock: ManualClock;
  readonly #awayFromMs: number;
  readonly #backAtMs: number;
  #busyUntilMs = 0;

  constructor(chance: () => number, clock: ManualClock) {
    this.#chance = chance;
    this.#clock = clock;
    this.#awayFromMs = chance() * 10_000;
    this.#backAtMs = this.#awayFromMs + chance() * 8 * MINUTE_MS;
  }

  /** Lines of the same model often stand together. */
  readonly nameModel = (at: number): string => NAMES[Math.floor(at / 20) % NAMES.length] ?? "well";

  /** Returns why no provider answers the line. Null if one does. `isAnswered` is true for a line whose answer is kept. */
  meet(line: LineCall, isAnswered: boolean): Fault | null {
    const { model } = JSON.parse(new TextDecoder().decode(line.body));
    const fault = this.#findFault(model);
    if (fault === null || (isAnswered && !line.waitsFor(fault))) return null;
    if (fault.code === "no_provider_available" && !line.waitsFor(fault)) this.ended.add(model);
    return fault;
  }

  #findFault(model: string): Fault | null {
    const nowMs = this.#clock.nowMs();
    if (model === "busy") return this.#takeTurn(nowMs);
    const isAway = nowMs >= this.#awayFromMs && (model === "dead" || nowMs < this.#backAtMs);
    if (!isAway || (model !== "dead" && model !== "back")) return null;
    if (this.#chance() < TRIALS) return new Fault("upstream_error", "It failed.", { upstreamStatus: 500 });
    return new Fault("no_provider_available", "Away.", { retryAfterMs: 1000 + this.#chance() * 30_000 });
  }

  #takeTurn(nowMs: number): Fault | null {
    if (nowMs < this.#busyUntilMs) {
      const retryAfterMs = Math.ceil(this.#busyUntilMs - nowMs);
      const sent = this.#chance() < TRIALS ? { upstreamStatus: 429 } : {};
      return new Fault("provider_busy", "Busy.", { retryAfterMs, ...sent });
    }
    this.#busyUntilMs = nowMs + 2000;
    return null;
  }
}
