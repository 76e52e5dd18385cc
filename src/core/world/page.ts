// Pages of lists.

/** A position in a list that is ordered from newest to oldest. */
export interface Position {
  readonly atMs: number;
  readonly id: string;
}

/** At most `limit` rows after the position. */
export interface Page {
  readonly limit: number;
  readonly after: Position | null;
}
