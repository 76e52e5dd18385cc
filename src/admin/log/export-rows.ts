// Rows of a list as lines of a file: columns from the list's schema, and names beside the ids of keys and accounts.
import { type TObject, type TSchema, TypeGuard } from "@sinclair/typebox";
import { isObject, parseJson } from "../../core/json/json.ts";
import { writeJsonLine } from "../../core/json/json-line.ts";
import type { Scope } from "../../core/people/people.ts";
import type { Store } from "../../core/store.ts";
import { type Cell, formatCsvLine } from "./csv.ts";

/** With 500 at once, an export took three times as much memory, and as long. */
export const ROWS_AT_ONCE = 20;

/** The fields that name a thing by its id, with the field for its name. */
const NAMES = { key_id: "key_name", account_id: "account_name" } as const;

type IdField = keyof typeof NAMES;
const ID_FIELDS = ["key_id", "account_id"] as const satisfies readonly IdField[];

const isId = (field: string): field is IdField => Object.hasOwn(NAMES, field);

/** Names are looked up once. Beyond this many, all are forgotten, to bound the memory. */
const NAMES_MAX = 5000;

/** A value that is written as JSON already. As JSON of its own it is read first. */
export class WrittenJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): unknown {
    return parseJson(this.text) ?? null;
  }
}

export type ExportRow = Readonly<Record<string, unknown>>;

/** Finds the names of keys and accounts. */
export class NameBook {
  readonly #store: Pick<Store, "key" | "account">;
  readonly #scope: Scope;
  readonly #known = new Map<string, string | null>();

  /** The name of a key that was moved is another account's, which has to be in the scope as well. */
  constructor(store: Pick<Store, "key" | "account">, scope: Scope) {
    this.#store = store;
    this.#scope = scope;
  }

  /** Returns the rows with a name beside each id. */
  async addNames(rows: readonly object[]): Promise<readonly ExportRow[]> {
    const named: ExportRow[] = [];
    for (const row of rows.filter(isObject)) {
      for (const field of ID_FIELDS) if (typeof row[field] === "string") await this.#learn(field, row[field]);
      named.push(this.#add(row));
    }
    return named;
  }

  async #learn(field: IdField, id: string): Promise<void> {
    const place = `${field} ${id}`;
    if (this.#known.has(place)) return;
    const row = field === "key_id" ? await this.#store.key(id, this.#scope) : await this.#store.account(id);
    if (this.#known.size >= NAMES_MAX) this.#known.clear();
    this.#known.set(place, row?.name ?? null);
  }

  #add(row: ExportRow): ExportRow {
    const named: Record<string, unknown> = {};
    for (const field in row) {
      named[field] = row[field];
      if (isId(field)) named[NAMES[field]] = this.#known.get(`${field} ${row[field]}`) ?? null;
    }
    return named;
  }
}

/** A column, and the fields that lead to its value. */
interface ExportColumn {
  readonly name: string;
  readonly path: readonly string[];
}

/** Objects become columns of their own; whatever may be absent as a whole, and lists, are JSON in one. */
function listColumns(
  schema: TObject,
  left: ReadonlySet<string>,
  path: readonly string[] = [],
): readonly ExportColumn[] {
  return Object.entries<TSchema>(schema.properties).flatMap(([field, part]) => {
    if (path.length === 0 && left.has(field)) return [];
    const own = [...path, field];
    if (TypeGuard.IsObject(part)) return listColumns(part, left, own);
    const column = { name: own.join("_"), path: own };
    return isId(field) ? [column, { name: NAMES[field], path: [...path, NAMES[field]] }] : [column];
  });
}

export interface ExportForm {
  readonly type: string;
  readonly head: string;
  readonly format: (row: ExportRow) => string;
}

export const EXPORT_FORMS = ["csv", "jsonl"] as const;

/** Makes a form of lines. `left` are columns that are left out. */
export function makeExportForm(
  form: (typeof EXPORT_FORMS)[number],
  schema: TObject,
  left: readonly string[],
): ExportForm {
  if (form === "jsonl")
    return { type: "application/jsonl", head: "", format: (row) => writeJsonLine(JSON.stringify(row)) };
  const columns = listColumns(schema, new Set(left));
  return {
    type: "text/csv; charset=utf-8",
    head: formatCsvLine(columns.map(({ name }) => name)),
    format: (row) => formatCsvLine(columns.map(({ path }) => readCell(row, path))),
  };
}

function readCell(row: ExportRow, path: readonly string[]): Cell {
  let value: unknown = row;
  for (const field of path) value = isObject(value) ? value[field] : undefined;
  if (value === undefined || value === null) return null;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  return value instanceof WrittenJson ? value.text : JSON.stringify(value);
}
