// Kills processes in the middle of a migration of 1.0.0's schema with many requests: it is whole each time, then finishes.
//   bun test/store/nodes/migration-kills.ts [KILLS] [ROWS]    by default 50 kills on each engine and 100,000 rows
import { Database } from "bun:sqlite";
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { decide } from "../../../src/ledger/decide.ts";
import { makePostgresSchema } from "../../../src/store/postgres/migrations.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { makeSqliteSchema } from "../../../src/store/sqlite/migrate.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { decideByDemand } from "../../harness/samples.ts";
import { findErrors } from "../../ledger/payments.ts";
import { startPostgres } from "../postgres/server.ts";

const kills = Number(process.argv[2] ?? 50);
const rows = Number(process.argv[3] ?? 100_000);
const OLD = { sqlite: 7, postgres: 4 } as const;
const TARGET = { sqlite: makeSqliteSchema(), postgres: makePostgresSchema() };

/** A request in each of many hours, and its sum. */
function composeRows(numbers: string): readonly string[] {
  return [
    `INSERT INTO request (id, request_id, key_id, account_id, at_ms, model_asked, model_used, attempts, stream, status,
       prompt_tokens, completion_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, searches, cost_nano,
       charged_nano, hold_nano, usage_source, ended, total_ms, first_token_ms)
     SELECT 'old-' || n, 'req-' || n, 'key_a', 'default', CAST(n AS BIGINT) * 1000, 'Sim#echo', 'Sim#echo', 1, 1, 200,
       10, 20, 0, 0, 0, 0, 1500, 0, 0, 'provider', 'done', 12, 7 FROM ${numbers}`,
    `INSERT INTO usage_hour (hour_ms, account_id, key_id, model, requests, prompt_tokens, completion_tokens,
       cached_tokens, cache_write_tokens, reasoning_tokens, searches, cost_nano, charged_nano)
     SELECT CAST(n AS BIGINT) * 3600000, 'default', 'key_a', 'Sim#echo', 1, 10, 20, 0, 0, 0, 0, 1500, 0 FROM ${numbers}`,
  ];
}

interface Bench {
  /** Returns the address of a fresh copy of the old store. */
  copy(): Promise<string>;
  /** Returns the schema's version, and what is wrong with the file. */
  look(address: string): Promise<{ readonly version: number; readonly wrong: readonly string[] }>;
  remove(): Promise<void>;
}

function makeSqliteBench(): Bench {
  const folder = mkdtempSync(join(tmpdir(), "poundkey-kills-"));
  const old = join(folder, "old.db");
  const path = join(folder, "store.db");
  const database = new Database(old);
  for (const step of TARGET.sqlite.steps.slice(0, OLD.sqlite)) database.run(step);
  const numbers = `(WITH RECURSIVE counted (n) AS
    (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ${rows}) SELECT n FROM counted)`;
  for (const sql of composeRows(numbers)) database.run(sql);
  database.run(`PRAGMA user_version = ${OLD.sqlite}`);
  database.close();
  return {
    async copy() {
      for (const name of readdirSync(folder)) if (name !== "old.db") rmSync(join(folder, name));
      copyFileSync(old, path);
      return path;
    },
    async look(address) {
      const found = new Database(address);
      const version =
        found.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
      const check = found.query<{ quick_check: string }, []>("PRAGMA quick_check").get()?.quick_check;
      const counted = found
        .query<{ count: number }, []>("SELECT count(*) AS count FROM request")
        .get()?.count;
      found.close();
      return { version, wrong: [...(check === "ok" ? [] : [`${check}`]), ...countWrong(Number(counted))] };
    },
    remove: async () => rmSync(folder, { recursive: true }),
  };
}

async function makePostgresBench(): Promise<Bench> {
  const server = await startPostgres();
  const old = await server.newDatabase();
  const name = new URL(old).pathname.slice(1);
  {
    await using database = new SQL(old, { max: 1 });
    for (const sql of TARGET.postgres.steps.slice(0, OLD.postgres).flat()) await database.unsafe(sql);
    for (const sql of composeRows(`generate_series(1, ${rows}) AS counted (n)`)) await database.unsafe(sql);
    await database.unsafe(`CREATE TABLE schema_version (one BIGINT PRIMARY KEY CHECK (one = 1), version BIGINT NOT NULL);
      INSERT INTO schema_version VALUES (1, ${OLD.postgres})`);
  }
  const base = old.replace(/[^/]*$/, "");
  return {
    async copy() {
      await using database = new SQL(`${base}postgres`, { max: 1 });
      await database.unsafe("DROP DATABASE IF EXISTS copied WITH (FORCE)");
      await database.unsafe(`CREATE DATABASE copied TEMPLATE ${name}`);
      return `${base}copied`;
    },
    async look(address) {
      await using database = new SQL(address, { max: 1 });
      const [found] = await database.unsafe("SELECT version FROM schema_version");
      const [counted] = await database.unsafe("SELECT count(*) AS count FROM request");
      return { version: Number(found.version), wrong: countWrong(Number(counted.count)) };
    },
    remove: () => server.remove(),
  };
}

function countWrong(counted: number): readonly string[] {
  return counted === rows ? [] : [`${counted} requests of ${rows}`];
}

/** Starts a migration. Resolves when it has begun. */
async function startMigration(address: string) {
  const program = join(import.meta.dir, "migrate.process.ts");
  const child = Bun.spawn([process.execPath, program, address], { stdout: "pipe", stderr: "inherit" });
  const reader = child.stdout.getReader();
  await reader.read();
  return child;
}

async function expectToFinish(engine: keyof typeof TARGET, address: string): Promise<readonly string[]> {
  const store =
    engine === "sqlite"
      ? await openSqliteStore({ path: address, decide })
      : await openPostgresStore({ url: address, decide: decideByDemand });
  const [sum] = await store.usage({ fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, groupBy: [] });
  const wrong = findErrors(await store.audit());
  await store.close();
  return sum?.requests === rows ? wrong : [...wrong, `the sums have ${sum?.requests} requests`];
}

let failures = 0;
for (const engine of ["sqlite", "postgres"] as const) {
  const bench = engine === "sqlite" ? makeSqliteBench() : await makePostgresBench();
  const beganMs = performance.now();
  await (await startMigration(await bench.copy())).exited;
  const wholeMs = performance.now() - beganMs;
  const ends = { before: 0, after: 0, wrong: 0 };
  for (let kill = 0; kill < kills; kill++) {
    const address = await bench.copy();
    const child = await startMigration(address);
    await Bun.sleep((wholeMs * kill) / kills);
    child.kill("SIGKILL");
    await child.exited;
    const { version, wrong } = await bench.look(address);
    if (version === OLD[engine]) ends.before++;
    else if (version === TARGET[engine].version) ends.after++;
    const isKnown = version === OLD[engine] || version === TARGET[engine].version;
    const all = [
      ...wrong,
      ...(isKnown ? [] : [`version ${version}`]),
      ...(await expectToFinish(engine, address)),
    ];
    ends.wrong += all.length;
    for (const words of all) console.log(`  ${engine}, kill ${kill}: ${words}`);
  }
  failures += ends.wrong;
  console.log(`${engine}: ${kills} kills within ${Math.round(wholeMs)} ms, ${JSON.stringify(ends)}`);
  await bench.remove();
}
process.exit(failures === 0 ? 0 : 1);
