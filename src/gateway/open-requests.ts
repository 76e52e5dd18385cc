// The open requests: ending them and waiting for their end, and those for which lines of batches make way.

import type { SingleRequests } from "../core/batches/line-pace.ts";
import type { Fault } from "../core/faults/fault.ts";
import type { Ending } from "../core/world/ending.ts";
import type { Clock, Deadlines } from "../core/world/world.ts";
import type { LineMark } from "./call.ts";

const POLL_MS = 10;

/** A request, or a line of a batch. */
interface Entering {
  readonly line?: LineMark | null;
}

export class OpenRequests implements SingleRequests {
  readonly #ports: { readonly clock: Clock; readonly deadlines: Deadlines };
  /** Each with its completion's id. Keep entries small: the runtime frees a Map's old tables only after seconds. */
  readonly #all = new Map<Ending, string>();
  #lines = 0;
  entered = 0;
  working = 0;

  constructor(ports: { readonly clock: Clock; readonly deadlines: Deadlines }) {
    this.#ports = ports;
  }

  get size(): number {
    return this.#all.size;
  }

  get singles(): number {
    return this.#all.size - this.#lines;
  }

  /** Call this before its admission. */
  enter(ending: Ending, id: string, { line }: Entering): void {
    this.#all.set(ending, id);
    if (line) this.#lines++;
    else this.entered++;
  }

  leave(ending: Ending, { line }: Entering): void {
    this.#all.delete(ending);
    if (line) this.#lines--;
  }

  /** The gateway works on it from now on, until `rest`. */
  work({ line }: Entering): void {
    if (!line) this.working++;
  }

  /** It waits for others. */
  rest({ line }: Entering): void {
    if (!line) this.working--;
  }

  /** The same until the others have answered. */
  restUntil<Result>(of: Entering, answered: Promise<Result>): Promise<Result> {
    this.rest(of);
    return answered.finally(() => this.work(of));
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
