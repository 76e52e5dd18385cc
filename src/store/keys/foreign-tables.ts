// Reads the tables of another gateway's database, without writing to it.
import { Database } from "bun:sqlite";
import { SQL } from "bun";
import { isObject, parseJson } from "../../core/json/json.ts";
import { redactAddress } from "../engine/address.ts";

/** Rows read at once. */
const PAGE = 2000;

type ForeignTableRow = Readonly<Record<string, unknown>>;

/** Reads whole tables, each ordered by the column that is its key. A missing table is empty unless it is required. */
export interface ForeignTables {
  read(table: string, key: string, isRequired?: boolean): Promise<readonly ForeignTableRow[]>;
  /** Returns the different values of some columns. Null if there is no such table. */
  readDistinct(table: string, columns: readonly string[]): Promise<readonly ForeignTableRow[] | null>;
  /** Returns the names of all tables that have a row. */
  listFilled(): Promise<readonly string[]>;
  listColumns(table: string): Promise<readonly string[]>;
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
    ...listPostgres(run),
    readDistinct: async (table, columns) => {
      if (await isMissing(table)) return null;
      const text = `SELECT DISTINCT ${columns.map(quoteName).join(", ")} FROM ${quoteName(table)}`;
      return (await run(text, [])).filter(isObject);
    },
    read: async (table, key, isRequired = false) => {
      if (await isMissing(table)) return refuseMissing(table, isRequired);
      const rows: ForeignTableRow[] = [];
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

type RunQuery = (text: string, values: readonly unknown[]) => Promise<readonly unknown[]>;

/** Those of the first schema that the user's names are looked up in. */
function listPostgres(run: RunQuery): Pick<ForeignTables, "listFilled" | "listColumns"> {
  const listNames = async (text: string, values: readonly unknown[]) =>
    (await run(text, values)).flatMap((row) => (isObject(row) ? [String(row.name)] : []));
  return {
    listFilled: async () => {
      const names = await listNames(
        "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY 1",
        [],
      );
      const filled: string[] = [];
      for (const name of names)
        if ((await run(`SELECT 1 AS one FROM ${quoteName(name)} LIMIT 1`, [])).length > 0) filled.push(name);
      return filled;
    },
    listColumns: (table) =>
      listNames(
        "SELECT column_name AS name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1",
        [table],
      ),
  };
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function readJsonRow(found: unknown): ForeignTableRow {
  const row = isObject(found) && typeof found.row === "string" ? parseJson(found.row) : null;
  return isObject(row) ? row : {};
}

function refuseMissing(table: string, isRequired: boolean): readonly ForeignTableRow[] {
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
  const listNames = (text: string) =>
    database
      .query(text)
      .all()
      .flatMap((row) => (isObject(row) ? [String(row.name)] : []));
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
    listFilled: async () =>
      listNames(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
      ).filter((name) => database.query(`SELECT 1 FROM ${quoteName(name)} LIMIT 1`).get() !== null),
    listColumns: async (table) =>
      listNames(`SELECT name FROM pragma_table_info('${table.replaceAll("'", "''")}')`),
    close: async () => database.close(),
  };
}
