// The port behind the methods that are the same on both engines: statements, alone or in a change, and the few words that differ.
import type { Found, Value } from "./found.ts";
import type { Mark } from "./sql.ts";

/** A statement with the values that it takes, in order; one of an engine alone may take more than the others. */
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

/** The rows that a statement gave. */
export interface Result extends ReadonlyArray<Found> {
  /** Rows that were given or touched. */
  readonly count: number;
}

/** The writes of a transaction, and its result once that is committed. */
export interface Changing<T, Written = Statement> {
  readonly writes: readonly Written[];
  readonly gives: (written: readonly Result[]) => T;
}

export interface Engine {
  readonly mark: Mark;
  /** Ends a look-up within a change: nobody else may write its rows until that is committed. */
  readonly forUpdate: "" | "FOR UPDATE";
  /** The expression for a lesson's marks without those of one model; value 1 is JSON with that as its `model`. */
  readonly otherMarks: string;
  /** The condition that a column's text has a part. */
  contains(column: string, part: string): string;
  /** One statement. It may run more than once. */
  run(statement: Statement): Promise<Result>;
  /** One statement that must not be written twice. */
  once(statement: Statement): Promise<Result>;
  /** Several, one after the other; each may run more than once. */
  runAll(statements: readonly Statement[]): Promise<void>;
  /** Look-ups that see one moment and may take long. */
  lookLong(statements: readonly Statement[]): Promise<readonly Result[]>;
  /**
   * A transaction: statements first, then those that their results ask for. It may run more than once, so it has to come
   * to the same then.
   */
  change<T>(firsts: readonly Statement[], then: (results: readonly Result[]) => Changing<T>): Promise<T>;
}

/** The row that was found, if any. */
export function readFirst<Row>(
  { rowOf }: { readonly rowOf: (found: Found) => Row },
  result: Result | undefined,
): Row | null {
  const [found] = result ?? [];
  return found ? rowOf(found) : null;
}
