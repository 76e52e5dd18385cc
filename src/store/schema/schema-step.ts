// A step of the schema as data: each engine makes its own statements from it.
import type { Field } from "../../core/fields/field.ts";
import type { SqlType } from "../columns/columns.ts";

/** A column. Rows can't leave it empty unless it is nullable. */
export interface NewColumn {
  readonly name: string;
  readonly type: SqlType;
  readonly isNullable?: true;
  /** The value of rows that are written without it. */
  readonly initial?: string | number;
}

/** Makes columns of these types. Times and amounts are integers. */
export const text = (name: string) => ({ name, type: "text" }) as const;
export const textOrNull = (name: string) => ({ name, type: "text", isNullable: true }) as const;
export const integer = (name: string) => ({ name, type: "integer" }) as const;
export const integerOrNull = (name: string) => ({ name, type: "integer", isNullable: true }) as const;

/** Rows exist already, and an older version goes on writing them without the column. */
export type AddedColumn = NewColumn & ({ readonly isNullable: true } | { readonly initial: string | number });

/**
 * One change. A primary key is never altered: the rows move to a new table instead. Nothing is dropped by the release
 * that stops using it, so that one version before can go on beside it: `dropLater` announces what a later one drops.
 */
export type Change =
  | {
      readonly kind: "addColumn";
      readonly table: string;
      readonly column: AddedColumn;
      /** Set if the other engine has no such table. */
      readonly only?: "postgres";
    }
  /** The column of a field that an operator can set. */
  | { readonly kind: "addField"; readonly table: string; readonly field: Field }
  | {
      readonly kind: "createTable";
      readonly table: string;
      readonly columns: readonly NewColumn[];
      readonly key: readonly string[];
      /** The rows lie with their account, or on every machine of a distributed engine. */
      readonly placement: "account" | "everywhere";
      /** Set if the other engine keeps such rows elsewhere. */
      readonly only?: "postgres";
    }
  | {
      readonly kind: "createIndex";
      readonly name: string;
      readonly table: string;
      readonly columns: readonly string[];
      /** Only rows whose first column isn't null are in it. */
      readonly isSparse?: true;
      /** Only rows that meet this condition are in it. */
      readonly where?: { readonly sqlite: string; readonly postgres: string };
      /** Set if the other engine finds such rows in another way. */
      readonly only?: "postgres";
    }
  /** Moves rows. Not every engine runs a step atomically, so each statement must be one that can be repeated. */
  | { readonly kind: "moveRows"; readonly sqlite: readonly string[]; readonly postgres: readonly string[] }
  /** Drops an index that no release has used, whose use the one before has stopped, or without which that is only slower. */
  | { readonly kind: "dropIndex"; readonly name: string }
  /** A table or an index that only the version before still uses. */
  | { readonly kind: "dropLater"; readonly name: string }
  /**
   * Ends support for programs that know fewer of the shared steps than this: their nodes refuse requests. For a step that
   * drops what they still use, or for rules that they couldn't enforce.
   */
  | { readonly kind: "endSupport"; readonly stepsKnown: number };

export type Step = readonly Change[];

/** An engine's schema, as a program knows it. */
export interface Schema<Rendered> {
  /** The number of its steps. Step n makes version n + 1. */
  readonly version: number;
  /** Programs whose own version is lower are refused. */
  readonly oldestSupported: number;
  readonly steps: readonly Rendered[];
}

/** Makes the schema from the engine's own first steps and the shared ones. */
export function makeSchema<Rendered>(
  first: readonly Rendered[],
  shared: readonly Step[],
  render: (step: Step) => Rendered,
): Schema<Rendered> {
  const steps = [...first, ...shared.map(render)];
  const ends = shared.flat().map((change) => (change.kind === "endSupport" ? change.stepsKnown : 0));
  const stepsKnown = Math.max(0, ...ends);
  return {
    version: steps.length,
    oldestSupported: stepsKnown === 0 ? 0 : first.length + stepsKnown,
    steps,
  };
}

/** Returns the version of the schema that a program has which knows so many of the shared steps. */
export const countFrom = (first: readonly unknown[]) => (stepsKnown: number) => first.length + stepsKnown;

/** The reason why a program whose schema has this version can't use the store, or null. */
export function explainUnsupported(version: number, oldestSupported: number): string | null {
  if (version >= oldestSupported) return null;
  return `this version of Poundkey is too old for it (it knows the schema up to ${version}, and the store needs ${oldestSupported} or later)`;
}
