// `poundkey backup`: consistent copies while a gateway writes, readable by their owner only, never overwriting a file.
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommandLine } from "../../src/cli/commands.ts";
import { poundkey, runPrinting, startPoundkey } from "../harness/poundkey.ts";
import { until } from "../whole/world/until.ts";
import { asking, startHttpWorld } from "../whole/world/world.ts";

const LONG_MS = 60_000;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "poundkey-backup-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const STORE = [".poundkey", "poundkey.db"] as const;
const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

/** Runs a command within this process. */
const run = (...args: readonly string[]) => runPrinting((io) => runCommandLine(args, io));

/** A store with an account and a key. */
async function filled(): Promise<string> {
  const file = join(folder, ...STORE);
  const store = ["--store", `sqlite:${file}`];
  expect((await run("keys", "add", "--name", "first", ...store)).code).toBe(0);
  expect((await run("accounts", "topup", "default", "5", ...store)).code).toBe(0);
  return file;
}

test(
  "copies made during paid requests are consistent: the books balance and the keys work",
  async () => {
    const gateway = await startHttpWorld({ more: "billing: { charge: always }" });
    try {
      await gateway.topUp("default", 100);
      let served = 0;
      const load = { goesOn: true };
      const asker = async () => {
        while (load.goesOn) {
          const response = await gateway.chat(asking("Acme#cheap"));
          expect(response.status).toBe(200);
          await response.text();
          served++;
        }
      };
      const askers = Array.from({ length: 4 }, asker);
      const entries: number[] = [];
      for (const name of ["one", "two", "three"]) {
        const place = join(folder, name);
        mkdirSync(place);
        const before = served;
        const args = ["--config", gateway.configFile, "--json"];
        const copied = await poundkey(folder, ["backup", join(place, "poundkey.db"), ...args]);
        expect(copied).toMatchObject({ code: 0, err: "" });
        expect(served).toBeGreaterThan(before);
        const told = JSON.parse(copied.out);
        expect(told).toMatchObject({ file: join(place, "poundkey.db"), bytes: expect.any(Number) });
        copyFileSync(told.master_key, join(place, "master.key"));
        const store = ["--store", `sqlite:${told.file}`];
        const verified = await run("ledger", "verify", "--json", ...store);
        expect(verified).toMatchObject({ code: 0, err: "" });
        const books = JSON.parse(verified.out);
        expect(books).toMatchObject({ balanced: true, sums_usd: { funding: "-100", sum: "0" } });
        entries.push(books.entries);
        expect((await run("keys", "list", ...store)).out).toContain("default");
      }
      load.goesOn = false;
      await Promise.all(askers);
      expect(entries).toEqual(entries.toSorted((one, other) => one - other));
      expect(entries[2]).toBeGreaterThan(entries[0] ?? 0);
    } finally {
      await gateway.stop();
    }
  },
  LONG_MS,
);

test(
  "a copy is readable by its owner only, says what belongs to it, and leaves no other files",
  async () => {
    const store = await filled();
    const { code, out, err } = await poundkey(folder, ["backup", "copy.db"]);
    const file = join(folder, "copy.db");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toBe(
      `Copied ${store} to ${file} (${statSync(file).size} bytes) and checked the copy.\n` +
        `The copy is useless without the master key, which is not part of it. Back up ${join(folder, ".poundkey", "master.key")} too, in a different place.\n`,
    );
    expect(modeOf(file)).toBe("600");
    expect(readdirSync(folder).toSorted()).toEqual([".poundkey", "copy.db"]);
    const key = readFileSync(join(folder, ".poundkey", "master.key"), "utf8").trim();
    expect(readFileSync(file).includes(key)).toBe(false);
    const alone = await run("keys", "list", "--store", `sqlite:${file}`);
    expect(alone).toMatchObject({ code: 1, err: expect.stringContaining("master key") });
    const known = await poundkey(folder, ["backup", "second.db", "--json"], { POUNDKEY_MASTER_KEY: key });
    expect(JSON.parse(known.out)).toMatchObject({ master_key: "POUNDKEY_MASTER_KEY" });
  },
  LONG_MS,
);

