// The progress of a long task on standard error: a line every ten seconds.
import type { Io } from "../app/terminal.ts";
import { clock } from "../app/world.ts";

const EVERY_MS = 10_000;

export class Progress {
  readonly #io: Pick<Io, "err">;
  readonly #all: number;
  readonly #what: string;
  #done = 0;
  #shownAtMs = clock.monotonicMs();

  constructor(io: Pick<Io, "err">, all: number, what: string) {
    this.#io = io;
    this.#all = all;
    this.#what = what;
  }

  /** Counts one. */
  add(): void {
    this.#done++;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#shownAtMs < EVERY_MS) return;
    this.#shownAtMs = nowMs;
    this.#io.err(`poundkey: ${this.#done} of ${this.#all} ${this.#what}`);
  }
}
