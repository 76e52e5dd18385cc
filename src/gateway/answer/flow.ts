// Pushed answers: each batch is handled in the call that read it, and promises are only created to wait.
import type { Fault } from "../../core/faults/fault.ts";
import type { JsonObject } from "../../core/json/json.ts";

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

/** A written part of an answer: text of events, or raw bytes. */
export type WrittenPart = string | Uint8Array<ArrayBuffer>;

/** An answer as it comes, written for its client. */
export interface WrittenAnswer extends Flow<WrittenPart> {
  /** The stream's media type. Undefined for server-sent events; raw bytes name theirs once the answer has begun. */
  readonly type: string | undefined;
  /** Resolves once the answer has begun. Throws the Fault of one that failed before. */
  begin(): Promise<unknown>;
  /** Returns the stream's own end, once the answer is complete. */
  end(): string;
  /** Returns the error event. Null if there is none, and the connection is closed instead. */
  fail(fault: Fault, requestId: string): string | null;
  /** Returns the whole answer, for those that are kept. Undefined for others. */
  finish(): JsonObject | undefined;
  /** The text that keeps a silent stream alive. Null if nothing is sent before the answer begins. */
  readonly keepAlive: string | null;
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
