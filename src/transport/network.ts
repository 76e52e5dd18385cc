// Connects to a server as its configuration says: with certificates of its own, and by a proxy or around one.
import { isWithin } from "../core/world/address.ts";
import { isSocksAddress, type NetworkRules } from "../core/world/network.ts";
import { bridgeSocks } from "./socks/bridge.ts";

type ConnectionOptions = Pick<BunFetchRequestInit, "tls" | "proxy" | "keepalive">;

/** The same objects for each call, since `fetch` keeps connections for reuse by their settings. */
const byProxy = new WeakMap<NetworkRules, ConnectionOptions>();
const byHost = new WeakMap<NetworkRules, ConnectionOptions>();

/** Returns a call's options for Bun's `fetch`. */
export function applyNetwork<Init extends { readonly network?: NetworkRules | undefined }>(
  url: string,
  init: Init,
): Init & ConnectionOptions {
  return init.network === undefined ? init : { ...init, ...chooseConnection(init.network, url) };
}

/** The variables of the process decide what the rules leave open. */
function chooseConnection(rules: NetworkRules, url: string): ConnectionOptions {
  const isDirect = rules.proxy === null || isExempt(rules.noProxy ?? [], new URL(url));
  if (isDirect && rules.proxy !== undefined) return byHost.getOrInsertComputed(rules, connectDirectly);
  const connection = byProxy.getOrInsertComputed(rules, connect);
  // A bridge's connection without a tunnel leads to one server, and must not be used for another.
  const isSingle = isSocksAddress(rules.proxy) && url.startsWith("http:");
  return isSingle ? { ...connection, keepalive: false } : connection;
}

function connectDirectly({ tls }: NetworkRules): ConnectionOptions {
  return { proxy: false, ...(tls === undefined ? {} : { tls }) };
}

function connect({ tls, proxy }: NetworkRules): ConnectionOptions {
  const own = tls === undefined ? {} : { tls };
  if (proxy === undefined || proxy === null) return own;
  const url = isSocksAddress(proxy) ? bridgeSocks(proxy) : proxy;
  return { ...own, proxy: { url, respectNoProxy: false } };
}

/** The entries as curl and `NO_PROXY` have them: a host, a domain, an address, a block, each with a port or without; `*`. */
function isExempt(entries: readonly string[], { hostname, port, protocol }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  const ownPort = port || (protocol === "http:" ? "80" : "443");
  return entries.some((entry) => {
    const { name, onPort } = splitPort(entry);
    if (onPort !== null && onPort !== ownPort) return false;
    return name === "*" || isWithin([name], host) || isInDomain(name, host);
  });
}

const PORT = /^(\[[^\]]+\]|[^:]+):(\d+)$/;

function splitPort(entry: string): { readonly name: string; readonly onPort: string | null } {
  const [, name, onPort] = PORT.exec(entry) ?? [];
  return { name: (name ?? entry).replace(/^\[|\]$/g, ""), onPort: onPort ?? null };
}

/** `example.com`, `.example.com` and `*.example.com` mean the same. */
function isInDomain(entry: string, host: string): boolean {
  const domain = entry.toLowerCase().replace(/^\*?\./, "");
  return host === domain || host.endsWith(`.${domain}`);
}
