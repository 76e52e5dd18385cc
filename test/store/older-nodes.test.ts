// Changes that a release before wouldn't keep: it serves on until the first of them, which is refused while it runs.
import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Changes } from "../../src/core/changes.ts";
import { makeBudget } from "../../src/core/limits/budget.ts";
import { makeModelLimit } from "../../src/core/limits/model-limit.ts";
import { writeCountedAlias } from "../../src/core/models/alias-entry.ts";
import type { Store } from "../../src/core/store.ts";
import { decide } from "../../src/ledger/decide.ts";
import { makePostgresSchema } from "../../src/store/postgres/migrations.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { STEPS } from "../../src/store/schema/steps.ts";
import { makeSqliteSchema } from "../../src/store/sqlite/migrate.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { decideByDemand, give, makeAccount, makeKey } from "../harness/samples.ts";
import { catchThrown, readCode } from "../harness/thrown.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { openPayments } from "../ledger/payments.ts";
import { useDatabases } from "./postgres/databases.ts";

/** The steps that 1.2.0 knows of those that both engines share. */
const RELEASE_BEFORE = STEPS.slice(0, 26);

const server = await useDatabases();
afterAll(() => server.remove());

interface Bench {
  open(steps?: typeof STEPS): Promise<Store>;
  remove(): void;
}

const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  async sqlite() {
    const folder = mkdtempSync(join(tmpdir(), "poundkey-older-"));
    const path = join(folder, "poundkey.db");
    return {
      open: (steps) => openSqliteStore({ path, decide, schema: makeSqliteSchema(steps) }),
      remove: () => rmSync(folder, { recursive: true }),
    };
  },
  async postgres() {
    const url = await server.newStore();
    return {
      open: (steps) => openPostgresStore({ url, decide: decideByDemand, schema: makePostgresSchema(steps) }),
      remove: () => {},
    };
  },
};

const modelLimits = [makeModelLimit({ models: ["OpenAI#*"], requestsPerMinute: 3, tokensPerMinute: null })];
const budgets = [makeBudget({ nanoUsd: 1_000, per: "day", models: [writeCountedAlias("smart")] })];
const key = makeKey("key_a");
const limits = { requestsPerMinute: null, tokensPerMinute: null, parallel: null };
const memberDefaults = { ...limits, budgets, allowedModels: null, allowedTools: null, keys: null };

/** Each makes a rule that the release before doesn't keep, on a key or an account. */
const CHANGES: Readonly<Record<string, (changes: Changes) => Promise<unknown>>> = {
  "a new key's limits on models": (changes) => changes.addKey(makeKey("key_b", { modelLimits }), "other"),
  "a key's limits on models": (changes) => changes.changeKey(key.id, { modelLimits }),
  "a key's rules of the guard": (changes) => changes.changeKey(key.id, { guard: ["people"] }),
  "a configuration whose guard acts": (changes) => changes.changeOperatorSetting("guard_acts", () => "true"),
  "a key's budget for an alias": (changes) => changes.changeKey(key.id, { budgets }),
  "a key's PUT": (changes) =>
    changes.putKey({
      fresh: makeKey("key_b", { budgets }),
      digest: "other",
      choose: () => null,
      revise: () => ({}),
    }),
  "a new account's budget for an alias": (changes) => changes.addAccount(makeAccount("acct_b", { budgets })),
  "an account's budget for an alias": (changes) => changes.changeAccount("default", { budgets }),
  "an account's budget of each member for an alias": (changes) =>
    changes.changeAccount("default", { memberDefaults }),
};

describe.each(Object.entries(BENCHES))("%s", (engine, makeBench) => {
  let bench: Bench;
  let newer: Store;
  let older: Store;
  beforeEach(async () => {
    bench = await makeBench();
    newer = await bench.open();
    await unrecorded(newer).addKey(key, "digest");
    await give(newer, "default", 10_000);
    await newer.beat();
    older = await bench.open(RELEASE_BEFORE);
    await older.beat();
  });
  afterEach(async () => {
    await Promise.all([older.close(), newer.close()]);
    bench.remove();
  });

  test("the release before serves beside this one, which it doesn't end", async () => {
    const mine = openPayments(older);
    const theirs = openPayments(newer);
    await mine.post(await mine.hold("1", key, 100), 100);
    await theirs.post(await theirs.hold("2", key, 100), 100);
    expect(await older.beat()).toEqual({ olderNodes: [], unsupported: null });
    await unrecorded(newer).changeKey(key.id, { budgets: [makeBudget({ nanoUsd: 9, per: "day" })] });
    expect((await older.beat()).unsupported).toBe(null);
  });

  test.each(Object.entries(CHANGES))("%s is refused while the release before runs", async (_, change) => {
    const refused = await catchThrown(change(unrecorded(newer)));
    expect(readCode(refused)).toBe("older_nodes");
    const schema =
      engine === "sqlite" ? makeSqliteSchema(RELEASE_BEFORE) : makePostgresSchema(RELEASE_BEFORE);
    expect(String(refused)).toContain(`${older.node} (schema ${schema.version})`);
    expect(String(refused)).not.toContain(newer.node);
    expect(await newer.key("key_b")).toBe(null);
    expect(await newer.key(key.id)).toEqual(key);
    expect((await older.beat()).unsupported).toBe(null);
  });

  test.each(Object.entries(CHANGES))("%s ends it where the act may stop it", async (_, change) => {
    await change(newer.changes(() => [], { stopsOlder: true }));
    expect((await older.beat()).unsupported).toContain("too old");
    // Its support is over: nothing is left to be refused.
    await unrecorded(newer).changeKey(key.id, { modelLimits });
    expect((await newer.key(key.id))?.modelLimits).toEqual(modelLimits);
  });

  test("once none runs, the change is made, and none starts again", async () => {
    await older.close();
    await unrecorded(newer).changeKey(key.id, { modelLimits });
    expect((await newer.key(key.id))?.modelLimits).toEqual(modelLimits);
    const code = await bench
      .open(RELEASE_BEFORE)
      .then(async (again) => (await again.beat()).unsupported ?? "", String);
    expect(code).toContain("too old");
  });

  test("the nodes that a plan would stop are told without stopping them", async () => {
    const changes = unrecorded(newer);
    const after = makeKey("key_b", { modelLimits });
    expect(await changes.listStopped([{ kind: "key", before: null, after: key }])).toEqual([]);
    const stopped = await changes.listStopped([{ kind: "key", before: null, after }]);
    expect(stopped.map(({ id }) => id)).toEqual([older.node]);
    expect((await older.beat()).unsupported).toBe(null);
  });
});
