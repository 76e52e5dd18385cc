// One connection of the pool while it is somebody's: statements sent in one flight, each flight bounded in time.
import type { ReservedSQL } from "bun";
import type { Result as Rows, Statement } from "../engine.ts";
import type { Value } from "../found.ts";
import { CommitError } from "../unavailable.ts";
import { isConflict, LateError } from "./failures.ts";

/** Its values stand in place of `$1, $2 …`; lists are for `unnest` and `= ANY`. */
export interface Query extends Statement<Value | readonly Value[]> {
  readonly template?: TemplateStringsArray;
}

export interface Result extends Rows {
  readonly command: string;
}

/** A statement that is always the same. Without values only a template is sent in one flight with others. */
function fixed(template: TemplateStringsArray): Query {
  return { text: template.join(""), values: [], template };
}

/** Said out loud, because a database may have another level as its default, and the locking is made for this one. */
const BEGIN = fixed`BEGIN ISOLATION LEVEL READ COMMITTED`;
/** For reads that belong together: all see one moment. */
const BEGIN_LOOKING = fixed`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`;
const COMMIT = fixed`COMMIT`;
const ROLLBACK = fixed`ROLLBACK`;

export class Connection {
  readonly #reserved: ReservedSQL;
  /** The statements that come first in each transaction. */
  readonly #settings: readonly Query[];
  #closed = false;

  constructor(reserved: ReservedSQL, settings: readonly Query[]) {
    this.#reserved = reserved;
    this.#settings = settings;
  }

  /** Begins a transaction and sends its first statements with that, in one flight. */
  async begin(queries: readonly Query[], withinMs: number): Promise<readonly Result[]> {
    const results = await this.send([BEGIN, ...this.#settings, ...queries], withinMs);
    return results.slice(1 + this.#settings.length);
  }

  /** A whole transaction that only reads, in one flight. */
  async look(queries: readonly Query[], withinMs: number): Promise<readonly Result[]> {
    const results = await this.send([BEGIN_LOOKING, ...this.#settings, ...queries, COMMIT], withinMs);
    return results.slice(1 + this.#settings.length, -1);
  }

  /** One statement. It may have run where this throws. */
  async one(query: Query, withinMs: number): Promise<Result> {
    const isBare = this.#settings.length === 0;
    const results = await this.send(isBare ? [query] : [BEGIN, ...this.#settings, query, COMMIT], withinMs);
    return readResult(results, isBare ? 0 : 1 + this.#settings.length);
  }

  /** One statement, committed. Throws a CommitError when nobody knows whether it was written. */
  async once(query: Query, withinMs: number): Promise<Result> {
    const results = await this.commit([BEGIN, ...this.#settings, query], withinMs);
    return readResult(results, 1 + this.#settings.length);
  }

  /** The results of statements sent together, in order. Throws the first failure, once none of them is under way. */
  async send(queries: readonly Query[], withinMs: number): Promise<readonly Result[]> {
    return whole(await this.#flight(queries, withinMs));
  }

  /**
   * `send`, then COMMIT, in the same flight. Throws a CommitError when nobody knows whether it was written; after any
   * other failure nothing was.
   */
  async commit(queries: readonly Query[], withinMs: number): Promise<readonly Result[]> {
    const ends = await this.#flight([...queries, COMMIT], withinMs);
    const committed = ends.at(-1);
    if (committed?.status !== "fulfilled") {
      if (isConflict(committed?.reason)) throw committed?.reason;
      throw new CommitError("The commit was not answered.", { cause: committed?.reason });
    }
    const results = whole(ends);
    // After a failed statement COMMIT is answered too, by the word ROLLBACK.
    if (committed.value.command === "COMMIT") return results;
    throw new Error("The transaction was rolled back without a word why.");
  }

  /** Ends a transaction that is given up, if one is open. When that fails too, the pool closes the connection. */
  async rollBack(withinMs: number): Promise<void> {
    if (!this.#closed) await this.#flight([ROLLBACK], withinMs);
  }

  release(): void {
    if (!this.#closed) this.#reserved.release();
  }

  /** Only closing ends the wait for a server that is silent: a query that is sent can't be called off without it. */
  async #flight(queries: readonly Query[], withinMs: number): Promise<PromiseSettledResult<Result>[]> {
    const timer = setTimeout(() => {
      this.#closed = true;
      void this.#reserved.close({ timeout: 0 }).catch(() => {});
    }, withinMs);
    const ends = await Promise.allSettled(queries.map((one) => this.#start(one)));
    clearTimeout(timer);
    if (!this.#closed) return ends;
    const late = new LateError(`The database did not answer within ${Math.round(withinMs)} ms.`);
    return ends.map((end) => (end.status === "fulfilled" ? end : { status: "rejected", reason: late }));
  }

  #start({ text, values, template }: Query): Promise<Result> {
    if (template) return this.#reserved<Result>(template).execute();
    return this.#reserved.unsafe<Result>(text, [...values]).execute();
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
  throw new Error("The database gave no result.");
}
