// The pool of database connections, bounded in number and time; failures become faults.
import { Fault } from "../../core/faults/fault.ts";
import { bind, type Change, type Engine } from "../engine/engine.ts";
import { unavailable } from "../engine/unavailable.ts";
import { UNTIMED } from "../schema/request-ids.ts";
import { NOW_MS } from "./clock.ts";
import { Connection, type Query, type Result } from "./connection.ts";
import { Connections } from "./connections.ts";
import type { Dialer } from "./dialer.ts";
import { isOutage, RetryLimit } from "./failures.ts";
import { POSTGRES_PROGRAMS } from "./programs.ts";
import { makeTimeouts, mayPrepare, type PostgresTraits, setForTransaction } from "./traits.ts";

/** For sums over whole tables. */
const LONG_MS = 60_000;
const LONG = bind(`SET LOCAL statement_timeout = ${LONG_MS}`);
const TRIES_MAX = 2;
const PAUSE_MS = 20;

interface PoolOptions {
  /** The caller's time limit overall. */
  readonly patienceMs: number;
  readonly connections: number;
  readonly searchPath: string | undefined;
}

export class Pool implements Engine {
  readonly programs = POSTGRES_PROGRAMS;
  readonly hasOwnersInOrder = true;
  readonly blocksLoop = false;
  readonly byIndexes = [bind("SELECT set_config('enable_seqscan', 'off', true)")];
  readonly forUpdate = "FOR UPDATE";
  /** Distributed engines accept only immutable functions here, so not `json_agg`. */
  readonly otherMarks = `
    jsonb_path_query_array(marks::jsonb, 'strict $[*] ? (@[0] != $model)', $1::text::jsonb)::text`;
  readonly traits: PostgresTraits;
  readonly #connections: Connections;
  readonly #settings: readonly Query[];
  /** The time limit of a lookup. */
  readonly #lookupMs: number;

  /** Connects lazily. */
  constructor(dialer: Dialer, traits: PostgresTraits, { patienceMs, connections, searchPath }: PoolOptions) {
    const timeouts = {
      ...makeTimeouts(patienceMs),
      ...(searchPath === undefined ? {} : { search_path: searchPath }),
    };
    const { keepsSettings } = traits;
    this.traits = traits;
    this.#lookupMs = patienceMs / 3;
    this.#settings = keepsSettings ? [] : [setForTransaction(timeouts)];
    const settings = keepsSettings ? timeouts : {};
    const options = () => ({
      settings,
      prepare: mayPrepare(dialer.url, traits),
      isPooled: !keepsSettings,
    });
    this.#connections = new Connections({ dialer, options, max: connections });
  }

  /** Runs work on a connection and rolls back a transaction if it throws. Throws the database's errors. */
  async use<T>(withinMs: number, work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = new Connection(
      await this.#connections.take(withinMs),
      this.#connections,
      this.#settings,
    );
    try {
      return await work(connection);
    } catch (error) {
      await connection.rollBack(this.#lookupMs);
      throw error;
    } finally {
      connection.release();
    }
  }

  readonly mark = (position: number) => `$${position}`;

  readonly asJson = (column: string) => `CAST(${column} AS jsonb)`;

  readonly itemsOf = (list: string) => `jsonb_array_elements(${list}) AS item (value)`;

  readonly untimed = UNTIMED.postgres;
  readonly byBytes = 'COLLATE "C"';
  readonly nowMs = NOW_MS;

  readonly contains = (column: string, part: string) => `strpos(${column}, ${part}) > 0`;

  readonly isListed = (column: string, list: string) =>
    this.isAmong(column, `SELECT jsonb_array_elements_text(CAST(CAST(${list} AS text) AS jsonb))`);

  /** With IN, a condition that is one of several would be judged for every row of the table. */
  readonly isAmong = (column: string, query: string) => `${column} = ANY(ARRAY(${query}))`;

  /** With NOT IN, each row would be compared with all of them once they are too many for the memory of a hash. */
  readonly omit = (
    table: string,
    column: string,
    omitted: { readonly table: string; readonly column: string },
  ) => ({
    from: `${table} LEFT JOIN ${omitted.table} ON ${column} = ${omitted.column}`,
    condition: `${omitted.column} IS NULL`,
  });

  readonly run = (asked: Query): Promise<Result> =>
    this.#tried(TRIES_MAX, (connection) => connection.one(asked, this.#lookupMs));

  readonly runOnce = (asked: Query, ...others: readonly Query[]): Promise<Result> =>
    this.#tried(1, (connection) => connection.runOnce([asked, ...others], this.#lookupMs));

  readonly runAll = async (asked: readonly Query[]): Promise<void> => {
    for (const one of asked) await this.run(one);
  };

  readonly dropFreed = async (tables: readonly string[]): Promise<boolean> => {
    try {
      const vacuum = (table: string) =>
        this.use(this.#lookupMs, (connection) => connection.runAlone(bind(`VACUUM ${table}`), LONG_MS));
      for (const table of tables) await vacuum(table);
      return true;
    } catch {
      return false;
    }
  };

  /** Runs one statement without retries, to check whether the database is usable. */
  async probe(asked: Query): Promise<void> {
    await this.#tried(1, (connection) => connection.one(asked, this.#lookupMs));
  }

  /** Runs statements on one snapshot. */
  readSnapshot(asked: readonly Query[]): Promise<readonly Result[]> {
    return this.#tried(TRIES_MAX, (connection) => connection.readSnapshot(asked, this.#lookupMs));
  }

  readonly runSlowReads = async (asked: readonly Query[]): Promise<readonly Result[]> => {
    const results = await this.#tried(1, (connection) => connection.readSnapshot([LONG, ...asked], LONG_MS));
    return results.slice(1);
  };

  /** Takes two flights. */
  readonly change = <T>(
    firsts: readonly Query[],
    then: (results: readonly Result[]) => Change<T, Query>,
  ): Promise<T> =>
    this.#tried(TRIES_MAX, async (connection) => {
      const { writes, toResult } = then(await connection.begin(firsts, this.#lookupMs));
      return toResult(await connection.commit(writes, this.#lookupMs));
    });

  /** Waits up to `withinMs` for running statements. */
  close(withinMs: number): Promise<void> {
    return this.#connections.close(withinMs);
  }

  async #tried<T>(failuresMax: number, work: (connection: Connection) => Promise<T>): Promise<T> {
    const tries = new RetryLimit(failuresMax);
    for (;;) {
      try {
        return await this.use(this.#lookupMs, work);
      } catch (error) {
        if (error instanceof Fault || !isOutage(error)) throw error;
        if (!tries.mayRetry(error)) throw unavailable(error);
        await pauseBriefly();
      }
    }
  }
}

/** A random pause, so that conflicting transactions don't collide again. */
export function pauseBriefly(): Promise<void> {
  return Bun.sleep(1 + Math.random() * PAUSE_MS);
}
