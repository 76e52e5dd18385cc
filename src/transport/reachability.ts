// Limits the time for connecting, which `fetch` can't: while a call waits, a connection of our own tests its host.
import { Fault } from "../core/faults/fault.ts";
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

  /** True if the URL's host accepts a connection within `timeoutMs`, or has accepted one since `sentAtMs`. */
  async isReached(url: string, sentAtMs: number, timeoutMs: number): Promise<boolean> {
    const target = new URL(url);
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

/** `connectMs` is the time that the host had. */
export function makeUnreachable(connectMs: number): Fault {
  const upstream = { cause: `timeout: no connection within ${connectMs} ms` };
  return new Fault("upstream_timeout", "The provider could not be reached in time.", {
    unsent: true,
    upstream,
  });
}
