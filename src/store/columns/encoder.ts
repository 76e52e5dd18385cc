// Encoders: functions made from the columns of a table, which write a row's values as one expression.
import type { Value } from "./found.ts";

type WriteValue<From> = (value: From) => Value;
/** Returns the JavaScript of a value as it is written, from that of the value. */
type Expression = (value: string) => string;

/** By their function, so that a column with a function of its own is never written as the one that it was made from. */
const expressions = new WeakMap<WriteValue<never>, Expression>();

/** Says how an encoder writes in place what it would otherwise call this function for. Both must return the same. */
export function expressAs<From>(write: WriteValue<From>, expression: Expression): WriteValue<From> {
  expressions.set(write, expression);
  return write;
}

/** Returns the expression of a function, applied to what `from` makes of a value. Undefined if it has to be called. */
export function findExpression<From>(write: WriteValue<From>): Expression | undefined {
  return expressions.get(write);
}

export interface Encoder<Row> {
  readonly valuesOf: (row: Row) => Value[];
  /** Appends a row's values. */
  readonly append: (row: Row, to: Value[]) => void;
  /** Appends each of a row's values to the list of its column. */
  readonly spread: (row: Row, lists: readonly Value[][]) => void;
}

/**
 * Makes an encoder at its first use: most tables are never written by a command, and each costs some 50 µs. A call for each
 * of a request's 48 columns would cost more than the rest of writing its row.
 */
export function makeEncoder<Row>(writers: readonly WriteValue<Row>[]): Encoder<Row> {
  let made: Encoder<Row> | null = null;
  const find = () => {
    made ??= compile(writers);
    return made;
  };
  return {
    valuesOf: (row) => find().valuesOf(row),
    append: (row, to) => find().append(row, to),
    spread: (row, lists) => find().spread(row, lists),
  };
}

/** Returns a function that says whether a row has these values in its columns. It is made at its first use, too. */
export function makeTest<Row>(tests: readonly (readonly [WriteValue<Row>, Value])[]): (row: Row) => boolean {
  let made: ((row: Row) => boolean) | null = null;
  return (row) => {
    made ??= compileTest(tests);
    return made(row);
  };
}

function compileTest<Row>(tests: readonly (readonly [WriteValue<Row>, Value])[]): (row: Row) => boolean {
  const written = tests.map(([write], at) => findExpression(write)?.("row") ?? `tests[${at}][0](row)`);
  const terms = written.map((value, at) => `${value} === tests[${at}][1]`);
  return new Function("tests", `return (row) => ${terms.join(" && ")};`)(tests);
}

/** The source is made of the program's own names alone. */
function compile<Row>(writers: readonly WriteValue<Row>[]): Encoder<Row> {
  const values = writers.map((write, at) => findExpression(write)?.("row") ?? `writers[${at}](row)`);
  const pushes = values.map((value, at) => `lists[${at}].push(${value});`);
  const make = new Function(
    "writers",
    `return {
      valuesOf: (row) => [${values.join(", ")}],
      append: (row, to) => { to.push(${values.join(", ")}); },
      spread: (row, lists) => { ${pushes.join(" ")} },
    };`,
  );
  return make(writers);
}
