// The upgrade of a SQLite store: a copy of the file as it was stays beside it, and `check` shows the versions.
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../../package.json" with { type: "json" };
import { openStore } from "../../src/app/start/open-store.ts";
import { runCommandLine } from "../../src/cli/commands.ts";
import { makeSqliteSchema } from "../../src/store/sqlite/migrate.ts";
import { NodeLock } from "../../src/store/sqlite/node-lock.ts";
import { runPrinting } from "../harness/poundkey.ts";

const { version: known, oldestSupported, steps } = makeSqliteSchema();
const KEPT = `poundkey.db.before-${version}`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "poundkey-upgrade-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (name: string) => join(folder, name);
const check = () =>
  runPrinting((io) => runCommandLine(["check", "--json", "--store", `sqlite:${at("poundkey.db")}`], io));

/** A store as the program of an earlier step made it. */
function makeEarlier(): number {
  const earlier = known - 1;
  const database = new Database(at("poundkey.db"));
  database.run("PRAGMA journal_mode = WAL");
  for (const step of steps.slice(0, earlier)) database.run(step);
  database.run(`PRAGMA user_version = ${earlier}`);
  database.close();
  return earlier;
}

function readVersion(name: string): number | undefined {
  const database = new Database(at(name), { readonly: true });
  const found = database.query<{ user_version: number }, []>("PRAGMA user_version").get();
  database.close();
  return found?.user_version;
}

test("the last file from before a migration is kept, readable by its owner only", async () => {
  const earlier = makeEarlier();
  writeFileSync(at("poundkey.db.before-0.9.0"), "an earlier copy");
  expect(JSON.parse((await check()).out).schema).toEqual({
    known,
    stored: earlier,
    oldest_supported: 0,
    older_nodes: [],
  });
  await (await openStore(`sqlite:${at("poundkey.db")}`, undefined)).store.close();
  expect([readVersion(KEPT), readVersion("poundkey.db")]).toEqual([earlier, known]);
  expect(statSync(at(KEPT)).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder).filter((name) => name.includes("before"))).toEqual([KEPT]);
  const stored = JSON.parse((await check()).out).schema;
  expect(stored).toEqual({ known, stored: known, oldest_supported: oldestSupported, older_nodes: [] });
});

test("neither a new store nor one of this version is copied", async () => {
  for (let times = 0; times < 2; times++)
    await (await openStore(`sqlite:${at("poundkey.db")}`, undefined)).store.close();
  expect(readdirSync(folder).toSorted()).toEqual(["master.key", "poundkey.db"]);
});

test("the package's version is that of the changelog's first section, or comes after the last that was released", () => {
  const changelog = readFileSync(join(import.meta.dir, "..", "..", "CHANGELOG.md"), "utf8");
  const released = /^## (\d\S*) \(/m.exec(changelog)?.[1] ?? "";
  const expected = changelog.includes("\n## Unreleased\n") ? 1 : 0;
  expect(Bun.semver.order(version, released)).toBe(expected);
});

test("a migration that ends the support for a program is refused while a node of it runs, and says which", async () => {
  const earlier = makeEarlier();
  const database = new Database(at("poundkey.db"));
  database.run("INSERT INTO setting (name, value) VALUES ('oldest_supported', '0') ON CONFLICT DO NOTHING");
  database.close();
  // A node of 1.1, by the lock that it holds.
  const lock = new NodeLock(at("poundkey.db"), "node_0123456789abcdef");
  lock.acquire();
  expect(JSON.parse((await check()).out).schema).toMatchObject({
    stored: earlier,
    older_nodes: ["node_0123456789abcdef (1.2 or older)"],
  });
  const migrate = (...flags: readonly string[]) =>
    runPrinting((io) => runCommandLine(["migrate", ...flags, "--store", `sqlite:${at("poundkey.db")}`], io));
  expect((await migrate("--dry-run")).out).toContain("1 node of an older program runs");
  const refused = await migrate();
  expect([refused.code, readVersion("poundkey.db")]).toEqual([1, earlier]);
  expect(refused.err).toContain("--stop-older");
  expect(readdirSync(folder).filter((name) => name.includes("before"))).toEqual([]);
  expect((await migrate("--stop-older")).code).toBe(0);
  expect(readVersion("poundkey.db")).toBe(known);
  lock.release();
}, 120_000);
