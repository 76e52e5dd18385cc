// Shows on standard error how far long work is: after a second a bar on a terminal, else a line every ten seconds.

import type { Phase, ProgressStart, Work } from "./progress-thread.ts";

const SHARED_BYTES = 3 * Int32Array.BYTES_PER_ELEMENT;
const CLEAR_LINE = "\r\x1b[K";

/** A thread of its own shows it, because SQLite's work and that of the disk stop this one. */
class ThreadProgress {
  readonly #shared = new Int32Array(new SharedArrayBuffer(SHARED_BYTES));
  readonly #thread = new Worker(new URL("./progress-thread.ts", import.meta.url), { ref: false, smol: true });

  readonly #isAnswering: boolean;

  constructor(work: Work) {
    this.#isAnswering = work.probes !== undefined;
    const isTerminal = process.stderr.isTTY === true;
    this.#thread.postMessage({ work, shared: this.#shared, isTerminal } satisfies ProgressStart);
  }

  /** Counts one part. */
  add(): void {
    Atomics.add(this.#shared, 0, 1);
  }

  /** Says from now on that other work goes on. */
  turnTo(phase: Phase): void {
    this.#thread.postMessage(phase);
  }

  #endAnswering(): Promise<void> {
    // The thread alone doesn't keep the process alive.
    const timer = setInterval(() => {}, 1000);
    const ended = new Promise<void>((resolve) => {
      this.#thread.onmessage = () => resolve();
      this.#thread.onerror = () => resolve();
    });
    this.#thread.postMessage(null);
    return ended.finally(() => clearInterval(timer));
  }

  /** Removes the bar, so that the next text begins on an empty line. */
  async end(): Promise<void> {
    Atomics.store(this.#shared, 2, 1);
    // The gateway listens next, where the thread has answered probes.
    if (this.#isAnswering) await this.#endAnswering();
    this.#thread.terminate();
    if (Atomics.load(this.#shared, 1) === 1) process.stderr.write(CLEAR_LINE);
  }
}

/** Runs the work and shows how far it is. */
export async function showProgress<Result>(
  work: Work,
  task: (progress: Pick<ThreadProgress, "add" | "turnTo">) => Promise<Result> | Result,
): Promise<Result> {
  const progress = new ThreadProgress(work);
  try {
    return await task(progress);
  } finally {
    await progress.end();
  }
}
