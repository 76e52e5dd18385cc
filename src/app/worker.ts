// A worker, one of several processes that share a port: its part, and its messages to and from the parent process.
import { isObject } from "../core/json.ts";
import { formatMetrics } from "../telemetry/exposition.ts";
import { readSums, type Sums } from "../telemetry/sums.ts";

const PORT_VARIABLE = "POUNDKEY_WORKER_PORT";
const STORE_VARIABLE = "POUNDKEY_WORKER_STORE";
const ANNOUNCES_VARIABLE = "POUNDKEY_WORKER_ANNOUNCES";

export interface WorkerPart {
  /** The port that all workers share. */
  readonly port: number;
  /** The address of the store that all workers share, even if the configuration has changed since the first start. */
  readonly store: string;
  /** True for the one worker that prints the address and other lines that should appear once. */
  readonly announces: boolean;
}

export type FromWorker = "listening" | "scrape" | { readonly counted: Sums };
export type ToWorker = "count" | { readonly merged: string };

/** This process's part, or null if it isn't a worker. */
export const PART: WorkerPart | null = readPart(process.env);

function readPart({
  [PORT_VARIABLE]: port,
  [STORE_VARIABLE]: store = "",
  [ANNOUNCES_VARIABLE]: announces,
}: NodeJS.ProcessEnv): WorkerPart | null {
  return port === undefined ? null : { port: Number(port), store, announces: announces === "1" };
}

/** Returns the environment that gives a process this part. */
export function writeEnvironment({ port, store, announces }: WorkerPart): Record<string, string | undefined> {
  return {
    ...process.env,
    [PORT_VARIABLE]: String(port),
    [STORE_VARIABLE]: store,
    [ANNOUNCES_VARIABLE]: announces ? "1" : "0",
  };
}

export function sendToParent(message: FromWorker): void {
  process.send?.(message);
}

/** Returns the worker's message that came over the channel, or null if it isn't one. */
export function parseFromWorker(message: unknown): FromWorker | null {
  if (message === "listening" || message === "scrape") return message;
  return isObject(message) && "counted" in message ? { counted: readSums(message.counted) } : null;
}

/** Returns the parent's message that came over the channel, or null if it isn't one. */
function parseToWorker(message: unknown): ToWorker | null {
  if (message === "count") return message;
  return isObject(message) && typeof message.merged === "string" ? { merged: message.merged } : null;
}

/**
 * Resolves when the worker has to stop: at SIGTERM, or when the parent process is gone. A terminal's Ctrl-C and a
 * supervisor's SIGTERM often reach all processes, and the parent passes them on too. So a worker ignores SIGINT, and a
 * second SIGTERM changes nothing.
 */
export function waitForStop(): Promise<void> {
  process.on("SIGINT", () => {});
  return new Promise((resolve) => {
    process.on("SIGTERM", () => resolve());
    process.once("disconnect", () => resolve());
    if (!process.connected) resolve();
  });
}

/** `/metrics` of several workers: the one that gets the request asks the parent process, which sums the counts of all. Answers the parent's requests with `own`. Returns a function that asks for the sum over all workers as text. */
export function shareMetrics(own: () => Sums): () => Promise<string> {
  let waiting: PromiseWithResolvers<string> | null = null;
  const answer = (text: string) => {
    waiting?.resolve(text);
    waiting = null;
  };
  process.on("message", (received: unknown) => {
    const message = parseToWorker(received);
    if (message === "count") sendToParent({ counted: own() });
    else if (message !== null) answer(message.merged);
  });
  process.once("disconnect", () => answer(formatMetrics(own())));
  return () => {
    if (!process.connected) return Promise.resolve(formatMetrics(own()));
    if (waiting === null) {
      waiting = Promise.withResolvers<string>();
      sendToParent("scrape");
    }
    return waiting.promise;
  };
}
