// Takes proposals of a list into the catalogue file: the changed fields alone, with what they replaced.
import type { ModelCard } from "../../core/models/card.ts";
import type { LastList, TakenField, TakenMark } from "../../core/money/taken-mark.ts";
import type { Proposal } from "../feeds/verdict.ts";
import type { BuiltInRows } from "./built-in.ts";
import { type CatalogueFileContent, type FieldsRow, type FileRow, readRowId } from "./file-row.ts";
import { foldCatalogue, isOvertaken } from "./fold.ts";
import { digestField, listTaken, pickFields, SINGLE_FIELDS, type SingleField } from "./taken-fields.ts";

/** The part of a proposal that is taken. */
type AcceptedPart = Pick<Proposal, "id" | "field" | "card" | "adds">;

interface Acceptance {
  /** The list, for people: `litellm 2026-11-27`. */
  readonly from: string;
  /** The day of the list, as `YYYY-MM-DD`. */
  readonly on: string;
  readonly list: LastList;
}

/**
 * Returns the file with the accepted parts, without the fields of which the program has newer values, and with the list as the
 * last one reviewed. An operator's own row stays one: its values change in place, and a new price gives it the list's day.
 */
export function takeIntoFile(
  file: CatalogueFileContent,
  accepted: readonly AcceptedPart[],
  { from, on, list }: Acceptance,
  builtIn: BuiltInRows,
): CatalogueFileContent {
  const kept = dropOvertaken(file.rows, builtIn);
  const cards = new Map(foldCatalogue({ builtIn, file }).newerModels.map((card) => [card.id, card]));
  const changes = Map.groupBy(accepted, ({ id }) => id);
  const rows = [...Map.groupBy(kept, readRowId)].flatMap(([id, before]) => {
    const taken = changes.get(id);
    const card = cards.get(id) ?? builtIn.cards.get(id);
    return taken === undefined ? before : takeModel(before, taken, { from, on, builtIn, card });
  });
  const present = new Set(kept.map(readRowId));
  const added = [...changes].flatMap(([id, taken]) =>
    present.has(id) ? [] : takeModel([], taken, { from, on, builtIn, card: builtIn.cards.get(id) }),
  );
  const isOwn = kept.some(({ kind }) => kind === "own");
  const asOf = isOwn ? file.asOf : list.asOf;
  return { ...(asOf === undefined ? {} : { asOf }), list, rows: sortRows([...rows, ...added]) };
}

/** Returns the rows without the fields for which the program counts. */
export function dropOvertaken(rows: readonly FileRow[], builtIn: BuiltInRows): readonly FileRow[] {
  return rows.flatMap((row): readonly FileRow[] => {
    if (row.kind === "own") return [row];
    const known = builtIn.cards.get(readRowId(row));
    if (row.kind === "model") return isOvertaken(row.taken, "model", known, builtIn.day) ? [] : [row];
    return keepFields(row, (field) => !isOvertaken(row.taken, field, known, builtIn.day));
  });
}

/** Returns the row with the fields that `isKept` names, or nothing if there is none. */
export function keepFields(row: FieldsRow, isKept: (field: SingleField) => boolean): readonly FieldsRow[] {
  const all = listTaken(row.taken.was);
  const fields = all.filter(isKept);
  if (fields.length === all.length) return [row];
  if (fields.length === 0) return [];
  const was = Object.fromEntries(fields.map((field) => [field, row.taken.was[field] ?? null]));
  return [{ ...row, sets: pickFields(row.sets, fields), taken: { ...row.taken, was } }];
}

interface Taking extends Omit<Acceptance, "list"> {
  readonly builtIn: BuiltInRows;
  /** The card that counts so far. */
  readonly card: ModelCard | undefined;
}

function takeModel(
  before: readonly FileRow[],
  accepted: readonly AcceptedPart[],
  { from, on, builtIn, card }: Taking,
): readonly FileRow[] {
  const base = accepted.find(({ adds }) => adds !== undefined)?.adds ?? card;
  // A price of a model that isn't added has nothing to stand in.
  if (base === undefined) return before;
  const after: ModelCard = { ...base };
  for (const one of accepted) Object.assign(after, one.card);
  const fields = SINGLE_FIELDS.filter((field) => accepted.some((one) => nameTaken(one.field) === field));
  const [whole] = before;
  if (whole?.kind === "own") {
    return [{ ...whole, card: after, ...(fields.includes("price") ? { asOf: on } : {}) }];
  }
  const known = builtIn.cards.get(after.id);
  if (whole?.kind === "model" || known === undefined) {
    const was = whole?.kind === "model" ? whole.taken.was : { model: null };
    return [{ kind: "model", card: after, taken: { from, on: findLater(on, whole), was } }];
  }
  return replaceFields(before, { card: after, fields, from, on, known });
}

/** A list that is older than the one of before, taken by hand, makes the row no older. */
function findLater(on: string, row: FileRow | undefined): string {
  return row?.kind === "model" && row.taken.on > on ? row.taken.on : on;
}

function nameTaken(field: AcceptedPart["field"]): TakenField {
  return field === "later_prices" ? "price" : field;
}

interface NewFields {
  readonly card: ModelCard;
  readonly fields: readonly SingleField[];
  readonly from: string;
  readonly on: string;
  readonly known: ModelCard;
}

/** Fields of the same list stand in one row. */
function replaceFields(
  before: readonly FileRow[],
  { card, fields, from, on, known }: NewFields,
): readonly FileRow[] {
  const others = before.flatMap((row): readonly FileRow[] =>
    row.kind === "fields" ? keepFields(row, (field) => !fields.includes(field)) : [row],
  );
  const isSame = (row: FileRow): row is FieldsRow =>
    row.kind === "fields" && row.asOf === undefined && row.taken.from === from && row.taken.on === on;
  const same = others.find(isSame);
  const was: TakenMark["was"] = {
    ...same?.taken.was,
    ...Object.fromEntries(fields.map((field) => [field, digestField(known, field)])),
  };
  const sets = { ...same?.sets, ...pickFields(card, fields) };
  const row: FieldsRow = { kind: "fields", id: card.id, sets, taken: { from, on, was } };
  return [...others.filter((one) => one !== same), row];
}

/** Own rows keep their order. Those that were taken are sorted, so that the order of acceptances doesn't matter. */
function sortRows(rows: readonly FileRow[]): readonly FileRow[] {
  const taken = rows.flatMap((row) => (row.kind === "own" ? [] : [row]));
  const name = (row: (typeof taken)[number]) => [readRowId(row), row.taken.on, row.taken.from].join("\n");
  const sorted = taken.toSorted((one, other) => (name(one) < name(other) ? -1 : 1));
  return [...rows.filter(({ kind }) => kind === "own"), ...sorted];
}
