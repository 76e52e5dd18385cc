// A worker, one of several processes that share a port: its part, and its messages to and from the parent.
import { asObject, isObject } from "../../core/json/json.ts";
import { formatMetrics } from "../../telemetry/exposition.ts";
import { readSums, type Sums } from "../../telemetry/sums.ts";

const PORT_VARIABLE = "POUNDKEY_WORKER_PORT";
const STORE_VARIABLE = "POUNDKEY_WORKER_STORE";
const STORE_SOURCE_VARIABLE = "POUNDKEY_WORKER_STORE_SOURCE";
const CONFIG_VARIABLE = "POUNDKEY_WORKER_CONFIG";
const COUNT_VARIABLE = "POUNDKEY_WORKER_COUNT";
const PLACE_VARIABLE = "POUNDKEY_WORKER_PLACE";
const ANNOUNCES_VARIABLE = "POUNDKEY_WORKER_ANNOUNCES";

export interface WorkerPart {
  /** The port that all workers share. 0 for the first one if it may take any: it tells which. */
  readonly port: number;
  /** The store's address, shared by all workers even if the configuration has changed since the first start. */
  readonly store: string;
  /** The same address as it was written, with `${…}`, if a variable or file holds a part of it. */
  readonly storeSource: string | null;
  /** The file that configures all workers, so that it's neither missing nor empty. Null if the first start had no settings. */
  readonly config: string | null;
  /** The number of workers. */
  readonly count: number;
  /** From 0. A worker that is started in the place of one that has ended has the same. */
  readonly place: number;
  /** True for the one worker that prints the address and other lines that should appear once. */
  readonly announces: boolean;
}

export type FromWorker =
  | "scrape"
  | { readonly listening: number }
  | { readonly counted: Sums }
  | { readonly looked: SharedLook };
export type ToWorker = "count" | { readonly merged: string } | { readonly looked: SharedLook };

/** The watched list as the first worker found it. The others compare it without asking for it themselves. */
export interface SharedLook {
  readonly from: string;
  readonly text: string;
  readonly sha256: string;
  /** The digits of the key that has signed it. Null if signatures aren't looked at. */
  readonly key: string | null;
  readonly atMs: number;
}

/** This process's part, or null if it isn't a worker. */
export const PART: WorkerPart | null = readPart(process.env);

function readPart({
  [PORT_VARIABLE]: port,
  [STORE_VARIABLE]: store = "",
  [STORE_SOURCE_VARIABLE]: storeSource = "",
  [CONFIG_VARIABLE]: config = "",
  [COUNT_VARIABLE]: count,
  [PLACE_VARIABLE]: place,
  [ANNOUNCES_VARIABLE]: announces,
}: NodeJS.ProcessEnv): WorkerPart | null {
  if (port === undefined) return null;
  const read = { port: Number(port), store, storeSource: storeSource || null };
  const among = { count: Number(count ?? 1), place: Number(place ?? 0) };
  return { ...read, ...among, config: config || null, announces: announces === "1" };
}

/** Returns this process's part of the most that its node may have. The parts of all workers add up to it. */
export function takeShare(most: number): number {
  const { count, place } = PART ?? { count: 1, place: 0 };
  return Math.floor(most / count) + (place < most % count ? 1 : 0);
}

/** Returns the environment variables that give a process this part. */
export function writeEnvironment(part: WorkerPart): Record<string, string | undefined> {
  const { port, store, storeSource, config, count, place, announces } = part;
  return {
    ...process.env,
    [PORT_VARIABLE]: String(port),
    [STORE_VARIABLE]: store,
    [STORE_SOURCE_VARIABLE]: storeSource ?? "",
    [CONFIG_VARIABLE]: config ?? "",
    [COUNT_VARIABLE]: String(count),
    [PLACE_VARIABLE]: String(place),
    [ANNOUNCES_VARIABLE]: announces ? "1" : "0",
  };
}

export function sendToParent(message: FromWorker): void {
  process.send?.(message);
}

/** Returns a message from a worker as received on the channel. Null if it isn't one. */
export function parseFromWorker(message: unknown): FromWorker | null {
  if (message === "scrape") return message;
  if (!isObject(message)) return null;
  if (typeof message.listening === "number") return { listening: message.listening };
  const looked = readLook(message.looked);
  if (looked !== null) return { looked };
  return "counted" in message ? { counted: readSums(message.counted) } : null;
}

function readLook(value: unknown): SharedLook | null {
  const { from, text, sha256, key, atMs } = asObject(value);
  if (typeof from !== "string" || typeof text !== "string" || typeof sha256 !== "string") return null;
  if (typeof atMs !== "number" || !(key === null || typeof key === "string")) return null;
  return { from, text, sha256, key, atMs };
}

/** Returns a message from the parent as received on the channel. Null if it isn't one. */
function parseToWorker(message: unknown): ToWorker | null {
  if (message === "count") return message;
  if (!isObject(message)) return null;
  if (typeof message.merged === "string") return { merged: message.merged };
  const looked = readLook(message.looked);
  return looked === null ? null : { looked };
}

/**
 * Resolves when the worker has to stop: at SIGTERM, or when the parent process has gone. A terminal's Ctrl-C and a
 * supervisor's SIGTERM often reach all processes, and the parent forwards them too, so a worker ignores SIGINT and a
 * second SIGTERM.
 */
export function waitForStop(): Promise<void> {
  process.on("SIGINT", () => {});
  return new Promise((resolve) => {
    process.on("SIGTERM", () => resolve());
    process.once("disconnect", () => resolve());
    if (!process.connected) resolve();
  });
}

/** For `/metrics`: answers the parent with `own`, and returns a function that asks it for the sum over all workers. */
export function shareMetrics(own: () => Sums): () => Promise<string> {
  let waiting: PromiseWithResolvers<string> | null = null;
  const answer = (text: string) => {
    waiting?.resolve(text);
    waiting = null;
  };
  process.on("message", (received: unknown) => {
    const message = parseToWorker(received);
    if (message === "count") sendToParent({ counted: own() });
    else if (message !== null && "merged" in message) answer(message.merged);
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

/** Calls `receive` with each look of the first worker. */
export function receiveLooks(receive: (look: SharedLook) => void): void {
  process.on("message", (received: unknown) => {
    const message = parseToWorker(received);
    if (message !== null && message !== "count" && "looked" in message) receive(message.looked);
  });
}
