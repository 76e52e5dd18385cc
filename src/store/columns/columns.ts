// Columns: what is written into one for the value of a field, and how that is read back and checked.
import { expressAs, findExpression } from "./encoder.ts";
import { type FoundRow, readInteger, readNumber, readSum, readText, type Value } from "./found.ts";

/** A column's type on every engine. Money, times, counts and flags are integers of 64 bits; JSON is text. */
export type SqlType = "text" | "integer" | "real" | "bytes";

/** A column that is written from a value. */
export interface ColumnWriter<From> {
  readonly type: SqlType;
  readonly write: (value: From) => Value;
}

/** A field with a column of its own, by default of the field's name in snake case. */
export interface Column<Field> extends ColumnWriter<Field> {
  readonly name?: string;
  readonly read: (row: FoundRow, column: string) => Field;
}

/** A field that is stored in several columns. */
export interface Columns<Field> {
  readonly columns: Readonly<Record<string, ColumnWriter<Field>>>;
  readonly read: (row: FoundRow) => Field;
}

const writeSame = <Same extends Value>(value: Same): Same => value;
expressAs(writeSame, (value) => value);

export const TEXT: Column<string> = { type: "text", write: writeSame, read: readText };
export const INTEGER: Column<number> = { type: "integer", write: writeSame, read: readInteger };
export const NUMBER: Column<number> = { type: "real", write: writeSame, read: readNumber };
/** May be a sum of a column's values. */
export const SUM: Column<number> = { type: "integer", write: writeSame, read: readSum };
/** The columns of times and durations hold whole milliseconds only. */
export const TIME: Column<number> = {
  type: "integer",
  write: expressAs(Math.round, (value) => `Math.round(${value})`),
  read: readInteger,
};
export const FLAG: Column<boolean> = {
  type: "integer",
  write: expressAs(
    (value) => (value ? 1 : 0),
    (value) => `(${value} ? 1 : 0)`,
  ),
  read: (found, column) => readInteger(found, column) === 1,
};

/** One of the column's known words. */
export function makeWord<Word extends string>(words: readonly Word[]): Column<Word> {
  return {
    type: "text",
    write: writeSame,
    read(found, column) {
      const known = words.find((one) => one === found[column]);
      if (known !== undefined) return known;
      throw new Error(`The store's column ${column} holds an unknown value.`);
    },
  };
}

/** A value as JSON text. */
export function makeJson<Field>(parse: (json: string) => Field): Column<Field> {
  return {
    type: "text",
    write: (value) => JSON.stringify(value),
    read: (found, column) => parse(readText(found, column)),
  };
}

/** Rows that follow each other often have the same text, which is then read once. Nobody may change what it is read as. */
export function keepLast<Field>(column: Column<Field>): Column<Field> {
  let last: { readonly text: string; readonly field: Field } | null = null;
  return {
    ...column,
    read: (found, name) => {
      const text = readText(found, name);
      const read = last?.text === text ? last : { text, field: column.read(found, name) };
      last = read;
      return read.field;
    },
  };
}

export function allowNull<Field>({ type, write, read }: Column<Field>): Column<Field | null> {
  return {
    type,
    write: writeUnlessNull(write),
    read: (found, column) =>
      found[column] === null || found[column] === undefined ? null : read(found, column),
  };
}

function writeUnlessNull<Field>(write: (value: Field) => Value): (value: Field | null) => Value {
  const expression = findExpression(write);
  const writeNullable = (value: Field | null) => (value === null ? null : write(value));
  if (expression === undefined) return writeNullable;
  return expressAs(writeNullable, (value) => `(${value} === null ? null : ${expression(value)})`);
}

/** Writes a field of an object, as the object's column is written. */
export function writeField<Of, Name extends keyof Of & string>(
  field: Name,
  write: (value: Of[Name]) => Value,
): (of: Of) => Value {
  const expression = findExpression(write);
  const writeIt = (of: Of) => write(of[field]);
  if (expression === undefined) return writeIt;
  return expressAs(writeIt, (of) => expression(`${of}[${JSON.stringify(field)}]`));
}

/** A column whose name is not its field's. */
export function nameColumn<Named extends object>(name: string, column: Named) {
  return { ...column, name };
}

/** Returns the columns of the field with this name, and the name of the one that belongs to it alone. */
export function listColumns<Field>(field: string, stored: Column<Field> | Columns<Field>) {
  const { read } = stored;
  if ("columns" in stored) return { columns: stored.columns, column: "", read };
  const { name: column = spellColumn(field), type, write } = stored;
  return { columns: { [column]: { type, write } }, column, read };
}

/** All money is in dollars: a column's name leaves that out. */
export function spellColumn(field: string): string {
  return field.replace(/Usd$/, "").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
