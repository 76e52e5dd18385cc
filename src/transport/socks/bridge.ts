// Bun's `fetch` speaks to HTTP proxies only (1.4). This one stands between it and SOCKS proxies, on the loopback interface:
// each call names its proxy by a random login, so that no other program on the machine can use it.
import { randomBytes } from "node:crypto";
import { createServer, type Server, type Socket } from "node:net";
import { dialBySocks, readSocksProxy, type SocksProxy } from "./dial.ts";
import { Incoming } from "./incoming.ts";

const HOST = "127.0.0.1";
const USER = "gateway";
const HEAD_BYTES_MAX = 262_144;
const HEAD_END = "\r\n\r\n";

interface Head {
  readonly lines: readonly string[];
  /** The bytes that came behind it. */
  readonly rest: Buffer;
}

class SocksBridge {
  readonly #server: Server;
  readonly #proxies = new Map<string, SocksProxy>();
  readonly #addresses = new Map<string, string>();

  constructor() {
    this.#server = createServer((socket) => void this.#serve(socket)).listen(0, HOST);
    // It lasts as long as the process, and doesn't keep it alive.
    this.#server.unref();
  }

  /** Returns the address of this server as an HTTP proxy that calls by a SOCKS proxy. */
  addressOf(socks: string): string {
    return this.#addresses.getOrInsertComputed(socks, () => {
      const bound = this.#server.address();
      if (bound === null || typeof bound === "string")
        throw new Error("The bridge to SOCKS proxies has no port.");
      const secret = randomBytes(24).toString("hex");
      this.#proxies.set(secret, readSocksProxy(socks));
      return `http://${USER}:${secret}@${HOST}:${bound.port}`;
    });
  }

  /** The deadlines of the call bound its time: it closes the connection. */
  async #serve(socket: Socket): Promise<void> {
    const gone = new AbortController();
    socket.once("close", () => gone.abort());
    socket.on("error", () => {});
    const head = await readHead(socket);
    const proxy = head && this.#findProxy(head.lines);
    if (!head || !proxy) refuse(socket, "407 Proxy Authentication Required");
    else await forward(socket, head, proxy, gone.signal);
  }

  #findProxy(lines: readonly string[]): SocksProxy | null {
    const [, login = ""] = lines.map((line) => LOGIN.exec(line)).find((found) => found !== null) ?? [];
    const [user, secret = ""] = Buffer.from(login, "base64").toString().split(":");
    return user === USER ? (this.#proxies.get(secret) ?? null) : null;
  }
}

const LOGIN = /^proxy-authorization: *basic +(\S+)$/i;
/** Fields that are meant for the proxy. */
const HOP_FIELDS = /^proxy-/i;

/** Null if there is none. */
async function readHead(socket: Socket): Promise<Head | null> {
  const incoming = new Incoming(socket);
  try {
    const head = await incoming.readTo(HEAD_END, HEAD_BYTES_MAX);
    return { lines: head.toString("latin1").split("\r\n"), rest: incoming.release() };
  } catch {
    return null;
  }
}

/** `CONNECT host:port` opens a tunnel. Any other request names a whole address, and is the connection's only one. */
async function forward(
  socket: Socket,
  { lines: [first = "", ...fields], rest }: Head,
  proxy: SocksProxy,
  signal: AbortSignal,
): Promise<void> {
  const [method = "", target = ""] = first.split(" ");
  const isTunnel = method === "CONNECT";
  const url = URL.parse(isTunnel ? `http://${target}` : target);
  if (url === null) return refuse(socket, "400 Bad Request");
  const dialled = await dial(proxy, url, signal);
  if (dialled === null) {
    // A status would look like the server's own.
    if (isTunnel) refuse(socket, "502 Bad Gateway");
    else socket.destroy();
    return;
  }
  const { socket: onward, early } = dialled;
  if (signal.aborted) {
    onward.destroy();
    return;
  }
  if (isTunnel) socket.write(`HTTP/1.1 200 Connection established${HEAD_END}`);
  else {
    const kept = fields.filter((field) => !HOP_FIELDS.test(field));
    const line = `${method} ${url.pathname}${url.search} HTTP/1.1`;
    onward.write(Buffer.from([line, ...kept].join("\r\n") + HEAD_END, "latin1"));
  }
  onward.write(rest);
  socket.write(early);
  join(socket, onward);
}

async function dial(proxy: SocksProxy, { hostname, port }: URL, signal: AbortSignal) {
  try {
    return await dialBySocks(
      proxy,
      hostname.replace(/^\[|\]$/g, ""),
      port === "" ? 80 : Number(port),
      signal,
    );
  } catch {
    return null;
  }
}

function join(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on("error", () => to.destroy()).once("close", () => to.destroySoon());
    from.pipe(to);
  }
}

function refuse(socket: Socket, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\nconnection: close${HEAD_END}`);
}

let bridge: SocksBridge | null = null;

/** Returns the HTTP proxy for `fetch` that calls by this SOCKS proxy. */
export function bridgeSocks(address: string): string {
  bridge ??= new SocksBridge();
  return bridge.addressOf(address);
}
