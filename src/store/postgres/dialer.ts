// Opens connections to the store's servers. Each opening reads the address again and tries its hosts in turn.
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import {
  type PostgresAddress,
  type PostgresHost,
  parsePostgresAddress,
} from "../../core/world/postgres-address.ts";
import type { FoundRow } from "../columns/found.ts";
import type { ConnectionSettings } from "./client.ts";
import { isPassing, LateError, UnreachableError } from "./failures.ts";
import { Session, type SessionOptions } from "./session.ts";

/** Repeated for this long while no server can be used, as in a short restart. */
const REPEAT_MS = 1000;
const ASK_MS = 5000;
const PAUSE_MS = 20;
const PAUSE_MS_MAX = 250;

/** Returns the IP addresses of a name, the preferred one first. */
export type LookUp = (name: string) => Promise<readonly string[]>;

/** Not Bun's own lookup for connections: its cache would lead to the old primary for another 30 s. */
const lookUpFresh: LookUp = async (name) => (await lookup(name, { all: true })).map(({ address }) => address);

interface DialerParts {
  readonly url: string;
  /** Returns the address as it is now: a file that it comes from may have changed. Null if it can't be read. */
  readonly readUrl?: (() => string | null) | undefined;
  readonly lookUp?: LookUp | undefined;
}

export class Dialer {
  readonly #parts: DialerParts;
  #address: PostgresAddress;
  /** The host that the next opening tries first: the last one that could be used, or the one after it. */
  #next = 0;

  /** Throws if the address is malformed. */
  constructor(parts: DialerParts) {
    const address = parsePostgresAddress(parts.url);
    if (address === null) throw new Error("The address is malformed.");
    this.#parts = parts;
    this.#address = address;
  }

  /** Returns the address of the last opening, with its first host alone. */
  get url(): string {
    return this.#address.hosts[0]?.url ?? this.#parts.url;
  }

  /** Runs one statement on a connection of its own. Tries each server once. */
  async ask(text: string, settings: ConnectionSettings = {}): Promise<readonly FoundRow[]> {
    const session = await this.#openAny({ settings, prepare: false });
    const late = new LateError(`The database did not answer within ${ASK_MS} ms.`);
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(late), ASK_MS);
    try {
      const rows: readonly FoundRow[] = await Promise.race([session.reserved.unsafe(text), promise]);
      return rows;
    } finally {
      clearTimeout(timer);
      session.close();
    }
  }

  /** Throws the last server's error if none can be used. */
  async open(options: SessionOptions): Promise<Session> {
    const untilMs = performance.now() + REPEAT_MS;
    for (let pauseMs = PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX)) {
      try {
        return await this.#openAny(options);
      } catch (error) {
        if (!isPassing(error) || performance.now() + pauseMs >= untilMs) throw error;
      }
      await Bun.sleep(pauseMs);
    }
  }

  async #openAny(options: SessionOptions): Promise<Session> {
    this.#readAgain();
    const { hosts, needsWritable } = this.#address;
    const turns = [...hosts.entries()];
    let failure: unknown = null;
    for (const [at, host] of [...turns.slice(this.#next), ...turns.slice(0, this.#next)]) {
      try {
        const session = await this.#openHost(host, needsWritable, options);
        this.#next = at;
        return session;
      } catch (error) {
        failure = error;
        // The next opening doesn't wait for a host that has just failed.
        if (this.#next === at) this.#next = (at + 1) % hosts.length;
      }
    }
    throw failure;
  }

  async #openHost(host: PostgresHost, needsWritable: boolean, options: SessionOptions): Promise<Session> {
    let failure: unknown = new UnreachableError("The name of the store's server has no address.");
    for (const ip of await this.#findIps(host)) {
      try {
        return await Session.open({ host, ip, needsWritable }, options);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  /** Null stands for a host that is left to the address itself. */
  async #findIps({ name }: PostgresHost): Promise<readonly (string | null)[]> {
    if (name === null || isIP(name) !== 0) return [null];
    const { lookUp = lookUpFresh } = this.#parts;
    try {
      return await lookUp(name);
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      throw new UnreachableError(`The name of the store's server was not found: ${words}.`, { cause: error });
    }
  }

  /** Keeps the address that worked if the new one can't be read, or names another database, which a start has to open. */
  #readAgain(): void {
    const { readUrl } = this.#parts;
    const url = readUrl?.() ?? null;
    const address = url === null ? null : parsePostgresAddress(url);
    if (address?.database === this.#address.database) this.#address = address;
  }
}
