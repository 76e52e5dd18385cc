// The catalogue file as it is read: rows of the operator's own, and fields that were taken from lists.
import type { ModelCard } from "../../core/models/card.ts";
import type { LastList, TakenMark } from "../../core/money/taken-mark.ts";

/** A whole row of the operator's own. It always counts. */
export interface OperatorRow {
  readonly kind: "own";
  readonly card: ModelCard;
  /** The row's own day, as `YYYY-MM-DD`. The file's counts if it is missing. */
  readonly asOf?: string;
  /** True for `own: true`: the operator means this price, whatever its age. */
  readonly isMeant?: true;
}

/** A whole row that was taken. */
interface ModelRow {
  readonly kind: "model";
  readonly card: ModelCard;
  readonly taken: TakenMark;
}

/** Some fields of a model that the program has. */
export interface FieldsRow {
  readonly kind: "fields";
  readonly id: string;
  /** Holds the fields that `taken.was` names. */
  readonly sets: Partial<ModelCard>;
  readonly taken: TakenMark;
  /** The day of these values, if it is earlier than that of their acceptance. */
  readonly asOf?: string;
}

/** A model has one whole row, or rows of fields: one for each list that a field was taken from. */
export type FileRow = OperatorRow | ModelRow | FieldsRow;

export interface CatalogueFileContent {
  /** The day of the operator's rows that have none themselves, as `YYYY-MM-DD`. */
  readonly asOf?: string;
  readonly list?: LastList;
  readonly rows: readonly FileRow[];
}

export function readRowId(row: FileRow): string {
  return row.kind === "fields" ? row.id : row.card.id;
}
