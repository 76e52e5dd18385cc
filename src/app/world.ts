// The real effects: this machine's clock, random bytes and network.
import { isLoopbackHost } from "../core/world/address.ts";
import type { Clock, Fetch, Random, Reach } from "../core/world/world.ts";
import { decompress } from "../transport/decompress.ts";
import { applyNetwork } from "../transport/network.ts";
import { boundAnswers } from "../transport/short-text.ts";

export const clock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
  every(periodMs, task) {
    const timer = setInterval(task, periodMs);
    timer.unref();
    return () => clearInterval(timer);
  },
};

export const random: Random = {
  bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
};

/**
 * Puts another clock and other random bytes in place of this machine's, for the whole process, until the returned function
 * is called. Every part of the gateway holds these two objects, so their methods change rather than the objects.
 */
export function replaceWorld(other: { readonly clock: Clock; readonly random: Random }): () => void {
  const before = { clock: { ...clock }, random: { ...random } };
  Object.assign(clock, other.clock);
  Object.assign(random, other.random);
  return () => {
    Object.assign(clock, before.clock);
    Object.assign(random, before.random);
  };
}

/** Moves this process's calendar by so many milliseconds, until the returned function is called. */
export function offsetWorld(byMs: number): () => void {
  if (Math.abs(byMs) < NO_OFFSET_MS) return () => {};
  return replaceWorld({ clock: { ...clock, nowMs: () => Date.now() + byMs }, random });
}
/** A month that ends now has taken a while to make. */
const NO_OFFSET_MS = 600_000;

/** Collects all garbage and returns memory to the system. Nothing else runs meanwhile. */
export const collect = (): void => Bun.gc(true);

/** Workloads get their tokens in files, which the platform replaces from time to time. */
const TOKEN_BYTES_MAX = 65_536;
export const readTokenFile = (path: string): Promise<string> =>
  Bun.file(path).slice(0, TOKEN_BYTES_MAX).text();

/** A call of the command line, which has one gateway. No proxy leads to one on this machine, and a proxy would get its key. */
const fetchGateway: Fetch = (url, init) => {
  if (isLoopbackHost(new URL(url).hostname)) process.env.NO_PROXY = "*";
  return fetch(url, init);
};

const SHORT_BYTES_MAX = 1_048_576;
/** For the command line, whose answers are short. */
export const fetchShort: Fetch = boundAnswers(fetchGateway, SHORT_BYTES_MAX);

const PAGE_BYTES_MAX = 67_108_864;
/** For the answers of another gateway's admin API: a page of 200 requests has a fiftieth of the bound. */
export const fetchPage: Fetch = boundAnswers(fetchGateway, PAGE_BYTES_MAX);

const LIST_BYTES_MAX = 8_388_608;
/** For a gateway's list of models, which may have thousands. */
export const fetchList: Fetch = boundAnswers(fetchGateway, LIST_BYTES_MAX);

/** For its exports, which are printed as they come. */
export const fetchLong = fetchGateway;

export const upstreamFetch: Fetch = (url, init) =>
  fetch(url, applyNetwork(url, "decompress" in init ? init : { ...init, decompress: false })).then(
    decompress,
  );

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "https:": 443, "http:": 80 };

const PROXIES = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "https_proxy", "http_proxy", "all_proxy"];

/** Behind a proxy, a direct connection says nothing about the provider, so every host counts as reachable. */
export const reach: Reach = async (url, timeoutMs) => {
  if (PROXIES.some((name) => process.env[name])) return true;
  const { connect } = await import("node:net");
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const port = Number(url.port) || (DEFAULT_PORTS[url.protocol] ?? 0);
  const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ""), port });
  const timer = setTimeout(() => end(false), timeoutMs);
  const end = (reached: boolean) => {
    clearTimeout(timer);
    socket.destroy();
    resolve(reached);
  };
  socket.once("connect", () => end(true));
  socket.once("error", () => end(false));
  return promise;
};
