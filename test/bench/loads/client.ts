// The load generator: bare sockets, closed loops, and a constant arrival rate with latencies from the intended time.
import type { Socket } from "bun";
import { AnswerReader, type Expected, type Seen } from "./answer.ts";

/** A request to one of the contenders. */
export interface Ask {
  readonly port: number;
  /** The whole request in bytes. */
  readonly bytes: Buffer;
  readonly expected: Expected;
}

export function prepareAsk(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  expected: Expected,
): Ask {
  const all = { host: `127.0.0.1:${port}`, "content-type": "application/json", ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `POST ${path} HTTP/1.1\r\n${lines.join("")}content-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  return { port, bytes: Buffer.from(head + body), expected };
}

interface Exchange {
  readonly reader: AnswerReader;
  readonly done: PromiseWithResolvers<void>;
}

/** One connection with one open request at a time. */
export class Connection {
  #socket: Socket<undefined> | null = null;
  #exchange: Exchange | null = null;
  #unsent: Buffer | null = null;

  static async open(port: number): Promise<Connection> {
    const connection = new Connection();
    await Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        open: (socket) => {
          socket.setNoDelay(true);
          connection.#socket = socket;
        },
        data: (_socket, bytes) => connection.#take(bytes),
        drain: () => connection.#send(),
        close: () => connection.#closed(),
        error: () => connection.#closed(),
      },
    });
    return connection;
  }

  get isOpen(): boolean {
    return this.#socket !== null;
  }

  /** True while an answer is pending. */
  get isBusy(): boolean {
    return this.#exchange !== null;
  }

  /** True once the current or last answer has begun. */
  get hasBegun(): boolean {
    return (this.#exchange?.reader.pieces ?? 1) > 0;
  }

  /** Resolves once the whole answer has arrived. Rejects if it is wrong. */
  ask({ bytes, expected }: Ask, seen: Seen, intendedMs: number): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#exchange = { reader: new AnswerReader(expected, seen, intendedMs), done };
    this.#unsent = bytes;
    this.#send();
    return done.promise;
  }

  /** Closes the connection, in the middle of an answer or not. The pending request never settles. */
  hangUp(): void {
    this.#exchange = null;
    this.#socket?.terminate();
    this.#socket = null;
  }

  #send(): void {
    if (this.#socket === null) this.#closed();
    if (this.#unsent === null || this.#socket === null) return;
    const sent = Math.max(this.#socket.write(this.#unsent), 0);
    this.#unsent = sent < this.#unsent.length ? this.#unsent.subarray(sent) : null;
  }

  #take(bytes: Buffer): void {
    const exchange = this.#exchange;
    if (exchange === null) return;
    try {
      if (!exchange.reader.push(bytes.toString("latin1"), performance.now())) return;
      this.#exchange = null;
      exchange.done.resolve();
    } catch (error) {
      this.hangUp();
      exchange.done.reject(error);
    }
  }

  #closed(): void {
    const exchange = this.#exchange;
    this.#exchange = null;
    this.#socket = null;
    try {
      exchange?.reader.end(performance.now());
      exchange?.done.resolve();
    } catch (error) {
      exchange?.done.reject(error);
    }
  }
}

/** Opens this many connections, each of which sends the next request once it is answered, until all are done. */
export async function closedLoop(
  asks: (index: number) => Ask,
  load: { readonly connections: number; readonly requests: number },
  seen: Seen,
): Promise<void> {
  let next = 0;
  const turns = Array.from({ length: load.connections }, async () => {
    const connection = await Connection.open(asks(0).port);
    while (next < load.requests) await connection.ask(asks(next++), seen, performance.now());
    connection.hangUp();
  });
  await Promise.all(turns);
}

/** A timer may be a millisecond or more late, so the last part of a wait is polled. */
const POLLED_MS = 1.6;

async function until(atMs: number, polledMs: number): Promise<void> {
  const restMs = atMs - performance.now();
  if (restMs > polledMs) await Bun.sleep(restMs - polledMs);
  while (performance.now() < atMs) await new Promise<void>((resolve) => setImmediate(resolve));
}

export interface Arrivals {
  /** Each has separate connections and the same arrival times, staggered within a period. */
  readonly asks: readonly { readonly ask: Ask; readonly seen: Seen }[];
  readonly periodMs: number;
  readonly requests: number;
  /** The limit for each. A request that finds all of them busy waits, and its wait counts. */
  readonly connectionsMax: number;
  /** The last part of each wait, which is polled. With 0, requests are sent up to a millisecond late, for less CPU. */
  readonly polledMs?: number;
}

/** Sends requests at their intended times, however long earlier ones take. */
export async function arrivals(load: Arrivals): Promise<void> {
  const { asks, periodMs, requests, connectionsMax, polledMs = POLLED_MS } = load;
  const pools = await Promise.all(asks.map(({ ask }) => Pool.open(ask.port, connectionsMax)));
  const startMs = performance.now() + 20;
  const under: Promise<void>[] = [];
  for (let at = 0; at < requests; at++) {
    for (const [index, { ask, seen }] of asks.entries()) {
      const intendedMs = startMs + periodMs * (at + index / asks.length);
      await until(intendedMs, polledMs);
      const pool = pools[index];
      if (pool) under.push(pool.ask(ask, seen, intendedMs));
    }
  }
  await Promise.all(under);
  for (const pool of pools) pool.close();
}

class Pool {
  readonly #free: Connection[];
  readonly #waiting: ((connection: Connection) => void)[] = [];

  constructor(connections: Connection[]) {
    this.#free = connections;
  }

  static async open(port: number, connections: number): Promise<Pool> {
    return new Pool(await Promise.all(Array.from({ length: connections }, () => Connection.open(port))));
  }

  async ask(ask: Ask, seen: Seen, intendedMs: number): Promise<void> {
    const free =
      this.#free.pop() ?? (await new Promise<Connection>((resolve) => this.#waiting.push(resolve)));
    // Servers close connections that were idle for long.
    const connection = free.isOpen ? free : await Connection.open(ask.port);
    await connection.ask(ask, seen, intendedMs);
    const waiting = this.#waiting.shift();
    if (waiting) waiting(connection);
    else this.#free.push(connection);
  }

  /** Called once all requests are answered. */
  close(): void {
    for (const connection of this.#free) connection.hangUp();
  }
}
