// `bun test/bench/directory.ts [--users N] [--groups N] [--listed N] [--postgres | --url URL]`: prints how long a directory's
// requests take, on SQLite, on a PostgreSQL of its own, or on that of an address: a first cycle, a large group replaced, a deactivation until another node sees it, and pages of N listed users (100,000).
// Beside each stands the longest time for which the event loop's thread worked without a break.
import { Database } from "bun:sqlite";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SQL } from "bun";
import { createUser, patchUser } from "../../src/admin/people/directory.ts";
import { createGroup, patchGroup } from "../../src/admin/people/directory-groups.ts";
import { listUsers } from "../../src/admin/people/directory-lists.ts";
import { openStore } from "../../src/app/start/open-store.ts";
import { Fault } from "../../src/core/faults/fault.ts";
import type { SignInRules } from "../../src/core/people/sign-in.ts";
import { DirectoryRefusal } from "../../src/people/directory/refusal.ts";
import { findMemberState } from "../../src/people/state.ts";
import { USER } from "../../src/store/people/directory-tables.ts";
import { MEMBER } from "../../src/store/people/people.ts";
import { makeNode, makeRule, makeRules } from "../people/directory/node.ts";
import { startPostgres } from "../store/postgres/server.ts";
import { cpuMicros } from "./processes.ts";

const AT_ONCE = 8;
/** The most members of a group. */
const LARGE = 20_000;

const { values } = parseArgs({
  options: {
    users: { type: "string", default: "10000" },
    groups: { type: "string", default: "200" },
    listed: { type: "string", default: "100000" },
    postgres: { type: "boolean", default: false },
    url: { type: "string" },
  },
});
const users = Number(values.users);
const groups = Number(values.groups);
const folder = mkdtempSync(join(tmpdir(), "poundkey-directory-"));
const server = values.postgres ? await startPostgres() : null;
const shared = values.url ?? server?.url;
const address = shared ?? `sqlite:${join(folder, "poundkey.db")}`;
const key = Buffer.alloc(32, 7).toString("base64");
const here = await openStore(address, key);
const there = await openStore(address, key);
await here.store.beat();
await there.store.beat();
/** Every second group is named by a rule. */
const RULES: SignInRules = makeRules(
  Array.from({ length: Math.ceil(groups / 2) }, (_, at) => makeRule(`Group ${2 * at}`)),
);
const node = makeNode(here.store, () => RULES, Date.now, { pepper: here.world.pepper });

/** The process of the benchmark's own PostgreSQL. Null without one. */
async function findServerPid(): Promise<number | null> {
  if (server === null) return null;
  await using sql = new SQL(server.url, { max: 1 });
  const [row] = await sql`SELECT current_setting('data_directory') AS folder`;
  return Number(readFileSync(join(row.folder, "postmaster.pid"), "utf8").split("\n")[0]);
}

const serverPid = await findServerPid();
const TICK_MS = 10;

/** Its CPU, with that of connections that have ended. */
function readServer(): number {
  if (serverPid === null) return 0;
  const [, fields = ""] = readFileSync(`/proc/${serverPid}/stat`, "utf8").split(") ");
  const [user, system] = fields.split(" ").slice(13, 15);
  return cpuMicros(serverPid) / 1000 + (Number(user) + Number(system)) * TICK_MS;
}

let usedMs = 0;
let serverMs = readServer();
/** The longest work between two turns of the event loop, by the thread's own CPU time, whatever else the machine does. */
let longestMs = 0;
const readThread = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
let turnMs = readThread();
const watchTurns = () => {
  const nowMs = readThread();
  longestMs = Math.max(longestMs, nowMs - turnMs);
  turnMs = nowMs;
};
const watching = setInterval(watchTurns, 1);

/** Prints the time, and the CPU that this process and its PostgreSQL have used since the line before. */
function print(what: string, ms: number): void {
  const { user, system } = process.cpuUsage();
  const cpuMs = (user + system) / 1000 - usedMs;
  usedMs += cpuMs;
  const nowMs = readServer();
  const ofServer = serverPid === null ? "" : `, PostgreSQL's ${(nowMs - serverMs).toFixed(0)} ms`;
  serverMs = nowMs;
  const cpu = `CPU ${cpuMs.toFixed(0)} ms${ofServer}, at most ${longestMs.toFixed(0)} ms without a break`;
  longestMs = 0;
  console.log(`${what.padEnd(64)} ${ms.toFixed(1).padStart(10)} ms  (${cpu})`);
}

/** As directories do: a store that is away for a moment is asked again. */
async function retry(task: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await task();
      return;
    } catch (error) {
      const isMade = error instanceof DirectoryRefusal && tries > 1;
      if (isMade) return;
      if (!(error instanceof Fault) || tries === 20) throw error;
      await Bun.sleep(500);
    }
  }
}

