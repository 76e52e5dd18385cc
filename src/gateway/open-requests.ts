// The open requests: ending them and waiting for their end.

import type { Fault } from "../core/fault.ts";
import type { Ending } from "../core/world/ending.ts";
import type { Clock, Deadlines } from "../core/world/world.ts";

const POLL_MS = 10;

export class OpenRequests {
  readonly #ports: { readonly clock: Clock; readonly deadlines: Deadlines };
  /** Each with its completion's id. Keep entries small: the runtime frees a Map's old tables only after seconds. */
  readonly #all = new Map<Ending, string>();

  constructor(ports: { readonly clock: Clock; readonly deadlines: Deadlines }) {
    this.#ports = ports;
  }

  get size(): number {
    return this.#all.size;
  }

  /** Call this before its admission. */
  enter(ending: Ending, id: string): void {
    this.#all.set(ending, id);
  }

  leave(ending: Ending): void {
    this.#all.delete(ending);
  }

  end(fault: Fault): void {
    for (const ending of this.#all.keys()) ending.end(fault);
  }

  listIds(): readonly string[] {
    return [...this.#all.values()];
  }

  /** Resolves when all requests open right now have ended, after `withinMs` at the latest. */
  waitUntilEnded(withinMs: number): Promise<void> {
    const now = [...this.#all.keys()];
    return this.waitUntil(() => now.every((ending) => !this.#all.has(ending)), withinMs);
  }

  /** Resolves when the condition holds, after `withinMs` at the latest. */
  async waitUntil(condition: () => boolean, withinMs: number): Promise<void> {
    const { clock, deadlines } = this.#ports;
    const untilMs = deadlines.nowMs() + withinMs;
    const { promise, resolve } = Promise.withResolvers<void>();
    const poll = () => {
      if (condition() || deadlines.nowMs() >= untilMs) return resolve();
      clock.after(POLL_MS, poll);
    };
    poll();
    await promise;
  }
}
