// Connecting in bounded time: `fetch` has no limit for it, so a call without an answer has its host tried beside it.
import { Fault } from "../core/fault.ts";
import type { Reach } from "../core/world.ts";
import type { Deadlines } from "./deadlines.ts";

const BELIEVED_MS = 10_000;
const ORIGINS_MAX = 1000;

/**
 * A host that takes no connections lets `fetch` wait for minutes. When half of the time for connecting has passed
 * without an answer, the rest of it is spent on a connection of our own: does that not come about, the call is given up.
 * A slow answer costs one empty connection per origin and 10 s, no more.
 */
export class Reachability {
  readonly #deadlines: Deadlines;
  readonly #reach: Reach;
  readonly #reachedAtMs = new Map<string, number>();

  constructor(deadlines: Deadlines, reach: Reach) {
    this.#deadlines = deadlines;
    this.#reach = reach;
  }

  /** Calls `onUnreachable` with the fault when the URL's host takes no connection in time; `clear()` once it answered. */
  watch(url: string, connectMs: number, onUnreachable: (fault: Fault) => void): { clear(): void } {
    let answered = false;
    const target = new URL(url);
    const deadline = this.#deadlines.watch(this.#deadlines.nowMs() + connectMs / 2, () => {
      void this.#reached(target, connectMs / 2).then((reached) => {
        if (!reached && !answered) onUnreachable(unreachable());
      });
    });
    return {
      clear: () => {
        answered = true;
        deadline.clear();
      },
    };
  }

  async #reached(target: URL, timeoutMs: number): Promise<boolean> {
    const now = this.#deadlines.nowMs();
    const before = this.#reachedAtMs.get(target.origin);
    if (before !== undefined && now - before < BELIEVED_MS) return true;
    const reached = await this.#reach(target, timeoutMs);
    if (this.#reachedAtMs.size >= ORIGINS_MAX) this.#reachedAtMs.clear();
    if (reached) this.#reachedAtMs.set(target.origin, this.#deadlines.nowMs());
    return reached;
  }
}

function unreachable(): Fault {
  return new Fault("upstream_timeout", "The provider could not be reached in time.");
}
