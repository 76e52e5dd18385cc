// Names of people who were made anonymous, searched in the bytes of a store's files.
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { actAs } from "../../src/admin/audit/audit-trail.ts";
import { anonymiseMember, finishErasings } from "../../src/admin/people/anonymising.ts";
import { type OpenedStore, openStore } from "../../src/app/start/open-store.ts";
import { IS_LONG } from "../harness/long.ts";
import { poundkey } from "../harness/poundkey.ts";
import { makeKey } from "../harness/samples.ts";
import { makeMember } from "../people/samples.ts";

const PEOPLE = 60;
const ANONYMOUS = [3, 31, 59];
const FROM_BEFORE = 7;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "poundkey-erased-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = () => openStore(`sqlite:${join(folder, "poundkey.db")}`, undefined);
const idOf = (at: number) => `mem_${at}`;
/** Long and rare, so that no other bytes are like it. */
const nameOf = (at: number) => `Zwiebelfisch${at}quark`;
const mailOf = (at: number) => `${nameOf(at).toLowerCase()}@acme.example`;

function countTraces(at: number): number {
  const files = readdirSync(folder).filter((name) => name.startsWith("poundkey.db"));
  return files.reduce((sum, name) => sum + countIn(name, at), 0);
}

function countIn(file: string, at: number): number {
  const bytes = readFileSync(join(folder, file), "latin1").toLowerCase();
  return bytes.split(nameOf(at).toLowerCase()).length - 1;
}

function actOf(opened: OpenedStore, at: number) {
  const actor = { kind: "person", id: idOf(at), name: nameOf(at) } as const;
  return actAs(opened.world, {
    actor,
    address: "192.0.2.7",
    agent: "",
    route: "PATCH /admin/v1/keys/:id",
    requestId: `req_${at}`,
  });
}

/** A person who signs in, makes a key, renames it again and again, and is changed by others. */
async function live(opened: OpenedStore, at: number): Promise<void> {
  const { changes } = actOf(opened, at);
  const person = { name: nameOf(at), email: mailOf(at), subject: nameOf(at), issuer: "https://i.example" };
  await changes.changeMember(idOf(at), () => makeMember(idOf(at), person));
  await changes.addKey(
    makeKey(`key_${at}`, { memberId: idOf(at), name: `of ${nameOf(at)}` }),
    `digest ${at}`,
  );
  for (let round = 0; round < 3; round++) {
    await changes.changeKey(`key_${at}`, { name: `${round} of ${nameOf(at)}`, contact: mailOf(at) });
    await changes.changeMember(
      idOf(at),
      (before) => before && { ...before, name: `${nameOf(at)} ${"x".repeat(round * 40)}`, seenAtMs: round },
    );
  }
}

async function anonymise(opened: OpenedStore, at: number) {
  const act = actOf(opened, -1);
  return anonymiseMember({ ...opened.world, ...act, keysExpireMs: () => null }, idOf(at));
}

test("whoever was made anonymous among sixty people stands in no file once `erased_at` is set, nor after a stop", async () => {
  const opened = await open();
  for (let at = 0; at < PEOPLE; at++) await live(opened, at);
  for (const at of ANONYMOUS) {
    const view = await anonymise(opened, at);
    expect(view.erased_at).not.toBeNull();
    expect([at, countTraces(at)]).toEqual([at, 0]);
  }
  await opened.store.close();
  expect(ANONYMOUS.map(countTraces)).toEqual([0, 0, 0]);
  expect(countTraces(0)).toBeGreaterThan(0);
});

test("what older programs left in free parts of the file goes at the first start, which then sets `erased_at`", async () => {
  const first = await open();
  for (let at = 0; at < FROM_BEFORE; at++) await live(first, at);
  await anonymise(first, 1);
  await first.store.close();
  leaveTraces();
  expect(countTraces(1)).toBeGreaterThan(0);
  const again = await open();
  await finishErasings(again.world);
  const erased = (await again.store.people.member(idOf(1)))?.erasedAtMs;
  await again.store.close();
  expect([typeof erased, countTraces(1)]).toEqual(["number", 0]);
  expect(countTraces(2)).toBeGreaterThan(0);
});

