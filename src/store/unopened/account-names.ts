// Reads the accounts' names, which of them bound their members, and the models of keys and the directory's groups, from a store that isn't opened, for a check of the configuration: nothing is written.
import { Database } from "bun:sqlite";
import { asArray, asString, parseJson } from "../../core/json/json.ts";
import { type FoundRow, readText } from "../columns/found.ts";
import { parseMemberDefaults } from "../columns/member-columns.ts";
import { Dialer } from "../postgres/dialer.ts";

const ACCOUNTS = "SELECT id, name FROM account";
const BOUNDS = "SELECT id, name, member_defaults FROM account WHERE member_defaults IS NOT NULL";

const GROUPS =
  "SELECT display_name, external_id FROM directory_group WHERE deleted_at_ms IS NULL ORDER BY name_folded";
const KEYS =
  "SELECT id, name, allowed_models FROM gateway_key WHERE revoked_at_ms IS NULL AND allowed_models <> 'null'";

const KEY_NAMES = "SELECT id, name FROM gateway_key WHERE revoked_at_ms IS NULL";

/** The number of accounts that a name or an id means. */
type CountByAccount = ReadonlyMap<string, number>;

/** Throws if the file is no store. */
export function readSqliteAccounts(path: string): CountByAccount {
  return countNames(readSqlite(path, ACCOUNTS));
}

/** Rejects if the server doesn't answer or holds no store. */
export async function readPostgresAccounts(url: string): Promise<CountByAccount> {
  return countNames(await readPostgres(url, ACCOUNTS));
}

/** Returns the names and ids of the accounts that give each member a hard budget. Throws like `readSqliteAccounts`. */
export function readSqliteBounds(path: string): ReadonlySet<string> {
  return listBound(readSqlite(path, BOUNDS));
}

/** The same on a server. */
export async function readPostgresBounds(url: string): Promise<ReadonlySet<string>> {
  return listBound(await readPostgres(url, BOUNDS));
}

/** Returns the keys that aren't revoked and have a list of models. Throws like `readSqliteAccounts`. */
export function readSqliteKeyModels(path: string) {
  return readSqlite(path, KEYS).map(readKeyModels);
}

/** The same on a server. */
export async function readPostgresKeyModels(url: string) {
  return (await readPostgres(url, KEYS)).map(readKeyModels);
}

/** Returns the names and ids of the keys that aren't revoked. Throws like `readSqliteAccounts`. */
export function readSqliteKeyNames(path: string): ReadonlySet<string> {
  return listNames(readSqlite(path, KEY_NAMES));
}

/** The same on a server. */
export async function readPostgresKeyNames(url: string): Promise<ReadonlySet<string>> {
  return listNames(await readPostgres(url, KEY_NAMES));
}

/** Returns the names and ids of the directory's groups. Throws like `readSqliteAccounts`. */
export function readSqliteGroups(path: string): readonly StoredGroupName[] {
  return readSqlite(path, GROUPS).map(readGroup);
}

/** The same on a server. */
export async function readPostgresGroups(url: string): Promise<readonly StoredGroupName[]> {
  return (await readPostgres(url, GROUPS)).map(readGroup);
}

/** A group of the directory. */
interface StoredGroupName {
  readonly name: string;
  readonly externalId: string | null;
}

function readGroup(row: FoundRow): StoredGroupName {
  const id = row.external_id;
  return { name: readText(row, "display_name"), externalId: typeof id === "string" ? id : null };
}

function readKeyModels(row: FoundRow) {
  const models = asArray(parseJson(readText(row, "allowed_models"))).flatMap((one) => asString(one) ?? []);
  return { id: readText(row, "id"), name: readText(row, "name"), models };
}

function readSqlite(path: string, text: string): readonly FoundRow[] {
  const database = new Database(path, { readonly: true });
  try {
    return database.query<FoundRow, []>(text).all();
  } finally {
    database.close();
  }
}

async function readPostgres(url: string, text: string): Promise<readonly FoundRow[]> {
  return await new Dialer({ url }).ask(text);
}

function listBound(rows: readonly FoundRow[]): ReadonlySet<string> {
  const bound = rows.filter((row) =>
    parseMemberDefaults(readText(row, "member_defaults")).budgets.some(({ isHard }) => isHard),
  );
  return listNames(bound);
}

function listNames(rows: readonly FoundRow[]): ReadonlySet<string> {
  return new Set(rows.flatMap((row) => [readText(row, "id"), readText(row, "name")]));
}

/** An id means its own account, even if it is another's name. */
function countNames(rows: readonly FoundRow[]): CountByAccount {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const name = readText(row, "name");
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  for (const row of rows) counts.set(readText(row, "id"), 1);
  return counts;
}
