// SOCKS5 from the client's side (RFC 1928), with a login by name and password (RFC 1929).
import { connect, isIP, type Socket } from "node:net";
import { Incoming } from "./incoming.ts";

export interface SocksProxy {
  readonly host: string;
  readonly port: number;
  /** Null if it asks for no login. */
  readonly login: { readonly name: string; readonly password: string } | null;
}

const DEFAULT_PORT = 1080;
const VERSION = 5;
const LOGIN_VERSION = 1;
const METHODS = { none: 0, login: 2 } as const;
const CONNECT = 1;
const ADDRESSES = { v4: 1, name: 3, v6: 4 } as const;
/** RFC 1928, section 6. */
const REPLIES: Readonly<Record<number, string>> = {
  1: "general failure",
  2: "not allowed by its rules",
  3: "network unreachable",
  4: "host unreachable",
  5: "connection refused",
  6: "TTL expired",
  7: "command not supported",
  8: "address type not supported",
};

/** Reads `socks5://user:password@host:port`. */
export function readSocksProxy(address: string): SocksProxy {
  const { hostname, port, username, password } = new URL(address);
  const name = decodeURIComponent(username);
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? DEFAULT_PORT : Number(port),
    login: name === "" ? null : { name, password: decodeURIComponent(password) },
  };
}

interface OpenedWay {
  readonly socket: Socket;
  /** The bytes that the host has sent by then. */
  readonly early: Buffer;
}

/**
 * Opens a connection to a host by the proxy, which looks up its name. Throws an Error that says why it can't. The socket is
 * destroyed when the signal aborts before that.
 */
export async function dialBySocks(
  { host: at, port: atPort, login }: SocksProxy,
  host: string,
  port: number,
  signal: AbortSignal,
): Promise<OpenedWay> {
  const socket = connect({ host: at, port: atPort });
  const incoming = new Incoming(socket);
  const cutOff = () => void socket.destroy(new Error("The call has ended."));
  signal.addEventListener("abort", cutOff, { once: true });
  try {
    await shakeHands(socket, incoming, login);
    socket.write(writeConnect(host, port));
    await readConnected(incoming);
    return { socket, early: incoming.release() };
  } catch (thrown) {
    socket.destroy();
    throw thrown;
  } finally {
    signal.removeEventListener("abort", cutOff);
  }
}

async function shakeHands(socket: Socket, incoming: Incoming, login: SocksProxy["login"]): Promise<void> {
  const methods = login === null ? [METHODS.none] : [METHODS.none, METHODS.login];
  socket.write(Buffer.from([VERSION, methods.length, ...methods]));
  const [version, method] = await incoming.read(2);
  if (version !== VERSION) throw new Error("It doesn't speak SOCKS5.");
  if (method === METHODS.none) return;
  if (method !== METHODS.login || login === null) throw new Error("It asks for a login.");
  const parts = [login.name, login.password].map((text) => Buffer.from(text));
  const sized = parts.flatMap((bytes) => [Buffer.from([bytes.length]), bytes]);
  socket.write(Buffer.concat([Buffer.from([LOGIN_VERSION]), ...sized]));
  const [, status] = await incoming.read(2);
  if (status !== 0) throw new Error("It refuses the login.");
}

function writeConnect(host: string, port: number): Buffer {
  const head = Buffer.from([VERSION, CONNECT, 0]);
  const to = Buffer.alloc(2);
  to.writeUInt16BE(port);
  return Buffer.concat([head, writeHost(host), to]);
}

function writeHost(host: string): Buffer {
  const kind = isIP(host);
  if (kind === 4) return Buffer.from([ADDRESSES.v4, ...host.split(".").map(Number)]);
  if (kind === 6) return Buffer.from([ADDRESSES.v6, ...expandV6(host)]);
  const name = Buffer.from(host);
  return Buffer.concat([Buffer.from([ADDRESSES.name, name.length]), name]);
}

/** Returns the 16 bytes of an address as URLs write it: hexadecimal groups, with zeros left out at one place. */
function expandV6(address: string): readonly number[] {
  const [before = "", after = ""] = address.split("::");
  const list = (text: string) =>
    text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
  const first = list(before);
  const last = list(after);
  const between = Array.from({ length: 8 - first.length - last.length }, () => 0);
  return [...first, ...between, ...last].flatMap((group) => [group >> 8, group & 0xff]);
}

async function readConnected(incoming: Incoming): Promise<void> {
  const [, reply = 0, , kind] = await incoming.read(4);
  if (reply !== 0) throw new Error(`It can't connect: ${REPLIES[reply] ?? `reply ${reply}`}.`);
  const [nameLength = 0] = kind === ADDRESSES.name ? await incoming.read(1) : [];
  const length = kind === ADDRESSES.v4 ? 4 : kind === ADDRESSES.v6 ? 16 : nameLength;
  await incoming.read(length + 2);
}
