// The rows of a batch as the ledger reads them.
import type { Rows } from "./decision.ts";

/** The store's rows, each of which is only looked up by its id. */
export type RowLookup = {
  readonly [Name in keyof Rows]: Name extends "nowMs"
    ? Rows[Name]
    : Pick<Exclude<Rows[Name], number | null | undefined>, "get">;
};
