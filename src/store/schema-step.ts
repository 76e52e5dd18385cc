// A step of the schema as data: each engine makes its own statements from it.
import type { Field } from "../core/fields/field.ts";
import type { SqlType } from "./columns.ts";

/** A column. Rows can't leave it empty unless it is nullable. */
export interface NewColumn {
  readonly name: string;
  readonly type: SqlType;
  readonly isNullable?: true;
  /** The value of rows that are written without it. */
  readonly initial?: string | number;
}

/** Rows exist already, and an older version goes on writing them without the column. */
export type AddedColumn = NewColumn & ({ readonly isNullable: true } | { readonly initial: string | number });

/**
 * One change. A primary key is never altered: the rows move to a new table instead. Nothing is dropped by the release
 * that stops using it, so that one version before can go on beside it: `dropLater` announces what a later one drops.
 */
export type Change =
  | { readonly kind: "addColumn"; readonly table: string; readonly column: AddedColumn }
  /** The column of a field that an operator can set. */
  | { readonly kind: "addField"; readonly table: string; readonly field: Field }
  | {
      readonly kind: "createTable";
      readonly table: string;
      readonly columns: readonly NewColumn[];
      readonly key: readonly string[];
      /** The rows lie with their account, or on every machine of a distributed engine. */
      readonly placement: "account" | "everywhere";
    }
  | {
      readonly kind: "createIndex";
      readonly name: string;
      readonly table: string;
      readonly columns: readonly string[];
    }
  /** Moves rows. Not every engine runs a step atomically, so each statement must be one that can be repeated. */
  | { readonly kind: "moveRows"; readonly sqlite: readonly string[]; readonly postgres: readonly string[] }
  /** A table or an index that only the version before still uses. */
  | { readonly kind: "dropLater"; readonly name: string };

export type Step = readonly Change[];
