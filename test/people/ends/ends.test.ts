// An end that a SIGKILL interrupts at any of its steps is whole after the restart, or hasn't begun, and the name of somebody who
// was being made anonymous stands in no file any more. `LONG=1` kills at each step on SQLite, and at a fifth of them on PostgreSQL.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { makeRecordAs } from "../../../src/admin/audit/audit-trail.ts";
import { closeAccount, finishClosings, reopenAccount } from "../../../src/admin/money/closing.ts";
import { finishErasings } from "../../../src/admin/people/anonymising.ts";
import { type OpenedStore, openStore } from "../../../src/app/start/open-store.ts";
import { findMemberState } from "../../../src/people/state.ts";
import { IS_LONG } from "../../harness/long.ts";
import { catchThrown } from "../../harness/thrown.ts";
import { type Databases, useDatabases } from "../../store/postgres/databases.ts";
import { listNaming } from "../../store/postgres/naming.ts";
import { EMAIL, ENDS, fill, MASTER_KEY, makeActing, recheck, TEAM } from "./ends.ts";

const PROCESS = join(import.meta.dir, "end.process.ts");
const LATER_MS = 3_600_000;
const LONG_MS = 1_800_000;
const TRIES_MAX = 10;

const folder = mkdtempSync(join(tmpdir(), "poundkey-ends-"));
let server: Databases | undefined;
afterAll(async () => {
  await server?.remove();
  rmSync(folder, { recursive: true });
});

/** Makes copies of one store, each for one kill. */
interface Copies {
  copy(): Promise<string>;
  drop(address: string): Promise<void>;
  /** Returns the files, or the tables, in which the person's address stands. */
  listTraces(address: string): Promise<readonly string[]>;
}

let files = 0;

async function makeFiles(): Promise<Copies> {
  const first = join(folder, "first.db");
  const opened = await openStore(`sqlite:${first}`, MASTER_KEY);
  await fill(opened);
  await opened.store.close();
  const paths = (address: string) =>
    ["", "-wal", "-shm"].map((end) => `${address.slice("sqlite:".length)}${end}`);
  return {
    async copy() {
      const path = join(folder, `${++files}.db`);
      copyFileSync(first, path);
      return `sqlite:${path}`;
    },
    async drop(address) {
      for (const path of paths(address)) rmSync(path, { force: true });
    },
    async listTraces(address) {
      const files = paths(address).filter((path) => existsSync(path));
      return files.filter((path) => readFileSync(path, "latin1").toLowerCase().includes(EMAIL));
    },
  };
}

async function makeDatabases(): Promise<Copies> {
  const started = await useDatabases();
  server = started;
  const opened = await openPatiently(started.url);
  await fill(opened);
  await opened.store.close();
  return {
    copy: () => askPatiently(() => started.newDatabase(started.url)),
    drop: async () => {},
    listTraces: (address) =>
      askPatiently(async () => {
        await using database = new SQL(address, { max: 1 });
        return await listNaming(database);
      }),
  };
}

const openPatiently = (address: string): Promise<OpenedStore> =>
  askPatiently(() => openStore(address, MASTER_KEY));

/** On a busy machine, a database may not answer a new connection in time. */
async function askPatiently<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (tries === TRIES_MAX) throw error;
    }
  }
}

