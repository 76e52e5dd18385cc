// Requests for the same answer at the same time: the first asks a provider, and the others wait for it.
import type { Ending } from "../../core/world/ending.ts";

/** The request that asks a provider. */
export class Flight {
  readonly #landed = Promise.withResolvers<void>();
  #waiting = 0;
  #onAlone: (() => void) | null = null;

  /** Calls back once nobody waits for the answer, at once if nobody does. */
  readonly whenAlone = (task: () => void): void => {
    if (this.#waiting === 0) task();
    else this.#onAlone = task;
  };

  land(): void {
    this.#landed.resolve();
  }

  /** Resolves once it has landed, or once `ending` has ended: that request needs it no more. */
  async wait(ending: Ending): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const leave = { end: () => resolve() };
    this.#waiting++;
    ending.tell(leave);
    try {
      await Promise.race([this.#landed.promise, promise]);
    } finally {
      ending.forget(leave);
      this.#waiting--;
      if (this.#waiting === 0) this.#onAlone?.();
    }
  }
}

export class Flights {
  readonly #all = new Map<string, Flight>();

  find(id: string): Flight | null {
    return this.#all.get(id) ?? null;
  }

  begin(id: string): Flight {
    const flight = new Flight();
    this.#all.set(id, flight);
    return flight;
  }

  end(id: string, flight: Flight): void {
    if (this.#all.get(id) === flight) this.#all.delete(id);
    flight.land();
  }
}
