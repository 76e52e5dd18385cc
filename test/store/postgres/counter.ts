// A proxy to a PostgreSQL server that counts what passes: statements that are run, and round trips.
import { connect, createServer, type Socket } from "node:net";

export interface Counts {
  /** Statements run, BEGIN and COMMIT among them. */
  readonly statements: number;
  /** Times that statements were sent after an answer: those sent together count once. */
  readonly roundTrips: number;
}

export interface Counter {
  /** The server's URL through this proxy. */
  readonly url: string;
  /** Returns the counts since the last call. */
  take(): Counts;
  stop(): Promise<void>;
}

const SSL_REQUEST = 80_877_103;
const EXECUTE = "E".charCodeAt(0);
const QUERY = "Q".charCodeAt(0);
/** The messages that make a statement known or ask about it, and the ones that run it. */
const OF_STATEMENTS = new Set([..."PBDEQ"].map((letter) => letter.charCodeAt(0)));

/** The messages of one client, which come in pieces of any length. */
class Messages {
  #rest: Buffer = Buffer.alloc(0);
  #hasBegun = false;

  /** Returns the types of the messages that end in these bytes. The first of a connection has none. */
  push(bytes: Buffer): readonly number[] {
    const all = Buffer.concat([this.#rest, bytes]);
    const types: number[] = [];
    let at = 0;
    for (;;) {
      const head = this.#hasBegun ? 1 : 0;
      if (all.length < at + head + 4) break;
      const end = at + head + all.readUInt32BE(at + head);
      if (all.length < end) break;
      if (this.#hasBegun) types.push(all.readUInt8(at));
      else this.#hasBegun = all.readUInt32BE(at + 4) !== SSL_REQUEST;
      at = end;
    }
    this.#rest = all.subarray(at);
    return types;
  }
}

export async function openCounter(serverUrl: string): Promise<Counter> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let statements = 0;
  let roundTrips = 0;
  const join = (client: Socket, upstream: Socket) => {
    const messages = new Messages();
    let isAnswered = true;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on("data", (bytes: Buffer) => {
      const types = messages.push(bytes).filter((type) => OF_STATEMENTS.has(type));
      statements += types.filter((type) => type === EXECUTE || type === QUERY).length;
      if (types.length > 0 && isAnswered) {
        roundTrips++;
        isAnswered = false;
      }
      upstream.write(bytes);
    });
    upstream.on("data", (bytes: Buffer) => {
      isAnswered = true;
      client.write(bytes);
    });
  };
  const server = createServer((client) => join(client, connect(Number(target.port), target.hostname)));
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  const url = new URL(serverUrl);
  url.port = String(typeof address === "object" && address ? address.port : 0);
  return {
    url: url.href,
    take() {
      const counts = { statements, roundTrips };
      statements = 0;
      roundTrips = 0;
      return counts;
    },
    stop() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
