// The connections to the database: as many as are needed up to a bound, each use bounded in time, failures turned into faults.
import { type ReservedSQL, SQL } from "bun";
import { Fault } from "../../core/fault.ts";
import { unavailable } from "../unavailable.ts";
import { BEGIN, BEGIN_LOOKING, COMMIT, Connection, type Query, query, type Result } from "./connection.ts";
import { CONNECTIONS_MAX, isTrouble, LateError, Tries } from "./failures.ts";

const CONNECT_MS = 1000;
const IDLE_SECONDS = 300;
/** A node that stands still between reading and writing must not hold an account's lock for longer. */
const IDLE_IN_TRANSACTION_MS = 5000;
/** For sums over whole tables. */
const LONG_MS = 60_000;
const LONG = query(`SET LOCAL statement_timeout = ${LONG_MS}`);
const TRIES_MAX = 2;
const PAUSE_MS = 20;

export class Pool {
  readonly #sql: SQL;
  /** The longest time of a look-up before it is given up. */
  readonly #lookMs: number;
  #closed = false;

  /** Connects to nothing yet. `patienceMs` is the time that a caller has in all. */
  constructor(url: string, patienceMs: number) {
    this.#lookMs = patienceMs / 3;
    this.#sql = new SQL(url, {
      // Given apart as well, because PGDATABASE in the environment would win over the address.
      ...databaseOf(url),
      max: CONNECTIONS_MAX,
      connectionTimeout: CONNECT_MS / 1000,
      idleTimeout: IDLE_SECONDS,
      connection: {
        application_name: "poundkey",
        statement_timeout: String(patienceMs),
        lock_timeout: String(Math.round(patienceMs / 2)),
        idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION_MS),
      },
    });
  }

  /** A connection for one piece of work. A transaction that it leaves open is rolled back at its end. Throws the database's errors. */
  async use<T>(withinMs: number, work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = new Connection(await this.#reserve(withinMs));
    try {
      return await work(connection);
    } catch (error) {
      await connection.rollBack(this.#lookMs);
      throw error;
    } finally {
      connection.release();
    }
  }

  /** One statement. It may run more than once. */
  async one(asked: Query): Promise<Result> {
    const results = await this.#tried(new Tries(TRIES_MAX), () =>
      this.use(this.#lookMs, (connection) => connection.send([asked], this.#lookMs)),
    );
    return first(results);
  }

  /** One statement that must not be written twice. */
  async once(asked: Query): Promise<Result> {
    const results = await this.#tried(new Tries(1), () =>
      this.use(this.#lookMs, (connection) => connection.commit([BEGIN, asked], this.#lookMs)),
    );
    return first(results.slice(1));
  }

  /** One statement, for asking whether the database can be used now. */
  async probe(asked: Query): Promise<void> {
    await this.#tried(new Tries(1), () =>
      this.use(this.#lookMs, (connection) => connection.send([asked], this.#lookMs)),
    );
  }

  /** Several statements that see one moment. */
  look(asked: readonly Query[]): Promise<readonly Result[]> {
    return this.#tried(new Tries(TRIES_MAX), () =>
      this.use(this.#lookMs, async (connection) => {
        const results = await connection.send([BEGIN_LOOKING, ...asked, COMMIT], this.#lookMs);
        return results.slice(1, -1);
      }),
    );
  }

  /** `look` for what may take long. */
  lookLong(asked: readonly Query[]): Promise<readonly Result[]> {
    return this.#tried(new Tries(1), () =>
      this.use(this.#lookMs, async (connection) => {
        const results = await connection.send([BEGIN_LOOKING, LONG, ...asked, COMMIT], LONG_MS);
        return results.slice(2, -1);
      }),
    );
  }

  /**
   * A transaction of two flights: statements first, then those that their results ask for; null: none. It may run
   * more than once, so it has to come to the same then.
   */
  change<T>(firsts: readonly Query[], then: (results: readonly Result[]) => Changing<T>): Promise<T> {
    return this.#tried(new Tries(TRIES_MAX), () =>
      this.use(this.#lookMs, async (connection) => {
        const [, ...results] = await connection.send([BEGIN, ...firsts], this.#lookMs);
        const { writes, gives } = then(results);
        return gives(await connection.commit(writes, this.#lookMs));
      }),
    );
  }

  /** Waits for what is under way, a moment. */
  async close(withinMs: number): Promise<void> {
    this.#closed = true;
    await this.#sql.close({ timeout: withinMs / 1000 });
  }

  async #reserve(withinMs: number): Promise<ReservedSQL> {
    if (this.#closed) throw unavailable("The store is closed.");
    const controller = new AbortController();
    const late = new LateError("No connection to the database was to be had.");
    const timer = setTimeout(() => controller.abort(late), withinMs);
    try {
      return await this.#sql.reserve({ signal: controller.signal });
    } finally {
      clearTimeout(timer);
    }
  }

  async #tried<T>(tries: Tries, work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof Fault || !isTrouble(error)) throw error;
        if (!tries.mayGoOn(error)) throw unavailable(error);
        await pause();
      }
    }
  }
}

/** The writes of a transaction, and its result once that is committed. */
export interface Changing<T> {
  readonly writes: readonly Query[];
  readonly gives: (written: readonly Result[]) => T;
}

/** A moment of chance, so that those who were in each other's way don't meet again. */
export function pause(): Promise<void> {
  return Bun.sleep(1 + Math.random() * PAUSE_MS);
}

function databaseOf(url: string): { database: string } | object {
  const database = decodeURIComponent(new URL(url).pathname.slice(1));
  return database === "" ? {} : { database };
}

function first(results: readonly Result[]): Result {
  const [result] = results;
  if (result) return result;
  throw new Error("The database gave no result.");
}
