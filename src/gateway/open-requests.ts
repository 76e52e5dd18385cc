// The requests under way: how each can be ended, and how their end is waited for.
import type { Ending } from "../core/ending.ts";
import type { Fault } from "../core/fault.ts";
import type { Clock, Deadlines } from "../core/world.ts";

const LOOK_MS = 10;

/** Names nothing once the request is over, for the reason that `deadlines.ts` gives. */
export interface OpenRequest {
  ending: Ending | null;
}

export interface OpenRequestPorts {
  readonly clock: Clock;
  readonly deadlines: Deadlines;
}

export class OpenRequests {
  readonly #ports: OpenRequestPorts;
  readonly #all = new Set<OpenRequest>();

  constructor(ports: OpenRequestPorts) {
    this.#ports = ports;
  }

  get size(): number {
    return this.#all.size;
  }

  enter(ending: Ending): OpenRequest {
    const request: OpenRequest = { ending };
    this.#all.add(request);
    return request;
  }

  leave(request: OpenRequest): void {
    this.#all.delete(request);
    request.ending = null;
  }

  end(fault: Fault): void {
    for (const { ending } of this.#all) ending?.end(fault);
  }

  /** Resolves when those of now have ended, whatever has begun since; at the latest after `withinMs`. */
  ended(withinMs: number): Promise<void> {
    const now = [...this.#all];
    return this.until(() => now.every(({ ending }) => ending === null), withinMs);
  }

  /** Resolves when it is so, at the latest after `withinMs`. */
  async until(isSo: () => boolean, withinMs: number): Promise<void> {
    const { clock, deadlines } = this.#ports;
    const untilMs = deadlines.nowMs() + withinMs;
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => {
      if (isSo() || deadlines.nowMs() >= untilMs) return resolve();
      clock.after(LOOK_MS, look);
    };
    look();
    await promise;
  }
}
