// The rows of a catalogue file: their schemas, and the rows that they come to.
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { loadBuiltInRows } from "../../catalogue/file/built-in.ts";
import { type FileRow, readRowId } from "../../catalogue/file/file-row.ts";
import { listTaken, SINGLE_FIELDS } from "../../catalogue/file/taken-fields.ts";
import { buildCards, buildFields } from "../../catalogue/rows.ts";
import { asObject, asString } from "../../core/json/json.ts";
import { MODEL_KINDS, type ModelCard } from "../../core/models/card.ts";
import { DIALECTS } from "../../core/models/dialect-names.ts";
import type { TakenField } from "../../core/money/taken-mark.ts";
import { formatField, type Path } from "../errors.ts";
import { choice, day, integer, options, orNull, section, text } from "../field-types.ts";
import { listIssues } from "../validate.ts";
import { capabilities, laterPrices, modelId, operations, price, TOKENS_MAX } from "./model-schema.ts";

const ROWS_MAX = 20_000;
const SERIAL_MAX = Number.MAX_SAFE_INTEGER;

const tokens = orNull(integer(1, TOKENS_MAX), `an integer from 1 to ${TOKENS_MAX}, or null if unknown`);
const priceOrNull = orNull(price, "a mapping of prices, or null if unknown");
const digest = orNull(text("a digest of hexadecimal digits", /^[0-9a-f]{8,64}$/), "a digest, or null");
const about = {
  from: text("the name of a list", /^[^\p{C}]{1,300}$/u),
  on: day,
};

const modelFields = {
  id: modelId,
  owner: Type.Optional(text("the owner's name", /^[^\p{C}]{1,100}$/u)),
  released: orNull(day, "a date like 2027-01-31, or null if unknown"),
  shutdown: Type.Optional(day),
  successor: Type.Optional(modelId),
  kind: Type.Optional(choice(MODEL_KINDS)),
  context: tokens,
  output: tokens,
  price: priceOrNull,
  later_prices: Type.Optional(laterPrices),
  capabilities,
  operations: Type.Optional(operations),
  like: Type.Optional(modelId),
  dialects: Type.Optional(
    Type.Array(choice(DIALECTS), { minItems: 1, uniqueItems: true, expected: "a list of dialects" }),
  ),
};

const operatorRow = section(
  {
    ...modelFields,
    as_of: Type.Optional(day),
    own: Type.Optional(Type.Boolean({ expected: "true or false" })),
  },
  "A model as one provider serves it.",
);
const modelRow = section(
  { ...modelFields, taken: section({ ...about, was: section({ model: digest }, "Null.") }, "Of a list.") },
  "A model that was taken from a list.",
);
const was = options(
  { price: digest, shutdown: digest, context: digest, output: digest },
  "The built-in values that were replaced.",
);
const fieldsRow = section(
  {
    id: modelId,
    price: Type.Optional(priceOrNull),
    later_prices: Type.Optional(laterPrices),
    shutdown: Type.Optional(orNull(day, "a date like 2027-01-31, or null for no end")),
    successor: Type.Optional(modelId),
    context: Type.Optional(tokens),
    output: Type.Optional(tokens),
    as_of: Type.Optional(day),
    taken: section({ ...about, was }, "Of a list."),
  },
  "Fields of a model that were taken from a list.",
);
const rowList = Type.Array(Type.Unknown(), { maxItems: ROWS_MAX, expected: "a list of models" });
const filledList = Type.Array(Type.Unknown(), {
  minItems: 1,
  maxItems: ROWS_MAX,
  expected: "a list of models",
});
export const lastList = section(
  {
    serial: Type.Optional(orNull(integer(1, SERIAL_MAX), `an integer from 1 to ${SERIAL_MAX}, or null`)),
    sha256: Type.Optional(
      orNull(text("64 hexadecimal digits", /^[0-9a-f]{64}$/), "64 hexadecimal digits, or null"),
    ),
    as_of: day,
  },
  "The last list that was gone through.",
);

type ReadRows = { readonly rows: readonly FileRow[] } | { readonly wrong: string };

