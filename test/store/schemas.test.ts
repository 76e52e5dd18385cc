// Every schema that was ever released still comes up: each is made from its own recorded statements, then opened. `LONG=1`
// opens those between two releases as well.
import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { describeOlder } from "../../src/app/start/older-releases.ts";
import type { Store } from "../../src/core/store.ts";
import { decide } from "../../src/ledger/decide.ts";
import { makePostgresSchema } from "../../src/store/postgres/migrations.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { STEPS } from "../../src/store/schema/steps.ts";
import { makeSqliteSchema } from "../../src/store/sqlite/migrate.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { IS_LONG } from "../harness/long.ts";
import {
  decideByDemand,
  expectGrant,
  HOUR,
  ledgerOn,
  makeAsk,
  makeKey,
  makeRecord,
  NOON,
  writeRecord,
} from "../harness/samples.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { useDatabases } from "./postgres/databases.ts";

const SQLITE_MIGRATIONS = makeSqliteSchema().steps;
const POSTGRES_MIGRATIONS = makePostgresSchema().steps;

type Engine = "sqlite" | "postgres";

/** Stands between a step's statements in its file. */
const NEXT = "\n----\n";

/** Each step's statements by engine. */
const STATEMENTS: Readonly<Record<Engine, readonly (readonly string[])[]>> = {
  sqlite: SQLITE_MIGRATIONS.map((step) => [step]),
  postgres: POSTGRES_MIGRATIONS,
};

function nameFixture(engine: Engine, version: number): string {
  return join(import.meta.dir, "schemas", `${engine}-${String(version).padStart(2, "0")}.sql`);
}

/** The statements of the step that made this version, as they were released. `UPDATE_SCHEMAS=1` records new ones. */
function readFixture(engine: Engine, version: number): readonly string[] {
  const path = nameFixture(engine, version);
  const statements = STATEMENTS[engine][version - 1] ?? [];
  if (process.env.UPDATE_SCHEMAS && !existsSync(path)) {
    writeFileSync(path, `${statements.map((one) => one.trim()).join(NEXT)}\n`);
  }
  return readFileSync(path, "utf8").trim().split(NEXT);
}

function listVersions(engine: Engine): readonly number[] {
  return STATEMENTS[engine].map((_, at) => at + 1);
}

/** The versions of the schema that 1.0, 1.1 and 1.2 know: operators' stores have one of them, or the last. */
const RELEASED: Readonly<Record<Engine, readonly number[]>> = {
  sqlite: [7, 17, 40],
  postgres: [4, 15, 38],
};

/** The versions whose stores are opened. Those between two releases take ten seconds, and only developers have them. */
function listOpened(engine: Engine): readonly number[] {
  const all = listVersions(engine);
  return IS_LONG ? all : all.filter((one) => RELEASED[engine].includes(one) || one === all.length);
}

describe.each(["sqlite", "postgres"] as const)("released steps of %s", (engine) => {
  test.each(listVersions(engine))("the step to version %d is what was released", (version) => {
    const statements = STATEMENTS[engine][version - 1] ?? [];
    expect(readFixture(engine, version)).toEqual(statements.map((one) => one.trim()));
  });
});

test("the release before can open a migrated store, and no older one", () => {
  const { oldestSupported } = makeSqliteSchema();
  expect(describeOlder(oldestSupported)).toBe("Poundkey 1.2 can open it, and 1.0 and 1.1 can't");
  const [, second = 0, third = 0] = RELEASED.postgres;
  expect(makePostgresSchema().oldestSupported).toBeGreaterThan(second);
  expect(makePostgresSchema().oldestSupported).toBeLessThanOrEqual(third);
  expect(describeOlder(41)).toBe("Poundkey 1.0, 1.1 and 1.2 can't open it");
});

/** A key of that version can be read and used, its requests and sums are kept, and its migration is on record. */
async function expectToWork(store: Store, from: number, to: number): Promise<void> {
  await store.beat();
  const migrated = ((await store.auditLog.chain(9)) ?? []).map(({ action, actorKind, before, after }) =>
    [action, actorKind, before, after].join(" "),
  );
  const entry = `store.migrated system {"version":${from}} {"version":${to}}`;
  expect(migrated).toEqual(from === to ? [] : [entry]);
  const key = makeKey("key_a");
  await unrecorded(store).addKey(key, "digest of key_a");
  expect(await store.keyByDigest("digest of key_a")).toEqual({ key, rotation: 0 });
  const ledger = ledgerOn(store);
  await expectGrant(ledger, ledger.ticket(makeAsk("1", key)));
  await writeRecord(store, makeRecord("2"));
  await writeRecord(store, makeRecord("3", { status: 502 }));
  const hour = { fromMs: NOON, toMs: NOON + HOUR, groupBy: [] };
  expect(await store.usage(hour)).toMatchObject([{ requests: 2, errors: 1, costNanoUsd: 3000 }]);
  await store.close();
}

const lineage = new Database(":memory:");
const sqliteFiles: Uint8Array[] = [];

