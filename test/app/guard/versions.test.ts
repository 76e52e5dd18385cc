// The versions of the guard's rules by node, on both engines: those that differ are listed, and nodes that ended are forgotten.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GuardVersions } from "../../../src/app/guard/versions.ts";
import type { GuardSettings } from "../../../src/core/models/guard.ts";
import type { Store } from "../../../src/core/store.ts";
import { createVault } from "../../../src/keys/vault.ts";
import { decide } from "../../../src/ledger/decide.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { decideByDemand } from "../../harness/samples.ts";
import { readSettings } from "../../harness/settings.ts";
import { useDatabases } from "../../store/postgres/databases.ts";

const server = await useDatabases();
const folder = mkdtempSync(join(tmpdir(), "poundkey-versions-"));
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.remove();
});

type Open = () => Promise<Store>;
const ENGINES: Readonly<Record<string, () => Promise<Open>>> = {
  sqlite: async () => () => openSqliteStore({ path: join(folder, "poundkey.db"), decide }),
  async postgres() {
    const url = await server.newStore();
    return () => openPostgresStore({ url, decide: decideByDemand });
  },
};

const random = { bytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)) };
const vault = createVault(new Uint8Array(32).fill(7), random);
const rules = (word: string) =>
  readSettings(`guard: { rules: [{ name: ours, detect: ["words:names"] }], words: { names: [${word}] } }`)
    .guard;

describe.each(Object.entries(ENGINES))("%s", (_, prepare) => {
  test("nodes share their versions, and one with others or without rules is told", async () => {
    const open = await prepare();
    const start = async (guard: GuardSettings | undefined) => {
      const store = await open();
      await store.beat();
      const node = { store, guard };
      return Object.assign(node, { versions: new GuardVersions({ store, vault, guard: () => node.guard }) });
    };
    const one = await start(undefined);
    const two = await start(undefined);
    const share = () => Promise.all([one.versions.refresh(), two.versions.refresh()]);
    const others = async () => [await one.versions.listOthers(), await two.versions.listOthers()];

    await share();
    expect(await one.store.setting("guard_versions")).toBe(null);

    one.guard = rules("Kestrel");
    await share();
    await share();
    const { own } = one.versions;
    expect(own).toMatch(/^[0-9a-f]{16}$/);
    expect(await others()).toEqual([
      [{ id: two.store.node, version: null }],
      [{ id: one.store.node, version: own }],
    ]);

    two.guard = rules("Bluebird");
    await share();
    expect((await others())[1]).toEqual([{ id: one.store.node, version: own }]);
    expect(two.versions.own).not.toBe(own);

    two.guard = rules("Kestrel");
    await share();
    expect(await others()).toEqual([[], []]);

    two.guard = undefined;
    await share();
    await two.store.close();
    expect(await one.versions.listOthers()).toEqual([]);
    one.guard = rules("Redstart");
    await one.versions.refresh();
    expect(JSON.parse((await one.store.setting("guard_versions")) ?? "")).toEqual({
      [one.store.node]: one.versions.own,
    });
    await one.store.close();
  });
});

test("a version is keyed: it tells nobody which words are listed", () => {
  const guard = rules("Kestrel");
  const other = createVault(new Uint8Array(32).fill(8), random);
  const versionOf = (digest: typeof vault.digest) =>
    new GuardVersions({ store: Object.create(null), vault: { digest }, guard: () => guard }).own;
  const own = versionOf(vault.digest);
  expect(own).toBe(versionOf(vault.digest));
  expect([versionOf(other.digest), guard?.version]).not.toContain(own);
});
