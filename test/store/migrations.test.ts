// Stores of earlier versions are migrated with all their data, and their log and sums continue.
import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import type { Store } from "../../src/core/store.ts";
import { decide } from "../../src/ledger/decide.ts";
import { LESSONS_BY_PROMPT } from "../../src/store/postgres/lesson-steps.ts";
import { makePostgresSchema } from "../../src/store/postgres/migrations.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { makeSqliteSchema } from "../../src/store/sqlite/migrate.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import {
  DAY,
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

/** A key, its request, and the hour's sum, from before traces and first tokens existed. */
const ROWS = [
  `INSERT INTO gateway_key (id, digest, name, account_id, last4, created_at_ms, allowed_models, requests_per_day)
   VALUES ('key_a', 'digest of key_a', 'old', 'default', 'abcd', 1, 'null', '"default"')`,
  `INSERT INTO request (id, request_id, key_id, account_id, at_ms, model_asked, model_used, attempts, stream, status,
     prompt_tokens, completion_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, searches, cost_nano,
     charged_nano, hold_nano, usage_source, ended, total_ms, first_token_ms)
   VALUES ('old', 'req-old', 'key_a', 'default', ${NOON}, 'Sim#echo', 'Sim#echo', 1, 1, 200,
     10, 20, 0, 0, 0, 0, 1500, 0, 0, 'provider', 'done', 12, 7)`,
  `INSERT INTO usage_hour (hour_ms, account_id, key_id, model, requests, prompt_tokens, completion_tokens, cached_tokens,
     cache_write_tokens, reasoning_tokens, searches, cost_nano, charged_nano)
   VALUES (${NOON}, 'default', 'key_a', 'Sim#echo', 1, 10, 20, 0, 0, 0, 0, 1500, 0)`,
  `INSERT INTO lesson (account_id, id, at_ms, model, score, expected, request, key_id, source, weight) VALUES
     ('default', 'label_2', ${NOON}, 'Sim#echo', 0.25, 0.5, '{"row":"a"}', '', 'label', 1),
     ('default', 'label_1', ${NOON + 1}, 'Sim#"odd"', 1, 0.75, '{"row":"a"}', '', 'label', 1),
     ('default', 'label_3', ${NOON + 2}, 'Sim#echo', 0, 0.5, '{"row":"b"}', '', 'label', 1),
     ('default', 'scored', ${NOON + 3}, 'Sim#echo', 1, 0.5, '{"row":"a"}', 'key_a', 'score', 0.5)`,
];

/** The labels of one request become one lesson. */
const LESSONS = [
  {
    id: "label_1",
    atMs: NOON + 1,
    keyId: "",
    source: "label",
    request: '{"row":"a"}',
    marks: expect.arrayContaining([
      { model: "Sim#echo", score: 0.25, expected: 0.5 },
      { model: 'Sim#"odd"', score: 1, expected: 0.75 },
    ]),
  },
  { id: "label_3", request: '{"row":"b"}', marks: [{ model: "Sim#echo", score: 0, expected: 0.5 }] },
  { id: "scored", keyId: "key_a", weight: 0.5, marks: [{ model: "Sim#echo", score: 1, expected: 0.5 }] },
];

/** The steps before the first one that contains the word. By default, that added sessions, traces and first tokens. */
function before<Step>(steps: readonly Step[], word = "first_token_hour"): readonly Step[] {
  return steps.slice(
    0,
    steps.findIndex((step) => String(step).includes(word)),
  );
}

/** Adds keys as they were before rotations, with and without a list of models. */
const KEYS = [
  `INSERT INTO gateway_key (id, digest, name, account_id, last4, created_at_ms, allowed_models, requests_per_day, keep_responses)
   VALUES ('key_a', 'digest of key_a', 'key_a', 'default', 'abcd', ${NOON - DAY}, 'null', '"default"', 1)`,
  `INSERT INTO gateway_key (id, digest, name, account_id, last4, created_at_ms, revoked_at_ms, allowed_models,
     requests_per_day, spend_limit_nano, keep_responses)
   VALUES ('key_b', 'digest b', 'key_b', 'default', 'abcd', ${NOON - DAY}, ${NOON}, '["Sim#echo"]', '5', 7, 0)`,
];

/** Keys keep their fields and their secrets, and can be rotated. */
async function keepsKeys(store: Store): Promise<void> {
  const key = makeKey("key_a");
  expect(await store.keyByDigest("digest of key_a")).toEqual({ key, rotation: 0 });
  const fields = { revokedAtMs: NOON, allowedModels: ["Sim#echo"], requestsPerDay: 5, spendLimitNanoUsd: 7 };
  expect(await store.key("key_b")).toEqual(makeKey("key_b", { ...fields, keepsResponses: false }));
  const ledger = ledgerOn(store);
  await expectGrant(ledger, ledger.ticket(makeAsk("1", key)));
  await unrecorded(store).rotateKey("key_a", {
    digest: "digest two",
    last4: "wxyz",
    oldSecretUntilMs: NOON + HOUR,
  });
  expect((await store.keyByDigest("digest of key_a"))?.rotation).toBe(0);
  await expectGrant(ledger, ledger.ticket(makeAsk("2", key)));
  await store.close();
}

async function goesOn(store: Store): Promise<void> {
  expect(await store.request("old")).toMatchObject({
    modelUsed: "Sim#echo",
    modelTried: null,
    trace: null,
    operation: "chat",
    surface: "openai-chat",
  });
  expect((await store.requests({ provider: "Sim" }, { limit: 9, after: null })).length).toBe(1);
  await writeRecord(store, makeRecord("new", { stream: true, status: 502, trace: "{}" }));
  const span = { fromMs: NOON, toMs: NOON + HOUR, groupBy: [] };
  expect(await store.usage(span)).toMatchObject([{ requests: 2, errors: 1, costNanoUsd: 3000 }]);
  expect((await store.firstTokens(span)).length).toBe(1);
  await writeRecord(store, makeRecord("other", { surface: "anthropic-messages" }));
  const bySurface = await store.usage({ ...span, groupBy: ["operation", "surface"] });
  expect(bySurface.map(({ operation, surface, requests }) => [operation, surface, requests])).toEqual([
    ["chat", "anthropic-messages", 1],
    ["chat", "openai-chat", 2],
  ]);
  expect((await store.keyUses([makeKey("key_a")], 0, 0))[0]).toMatchObject({ lastAtMs: NOON });
  expect(await store.key("key_a")).toMatchObject({ keepsResponses: true });
  expect(await store.credentials()).toEqual([]);
  expect(await store.lessons(0, 10)).toMatchObject(LESSONS);
  const session = { digest: "a", tokenDigest: "b", expiresAtMs: NOON + 1, address: null, agent: null };
  await store.people.addSession({ ...session, tokenId: null, memberId: null, issuerSession: null }, NOON);
  expect(await store.people.session("a")).not.toBeNull();
  await store.close();
}

describe("a store from before keys could be rotated", () => {
  test("on SQLite", async () => {
    const folder = mkdtempSync(join(tmpdir(), "poundkey-old-"));
    const path = join(folder, "poundkey.db");
    const old = new Database(path);
    const steps = before(SQLITE_MIGRATIONS, "old_digest");
    for (const sql of [...steps, ...KEYS]) old.run(sql);
    old.run(`PRAGMA user_version = ${steps.length}`);
    old.close(true);
    const store = await openSqliteStore({ path, decide });
    await store.beat();
    await keepsKeys(store);
    rmSync(folder, { recursive: true });
  });

  test("on PostgreSQL", async () => {
    const url = await server.newDatabase();
    await using database = new SQL(url, { max: 1 });
    const steps = before(POSTGRES_MIGRATIONS, "old_digest");
    for (const sql of [...steps.flat(), ...KEYS]) await database.unsafe(sql);
    await database.unsafe(writeVersion(steps.length));
    // Simulates a process that died in the middle of the step.
    for (const sql of POSTGRES_MIGRATIONS[steps.length]?.slice(0, 3) ?? []) await database.unsafe(sql);
    const store = await openPostgresStore({ url, decide: decideByDemand });
    await store.beat();
    await keepsKeys(store);
  });
});

function writeVersion(version: number): string {
  return `CREATE TABLE schema_version (one BIGINT PRIMARY KEY CHECK (one = 1), version BIGINT NOT NULL);
      INSERT INTO schema_version VALUES (1, ${version})`;
}

describe("a store of an earlier version", () => {
  test("on SQLite", async () => {
    const folder = mkdtempSync(join(tmpdir(), "poundkey-old-"));
    const path = join(folder, "poundkey.db");
    const old = new Database(path);
    const steps = before(SQLITE_MIGRATIONS);
    for (const sql of [...steps, ...ROWS]) old.run(sql);
    old.run("UPDATE account SET name = 'ours', balance_nano = 7, entries = 1, kept_characters = 3");
    old.run(`PRAGMA user_version = ${steps.length}`);
    old.close(true);
    const store = await openSqliteStore({ path, decide });
    const kept = { name: "ours", balanceNanoUsd: 7, heldNanoUsd: 0, entries: 1, keptCharacters: 3 };
    expect(await store.account("default")).toMatchObject(kept);
    await expect(
      unrecorded(store).addKey(makeKey("key_b", { accountId: "none" }), "another"),
    ).rejects.toThrow();
    await goesOn(store);
    const now = new Database(path);
    expect(now.query("PRAGMA foreign_key_check").all()).toEqual([]);
    now.close(true);
    rmSync(folder, { recursive: true });
  });

  test("on PostgreSQL", async () => {
    const url = await server.newDatabase();
    await using database = new SQL(url, { max: 1 });
    const steps = before(POSTGRES_MIGRATIONS);
    for (const sql of [...steps.flat(), ...ROWS]) await database.unsafe(sql);
    await database.unsafe(writeVersion(steps.length));
    // Simulates a process that died in the middle of the step. The step runs again.
    for (const sql of LESSONS_BY_PROMPT.slice(0, 4)) await database.unsafe(sql);
    await goesOn(await openPostgresStore({ url, decide: decideByDemand }));
  });
});

const server = await useDatabases();
afterAll(() => server.remove());
