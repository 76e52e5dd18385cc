// One of several processes that share a port: its part, and what it and the process that started it tell each other.
import { isObject } from "../core/json.ts";
import { readSums, type Sums } from "../telemetry/sums.ts";

const PORT_VARIABLE = "POUNDKEY_WORKER_PORT";
const STORE_VARIABLE = "POUNDKEY_WORKER_STORE";
const ANNOUNCES_VARIABLE = "POUNDKEY_WORKER_ANNOUNCES";

export interface WorkerPart {
  /** The port that all of them share. */
  readonly port: number;
  /** The address of the store that all of them share, whatever the configuration has become since. */
  readonly store: string;
  /** It is the one that prints the address, and what else is to be said once. */
  readonly announces: boolean;
}

export type FromWorker = "listening" | "scrape" | { readonly counted: Sums };
export type ToWorker = "count" | { readonly merged: string };

/** This process's part; null when it is no worker. */
export const PART: WorkerPart | null = readPart(process.env);

function readPart({
  [PORT_VARIABLE]: port,
  [STORE_VARIABLE]: store = "",
  [ANNOUNCES_VARIABLE]: announces,
}: NodeJS.ProcessEnv): WorkerPart | null {
  return port === undefined ? null : { port: Number(port), store, announces: announces === "1" };
}

/** The environment that gives a process this part. */
export function writeEnvironment({ port, store, announces }: WorkerPart): Record<string, string | undefined> {
  return {
    ...process.env,
    [PORT_VARIABLE]: String(port),
    [STORE_VARIABLE]: store,
    [ANNOUNCES_VARIABLE]: announces ? "1" : "0",
  };
}

/** Tells the process that started this worker. */
export function sendToParent(message: FromWorker): void {
  process.send?.(message);
}

/** The worker's message that came over the channel; null when it is none. */
export function parseFromWorker(message: unknown): FromWorker | null {
  if (message === "listening" || message === "scrape") return message;
  return isObject(message) && "counted" in message ? { counted: readSums(message.counted) } : null;
}

/** The message to a worker that came over the channel; null when it is none. */
export function parseToWorker(message: unknown): ToWorker | null {
  if (message === "count") return message;
  return isObject(message) && typeof message.merged === "string" ? { merged: message.merged } : null;
}

/**
 * Ends when the worker has to stop: it is told to, or the process that started it is gone. A terminal's Ctrl-C and a
 * supervisor's SIGTERM often go to all processes, and the one that started the others passes them on: so Ctrl-C is nothing
 * to the worker itself, and being told twice is no more than once.
 */
export function waitForStop(): Promise<void> {
  process.on("SIGINT", () => {});
  return new Promise((resolve) => {
    process.on("SIGTERM", () => resolve());
    process.once("disconnect", () => resolve());
    if (!process.connected) resolve();
  });
}
