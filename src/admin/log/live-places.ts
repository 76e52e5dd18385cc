// The places of those who watch requests live: a few for each sender, and none of them alone can have all.
import { Fault } from "../../core/faults/fault.ts";

const PLACES = 20;
const PLACES_OF_SENDER = 3;

/** Somebody who watches. `leave` ends it. */
interface Watcher {
  readonly sender: string;
  readonly leave: () => void;
}

export class LivePlaces {
  readonly #taken = new Set<Watcher>();

  /**
   * Takes a place. If all are taken, a sender without one gets the oldest of the sender who has most. Throws the Faults
   * `too_many_parallel_requests` and `overloaded`.
   */
  take(watcher: Watcher): void {
    const own = this.#listOf(watcher.sender).length;
    if (own >= PLACES_OF_SENDER) {
      const message = `You are watching the requests ${PLACES_OF_SENDER} times already. Close one of the pages.`;
      throw new Fault("too_many_parallel_requests", message);
    }
    if (this.#taken.size >= PLACES) {
      const oldest = own === 0 ? this.#findOldestOfMost() : undefined;
      if (oldest === undefined)
        throw new Fault("overloaded", "Too many clients are already watching the requests.");
      this.#taken.delete(oldest);
      oldest.leave();
    }
    this.#taken.add(watcher);
  }

  free(watcher: Watcher): void {
    this.#taken.delete(watcher);
  }

  #listOf(sender: string): readonly Watcher[] {
    return [...this.#taken].filter((one) => one.sender === sender);
  }

  /** Undefined if nobody has more than one, so that nobody is thrown out by somebody who has as many. */
  #findOldestOfMost(): Watcher | undefined {
    const counts = [...this.#taken].map(({ sender }) => this.#listOf(sender));
    const most = counts.toSorted((one, other) => other.length - one.length)[0] ?? [];
    return most.length > 1 ? most[0] : undefined;
  }
}
