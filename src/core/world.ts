// The effects that are handed in, so that everything else is a function of its arguments.

export interface Clock {
  /** Wall time, Unix milliseconds. */
  nowMs(): number;
  /** Runs `task` once after `delayMs`; the returned function calls it off. */
  after(delayMs: number, task: () => void): () => void;
  /** Runs `task` every `periodMs` without keeping the process alive; the returned function ends it. */
  every(periodMs: number, task: () => void): () => void;
}

export interface Random {
  /** `count` unpredictable bytes. */
  bytes(count: number): Uint8Array;
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** One thing that happened, for the log and the counters; `event` names it. Never holds a secret, a prompt or an answer. */
export interface LogEvent {
  readonly event: string;
  readonly level?: "debug" | "info" | "warn" | "error";
  readonly [field: string]: unknown;
}
export type Log = (event: LogEvent) => void;
