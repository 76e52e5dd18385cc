// Reads the tables of another gateway's database, without writing to it.
import { Database } from "bun:sqlite";
import { SQL } from "bun";
import { isObject, parseJson } from "../../core/json/json.ts";
import { redactAddress } from "../engine/address.ts";

/** Rows read at once. */
const PAGE = 2000;

type Row = Readonly<Record<string, unknown>>;

/** Reads whole tables, each ordered by the column that is its key. A missing table is empty unless it is required. */
interface ForeignTables {
  read(table: string, key: string, isRequired?: boolean): Promise<readonly Row[]>;
  /** Returns the different values of some columns. Null if there is no such table. */
  readDistinct(table: string, columns: readonly string[]): Promise<readonly Row[] | null>;
  close(): Promise<void>;
}

/** Opens a PostgreSQL database. Its errors name the address without the credentials. */
export function openForeignDatabase(url: string): ForeignTables {
  const database = new SQL(url, { max: 1 });
  const run = async (text: string, values: readonly unknown[]): Promise<readonly unknown[]> => {
    try {
      return await database.unsafe(text, [...values]);
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      throw new Error(`The database ${redactAddress(url)} can't be read: ${words}.`, { cause: error });
    }
  };
  const isMissing = async (table: string) => {
    const [found] = await run("SELECT to_regclass($1) IS NOT NULL AS there", [quoteName(table)]);
    return isObject(found) && found.there === false;
  };
  return {
    readDistinct: async (table, columns) => {
      if (await isMissing(table)) return null;
      const text = `SELECT DISTINCT ${columns.map(quoteName).join(", ")} FROM ${quoteName(table)}`;
      return (await run(text, [])).filter(isObject);
    },
    read: async (table, key, isRequired = false) => {
      if (await isMissing(table)) return refuseMissing(table, isRequired);
      const rows: Row[] = [];
      for (let after: unknown = null; ; ) {
        const text = `SELECT row_to_json(one)::text AS row FROM ${quoteName(table)} AS one
          WHERE $1::text IS NULL OR ${quoteName(key)}::text COLLATE "C" > $1 ORDER BY ${quoteName(key)}::text COLLATE "C" LIMIT ${PAGE}`;
        const page = (await run(text, [after])).map(readJsonRow);
        rows.push(...page);
        if (page.length < PAGE) return rows;
        after = String(page.at(-1)?.[key]);
      }
    },
    close: () => database.close(),
  };
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function readJsonRow(found: unknown): Row {
  const row = isObject(found) && typeof found.row === "string" ? parseJson(found.row) : null;
  return isObject(row) ? row : {};
}

function refuseMissing(table: string, isRequired: boolean): readonly Row[] {
  if (isRequired) throw new Error(`The database has no table ${table}.`);
  return [];
}

/** True for the first bytes of a SQLite database. */
export function isSqliteFile(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, SQLITE_HEAD.length)).toString("latin1") === SQLITE_HEAD;
}
const SQLITE_HEAD = "SQLite format 3\0";

/** Opens a SQLite file for reading. */
export function openForeignFile(path: string): ForeignTables {
  const database = new Database(path, { readonly: true });
  const isMissing = (table: string) =>
    database.query("SELECT name FROM sqlite_master WHERE type = 'table' AND name = ?").get(table) === null;
  return {
    readDistinct: async (table, columns) => {
      if (isMissing(table)) return null;
      const text = `SELECT DISTINCT ${columns.map(quoteName).join(", ")} FROM ${quoteName(table)}`;
      return database.query(text).all().filter(isObject);
    },
    read: async (table, key, isRequired = false) => {
      if (isMissing(table)) return refuseMissing(table, isRequired);
      const rows = database.query(`SELECT * FROM ${quoteName(table)} ORDER BY ${quoteName(key)}`).all();
      return rows.filter(isObject);
    },
    close: async () => database.close(),
  };
}