/** Runs tasks, some at a time. Returns their times in order of length. */
async function runAll(tasks: readonly (() => Promise<unknown>)[]): Promise<readonly number[]> {
  const times: number[] = [];
  let next = 0;
  const work = async () => {
    for (let task = tasks[next++]; task !== undefined; task = tasks[next++]) {
      const begunMs = performance.now();
      await retry(task);
      times.push(performance.now() - begunMs);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return times.sort((one, other) => one - other);
}

const ids: string[] = [];
const groupIds: string[] = [];
console.log(`on ${shared === undefined ? "SQLite" : "PostgreSQL"}, load ${loadavg()[0]?.toFixed(1)}`);
let begunMs = performance.now();
const made = await runAll(
  Array.from({ length: users }, (_, at) => async () => {
    const name = `person-${at}@a.example`;
    const emails = [{ value: name, type: "work", primary: true }];
    const user = await createUser(node, {
      userName: name,
      externalId: `oid-${at}`,
      displayName: name,
      emails,
    });
    ids[at] = user.id;
  }),
);
await runAll(
  Array.from({ length: groups }, (_, at) => async () => {
    groupIds[at] = (await createGroup(node, { displayName: `Group ${at}`, externalId: `gid-${at}` })).id;
  }),
);
const filled = await runAll(
  groupIds.flatMap((id, at) => {
    const own = Array.from(
      { length: Math.ceil((2 * users) / groups) },
      (_, n) => ids[(at * 37 + n) % users] ?? "",
    );
    const parts = Array.from({ length: Math.ceil(own.length / 20) }, (_, part) =>
      own.slice(part * 20, part * 20 + 20),
    );
    return parts.map((some) => () => {
      const value = some.map((one) => ({ value: one }));
      return patchGroup(node, id, { Operations: [{ op: "Add", path: "members", value }] });
    });
  }),
);
const cycleMs = performance.now() - begunMs;
const p99 = (times: readonly number[]) => times[Math.floor(times.length * 0.99)] ?? 0;
print(`first cycle of ${users} users and ${groups} groups, ${AT_ONCE} at once`, cycleMs);
print("  a user is made (p99)", p99(made));
print("  members are added (p99)", p99(filled));

/** Adds copies of a user with their people by SQL, since making each takes two milliseconds. */
async function fillUp(of: string, count: number): Promise<void> {
  const { rows } = await here.store.directory.users({ id: of }, { offset: 0, limit: 1 });
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
  const compose = (name: string, columns: readonly string[], id: string, changed: readonly string[]) => {
    const picked = columns.map((column) => (changed.includes(column) ? `${column} || '-' || i` : column));
    return `INSERT INTO ${name} (${columns.join(", ")}) ${numbers} SELECT ${picked.join(", ")} FROM ${name}, n WHERE id = '${id}'`;
  };
  const statements = [
    compose("member", MEMBER.columns, rows[0]?.memberId ?? "", ["id"]),
    compose("directory_user", USER.columns, of, ["id", "member_id", "name_folded", "external_id"]),
    "UPDATE directory SET users = (SELECT count(*) FROM directory_user)",
  ];
  if (shared === undefined) {
    using database = new Database(join(folder, "poundkey.db"));
    for (const one of statements) database.run(one);
    database.run("ANALYZE");
    return;
  }
  const sql = new SQL(shared);
  for (const one of statements) await sql.unsafe(one);
  await sql.unsafe("ANALYZE");
  await sql.close();
}

// The last one is in no group, so that the rights of all change with the large one.
await fillUp(ids.at(-1) ?? "", Math.max(0, LARGE - users));
const { rows: crowd } = await here.store.directory.users({}, { offset: 0, limit: LARGE });
const most = crowd.map(({ id }) => id);
const [first = ""] = groupIds;
// Reading them all at once is this benchmark's own work.
await Bun.sleep(20);
print(`${most.length} users are there`, 0);
for (const some of [most, most.slice(most.length / 2), []]) {
  begunMs = performance.now();
  const value = some.map((one) => ({ value: one }));
  await patchGroup(node, first, { Operations: [{ op: "replace", path: "members", value }] });
  print(`a group with a rule is replaced by ${some.length} members`, performance.now() - begunMs);
}

// A gateway does it all the time, and a deactivation reads there which secrets the person was shown.
while ((await here.store.auditLog.chain(100)) !== null);
print("all of it is put on record", 0);
const seen: number[] = [];
for (const id of ids.slice(0, 100)) {
  const { rows } = await here.store.directory.users({ id }, { offset: 0, limit: 1 });
  const memberId = rows[0]?.memberId ?? "";
  begunMs = performance.now();
  await patchUser(node, id, { Operations: [{ op: "Replace", path: "active", value: "False" }] });
  for (;;) {
    const terms = await there.store.people.memberTerms(memberId);
    if (terms !== null && findMemberState(terms) === "deactivated") break;
  }
  seen.push(performance.now() - begunMs);
}
print("a deactivation until the other node sees it (longest of 100)", Math.max(...seen));
const listed = Number(values.listed);
await fillUp(ids.at(-2) ?? "", Math.max(0, listed - Math.max(users, LARGE)));
print(`${listed} users are there`, 0);
/** Reads this many pages all over the list. */
const readPages = (count: number) =>
  runAll(
    Array.from(
      { length: count },
      (_, at) => () =>
        listUsers(node, { filter: null, startIndex: 1 + Math.floor((at * listed) / count), count: 100 }),
    ),
  );
// A gateway has its connections.
await readPages(AT_ONCE);
const pages = await readPages(400);
print(`a page of 100 users anywhere, ${AT_ONCE} at once (p99)`, p99(pages));
const inOrder: number[] = [];
for (let startIndex = 1; startIndex <= listed; startIndex += 100) {
  begunMs = performance.now();
  await listUsers(node, { filter: null, startIndex, count: 100 });
  inOrder.push(performance.now() - begunMs);
}
inOrder.sort((one, other) => one - other);
print(`a page of all ${listed}, one after the other (p99)`, p99(inOrder));
const found = await runAll(
  ids
    .slice(0, 200)
    .map(
      (_, at) => () =>
        listUsers(node, { filter: `userName eq "PERSON-${at}@A.example"`, startIndex: 1, count: 1 }),
    ),
);
print("a user is found by name (p99)", p99(found));

console.log(`load ${loadavg()[0]?.toFixed(1)}`);
clearInterval(watching);
await here.store.close();
await there.store.close();
await server?.remove();
rmSync(folder, { recursive: true });
