// A way to a PostgreSQL server that can be cut or frozen at the one moment that matters: around a COMMIT.
import { connect, createServer, type Socket } from "node:net";

/**
 * `unsent`: the connection is cut before the flight with the next COMMIT reaches the server. `unanswered`: after the
 * server has committed, before its answer comes back. `frozen`: the same, and from then on nothing passes either way.
 */
export type Trick = "unsent" | "unanswered" | "frozen";

export interface Way {
  /** The server's address by this way. */
  readonly url: string;
  /** For the next COMMIT, once. */
  play(trick: Trick): void;
  /** The trick that was asked for has been played. */
  readonly played: boolean;
  thaw(): void;
  stop(): Promise<void>;
}

const COMMITTED = "COMMIT\0";

export async function openWay(serverUrl: string): Promise<Way> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let trick: Trick | null = null;
  let frozen: (() => void)[] | null = null;
  const pass = (to: Socket, bytes: Uint8Array) => {
    if (frozen) frozen.push(() => void to.write(bytes));
    else to.write(bytes);
  };

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let commit: string | null = null;
    const cut = () => {
      trick = null;
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on("data", (bytes: Buffer) => {
      const text = bytes.toString("latin1");
      // Once a connection has said what its statement of that name is, it only says the name.
      commit = /(\w+)\0COMMIT\0/.exec(text)?.[1] ?? commit;
      const commits = commit !== null && text.includes(`\0${commit}\0`);
      if (trick === "unsent" && commits) cut();
      else pass(upstream, bytes);
    });
    upstream.on("data", (bytes: Buffer) => {
      if (trick === "unanswered" && bytes.includes(COMMITTED)) return cut();
      if (trick === "frozen" && bytes.includes(COMMITTED)) {
        trick = null;
        frozen = [];
      }
      pass(client, bytes);
    });
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  const url = new URL(serverUrl);
  url.port = String(typeof address === "object" && address ? address.port : 0);
  return {
    url: url.href,
    play: (wanted) => {
      trick = wanted;
    },
    get played() {
      return trick === null;
    },
    thaw() {
      const waiting = frozen ?? [];
      frozen = null;
      for (const go of waiting) go();
    },
    stop() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
