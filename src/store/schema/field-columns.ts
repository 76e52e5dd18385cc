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
import { parseBudgets } from "../columns/budget-column.ts";
import { parseCacheSetting } from "../columns/cache-column.ts";
import {
  allowNull,
  type Column,
  FLAG,
  INTEGER,
  makeJson,
  makeWord,
  NUMBER,
  nameColumn,
  type Columns as SeveralColumns,
  spellColumn,
  TEXT,
} from "../columns/columns.ts";
import type { FoundRow } from "../columns/found.ts";
import { parseMemberDefaults } from "../columns/member-columns.ts";
import { parseModelLimits } from "../columns/model-limit-column.ts";
import { type AddedColumn, integer, integerOrNull, type NewColumn, type Step, text } from "./schema-step.ts";

type ColumnByKind = { readonly [Name in KindName]: Column<Value<Name>> };

const COLUMNS: ColumnByKind = {
  name: TEXT,
  text: allowNull(TEXT),
  account: TEXT,
  expiry: allowNull(INTEGER),
  patterns: makeJson(parseTexts),
  tool_patterns: makeJson(parseTexts),
  addresses: makeJson(parseTexts),
  usd: allowNull(INTEGER),
  count_or_default: makeJson(parseLimit),
  usd_or_default: makeJson(parseLimit),
  time_zone: allowNull(TEXT),
  budgets: makeJson(parseBudgets),
  model_limits: makeJson(parseModelLimits),
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

function makeColumn<Name extends KindName>(field: Field<Name>): ColumnByKind[Name] {
  return nameColumn(findName(field), COLUMNS[field.kind]);
}

function findName({ column, property }: Pick<Field, "column" | "property">): string {
  return column ?? spellColumn(property);
}

/** Returns the columns of an entity's fields. */
export function makeColumns<Table extends FieldsOf<Table>>(fields: Table) {
  return mapProperties<Table, ColumnByKind>(fields, makeColumn);
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

/** Returns the columns of an entity whose values are read and written as one. */
export function joinColumns(fields: Fields): JoinedColumns {
  const all = Object.values(fields);
  return {
    columns: Object.fromEntries(all.map((field) => [findName(field), makeWriter(field)])),
    read: (found) =>
      Object.fromEntries(all.map((field) => [field.property, readValue<KindName>(field, found)])),
  };
}

type JoinedColumns = SeveralColumns<Readonly<Record<string, Value>>>;

function makeWriter({ kind, property }: Field): JoinedColumns["columns"][string] {
  return {
    type: COLUMNS[kind].type,
    write: (values) => {
      const value = values[property];
      return value === undefined ? null : writeValue<KindName>(kind, value);
    },
  };
}

function writeValue<Name extends KindName>(kind: Name, value: Value<Name>) {
  return COLUMNS[kind].write(value);
}

function readValue<Name extends KindName>(field: Field<Name>, row: FoundRow): Value<Name> {
  return COLUMNS[field.kind].read(row, findName(field));
}

/** Returns the step of the schema that makes the table of a plain thing with these fields. Later ones take steps of their own. */
export function declareThing(table: string, fields: readonly Field[]): Step {
  const own = fields.map((field): NewColumn => {
    const column = { name: findName(field), type: COLUMNS[field.kind].type };
    return field.initial === undefined ? column : { ...column, isNullable: true };
  });
  const columns = [
    text("account_id"),
    text("id"),
    integer("created_at_ms"),
    integerOrNull("ended_at_ms"),
    ...own,
  ];
  return [
    { kind: "createTable", table, columns, key: ["account_id", "id"], placement: "account" },
    { kind: "createIndex", name: `${table}_created`, table, columns: ["created_at_ms", "id"] },
  ];
}