/** Runs an end that is killed at a step. Returns the number of its steps if it survives, else null. */
async function run(address: string, end: string, step: number, tries = 1): Promise<number | null> {
  const child = Bun.spawn([process.execPath, PROCESS, address, end, String(step)], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const [code, out, err] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if (child.signalCode === "SIGKILL") return null;
  if (err.includes("can't be opened") && tries < TRIES_MAX) return run(address, end, step, tries + 1);
  if (code !== 0) throw new Error(`${end} failed: ${err}`);
  return Number(out);
}

/** All that is there of the person and the account, after the tasks that every start runs. */
async function restart(address: string) {
  const opened = await openPatiently(address);
  const { store, world } = opened;
  await store.beat();
  await finishClosings({ store, clock: world.clock, changes: makeRecordAs(world)().changes });
  await finishErasings(world);
  const seen = await look(opened);
  return { opened, seen };
}

async function look({ store }: OpenedStore) {
  const [member] = await store.people.members({ limit: 10, after: null });
  if (member === undefined) throw new Error("the person is gone");
  const owner = { memberId: member.id, tokenId: null, tokenDigest: "" };
  const page = { limit: 10, after: null };
  const keys = await store.keys(page, { memberId: member.id, nowMs: 0 });
  const account = await store.account(TEAM);
  const ofTeam = await store.keys(page, { accountId: TEAM, nowMs: 0 });
  while ((await store.auditLog.chain(100)) !== null);
  const entries = await store.auditLog.rows({ accountIds: null }, { limit: 100, before: null });
  return {
    state: findMemberState(member),
    sessions: (await store.people.sessionsOf(owner, 0, 10)).length,
    agents: (await store.devices.devicesOf(member.id, Date.now())).length,
    revoked: keys.filter(({ revokedAtMs }) => revokedAtMs !== null).length,
    pausedBy: keys.map(({ pausedBy }) => pausedBy.filter((one) => one !== "operator").join()).join("|"),
    isClosed: account?.closingAtMs !== null,
    revokedOfTeam: ofTeam.filter(({ revokedAtMs }) => revokedAtMs !== null).length,
    contents: (
      await Promise.all(["key_a", "key_b"].map((id) => store.content(TEAM, `content of ${id}`)))
    ).filter((one) => one !== null).length,
    actions: entries
      .map(({ action }) => action)
      .sort()
      .join(" "),
  };
}

type Sight = Awaited<ReturnType<typeof look>>;

/** Nothing has begun, or all has ended. Each is on record once, with what ended by it. */
const UNTOUCHED: Sight = {
  state: "active",
  sessions: 1,
  agents: 1,
  revoked: 0,
  pausedBy: "|",
  isClosed: false,
  revokedOfTeam: 0,
  contents: 2,
  actions: "member.provisioned",
};
const OUT = { sessions: 0, agents: 0 };
const WHOLE: Readonly<Record<string, Partial<Sight>>> = {
  "gone at the issuer": {
    ...OUT,
    state: "left",
    actions: "member.changed member.provisioned session.ended",
  },
  "deactivated by the directory": {
    ...OUT,
    state: "deactivated",
    pausedBy: "directory|directory",
    actions: "key.changed key.changed member.deactivated member.provisioned",
  },
  "deleted by the directory": {
    ...OUT,
    state: "left",
    revoked: 2,
    actions: "key.revoked key.revoked member.deprovisioned member.provisioned",
  },
  "disabled by an admin": {
    ...OUT,
    state: "disabled",
    pausedBy: "disabled|disabled",
    actions: "key.changed key.changed member.changed member.provisioned",
  },
  anonymised: {
    ...OUT,
    state: "anonymised",
    revoked: 2,
    actions: "key.revoked key.revoked member.anonymised member.provisioned",
  },
  "the account closed": {
    isClosed: true,
    revokedOfTeam: 2,
    contents: 0,
    actions: "account.closed key.revoked key.revoked member.provisioned",
  },
};

/** Names of keys that an anonymised person chose go one by one, which is on record, too. */
const without = (seen: Sight, end: string): Sight =>
  end === "anonymised" ? { ...seen, actions: seen.actions.replaceAll("key.changed ", "") } : seen;

/** Kills an end at a step, or lets it survive at 0, and says what is wrong after the restart. */
async function judge({ copy, drop, listTraces }: Copies, end: string, step: number) {
  const address = await copy();
  const steps = await run(address, end, step);
  const { opened, seen } = await restart(address);
  const whole = { ...UNTOUCHED, ...WHOLE[end] };
  const isWhole = JSON.stringify(without(seen, end)) === JSON.stringify(whole);
  if (steps !== null) expect([end, without(seen, end)]).toEqual([end, whole]);
  else if (!isWhole) expect([end, step, seen]).toEqual([end, step, UNTOUCHED]);
  if (!isWhole && end === "gone at the issuer") await expectOut(opened);
  const isErased =
    (await opened.store.people.members({ limit: 1, after: null }))[0]?.erasedAtMs !== undefined;
  await opened.store.close();
  const isForgotten = end === "anonymised" && isWhole;
  expect([end, step, isErased, isForgotten && (await listTraces(address))]).toEqual([
    end,
    step,
    isForgotten,
    isForgotten && [],
  ]);
  await drop(address);
  return { steps, isWhole };
}

/** A person who is gone is out, or in doubt if a look that was broken off may have used up the token. */
async function expectOut(opened: OpenedStore): Promise<void> {
  await recheck(opened, LATER_MS);
  expect(["left", "in_doubt"]).toContain((await look(opened)).state);
}

/** Sends and answers of PostgreSQL are many: two in a row, then some are left out. */
const isPlayedThere = (step: number) => step % 10 < 2;

async function killAll(
  copies: Copies,
  end: string,
  isPlayed: (step: number) => boolean = () => true,
): Promise<void> {
  const { steps, isWhole } = await judge(copies, end, 0);
  if (steps === null) throw new Error("it was killed though nobody asked for it");
  expect([isWhole, steps > 5]).toEqual([true, true]);
  // In the short form: in the middle, where transactions meet, and at the last step.
  const chosen = IS_LONG
    ? Array.from({ length: steps }, (_, at) => at + 1).filter(isPlayed)
    : [Math.ceil(steps / 2), steps];
  let whole = 0;
  for (const step of chosen) if ((await judge(copies, end, step)).isWhole) whole++;
  console.log(`${end}: ${chosen.length} kills of ${steps} steps, whole after ${whole}`);
}

let onFiles: Copies;
beforeAll(async () => {
  onFiles = await makeFiles();
});

test.concurrent.each(Object.keys(ENDS))(
  "%s, killed at its steps, is whole or hasn't begun",
  async (end) => {
    await killAll(onFiles, end);
  },
  LONG_MS,
);

test("an account that is opened again after an interrupted closing has no key that works", async () => {
  const opened = await openStore(await onFiles.copy(), MASTER_KEY);
  const acting = makeActing(opened);
  const revokeKey = async () => {
    throw new Error("the node is gone");
  };
  const dying = { ...acting, changes: { ...acting.changes, revokeKey } };
  expect(await catchThrown(closeAccount(dying, TEAM, {}))).toBeInstanceOf(Error);
  expect(await look(opened)).toMatchObject({ isClosed: true, revokedOfTeam: 0 });
  await reopenAccount(acting, TEAM, {});
  expect(await look(opened)).toMatchObject({ isClosed: false, revokedOfTeam: 2, contents: 0 });
  await opened.store.close();
});

let onDatabases: Promise<Copies> | undefined;

test.if(IS_LONG).each(Object.keys(ENDS))(
  "on PostgreSQL, too: %s",
  async (end) => {
    onDatabases ??= makeDatabases();
    await killAll(await onDatabases, end, isPlayedThere);
  },
  LONG_MS,
);
