// Pages of lists.

/** A position in a list that is ordered from newest to oldest. */
export interface Position {
  readonly atMs: number;
  readonly id: string;
}

/** A position in a list that is sorted by a value. */
export interface SortedPosition {
  readonly value: string | number;
  readonly id: string;
}

/** At most `limit` rows after the position, in a chosen order. */
export interface SortedPage<By extends string> {
  readonly by: By;
  /** True if the highest value comes first. */
  readonly isDown: boolean;
  readonly limit: number;
  readonly after: SortedPosition | null;
}

/** A row with the value that it is sorted by. */
export interface SortedRow<Row> {
  readonly row: Row;
  readonly value: string | number;
}

/** At most `limit` rows after the position. */
export interface Page {
  readonly limit: number;
  readonly after: Position | null;
}
