// The CPU that a run may take: each mutant's tests set aside what they may need, and give back what they didn't.

/** Below this, not even a small test file is loaded. */
const LEAST_SECONDS = 2;

export class Budget {
  #left: number;
  readonly #most: number;

  /** Seconds: of all, and the most of one mutant. */
  constructor(all: number, most: number) {
    this.#left = all;
    this.#most = most;
  }

  /** Sets aside what one mutant may take, and returns it. Null if too little is left. */
  take(): number | null {
    const seconds = Math.min(this.#left, this.#most);
    if (seconds < LEAST_SECONDS) return null;
    this.#left -= seconds;
    return seconds;
  }

  /** Gives back what remains of that; less than none if it was ended a moment later. */
  giveBack(seconds: number): void {
    this.#left += seconds;
  }
}