/** As a program that overwrites nothing deletes a name. */
function leaveTraces(): void {
  using database = new Database(join(folder, "poundkey.db"));
  database.run("PRAGMA secure_delete = OFF");
  database.run("DELETE FROM setting WHERE name = 'freed_overwritten'");
  database.run("UPDATE member SET erased_at_ms = NULL");
  database.run("CREATE TABLE earlier (name TEXT)");
  for (let row = 0; row < 100; row++) database.run("INSERT INTO earlier VALUES (?)", [nameOf(1)]);
  database.run("DELETE FROM earlier");
  database.run("DROP TABLE earlier");
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
}

test("while somebody reads an older state `erased_at` stays null, and the next try sets it", async () => {
  const opened = await open();
  await live(opened, 1);
  {
    using reader = new Database(join(folder, "poundkey.db"), { readonly: true });
    reader.run("BEGIN");
    reader.query("SELECT count(*) FROM member").get();
    expect((await anonymise(opened, 1)).erased_at).toBeNull();
  }
  await finishErasings(opened.world);
  expect((await opened.store.people.member(idOf(1)))?.erasedAtMs).toBeNumber();
  expect(countTraces(1)).toBe(0);
  await opened.store.close();
});

test("`poundkey migrate --later` leaves it to a command, so that no start takes the time and room for it", async () => {
  const first = await open();
  for (let at = 0; at < FROM_BEFORE; at++) await live(first, at);
  await anonymise(first, 1);
  await first.store.close();
  leaveTraces();
  const migrate = (...flags: string[]) =>
    poundkey(folder, ["migrate", ...flags, "--store", `sqlite:${join(folder, "poundkey.db")}`]);
  const later = await migrate("--later");
  expect([later.code, later.err]).toEqual([
    0,
    expect.stringContaining("the next `poundkey migrate` without --later"),
  ]);
  const started = await open();
  await finishErasings(started.world);
  expect((await started.store.people.member(idOf(1)))?.erasedAtMs).toBeUndefined();
  await started.store.close();
  expect(countTraces(1)).toBeGreaterThan(0);
  expect((await migrate()).err).toContain("overwrote what was deleted");
  expect(countTraces(1)).toBe(0);
  const again = await migrate("--later");
  expect([again.code, again.err]).toEqual([0, ""]);
  const after = await open();
  await finishErasings(after.world);
  expect((await after.store.people.member(idOf(1)))?.erasedAtMs).toBeNumber();
  await after.store.close();
});

/** Those that a release has, and the last. */
const SCHEMAS = readdirSync(join(import.meta.dir, "../store/schemas"))
  .filter((name) => name.startsWith("sqlite-"))
  .toSorted();
const OPENED = SCHEMAS.filter((_, at) => IS_LONG || [7, 17, 40, SCHEMAS.length].includes(at + 1));

test.each(OPENED)(
  "names in freed parts of a store of the schema %s are gone once it was opened and stopped",
  async (last) => {
    const path = join(folder, "poundkey.db");
    {
      using database = new Database(path);
      database.run("PRAGMA secure_delete = OFF");
      const steps = SCHEMAS.slice(0, SCHEMAS.indexOf(last) + 1);
      for (const step of steps) {
        const text = readFileSync(join(import.meta.dir, "../store/schemas", step), "utf8");
        database.run(text.trim().split("\n----\n").join(";\n"));
      }
      database.run(`PRAGMA user_version = ${steps.length}`);
      for (let row = 0; row < 50; row++)
        database.run("INSERT INTO account (id, name, created_at_ms) VALUES (?, ?, 1)", [
          `acct_${row}`,
          nameOf(1),
        ]);
      database.run("DELETE FROM account WHERE id LIKE 'acct_%'");
    }
    expect(countTraces(1)).toBeGreaterThan(0);
    const opened = await open();
    await opened.store.close();
    expect(listStored().map((name) => countIn(name, 1))).toEqual(listStored().map(() => 0));
  },
);

/** The store's own files, without the copy from before the migration. */
function listStored(): readonly string[] {
  return readdirSync(folder).filter((name) => /^poundkey\.db(-wal|-shm)?$/.test(name));
}