/** Returns the rows, or the first thing that is wrong. Throws an Error for a row that has the form but can't be. */
export function readRows(value: unknown, mayBeEmpty: boolean): ReadRows {
  const list = mayBeEmpty ? rowList : filledList;
  if (!Value.Check(list, value)) return { wrong: listIssues(list, value)[0]?.message ?? list.expected };
  const rows: FileRow[] = [];
  for (const [at, given] of value.entries()) {
    const row = readRow(given);
    if ("message" in row) return { wrong: `${nameField(at, row.path, given)}${row.message}` };
    rows.push(row);
  }
  const twice = findTwice(rows);
  return twice === null ? { rows } : { wrong: `${twice}: appears twice` };
}

interface RowMistake {
  readonly path: Path;
  readonly message: string;
}

function readRow(row: unknown): FileRow | RowMistake {
  const { taken } = asObject(row);
  if (taken === undefined) return readOperatorRow(row);
  return Object.hasOwn(asObject(asObject(taken).was), "model") ? readModelRow(row) : readFieldsRow(row);
}

function readOperatorRow(row: unknown): FileRow | RowMistake {
  if (!Value.Check(operatorRow, row)) return findMistake(operatorRow, row);
  const { as_of: asOf, own } = row;
  return {
    kind: "own",
    card: buildCard(row),
    ...(asOf === undefined ? {} : { asOf }),
    ...(own ? { isMeant: true } : {}),
  };
}

function readModelRow(row: unknown): FileRow | RowMistake {
  if (!Value.Check(modelRow, row)) return findMistake(modelRow, row);
  return { kind: "model", card: buildCard(row), taken: row.taken };
}

function readFieldsRow(row: unknown): FileRow | RowMistake {
  if (!Value.Check(fieldsRow, row)) return findMistake(fieldsRow, row);
  const wrong = findUnmatched(row);
  if (wrong !== null) return wrong;
  const { id, taken, as_of: asOf } = row;
  const sets = buildFields({ ...row }, loadBuiltInRows().cards.get(id)?.operations);
  return { kind: "fields", id, sets, taken, ...(asOf === undefined ? {} : { asOf }) };
}

function findMistake(form: TSchema, row: unknown): RowMistake {
  return listIssues(form, row)[0] ?? { path: [], message: "expected a model" };
}

function buildCard(row: object): ModelCard {
  const [card] = buildCards([row]);
  if (card === undefined) throw new Error("A row has no card.");
  return card;
}

/** Each field that was taken stands in the row and in `taken.was`. */
function findUnmatched(row: Static<typeof fieldsRow>): RowMistake | null {
  const { was: replaced } = row.taken;
  const message = "this field is missing";
  for (const field of SINGLE_FIELDS) {
    const isStated = Object.hasOwn(row, field);
    if (isStated && !Object.hasOwn(replaced, field)) return { path: ["taken", "was", field], message };
    if (!isStated && Object.hasOwn(replaced, field)) return { path: [field], message };
  }
  if (row.later_prices !== undefined && row.price === undefined) return { path: ["price"], message };
  if (row.successor !== undefined && row.shutdown === undefined) return { path: ["shutdown"], message };
  const isEmpty = Object.keys(replaced).length === 0;
  return isEmpty ? { path: ["taken", "was"], message: "expected at least one field" } : null;
}

/** The field of a row as people look for it: by the model's id. */
function nameField(at: number, path: Path, row: unknown): string {
  const id = asString(asObject(row).id);
  const field = path.length > 0 ? `, ${formatField(path)}` : "";
  return `row ${at + 1}${id ? ` (${id})` : ""}${field}: `;
}

/** Returns a model that has two whole rows, a whole row and fields, or the same field twice. */
function findTwice(rows: readonly FileRow[]): string | null {
  const seen = new Map<string, ReadonlySet<TakenField>>();
  for (const row of rows) {
    const id = readRowId(row);
    const name = id.toLowerCase();
    const before = seen.get(name);
    const fields: readonly TakenField[] = row.kind === "fields" ? listTaken(row.taken.was) : [WHOLE];
    const isTwice = before && (fields.includes(WHOLE) || before.has(WHOLE));
    if (isTwice || fields.some((field) => before?.has(field))) return id;
    seen.set(name, new Set([...(before ?? []), ...fields]));
  }
  return null;
}
const WHOLE = "model";
