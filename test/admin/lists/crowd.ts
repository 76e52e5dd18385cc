// Fills a gateway's store with many keys, accounts, people and requests, most of them copied from rows that it wrote itself.
import { Database } from "bun:sqlite";
import { insertSql } from "../../../src/store/engine/sql.ts";
import { MEMBER } from "../../../src/store/people/people.ts";
import { makeMember } from "../../people/samples.ts";

/** The account that has half of the keys. */
export const LARGE = "acct_large";
/** The account, and the person, of one key, which is the oldest. */
export const SMALL = "acct_1";
/** A model whose end its provider has announced. */
const ENDING = "OpenAI#gpt-4o";
const CANDIDATES = 40;
const HOUR_MS = 3_600_000;
export const OLDEST = { key: "key_1", name: "key 1", member: "mem_1" } as const;

/** Returns the select list of a copy of `template`, with these expressions for its own columns. */
function copy(database: Database, table: string, own: Readonly<Record<string, string>>): string {
  const columns = database
    .query<{ name: string }, [string]>("SELECT name FROM pragma_table_info(?)")
    .all(table)
    .map(({ name }) => name);
  const values = columns.map((name) => own[name] ?? `template.${name}`);
  return `INSERT INTO ${table} (${columns.join(", ")}) SELECT ${values.join(", ")}`;
}

/** Adds so many rows to each of the three tables, and their uses, of which only the oldest key is revoked. */
export function fillCrowd(path: string, rows: number): void {
  using database = new Database(path, { readwrite: true });
  database.run("PRAGMA synchronous = OFF");
  const numbers = `(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows}) SELECT i FROM n)`;
  const add = (table: string, template: string, own: Readonly<Record<string, string>>) =>
    database.run(`${copy(database, table, own)} FROM ${numbers} JOIN (${template}) AS template`);
  const member = makeMember("mem_template");
  database.transaction(() => {
    database.query(insertSql(MEMBER, () => "?")).run(...MEMBER.valuesOf(member));
    const account = "SELECT * FROM account WHERE id = 'default'";
    add("account", account, { id: "'acct_' || i", name: "'account ' || i", created_at_ms: "i" });
    database.run(`UPDATE account SET id = '${LARGE}' WHERE id = 'acct_2'`);
    add("member", "SELECT * FROM member", {
      id: "'mem_' || i",
      name: "'Person ' || i",
      subject: "'s' || i",
      created_at_ms: "i",
    });
    add("gateway_key", "SELECT * FROM gateway_key WHERE name = 'test'", {
      id: "'key_' || i",
      name: "'key ' || i",
      digest: "'digest ' || i",
      account_id: `CASE WHEN i % 2 = 0 THEN '${LARGE}' ELSE 'acct_' || i END`,
      member_id: "CASE WHEN i % 2 = 1 THEN 'mem_' || i END",
      created_at_ms: "i",
      revoked_at_ms: "CASE WHEN i = 1 THEN 1 END",
    });
    addUses(database, numbers);
  })();
}

/** Adds a use of a model that ends by each key, and a tenth as many requests that a selector decided. */
function addUses(database: Database, numbers: string): void {
  const nowMs = Date.now();
  const own = {
    account_id: `CASE WHEN i % 2 = 0 THEN '${LARGE}' ELSE 'acct_' || i END`,
    key_id: "'key_' || i",
  };
  const hour = { hour_ms: String(nowMs - (nowMs % HOUR_MS)), model: `'${ENDING}'`, requests: "i" };
  database.run(`${fill(database, "hourly_usage", { ...own, ...hour })} FROM ${numbers}`);
  const candidates = Array.from({ length: CANDIDATES }, (_, at) => ({
    model: at === 0 ? ENDING : `Acme#model-${at}`,
    level: at / CANDIDATES,
    quality: at / CANDIDATES,
    cost_usd: 0.001,
    latency_ms: 900,
  }));
  const decided = {
    id: "'req_' || i",
    at_ms: `${nowMs} - i`,
    selector: "'Router#fair'",
    decision: `'${JSON.stringify({ promised: 0.9, candidates })}'`,
    model_used: `'${ENDING}'`,
    ended: "'done'",
  };
  database.run(`${fill(database, "request", { ...own, ...decided })} FROM ${numbers} WHERE i % 10 = 0`);
}

/** Returns the select list of new rows with these expressions, and with nothing in all other columns. */
function fill(database: Database, table: string, own: Readonly<Record<string, string>>): string {
  const columns = database
    .query<{ name: string; type: string; notnull: number }, [string]>(
      'SELECT name, type, "notnull" FROM pragma_table_info(?)',
    )
    .all(table);
  const values = columns.map(({ name, type, notnull }) => {
    const empty = type === "TEXT" ? "''" : "0";
    return own[name] ?? (notnull === 0 ? "NULL" : empty);
  });
  return `INSERT INTO ${table} (${columns.map(({ name }) => name).join(", ")}) SELECT ${values.join(", ")}`;
}
