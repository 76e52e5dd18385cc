// `poundkey audit verify`: its exit code, the row that it names, and the end of the chain that was noted elsewhere.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { runAudit } from "../../src/cli/audit/audit.ts";
import { adminBench } from "../admin/admin-world.ts";
import { runPrinting } from "../harness/poundkey.ts";
import { makeAccount } from "../harness/samples.ts";
import { readSettings } from "../harness/settings.ts";

const bench = adminBench();
const verify = (...args: string[]) =>
  runPrinting((io) => runAudit(["verify", ...args], io, bench().open, readSettings("")));

/** Puts accounts on record, and returns the chain's end as the command prints it. */
async function record(...names: string[]): Promise<string> {
  const { changes, store } = bench().world;
  for (const name of names) await changes.addAccount(makeAccount(name));
  while ((await store.auditLog.chain(100)) !== null);
  const { out } = await verify();
  return /It ends in (\d+\.[0-9a-f]{64})/.exec(out)?.[1] ?? out;
}

function edit(...statements: string[]): void {
  const database = new Database(join(bench().folder, "poundkey.db"));
  for (const statement of statements) database.run(statement);
  database.close();
}

test("an intact chain is confirmed, also up to an end that was noted earlier", async () => {
  const noted = await record("a", "b");
  expect(noted).toStartWith("2.");
  await record("c");
  expect(await verify()).toMatchObject({
    code: 0,
    out: expect.stringContaining("3 rows: the chain is intact."),
  });
  expect((await verify("--head", noted)).code).toBe(0);
  const { intact, rows, broken } = JSON.parse((await verify("--json")).out);
  expect([intact, rows, broken]).toEqual([true, 3, null]);
});

test("the first row that is wrong is named, with an exit code of 1", async () => {
  await record("a", "b", "c");
  edit("UPDATE audit SET outcome = 'failed' WHERE seq = 2");
  const { code, err } = await verify();
  expect([code, err]).toEqual([1, expect.stringContaining("broken at row 2")]);
  expect(JSON.parse((await verify("--json")).out)).toMatchObject({ intact: false, broken: { seq: 2 } });
});

test("a chain that was written anew, or cut off with its end, isn't the one that was noted", async () => {
  const noted = await record("a", "b");
  edit(
    ...["audit", "audit_detail"].map((table) => `DELETE FROM ${table} WHERE seq = 2`),
    "UPDATE setting SET value = (SELECT json_object('seq', seq, 'hash', hash) FROM audit) WHERE name = 'audit_head'",
  );
  expect((await verify()).code).toBe(0);
  expect(await verify("--head", noted)).toMatchObject({ code: 1, err: expect.stringContaining("row 2") });
  await record("c");
  expect((await verify()).code).toBe(0);
  const { code, err } = await verify("--head", noted);
  expect([code, err]).toEqual([1, expect.stringContaining("row 2: it isn't the row that was noted")]);
});

test("a noted end that is none is a mistake", async () => {
  expect(await verify("--head", "2")).toMatchObject({ code: 2, err: expect.stringContaining("--head") });
});
