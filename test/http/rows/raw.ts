// HTTP by hand: raw bytes on a TCP connection, for requests that no client library would send.
import { connect, type Socket } from "node:net";

const DEADLINE_MS = 10_000;

export interface RawAnswer {
  /** 0 if the connection ended without an answer. */
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Opens a connection to the gateway. */
export function dial(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ host: hostname, port: Number(port) }, () => resolve(socket));
  socket.once("error", reject);
  return promise;
}

/** Sends the bytes and reads the first answer, to the end it declares or the connection's end. */
export async function exchange(url: string, bytes: string | Uint8Array): Promise<RawAnswer> {
  const socket = await dial(url);
  const { promise, resolve } = Promise.withResolvers<RawAnswer>();
  let received = Buffer.alloc(0);
  const finish = () => {
    clearTimeout(timer);
    socket.destroy();
    resolve(answerOf(received));
  };
  const timer = setTimeout(finish, DEADLINE_MS);
  socket.on("data", (part: Buffer) => {
    received = Buffer.concat([received, part]);
    if (isWhole(received)) finish();
  });
  socket.on("error", finish);
  socket.on("close", finish);
  socket.write(bytes);
  return promise;
}

const HEAD_END = "\r\n\r\n";

function isWhole(received: Buffer): boolean {
  const { status, headers, body } = answerOf(received);
  if (status === 0 || status === 100) return false;
  const length = headers.get("content-length");
  if (length !== undefined) return Buffer.byteLength(body) >= Number(length);
  return headers.get("transfer-encoding") === "chunked" && received.toString("latin1").endsWith("0\r\n\r\n");
}

function answerOf(received: Buffer): RawAnswer {
  const end = received.indexOf(HEAD_END);
  if (end === -1) return { status: 0, headers: new Map(), body: "" };
  const [first = "", ...lines] = received.subarray(0, end).toString("latin1").split("\r\n");
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1] ?? 0);
  return {
    status,
    headers: new Map(headers),
    body: received.subarray(end + HEAD_END.length).toString("utf8"),
  };
}

/** A request's head from the given lines, which must include a `content-length` if a body follows. */
export function head(line: string, ...headers: readonly string[]): string {
  return [line, ...headers, "", ""].join("\r\n");
}

/** A body in the chunked transfer coding, in one chunk. */
export function chunked(body: string): string {
  return `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`;
}
