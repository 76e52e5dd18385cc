// The port behind the methods that both engines share: statements, transactions and the SQL that differs.
import type { LiveNode } from "../../core/live-nodes.ts";
import type { FoundRow, Value } from "../columns/found.ts";
import type { Mark } from "./sql.ts";

/** A statement and its values, in order. An engine may accept further types of values. */
export interface Statement<Taken = Value> {
  readonly text: string;
  readonly values: readonly Taken[];
}

export function bind<Values extends readonly unknown[]>(
  text: string,
  ...values: Values
): Statement<Values[number]> {
  return { text, values };
}

/** The rows that a statement returned. */
export interface Result extends ReadonlyArray<FoundRow> {
  /** The number of rows returned or changed. */
  readonly count: number;
}

/** The writes of a transaction, and its result once they are committed. */
export interface Change<T, Written = Statement> {
  readonly writes: readonly Written[];
  readonly toResult: (written: readonly Result[]) => T;
}

/** The programs of a store's nodes, and the end of the support for older ones. */
export interface Programs {
  /** Reads the lowest version of the schema that is supported, locked until the commit, and the live nodes. */
  readonly look: readonly Statement[];
  /** Returns them from the results of `look`. */
  parse(results: readonly Result[]): NodePrograms;
  /** Returns the version of the schema of a program that knows so many of the shared steps. */
  versionOf(stepsKnown: number): number;
  /** Ends the support for programs that know less. It never comes back. */
  endSupport(version: number): Statement;
}

export interface NodePrograms {
  readonly oldestSupported: number;
  /** Called within the transaction. */
  readonly live: () => readonly LiveNode[];
}

export interface Engine {
  readonly mark: Mark;
  readonly programs: Programs;
  /** True if the rows of a key, and those of an account, have an index in the order of time. */
  readonly hasOwnersInOrder: boolean;
  /** True if a statement blocks the event loop while it runs. */
  readonly blocksLoop: boolean;
  /**
   * Begins a transaction whose tables may grow by far while the plans of its statements are kept: it then finds rows by
   * indexes, however few there were when a statement was planned.
   */
  readonly byIndexes: readonly Statement[];
  /** Ends a SELECT within `change`: locks the rows until the commit. */
  readonly forUpdate: "" | "FOR UPDATE";
  /** The expression for a lesson's marks without those of one model. Value 1 is JSON with that `model`. */
  readonly otherMarks: string;
  /** The expression for a column's text as JSON, whose fields `->` and `->>` read. */
  asJson(column: string): string;
  /** The table of the items of a list within JSON, each as `item.value`. */
  itemsOf(list: string): string;
  /** The condition that a request isn't found by the time in its id (`schema/request-ids.ts`). */
  readonly untimed: string;
  /** Ends an expression for text: it is ordered by its bytes. */
  readonly byBytes: string;
  /** The expression for the store's clock, in Unix milliseconds. NULL if its processes' own clocks are the store's. */
  readonly nowMs: string;
  /** The condition that a column's text contains `part`. */
  contains(column: string, part: string): string;
  /** The condition that a column's text is in a list, which is a value of JSON. Without an index, each row is compared with all of the list. */
  isListed(column: string, list: string): string;
  /** The condition that a column's text is among those that a query returns, few enough to look each of them up. */
  isAmong(column: string, query: string): string;
  /** The rows of a table whose column isn't among those of another, however many these are. */
  omit(
    table: string,
    column: string,
    omitted: { readonly table: string; readonly column: string },
  ): { readonly from: string; readonly condition: string };
  /** Runs one statement, possibly more than once. */
  run(statement: Statement): Promise<Result>;
  /** Runs one statement that must not be written twice, with others in its transaction. Returns its own result. */
  runOnce(statement: Statement, ...others: readonly Statement[]): Promise<Result>;
  /** Runs statements in order, each possibly more than once. */
  runAll(statements: readonly Statement[]): Promise<void>;
  /** Runs slow reads on one snapshot. */
  runSlowReads(statements: readonly Statement[]): Promise<readonly Result[]>;
  /**
   * A transaction: `firsts`, then the writes that depend on their results. It may run more than once, so it must be
   * idempotent.
   */
  change<T>(firsts: readonly Statement[], then: (results: readonly Result[]) => Change<T>): Promise<T>;
  /**
   * Removes what was deleted from these tables, and values that were replaced, from the store's files as far as the engine
   * can. Returns false if it may still be there, as while somebody reads an older state.
   */
  dropFreed(tables: readonly string[]): Promise<boolean>;
}

/** A lookup of rows by what is asked for. */
export interface Lookup extends Statement {
  /** True if an index finds its rows, so that it looks at few others, however many there are. */
  readonly isBounded: boolean;
}

/** Runs a lookup where it lets others go on: a search of all rows of a large table would stop the event loop. */
export async function runLookup(
  { blocksLoop, run, runSlowReads }: Pick<Engine, "blocksLoop" | "run" | "runSlowReads">,
  { isBounded, ...statement }: Lookup,
): Promise<readonly FoundRow[]> {
  if (isBounded || !blocksLoop) return run(statement);
  const [found = []] = await runSlowReads([statement]);
  return found;
}

/** Returns the first row. Null if there is none. */
export function readFirst<Row>(
  { rowOf }: { readonly rowOf: (row: FoundRow) => Row },
  result: Result | undefined,
): Row | null {
  const [found] = result ?? [];
  return found ? rowOf(found) : null;
}
