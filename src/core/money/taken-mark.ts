// The memory of a row of the catalogue file: the values that it replaced; and the facts that operators should know of such a file.

/**
 * The fields that are taken from a list, each as a whole: `price` with the announced ones, `shutdown` with the model that
 * follows, and `model`, which is a whole row.
 */
export const TAKEN_FIELDS = ["price", "shutdown", "context", "output", "model"] as const;
export type TakenField = (typeof TAKEN_FIELDS)[number];

export interface TakenMark {
  /** The list that the fields were taken from, for people. */
  readonly from: string;
  /** The day of that list, as `YYYY-MM-DD`. */
  readonly on: string;
  /** Digests of the built-in values at that time. Null if the program had no row for the model. */
  readonly was: Partial<Readonly<Record<TakenField, string | null>>>;
}

/** The last list that was gone through, whether or not something of it was taken. */
export interface LastList {
  /** Missing for lists without serials. */
  readonly serial?: number;
  /** The SHA-256 of the list's bytes, in hex. */
  readonly sha256?: string;
  /** The list's day, as `YYYY-MM-DD`. */
  readonly asOf: string;
}

/** Fields of a row that the program counts for, because it has another value since. */
export interface Overtaken {
  readonly id: string;
  readonly fields: readonly TakenField[];
}

/** A row whose price is used in place of a newer built-in one. */
export interface Hiding {
  readonly id: string;
  /** The fields that differ from the built-in row. */
  readonly fields: readonly TakenField[];
  /** The day of the row, as `YYYY-MM-DD`. */
  readonly asOf: string;
  /** True if the operator has marked the row as meant. */
  readonly isMeant?: true;
}
