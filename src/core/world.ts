// The effects that are handed in, so that everything else is a function of its arguments.
import type { RequestRecord } from "./record.ts";

export interface Clock {
  /** Wall time, Unix milliseconds. */
  nowMs(): number;
  /** Milliseconds since some start, never set back: for durations and deadlines. */
  monotonicMs(): number;
  /** Runs `task` once after `delayMs`; the returned function calls it off. */
  after(delayMs: number, task: () => void): () => void;
  /** Runs `task` every `periodMs` without keeping the process alive; the returned function ends it. */
  every(periodMs: number, task: () => void): () => void;
}

/** A moment after which something is given up. */
export interface Deadline {
  /** When it is due, on the monotonic clock; it may be moved. */
  atMs: number;
  /** Calls it off. */
  clear(): void;
}

export interface Deadlines {
  /** The monotonic clock by which they are due. */
  nowMs(): number;
  /** Calls `onLate` once when `atMs` has passed, up to 250 ms late. It may watch again. */
  watch(atMs: number, onLate: () => void): Deadline;
}

export interface Random {
  /** `count` unpredictable bytes. */
  bytes(count: number): Uint8Array;
}

/** True if a TCP connection to the URL's host and port comes about within `timeoutMs`. Sends nothing. */
export type Reach = (url: URL, timeoutMs: number) => Promise<boolean>;

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** One thing that happened, for the log and the counters; `event` names it. Never holds a secret, a prompt or an answer. */
export interface LogEvent {
  readonly event: string;
  readonly level?: "debug" | "info" | "warn" | "error";
  /** The request that ended, with the event `request`. */
  readonly record?: RequestRecord;
  readonly [field: string]: unknown;
}
export type Log = (event: LogEvent) => void;

/** Encrypts text for the account that asks. Text sealed for another account, or not sealed at all, opens as null. */
export interface Sealer {
  seal(text: string): string;
  open(sealed: string): string | null;
}
