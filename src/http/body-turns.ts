// Large bodies are parsed one in each turn of the loop: eight of 30 MB that end together would stop it for a second.
import type { Clock } from "../core/world.ts";

export class BodyTurns {
  readonly #clock: Pick<Clock, "after">;
  #last: Promise<void> = Promise.resolve();

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  /** Resolves in a turn of the loop that no other caller is given. */
  next(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    void this.#last.then(() => this.#clock.after(0, resolve));
    this.#last = promise;
    return promise;
  }
}
