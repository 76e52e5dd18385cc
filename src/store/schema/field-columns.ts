// The columns of the fields that an operator can set, by their kind.
import {
  type Field,
  type Fields,
  type FieldsOf,
  type KindName,
  mapProperties,
  type Value,
} from "../../core/fields/field.ts";
import { formatTags, readTagsText } from "../../core/fields/tags-text.ts";
import { asArray, parseJson } from "../../core/json/json.ts";
import { ROLES } from "../../core/people/people.ts";
import {
  allowNull,
  type Column,
  FLAG,
  INTEGER,
  makeJson,
  makeWord,
  NUMBER,
  nameColumn,
  spellColumn,
  TEXT,
} from "../engine/columns.ts";
import { parseCacheSetting } from "../keys/cache-column.ts";
import { parseBudgets } from "../limits/budget-column.ts";
import { parseMemberDefaults } from "../limits/member-columns.ts";
import type { AddedColumn } from "./schema-step.ts";

type Columns = { readonly [Name in KindName]: Column<Value<Name>> };

const COLUMNS: Columns = {
  name: TEXT,
  text: allowNull(TEXT),
  account: TEXT,
  expiry: allowNull(INTEGER),
  patterns: makeJson(parseTexts),
  addresses: makeJson(parseTexts),
  usd: allowNull(INTEGER),
  count_or_default: makeJson(parseLimit),
  usd_or_default: makeJson(parseLimit),
  time_zone: allowNull(TEXT),
  budgets: makeJson(parseBudgets),
  member_defaults: allowNull(makeJson(parseMemberDefaults)),
  weight: NUMBER,
  limit: allowNull(INTEGER),
  role: makeWord(ROLES),
  accounts: makeJson(parseTexts),
  cache: allowNull(makeJson(parseCacheSetting)),
  tags: allowNull({
    ...TEXT,
    write: formatTags,
    read: (found, column) => readTagsText(TEXT.read(found, column)),
  }),
  hooks: makeJson(parseTexts),
  flag: FLAG,
};

function parseTexts(json: string): readonly string[] | null {
  const list = parseJson(json);
  return list === null ? null : asArray(list).filter((text) => typeof text === "string");
}

function parseLimit(json: string): Value<"count_or_default"> {
  const limit = parseJson(json);
  return limit === null || typeof limit === "number" ? limit : "default";
}

function makeColumn<Name extends KindName>(field: Field<Name>): Columns[Name] {
  return nameColumn(findName(field), COLUMNS[field.kind]);
}

function findName({ column, property }: Pick<Field, "column" | "property">): string {
  return column ?? spellColumn(property);
}

/** Returns the columns of an entity's fields. */
export function makeColumns<Table extends FieldsOf<Table>>(fields: Table) {
  return mapProperties<Table, Columns>(fields, makeColumn);
}

/** Returns the names of the columns that a change of an entity can write. */
export function listChangeable(fields: Fields): readonly string[] {
  return Object.values(fields).flatMap((field) => (field.only === "creation" ? [] : [findName(field)]));
}

/** Returns the column that a step of the schema adds for a field. The rows that exist get its initial value. */
export function declareField(field: Field): AddedColumn {
  const name = findName(field);
  const { type } = COLUMNS[field.kind];
  const initial = writeInitial<KindName>(field);
  return initial === null ? { name, type, isNullable: true } : { name, type, initial };
}

function writeInitial<Name extends KindName>({ kind, initial, property }: Field<Name>) {
  if (initial !== undefined) return COLUMNS[kind].write(initial);
  throw new Error(`The field ${property} can't be added later, because it has no initial value.`);
}