/** The content of a SQLite file of that version. Each is made from the version before. */
function sqliteAt(version: number): Uint8Array {
  for (const one of listVersions("sqlite").slice(sqliteFiles.length, version)) {
    lineage.run(readFixture("sqlite", one).join(";\n"));
    lineage.run(`PRAGMA user_version = ${one}`);
    sqliteFiles.push(lineage.serialize());
  }
  const file = sqliteFiles[version - 1];
  if (file === undefined) throw new Error(`SQLite has no version ${version}`);
  return file;
}

let postgresLineage = "";
let postgresVersion = 0;

/** The URL of a database of that version, which may not be lower than the one of the last call. */
async function postgresAt(version: number): Promise<string> {
  postgresLineage ||= await server.newDatabase();
  const database = new SQL(postgresLineage, { max: 1 });
  for (; postgresVersion < version; postgresVersion++) {
    for (const statement of readFixture("postgres", postgresVersion + 1)) await database.unsafe(statement);
  }
  await database.close();
  return server.newDatabase(postgresLineage);
}

describe("a store of every released version, and of the last", () => {
  test.each(listOpened("sqlite"))("SQLite, version %d", async (version) => {
    const folder = mkdtempSync(join(tmpdir(), "poundkey-schema-"));
    const path = join(folder, "poundkey.db");
    writeFileSync(path, sqliteAt(version));
    await expectToWork(await openSqliteStore({ path, decide }), version, SQLITE_MIGRATIONS.length);
    rmSync(folder, { recursive: true });
  });

  test.each(listOpened("postgres"))("PostgreSQL, version %d", async (version) => {
    const url = await postgresAt(version);
    await using database = new SQL(url, { max: 1 });
    await database.unsafe(
      "CREATE TABLE schema_version (one BIGINT PRIMARY KEY CHECK (one = 1), version BIGINT NOT NULL)",
    );
    await database.unsafe(`INSERT INTO schema_version VALUES (1, ${version})`);
    if (version >= makePostgresSchema().oldestSupported)
      await database.unsafe(
        "ALTER TABLE schema_version ADD COLUMN oldest_supported BIGINT NOT NULL DEFAULT 0",
      );
    await expectToWork(
      await openPostgresStore({ url, decide: decideByDemand }),
      version,
      POSTGRES_MIGRATIONS.length,
    );
  });
});

test("a new table is distributed with its account where the accounts are, and nowhere else", async () => {
  const url = await server.newDatabase();
  await using database = new SQL(url, { max: 1 });
  const tables = STEPS.flat().flatMap((change) => (change.kind === "createTable" ? [change] : []));
  const statements = POSTGRES_MIGRATIONS.flat();
  for (const statement of statements) await database.unsafe(statement);
  // Stands in for Citus, which can't be installed here: its catalogue, and the function that distributes a table.
  await database.unsafe(`
    CREATE TABLE pg_dist_partition (logicalrelid regclass);
    CREATE TABLE distributed (name text, by text, beside text);
    CREATE FUNCTION create_distributed_table(name regclass, by text, colocate_with text) RETURNS void LANGUAGE sql
      AS 'INSERT INTO distributed VALUES (name::text, by, colocate_with); INSERT INTO pg_dist_partition VALUES (name)';
    CREATE FUNCTION create_reference_table(name regclass) RETURNS void LANGUAGE sql
      AS 'INSERT INTO distributed VALUES (name::text); INSERT INTO pg_dist_partition VALUES (name)'`);
  const again = () => Promise.all(statements.map((statement) => database.unsafe(statement)));
  await again();
  expect([...(await database.unsafe("SELECT * FROM distributed"))]).toEqual([]);
  await database.unsafe("INSERT INTO pg_dist_partition VALUES ('account')");
  await again();
  await again();
  const rows = [...(await database.unsafe("SELECT * FROM distributed"))];
  expect(rows).toEqual(
    tables.map(({ table: name, placement }) =>
      placement === "account"
        ? { name, by: "account_id", beside: "account" }
        : { name, by: null, beside: null },
    ),
  );
});

test("what an older process adds to the old sums after the move is counted once, by the next move", async () => {
  const moves = STEPS.flat().flatMap((change) => (change.kind === "moveRows" ? change.sqlite : []));
  const database = new Database(":memory:");
  for (const step of SQLITE_MIGRATIONS) database.run(step);
  const add = (requests: number) =>
    database.run(
      `INSERT INTO usage_hour (hour_ms, account_id, key_id, model, operation, surface, requests, errors, prompt_tokens,
         completion_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, searches, cost_nano, charged_nano)
       VALUES (1, 'default', 'key_a', 'Sim#echo', 'chat', 'openai-chat', ${requests}, 0, 1, 1, 0, 0, 0, 0, 5, 0)`,
    );
  for (const requests of [3, 4]) {
    add(requests);
    for (const move of moves) database.run(move);
  }
  expect(database.query("SELECT provider, requests, cost_nano FROM hourly_usage").all()).toEqual([
    { provider: "Sim", requests: 7, cost_nano: 10 },
  ]);
  expect(database.query("SELECT * FROM usage_hour").all()).toEqual([]);
});

const server = await useDatabases();
afterAll(() => server.remove());
