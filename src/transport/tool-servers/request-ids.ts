// Ids of requests to tool servers, also the tokens of their progress.
import type { Random } from "../../core/world/world.ts";

const BYTES = 6;

/**
 * Counts from a random number: nodes share sessions, and a server keeps two requests of one session apart by their ids alone.
 */
export class RequestIds {
  #last: number;

  constructor(random: Random) {
    this.#last = random.bytes(BYTES).reduce((sum, byte) => sum * 256 + byte, 0);
  }

  next(): number {
    return ++this.#last;
  }
}
