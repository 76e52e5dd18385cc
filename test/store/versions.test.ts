// Two versions of the program on one store: steps that add leave the older one at work, the end of support stops it.
import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "../../src/core/store.ts";
import { decide } from "../../src/ledger/decide.ts";
import { makePostgresSchema } from "../../src/store/postgres/migrations.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { STEPS } from "../../src/store/schema/steps.ts";
import { makeSqliteSchema } from "../../src/store/sqlite/migrate.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { decideByDemand, give, makeKey } from "../harness/samples.ts";
import { catchThrown, readCode } from "../harness/thrown.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { findErrors, openPayments } from "../ledger/payments.ts";
import { runSql } from "../suites/postgres-suites.ts";
import { MADE_STEPS, type MadeStep } from "./nodes/made-steps.ts";
import { useDatabases } from "./postgres/databases.ts";

const server = await useDatabases();
afterAll(() => server.remove());

interface Bench {
  open(made: MadeStep, stopsOlder?: boolean): Promise<Store>;
  remove(): void;
}

const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  async sqlite() {
    const folder = mkdtempSync(join(tmpdir(), "poundkey-versions-"));
    const path = join(folder, "poundkey.db");
    return {
      open: (made, stopsOlder = false) =>
        openSqliteStore({
          path,
          decide,
          stopsOlder,
          schema: makeSqliteSchema([...STEPS, ...MADE_STEPS[made]]),
        }),
      remove: () => rmSync(folder, { recursive: true }),
    };
  },
  async postgres() {
    const url = await server.newStore();
    return {
      open: (made, stopsOlder = false) =>
        openPostgresStore({
          stopsOlder,
          url,
          decide: decideByDemand,
          schema: makePostgresSchema([...STEPS, ...MADE_STEPS[made]]),
        }),
      remove: () => {},
    };
  },
};

const key = makeKey("key_a");

describe.each(Object.entries(BENCHES))("%s", (_, makeBench) => {
  let bench: Bench;
  let older: Store;
  beforeEach(async () => {
    bench = await makeBench();
    older = await bench.open("same");
    await unrecorded(older).addKey(key, "digest");
    await give(older, "default", 10_000);
    await older.beat();
  });
  afterEach(async () => {
    await older.close();
    bench.remove();
  });

  test("a step that adds leaves the older version at work, also after a restart", async () => {
    const newer = await bench.open("adds");
    const mine = openPayments(older);
    const theirs = openPayments(newer);
    expect(await older.beat()).toEqual({ olderNodes: [], unsupported: null });
    await mine.post(await mine.hold("1", key, 100), 100);
    await theirs.post(await theirs.hold("2", key, 100), 100);
    const again = await bench.open("same");
    await again.ready();
    const third = openPayments(again);
    await third.post(await third.hold("3", key, 100), 100);
    expect((await newer.account("default"))?.balanceNanoUsd).toBe(9_700);
    expect(findErrors(await again.audit())).toEqual([]);
    await Promise.all([newer.close(), again.close()]);
  });

  test("a migration that ends support is refused while the older version runs; by the flag it refuses requests, says why, and finishes", async () => {
    const mine = openPayments(older);
    const begun = await mine.hold("1", key, 300);
    expect(String(await catchThrown(bench.open("ends")))).toContain(older.node);
    expect(await older.beat()).toEqual({ olderNodes: [], unsupported: null });
    const newer = await bench.open("ends", true);
    await newer.ready();
    const { unsupported } = await older.beat();
    expect(unsupported).toContain("too old");
    expect(await catchThrown(older.ready())).toMatchObject({ details: { reason: unsupported } });
    expect(readCode(await catchThrown(mine.hold("2", key, 300)))).toBe("store_unavailable");
    expect(await mine.post(begun, 200)).toMatchObject({ chargedNanoUsd: 200, late: false });
    expect(String(await catchThrown(bench.open("same")))).toContain("too old");
    const theirs = openPayments(newer);
    await theirs.post(await theirs.hold("3", key, 100), 100);
    expect((await newer.account("default"))?.balanceNanoUsd).toBe(9_700);
    await newer.close();
  });
});

describe("on PostgreSQL", () => {
  let url: string;
  let store: Store;
  let other: Store;
  beforeEach(async () => {
    url = await server.newStore();
    store = await openPostgresStore({ url, decide: decideByDemand });
    other = await openPostgresStore({ url, decide: decideByDemand });
    await Promise.all([store.beat(), other.beat()]);
  });
  afterEach(async () => void (await Promise.all([store.close(), other.close()])));

  test("a node names the live ones that are too old", async () => {
    await runSql(url, `UPDATE node SET version = NULL WHERE id = '${other.node}'`);
    expect(await store.beat()).toEqual({ olderNodes: [other.node], unsupported: null });
    await runSql(url, `UPDATE node SET beat_at = beat_at - interval '16 seconds' WHERE id = '${other.node}'`);
    expect((await store.beat()).olderNodes).toEqual([]);
  });

  test("a hold made after a node's silence began proves that it lives", async () => {
    await unrecorded(store).addKey(key, "digest");
    await give(store, "default", 10_000);
    const payments = openPayments(other);
    await payments.hold("old", key, 100);
    const now = payments.ticket("new", key, 100, { nowMs: Date.now() });
    await payments.ledger.admit(now);
    await runSql(
      url,
      `UPDATE node SET beat_at = beat_at - interval '20 seconds', clock_ms = clock_ms - 20000 WHERE id = '${other.node}';
      UPDATE node SET since_at = since_at - interval '1 hour' WHERE id = '${store.node}'`,
    );
    expect((await store.orphans(9)).map(({ id }) => id)).toEqual(["old"]);
    await runSql(url, "UPDATE hold SET at_ms = at_ms - 16000");
    expect((await store.orphans(9)).map(({ id }) => id).toSorted()).toEqual(["new", "old"]);
  });
});
