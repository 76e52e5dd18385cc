// Takes out of the catalogue file what the program says too, so that later programs count for the rest.
import { isDeepStrictEqual } from "node:util";
import type { ModelCard } from "../../core/models/card.ts";
import type { TakenField } from "../../core/money/taken-mark.ts";
import { viewRow } from "../write-rows.ts";
import type { BuiltInRows } from "./built-in.ts";
import { type CatalogueFileContent, type FileRow, type OperatorRow, readRowId } from "./file-row.ts";
import { dropOvertaken, keepFields } from "./take.ts";
import {
  digestField,
  listDifferences,
  listTaken,
  pickFields,
  SINGLE_FIELDS,
  setFields,
} from "./taken-fields.ts";

/** Stands for the name of a list in rows that were whole before. */
const REBASED = "rebase";
/** The fields of a row that can only be stated together with all others. */
const WHOLE_ALONE = ["owner", "released", "kind", "capabilities", "operations", "like", "dialects"] as const;

export interface RebasedRow {
  readonly id: string;
  /** Taken out, since the program says the same or has overtaken them. */
  readonly removed: readonly TakenField[];
  /** They stay as taken fields: once the program has other values of a later day, those count. */
  readonly stays: readonly TakenField[];
  /** The fields for which a whole row stays as it is. */
  readonly whole: readonly (typeof WHOLE_ALONE)[number][];
}

export interface RebasedFile {
  readonly content: CatalogueFileContent;
  /** The rows that change, and those that can only stay whole. */
  readonly rows: readonly RebasedRow[];
}

/** No card that the file and the program come to is changed by it. */
export function rebaseFile(file: CatalogueFileContent, builtIn: BuiltInRows): RebasedFile {
  const rows: FileRow[] = [];
  const report: RebasedRow[] = [];
  for (const row of file.rows) {
    const known = builtIn.cards.get(readRowId(row));
    const after =
      row.kind === "own" ? rebaseOperatorRow(row, known, file, builtIn.day) : rebaseTaken(row, builtIn);
    rows.push(...after);
    const change = describeChange(row, after, known);
    if (change !== null) report.push(change);
  }
  return { content: { ...file, rows }, rows: report };
}

/** A row that the operator means stays, as does one of a model that the program doesn't have. */
function rebaseOperatorRow(
  row: OperatorRow,
  known: ModelCard | undefined,
  file: CatalogueFileContent,
  day: string,
): readonly FileRow[] {
  if (row.isMeant || known === undefined || listWhole(row.card, known).length > 0) return [row];
  const fields = listDifferences(row.card, known);
  if (fields.length === 0) return [];
  const asOf = row.asOf ?? file.asOf;
  // An older program, as after a rollback, mustn't count for what the present one was seen not to.
  const on = asOf !== undefined && asOf > day ? asOf : day;
  const was = Object.fromEntries(fields.map((field) => [field, digestField(known, field)]));
  const taken = { from: REBASED, on, was };
  const about = { kind: "fields", id: known.id, sets: pickFields(row.card, fields), taken } as const;
  return [{ ...about, ...(asOf === undefined ? {} : { asOf }) }];
}

function rebaseTaken(row: FileRow, builtIn: BuiltInRows): readonly FileRow[] {
  const known = builtIn.cards.get(readRowId(row));
  return dropOvertaken([row], builtIn).flatMap((one): readonly FileRow[] => {
    if (known === undefined || one.kind === "own") return [one];
    if (one.kind === "model") return isSame(one.card, known) ? [] : [one];
    const fields = listDifferences(setFields(known, one.sets, listTaken(one.taken.was)), known);
    return keepFields(one, (field) => fields.includes(field));
  });
}

function isSame(card: ModelCard, known: ModelCard): boolean {
  return digestField(card, "model") === digestField(known, "model");
}

function listWhole(card: ModelCard, known: ModelCard) {
  const row = viewRow(card);
  const builtIn = viewRow(known);
  return WHOLE_ALONE.filter((field) => !isDeepStrictEqual(row[field], builtIn[field]));
}

function describeChange(
  before: FileRow,
  after: readonly FileRow[],
  known: ModelCard | undefined,
): RebasedRow | null {
  const id = readRowId(before);
  const whole =
    before.kind === "own" && !before.isMeant && known !== undefined ? listWhole(before.card, known) : [];
  if (whole.length > 0) return { id, removed: [], stays: [], whole };
  const stays = after.flatMap(listFields);
  const removed = listFields(before).filter((field) => !stays.includes(field));
  return after[0] === before ? null : { id, removed, stays, whole };
}

function listFields(row: FileRow): readonly TakenField[] {
  if (row.kind === "own") return SINGLE_FIELDS;
  return row.kind === "model" ? ["model"] : listTaken(row.taken.was);
}