test(
  "a copy that is killed halfway leaves no file of its name",
  async () => {
    const store = new Database(await filled());
    // Nobody else reads the store meanwhile, so the copy waits.
    store.run("PRAGMA locking_mode = EXCLUSIVE");
    store.run("BEGIN IMMEDIATE");
    const copying = startPoundkey(folder, ["backup", "copy.db"]);
    await until("the copy has begun", () => readdirSync(folder).find((name) => name.startsWith("copy.db.")));
    copying.kill("SIGKILL");
    await copying.exited;
    expect(readdirSync(folder)).not.toContain("copy.db");
    store.close();
    expect((await poundkey(folder, ["backup", "copy.db"])).code).toBe(0);
  },
  LONG_MS,
);

describe("it is refused, leaving all files untouched,", () => {
  test(
    "if the target exists, even if it is the store itself",
    async () => {
      const store = await filled();
      writeFileSync(join(folder, "mine"), "mine");
      for (const file of [join(folder, "mine"), store]) {
        const before = readFileSync(file);
        const { code, out, err } = await run("backup", file, "--store", `sqlite:${store}`);
        expect({ code, out }).toEqual({ code: 1, out: "" });
        expect(err).toContain("already exists");
        expect(readFileSync(file).equals(before)).toBe(true);
      }
    },
    LONG_MS,
  );

  test(
    "if there is no store or folder, or the file is not a store",
    async () => {
      const none = await poundkey(folder, ["backup", "copy.db"]);
      expect(none).toMatchObject({ code: 1, out: "", err: expect.stringContaining(join(folder, ...STORE)) });
      expect(readdirSync(folder)).toEqual([]);
      const store = ["--store", `sqlite:${await filled()}`];
      const nowhere = await run("backup", join(folder, "nowhere", "copy.db"), ...store);
      expect(nowhere).toMatchObject({ code: 1, err: expect.stringContaining("nowhere") });
      writeFileSync(join(folder, "text.db"), "no database at all".repeat(100));
      const damaged = ["--store", `sqlite:${join(folder, "text.db")}`];
      const text = await run("backup", join(folder, "copy.db"), ...damaged);
      expect(text).toMatchObject({ code: 1, err: expect.stringContaining("not a database") });
      expect(readdirSync(folder).toSorted()).toEqual([".poundkey", "text.db"]);
    },
    LONG_MS,
  );

  test(
    "if the store is damaged",
    async () => {
      const store = await filled();
      const bytes = readFileSync(store);
      // The first page describes the file and its tables; those after it hold their rows.
      writeFileSync(store, bytes.fill(0xff, 4096, 40_960));
      const { code, out, err } = await run("backup", join(folder, "copy.db"), "--store", `sqlite:${store}`);
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toContain("malformed");
      expect(readdirSync(folder)).toEqual([".poundkey"]);
    },
    LONG_MS,
  );

  test(
    "if the disk is full",
    async () => {
      const store = new Database(await filled());
      store.run("CREATE TABLE filler AS SELECT randomblob(6000000)");
      store.close();
      // No file may have more than 1 or 2 MB, by the shell's unit.
      const within = ["sh", "-c", `trap "" XFSZ; ulimit -f 2000; exec "$@"`, "sh"];
      const { code, out } = await poundkey(folder, ["backup", "copy.db"], {}, within);
      expect({ code, out, left: readdirSync(folder) }).toEqual({ code: 1, out: "", left: [".poundkey"] });
    },
    LONG_MS,
  );

  test(
    "on PostgreSQL, which has pg_dump",
    async () => {
      const store = "postgres://u:hunter2@127.0.0.1:1/none";
      const { code, out, err } = await run("backup", "copy.db", "--store", store);
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toContain("pg_dump");
      expect(err).not.toContain("hunter2");
    },
    LONG_MS,
  );

  test(
    "with no name or with two",
    async () => {
      for (const args of [[], ["one", "two"], ["one", "--al"]]) {
        expect(await run("backup", ...args)).toMatchObject({ code: 2, out: "" });
      }
    },
    LONG_MS,
  );
});

test("a misspelt flag that every command has is named", async () => {
  const { code, err } = await run("backup", "copy.db", "--stroe", "sqlite:a.db");
  expect(code).toBe(2);
  expect(err).toContain("unknown flag --stroe; did you mean --store?");
}, 60_000);
