// Pushed answers: each batch is handled in the call that read it, and promises are only created to wait.

/**
 * Takes a batch. If it returns a promise, reading pauses until there is room for more or the rest is no longer needed.
 */
export type Take<Batch> = (batch: Batch) => Promise<void> | null;

export interface Flow<Batch> {
  /**
   * Delivers each batch as it arrives and resolves after the last. Call it once. Throws the Fault that ended the answer
   * early.
   */
  pour(take: Take<Batch>): Promise<void>;
  /** Call this if the rest is not needed. */
  leave(): void;
}

/** A flow whose first batch can be awaited separately. */
export interface AnswerFlow<Batch> extends Flow<Batch> {
  /**
   * Resolves with the first batch before any is delivered, or undefined if there is none. Throws the Fault if the
   * answer failed first.
   */
  begin(): Promise<Batch | undefined>;
}

/** A pause that several callers can wait for. */
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
