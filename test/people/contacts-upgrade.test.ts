// Tokens that only a contact upheld before contacts were words alone go on for a week after the upgrade, which changes nothing else
// of people, keys and tokens.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../src/app/start/open-store.ts";
import { warnOfContacts } from "../../src/app/upkeep/ending-tokens.ts";
import { clock } from "../../src/app/world.ts";
import { DOUBTS } from "../../src/store/schema/people-step.ts";
import { STEPS } from "../../src/store/schema/steps.ts";
import { makeSqliteSchema } from "../../src/store/sqlite/migrate.ts";

const WEEK_MS = 7 * 86_400_000;
const MINUTE_MS = 60_000;

let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "poundkey-contacts-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

/** A store as the version before left it. */
function makeOldStore(path: string): void {
  const database = new Database(path);
  const { steps, version } = makeSqliteSchema();
  const isNew = STEPS.length - STEPS.indexOf(DOUBTS);
  for (const step of steps.slice(0, -isNew)) database.exec(step);
  database.exec(`PRAGMA user_version = ${version - isNew}`);
  const add = (id: string, kind: string, contact: string) =>
    database.exec(`INSERT INTO token (id, digest, name, last4, grants, reads_content, maker_kind, maker_id, contact, created_at_ms)
      VALUES ('${id}', '${id}', 'old', 'abcd', '[]', 0, '${kind}', 'mem_gone', ${contact}, 1)`);
  add("of a person", "person", "'ops'");
  add("of a token", "token", "'ops'");
  add("without a contact", "person", "NULL");
  add("of the admin token", "admin", "'ops'");
  database.exec(`INSERT INTO member (id, issuer, subject, name, email, rule_grants, own_grants, is_disabled, reads_content,
    created_at_ms, seen_at_ms, checked_at_ms, leased_until_ms, refresh_sealed)
    VALUES ('mem_gone', 'https://i.example', 's', 'Ann', 'ann@a.example', '[]', '[]', 0, 0, 1, 2, 2, 0, 'sealed')`);
  database.exec(`INSERT INTO gateway_key (id, digest, name, account_id, last4, created_at_ms, allowed_models,
    requests_per_day, member_id) VALUES ('key_old', 'old', 'of Ann', 'default', 'abcd', 1, '[]', 5, 'mem_gone')`);
  database.close();
}

/** Rows by their columns of before the upgrade. */
function readRows(path: string, columns: ReadonlyMap<string, string>) {
  using database = new Database(path, { readonly: true });
  return [...columns].map(([table, names]) => [
    table,
    database.query(`SELECT ${names} FROM ${table} ORDER BY id`).all(),
  ]);
}

function readColumns(path: string): ReadonlyMap<string, string> {
  using database = new Database(path, { readonly: true });
  const ask = (table: string) =>
    database.query<{ name: string }, [string]>("SELECT name FROM pragma_table_info(?)").all(table);
  const tables = ["account", "gateway_key", "member", "token"];
  return new Map(
    tables.map((table) => [
      table,
      ask(table)
        .map(({ name }) => name)
        .join(", "),
    ]),
  );
}

test("nothing else of people, keys and tokens is changed by the upgrade", async () => {
  const path = join(directory, "whole.db");
  makeOldStore(path);
  const columns = readColumns(path);
  const before = readRows(path, columns);
  const { store } = await openStore(`sqlite:${path}`, Buffer.alloc(32, 5).toString("base64"));
  await warnOfContacts({ store, clock });
  await store.close();
  expect(readRows(path, columns)).toEqual(before);
});

test("they get a week, and no others do", async () => {
  const path = join(directory, "poundkey.db");
  makeOldStore(path);
  const beforeMs = Date.now();
  const { store } = await openStore(`sqlite:${path}`, Buffer.alloc(32, 5).toString("base64"));
  const until = async (id: string) => (await store.people.token(id))?.contactUntilMs;
  for (const id of ["of a person", "of a token"]) {
    const leftMs = ((await until(id)) ?? 0) - beforeMs;
    expect(leftMs > WEEK_MS - MINUTE_MS && leftMs < WEEK_MS + MINUTE_MS).toBe(true);
  }
  expect([await until("without a contact"), await until("of the admin token")]).toEqual([
    undefined,
    undefined,
  ]);
  const told = async () =>
    (await store.takeEvents(Date.now(), 100)).map(({ type, data }) => [type, data.token_id]);
  await warnOfContacts({ store, clock });
  expect((await told()).filter(([type]) => type === "token.ending").toSorted()).toEqual([
    ["token.ending", "of a person"],
    ["token.ending", "of a token"],
  ]);
  await warnOfContacts({ store, clock });
  expect(await told()).toEqual([]);
  await store.close();
});
