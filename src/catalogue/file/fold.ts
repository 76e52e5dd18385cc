// Folds the catalogue file over the built-in rows: which of both counts for each field, and the facts that operators should know of it.
import type { ModelCard } from "../../core/models/card.ts";
import type { Hiding, Overtaken, TakenField, TakenMark } from "../../core/money/taken-mark.ts";
import type { BuiltInRows } from "./built-in.ts";
import { type CatalogueFileContent, type FieldsRow, type FileRow, readRowId } from "./file-row.ts";
import { digestField, listDifferences, listTaken, type SingleField, setFields } from "./taken-fields.ts";

interface FoldedCatalogue {
  /** The cards that differ from the built-in ones because of the file, or that only the file has. */
  readonly newerModels: readonly ModelCard[];
  readonly overtaken: readonly Overtaken[];
  readonly hiding: readonly Hiding[];
}

interface FoldInput {
  readonly builtIn: BuiltInRows;
  readonly file: CatalogueFileContent;
}

/** The card that the rows of one model make. The card is null if no field of the file counts. */
interface FoldedModel {
  readonly card: ModelCard | null;
  readonly overtaken: readonly TakenField[];
}

export function foldCatalogue({ builtIn, file }: FoldInput): FoldedCatalogue {
  const newerModels: ModelCard[] = [];
  const overtaken: Overtaken[] = [];
  const hiding: Hiding[] = [];
  for (const [id, rows] of Map.groupBy(file.rows, readRowId)) {
    const model = foldModel(rows, builtIn.cards.get(id), builtIn.day);
    if (model.card !== null) newerModels.push(model.card);
    if (model.overtaken.length > 0) overtaken.push({ id, fields: model.overtaken });
    if (model.card !== null) hiding.push(...findHiding(model.card, rows, { builtIn, file }));
  }
  return { newerModels, overtaken, hiding };
}

function foldModel(rows: readonly FileRow[], known: ModelCard | undefined, day: string): FoldedModel {
  const [whole] = rows;
  if (whole !== undefined && whole.kind !== "fields") {
    const counts = whole.kind === "own" || !isOvertaken(whole.taken, "model", known, day);
    return counts ? { card: whole.card, overtaken: [] } : { card: null, overtaken: ["model"] };
  }
  // Fields of a model that this program doesn't have wait for one that has it.
  if (known === undefined) return { card: null, overtaken: [] };
  let card = known;
  const overtaken: TakenField[] = [];
  for (const row of rows.filter(isFieldsRow)) {
    const fields = listTaken(row.taken.was);
    const counting = fields.filter((field) => !isOvertaken(row.taken, field, known, day));
    overtaken.push(...fields.filter((field) => !counting.includes(field)));
    card = setFields(card, row.sets, counting);
  }
  return keepPossible({ card, overtaken }, known);
}

function isFieldsRow(row: FileRow): row is FieldsRow {
  return row.kind === "fields";
}

/** An older program, as after a rollback, doesn't know better than a list that was newer than it. */
export function isOvertaken(
  { on, was }: TakenMark,
  field: TakenField,
  known: ModelCard | undefined,
  day: string,
): boolean {
  return known !== undefined && day > on && digestField(known, field) !== was[field];
}

/** One limit of the file and one of the program may be impossible together: then both are the program's. */
function keepPossible({ card, overtaken }: FoldedModel, known: ModelCard): FoldedModel {
  if (card === null || card === known) return { card: null, overtaken };
  const { contextTokensMax: context, outputTokensMax: output } = card;
  const isImpossible = context !== null && output !== null && output > context;
  if (!isImpossible) return { card, overtaken };
  const limits: readonly SingleField[] = ["context", "output"];
  const lost = listDifferences(card, known).filter((field) => limits.includes(field));
  return { card: setFields(card, known, limits), overtaken: [...new Set([...overtaken, ...lost])] };
}

/** A row hides the built-in price if its day is earlier than that price's and it has another. */
function findHiding(card: ModelCard, rows: readonly FileRow[], { builtIn, file }: FoldInput): Hiding[] {
  const known = builtIn.cards.get(card.id);
  return rows.flatMap((row): Hiding[] => {
    const asOf = findValueDay(row, file);
    if (known === undefined || asOf === undefined || asOf >= builtIn.day) return [];
    const differing = listDifferences(card, known);
    const fields = row.kind === "fields" ? differing.filter((field) => field in row.taken.was) : differing;
    if (!fields.includes("price")) return [];
    return [{ id: card.id, fields, asOf, ...(row.kind === "own" && row.isMeant ? { isMeant: true } : {}) }];
  });
}

/** Only values that nobody has compared with the program since have a day here: the operator's, and fields that were once. */
function findValueDay(row: FileRow, { asOf }: CatalogueFileContent): string | undefined {
  if (row.kind === "own") return row.asOf ?? asOf;
  return row.kind === "fields" ? row.asOf : undefined;
}
