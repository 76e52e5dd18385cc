// Limits the time for connecting, which `fetch` can't: while a call waits, a connection of our own tests its host.
import { Fault } from "../core/fault.ts";
import type { Deadlines, Reach } from "../core/world/world.ts";

const ORIGINS_MAX = 1000;

/**
 * `fetch` waits minutes for a host that accepts no connections. After half of the connect timeout without an answer, a
 * connection of our own tests the host for the other half, and the call fails if it fails too. Calls that wait for the
 * same host share one test.
 */
export class Reachability {
  readonly #deadlines: Deadlines;
  readonly #reach: Reach;
  /** The time each origin was last reached, for calls sent before. */
  readonly #reachedAtMs = new Map<string, number>();
  readonly #trying = new Map<string, Promise<boolean>>();

  constructor(deadlines: Deadlines, reach: Reach) {
    this.#deadlines = deadlines;
    this.#reach = reach;
  }

  /**
   * Calls `onUnreachable` with the fault if the URL's host accepts no connection in time. Call `clear()` once it
   * answers.
   */
  watch(url: string, connectMs: number, onUnreachable: (fault: Fault) => void): { clear(): void } {
    let answered = false;
    const sentAtMs = this.#deadlines.nowMs();
    const deadline = this.#deadlines.watch(sentAtMs + connectMs / 2, () => {
      void this.#reached(new URL(url), sentAtMs, connectMs / 2).then((reached) => {
        if (!reached && !answered) onUnreachable(explainUnreachable(connectMs));
      });
    });
    return {
      clear: () => {
        answered = true;
        deadline.clear();
      },
    };
  }

  async #reached(target: URL, sentAtMs: number, timeoutMs: number): Promise<boolean> {
    const { origin } = target;
    if ((this.#reachedAtMs.get(origin) ?? Number.NEGATIVE_INFINITY) > sentAtMs) return true;
    const trying = this.#trying.get(origin) ?? this.#reach(target, timeoutMs);
    this.#trying.set(origin, trying);
    const reached = await trying;
    this.#trying.delete(origin);
    if (this.#reachedAtMs.size >= ORIGINS_MAX) this.#reachedAtMs.clear();
    if (reached) this.#reachedAtMs.set(origin, this.#deadlines.nowMs());
    return reached;
  }
}

function explainUnreachable(connectMs: number): Fault {
  const upstream = { cause: `timeout: no connection within ${connectMs} ms` };
  return new Fault("upstream_timeout", "The provider could not be reached in time.", {
    unsent: true,
    upstream,
  });
}
