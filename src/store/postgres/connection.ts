// A connection taken from the pool: statements are pipelined in one flight, and each flight has a time limit.
import type { Value } from "../columns/found.ts";
import { bind, type Result as Rows, type Statement } from "../engine/engine.ts";
import { CommitError } from "../engine/unavailable.ts";
import type { Connections } from "./connections.ts";
import { isConflict, isDeadServer, isReadOnly, LateError } from "./failures.ts";
import { END_READ_ONLY, type Session } from "./session.ts";

/** The values are bound to `$1, $2 …`; lists are for `unnest` and `= ANY`. */
export interface Query extends Statement<Value | Uint8Array | readonly Value[]> {
  readonly template?: TemplateStringsArray;
}

export interface Result extends Rows {
  readonly command: string;
}

/** A constant statement. Without values, only a template is pipelined with others. */
function fixed(template: TemplateStringsArray): Query {
  return { text: template.join(""), values: [], template };
}

/** Explicit, because the locking depends on this level and a database may default to another. */
const BEGIN = fixed`BEGIN ISOLATION LEVEL READ COMMITTED`;
/** For reads that need one snapshot. */
const BEGIN_SNAPSHOT = fixed`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`;
const COMMIT = fixed`COMMIT`;
const ROLLBACK = fixed`ROLLBACK`;
const END_POOLED: Query = { text: END_READ_ONLY, values: [] };

export class Connection {
  readonly #session: Session;
  readonly #connections: Connections;
  /** The first statements of each transaction. */
  readonly #settings: readonly Query[];
  #closed = false;
  #isReadOnly = false;

  constructor(session: Session, connections: Connections, settings: readonly Query[]) {
    this.#session = session;
    this.#connections = connections;
    this.#settings = settings;
  }

  /** Begins a transaction and sends its first statements in the same flight. */
  async begin(queries: readonly Query[], withinMs: number): Promise<readonly Result[]> {
    const results = await this.send([BEGIN, ...this.#settings, ...queries], withinMs);
    return results.slice(1 + this.#settings.length);
  }

  /** Runs a whole read-only transaction in one flight. */
  async readSnapshot(queries: readonly Query[], withinMs: number): Promise<readonly Result[]> {
    const results = await this.send([BEGIN_SNAPSHOT, ...this.#settings, ...queries, COMMIT], withinMs);
    return results.slice(1 + this.#settings.length, -1);
  }

  /** Runs one statement. It may have run even if this throws. */
  async one(query: Query, withinMs: number): Promise<Result> {
    const isBare = this.#settings.length === 0;
    const results = await this.send(isBare ? [query] : [BEGIN, ...this.#settings, query, COMMIT], withinMs);
    return readResult(results, isBare ? 0 : 1 + this.#settings.length);
  }

  /** Runs a statement outside of a transaction, for longer than others may take. */
  async runAlone(query: Query, withinMs: number): Promise<void> {
    const sets = this.#session.isPooled ? [] : [bind(`SET statement_timeout = ${withinMs}`)];
    const resets = this.#session.isPooled ? [] : [bind("RESET statement_timeout")];
    try {
      for (const one of [...sets, query, ...resets]) await this.send([one], withinMs);
    } catch (error) {
      // The next user must not get its time limit.
      if (!this.#closed) this.#end();
      throw error;
    }
  }

  /** Commits statements, and returns the first one's result. Throws a CommitError if it is unknown whether they were written. */
  async runOnce(queries: readonly Query[], withinMs: number): Promise<Result> {
    const results = await this.commit([BEGIN, ...this.#settings, ...queries], withinMs);
    return readResult(results, 1 + this.#settings.length);
  }

  /** Sends statements together and returns their results, in order. Once all have ended, throws the first failure. */
  async send(queries: readonly Query[], withinMs: number): Promise<readonly Result[]> {
    return whole(await this.#flight(queries, withinMs));
  }

  /**
   * Sends statements and COMMIT in one flight. Throws a CommitError if it is unknown whether they were written; after
   * any other failure nothing was.
   */
  async commit(queries: readonly Query[], withinMs: number): Promise<readonly Result[]> {
    const ends = await this.#flight([...queries, COMMIT], withinMs);
    const committed = ends.at(-1);
    if (committed?.status !== "fulfilled") {
      if (isConflict(committed?.reason)) throw committed?.reason;
      throw new CommitError("The commit got no answer.", { cause: committed?.reason });
    }
    const results = whole(ends);
    // COMMIT succeeds after a failed statement too, but its command is then ROLLBACK.
    if (committed.value.command === "COMMIT") return results;
    throw new Error("The transaction was rolled back without an error message.");
  }

  /** Rolls back an abandoned transaction, if one is open. If that fails too, the connection is closed. */
  async rollBack(withinMs: number): Promise<void> {
    if (this.#closed || this.#session.isOver) return;
    const [end] = await this.#flight([ROLLBACK], withinMs);
    if (end?.status === "rejected") this.#end();
    else if (this.#isReadOnly && this.#session.isPooled) await this.#flight([END_POOLED], withinMs);
  }

  release(): void {
    if (!this.#closed) this.#connections.give(this.#session);
  }

  /** Times out by closing the connection: a query that was sent to a silent server can't be cancelled otherwise. */
  async #flight(queries: readonly Query[], withinMs: number): Promise<PromiseSettledResult<Result>[]> {
    const timer = setTimeout(() => this.#end(), withinMs);
    const ends = await Promise.allSettled(queries.map((one) => this.#start(one)));
    clearTimeout(timer);
    for (const end of ends) if (end.status === "rejected") this.#learn(end.reason);
    if (!this.#closed) return ends;
    const late = new LateError(`The database did not answer within ${Math.round(withinMs)} ms.`);
    return ends.map((end) => (end.status === "fulfilled" ? end : { status: "rejected", reason: late }));
  }

  #learn(failure: unknown): void {
    if (isDeadServer(failure)) this.#connections.renew(this.#session);
    if (isReadOnly(failure)) this.#isReadOnly = true;
  }

  #end(): void {
    this.#closed = true;
    this.#connections.end(this.#session);
  }

  #start({ text, values, template }: Query): Promise<Result> {
    if (template) return this.#session.reserved<Result>(template).execute();
    return this.#session.reserved.unsafe<Result>(text, [...values]).execute();
  }
}

function whole(ends: readonly PromiseSettledResult<Result>[]): readonly Result[] {
  return ends.map((end) => {
    if (end.status === "rejected") throw end.reason;
    return end.value;
  });
}

function readResult(results: readonly Result[], at: number): Result {
  const result = results[at];
  if (result) return result;
  throw new Error("The database returned no result.");
}
