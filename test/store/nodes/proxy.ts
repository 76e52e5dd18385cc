// A proxy to a PostgreSQL server that can be cut or frozen at the one moment that matters: around a COMMIT.
import { connect, createServer, type Socket } from "node:net";

/**
 * `unsent`: the connection is cut before the next COMMIT reaches the server. `unanswered`: it is cut after the server
 * has committed, before its reply returns. `frozen`: at the same point nothing passes either way any more.
 */
export type Trick = "unsent" | "unanswered" | "frozen";

export interface Way {
  /** The server's URL through this proxy. */
  readonly url: string;
  /** Plays the trick once, at the next COMMIT. */
  play(trick: Trick): void;
  /** True once the requested trick has been played. */
  readonly played: boolean;
  /** Directs new connections to this server. */
  lead(url: string): void;
  /** From now on nothing passes either way, as if every packet were lost, until it thaws. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

const COMMITTED = "COMMIT\0";

class Tricks {
  next: Trick | null = null;
  /** The bytes to pass on when it thaws. Null if it is not frozen. */
  frozen: (() => void)[] | null = null;
  readonly sockets = new Set<Socket>();

  /** Connects a client through to the server. */
  join(client: Socket, upstream: Socket): void {
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      this.sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        this.sockets.delete(socket);
        end();
      });
    }
    const cut = () => {
      this.next = null;
      end();
    };
    let commit: string | null = null;
    client.on("data", (bytes: Buffer) => {
      const text = bytes.toString("latin1");
      // Once a connection has prepared a statement under a name, it only sends the name.
      commit = /(\w+)\0COMMIT\0/.exec(text)?.[1] ?? commit;
      const commits = commit !== null && text.includes(`\0${commit}\0`);
      if (this.next === "unsent" && commits) cut();
      else this.#pass(upstream, bytes);
    });
    upstream.on("data", (bytes: Buffer) => {
      const committed = bytes.includes(COMMITTED);
      if (this.next === "unanswered" && committed) return cut();
      if (this.next === "frozen" && committed) {
        this.next = null;
        this.frozen = [];
      }
      this.#pass(client, bytes);
    });
  }

  #pass(to: Socket, bytes: Uint8Array): void {
    if (this.frozen) this.frozen.push(() => void to.write(bytes));
    else to.write(bytes);
  }
}

export async function openWay(serverUrl: string): Promise<Way> {
  let target = new URL(serverUrl);
  const tricks = new Tricks();
  const server = createServer((client) => tricks.join(client, connect(Number(target.port), target.hostname)));
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  const url = new URL(serverUrl);
  url.port = String(typeof address === "object" && address ? address.port : 0);
  return {
    url: url.href,
    play: (trick) => {
      tricks.next = trick;
    },
    get played() {
      return tricks.next === null;
    },
    lead(url) {
      target = new URL(url);
    },
    freeze() {
      tricks.frozen ??= [];
    },
    thaw() {
      const waiting = tricks.frozen ?? [];
      tricks.frozen = null;
      for (const go of waiting) go();
    },
    stop() {
      for (const socket of tricks.sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
