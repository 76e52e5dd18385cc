// Effects that are passed in, so that all other code depends on its arguments only.
import type { RequestRecord } from "../log/record.ts";
import type { Refusal } from "../log/refusal.ts";
import type { NetworkRules } from "./network.ts";

export interface Clock {
  /** Wall time in Unix milliseconds. */
  nowMs(): number;
  /** Monotonic milliseconds since an arbitrary start, for durations and deadlines. */
  monotonicMs(): number;
  /** Runs `task` once after `delayMs`. Returns a function that cancels it. */
  after(delayMs: number, task: () => void): () => void;
  /** Runs `task` every `periodMs` without keeping the process alive. Returns a function that stops it. */
  every(periodMs: number, task: () => void): () => void;
}

/** A deadline that is being watched. */
export interface Deadline {
  /** When it is due, on the monotonic clock. It may be moved. */
  atMs: number;
  /** Cancels it. */
  clear(): void;
}

/** An object waits rather than a function: those that have a deadline exist already, and a function would be one more. */
export interface Latecomer {
  /** Called once when its deadline has passed. It may watch again. */
  late(): void;
}

export interface Deadlines {
  /** The monotonic clock for deadlines. */
  nowMs(): number;
  /** Tells `latecomer` once when `atMs` has passed, up to 250 ms late. */
  watch(atMs: number, latecomer: Latecomer): Deadline;
}

export interface Random {
  /** Returns `count` unpredictable bytes. */
  bytes(count: number): Uint8Array;
}

/** True if a TCP connection to the URL's host and port opens within `timeoutMs`. Sends nothing. */
export type Reach = (url: URL, timeoutMs: number) => Promise<boolean>;

/** A call, and how its server is connected to if its configuration says so. */
interface CallInit extends RequestInit {
  readonly network?: NetworkRules | undefined;
}

export type Fetch = (url: string, init: CallInit) => Promise<Response>;

/** Returns the body as text, or null if it has more than `bytesMax` bytes. Rejects if it breaks off. */
export type ReadText = (answer: Response, bytesMax: number) => Promise<string | null>;

export const LEVELS = ["debug", "info", "warn", "error"] as const;
export type Level = (typeof LEVELS)[number];

/** An event for the log and the counters, named by `event`. Never contains a secret, a prompt or an answer. */
export interface LogEvent {
  readonly event: string;
  readonly level?: Level;
  /** The request that ended, for the event `request`. */
  readonly record?: RequestRecord;
  /** The request that was refused before any call, for the event `refused`. */
  readonly refusal?: Refusal;
  readonly [field: string]: unknown;
}
export type Log = (event: LogEvent) => void;

/** Encrypts texts for the store. `open` throws if the text was sealed under another key or for another use. */
export interface Vault {
  seal(text: string, use: string): string;
  open(sealed: string, use: string): string;
  /** A keyed digest, so that nobody who reads the store can test guesses with it. */
  digest(text: string): string;
}

/** Encrypts bytes for the store, in the same way. */
export interface ByteVault {
  sealBytes(bytes: Uint8Array, use: string): Uint8Array;
  openBytes(sealed: Uint8Array, use: string): Uint8Array;
}

/** Encrypts text for the account. Text sealed for another account, or not sealed at all, opens as null. */
export interface Sealer {
  seal(text: string): string;
  open(sealed: string): string | null;
}
