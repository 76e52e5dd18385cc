// An answer that is pushed: each batch is handed over in the call that read it, and promises are made only where one waits.

/**
 * Takes a batch. Where it returns a promise, nothing more is read until that is resolved: once there is room for more, or
 * nobody wants the rest.
 */
export type Take<Batch> = (batch: Batch) => Promise<void> | null;

export interface Flow<Batch> {
  /** Hands over each batch as it comes, and resolves after the last. Called once. Throws the Fault of whatever broke it. */
  pour(take: Take<Batch>): Promise<void>;
  /** Nobody wants the rest. */
  leave(): void;
}

/** An answer whose beginning is waited for by itself. */
export interface AnswerFlow<Batch> extends Flow<Batch> {
  /**
   * Resolves with the first batch when it has come, before any is handed over; undefined: there is none. Throws the Fault of
   * an answer that has none because it failed.
   */
  begin(): Promise<Batch | undefined>;
}

/** A wait that may be shared. */
export class Pause {
  #waiting: PromiseWithResolvers<void> | null = null;

  wait(): Promise<void> {
    this.#waiting ??= Promise.withResolvers<void>();
    return this.#waiting.promise;
  }

  end(): void {
    this.#waiting?.resolve();
    this.#waiting = null;
  }
}
