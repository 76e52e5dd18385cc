// The audit log on every store: each change is on record once, chained by one node at a time, and edits are found.
import { expect, test } from "bun:test";
import { actAs, makeEntry } from "../../../src/admin/audit/audit-trail.ts";
import { verifyAuditLog } from "../../../src/admin/audit/audit-verify.ts";
import { random } from "../../../src/app/world.ts";
import { type AuditAction, type AuditRow, nameCheckpoint } from "../../../src/core/audit/audit-log.ts";
import type { Changes } from "../../../src/core/changes.ts";
import type { Act, Member } from "../../../src/core/people/people.ts";
import type { Store } from "../../../src/core/store.ts";
import { TESTER } from "../../harness/acting.ts";
import { makeAccount, makeKey, NOON, standingClock } from "../../harness/samples.ts";
import { catchThrown } from "../../harness/thrown.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { topUp } from "../../ledger/top-up.ts";
import { makeMember } from "../../people/samples.ts";
import { makeSuite, type TwoStores } from "../two-stores.ts";

const ANNA = "mem_anna";
const PERSON: Act = {
  actor: { kind: "person", id: ANNA, name: "Anna Example" },
  address: "192.0.2.7",
  agent: "Firefox",
  route: "PATCH /admin/v1/keys/:id",
  requestId: "req_1",
};
const ALL = { accountIds: null };
const FIRST = { limit: 100, before: null };

/** Entries of the same millisecond are in no order. */
function worldOn(store: Store) {
  let ticks = 0;
  return { store, clock: { nowMs: () => NOON + ticks++ }, random, pepper: new Uint8Array(32) };
}

function changesOf(store: Store, act: Act = TESTER): Changes {
  return actAs(worldOn(store), act).changes;
}

function entryOf(
  id: string,
  more: { act?: Act; accountId?: string; atMs?: number; action?: AuditAction } = {},
) {
  const { act = TESTER, ...fields } = more;
  const target = { type: "key", id, name: `key ${id}` } as const;
  const after = { amount_usd: 12.5 };
  return {
    ...makeEntry({ clock: standingClock(NOON), random }, act, { action: "key.changed", target, after }),
    id: `aud_${id}`,
    ...fields,
  };
}

function makeAnna(fields: Partial<Member> = {}): Member {
  return makeMember(ANNA, { name: "Anna Example", email: "anna@example.com", ...fields });
}

async function chained(store: Store): Promise<readonly AuditRow[]> {
  while ((await store.auditLog.chain(100)) !== null);
  return (await store.auditLog.rows(ALL, FIRST)).toReversed();
}

function recording(stores: () => TwoStores): void {
  test("each change is on record once, with the fields that changed", async () => {
    const { store } = stores();
    const changes = changesOf(store);
    const key = makeKey("k", { name: "robot", accountId: "a" });
    await changes.addAccount(makeAccount("a"));
    await changes.changeAccount("a", { name: "Crew" });
    await changes.changeAccount("a", {});
    await changes.addKey(key, "digest");
    await changes.changeKey("k", { requestsPerMinute: 7 });
    await changes.changeKey("k", { requestsPerMinute: 7 });
    await changes.changeKey("none", { requestsPerMinute: 7 });
    await changes.rotateKey("k", { digest: "digest 2", last4: "wxyz", oldSecretUntilMs: null });
    await changes.revokeKey("k", NOON);
    await changes.revokeKey("k", NOON + 1);
    await changes.forgetLessons("Acme#one");
    await changes.changeOperatorSetting("admin_token_digest", () => "a digest");
    await changes.changeMember(ANNA, () => makeAnna());
    await changes.changeMember(ANNA, (before) => before && { ...before, seenAtMs: NOON + 1 });
    const rows = await chained(store);
    expect(rows.map(({ action, targetId, before, after }) => [action, targetId, before, after])).toEqual([
      ["account.created", "a", null, expect.stringContaining('"name":"a"')],
      ["account.changed", "a", '{"name":"a"}', '{"name":"Crew"}'],
      ["key.created", "k", null, expect.stringContaining('"name":"robot"')],
      ["key.changed", "k", '{"requests_per_minute":"default"}', '{"requests_per_minute":7}'],
      ["key.rotated", "k", expect.stringContaining("last4"), '{"last4":"wxyz","old_secret_expires_at":null}'],
      ["key.revoked", "k", null, null],
      ["learning.forgotten", "Acme#one", null, null],
      ["admin_token.reset", "", null, null],
      ["member.created", ANNA, null, expect.stringContaining("anna@example.com")],
    ]);
    expect(rows.map(({ accountId }) => accountId)).toEqual(["a", "a", "a", "a", "a", "a", null, null, null]);
    expect(JSON.stringify(rows)).not.toContain("digest 2");
    expect(
      rows.every(({ actorName, address }) => actorName === "admin token" && address === "127.0.0.1"),
    ).toBeTrue();
  });

  test("a change that fails isn't on record, and one that wasn't asked for by an operator isn't either", async () => {
    const { store } = stores();
    await unrecorded(store).addKey(makeKey("own"), "own");
    expect(await catchThrown(changesOf(store).addKey(makeKey("own"), "other"))).toBeInstanceOf(Error);
    expect(await chained(store)).toEqual([]);
  });

  test("a top-up is on record once, however often it is repeated", async () => {
    const { store } = stores();
    await unrecorded(store).addAccount(makeAccount("a", { name: "Team" }));
    const order = { accountId: "a", id: "1", nanoUsd: 5, note: null, nowMs: NOON };
    for (const id of ["x", "y"])
      await topUp(store, { ...order, entry: entryOf(id, { action: "topup.made" }) });
    expect(await chained(store)).toMatchObject([{ action: "topup.made", targetName: "Team" }]);
  });
}

function chaining(stores: () => TwoStores): void {
  test("two nodes chain each entry once, without gaps, while more are added", async () => {
    const { store, other } = stores();
    const ids = Array.from({ length: 120 }, (_, at) => String(at).padStart(3, "0"));
    const add = async (one: Store, own: readonly string[]) => {
      for (const id of own) {
        await one.auditLog.add([entryOf(id)]);
        if (Number(id) % 7 === 0) await one.auditLog.chain(5);
      }
    };
    await Promise.all([add(store, ids.slice(0, 60)), add(other, ids.slice(60))]);
    await Promise.all([chained(store), chained(other)]);
    const rows = await store.auditLog.rowsFrom(0, 1000);
    expect(rows.map(({ seq }) => seq)).toEqual(ids.map((_, at) => at + 1));
    expect(rows.map(({ id }) => id).toSorted()).toEqual(ids.map((id) => `aud_${id}`));
    expect(await verifyAuditLog(other.auditLog)).toMatchObject({ rows: 120, prunedUpTo: 0, broken: null });
  });

  test("an entry that was chained isn't chained again if its node died before it could forget it", async () => {
    const { store, other } = stores();
    await store.auditLog.add([entryOf("1")]);
    await chained(store);
    await other.auditLog.add([entryOf("1"), entryOf("2")]);
    expect((await chained(other)).map(({ id }) => id)).toEqual(["aud_1", "aud_2"]);
    expect(await other.auditLog.chain(10)).toBeNull();
  });

  test("entries that wait are neither logged as events nor deleted with them", async () => {
    const { store } = stores();
    await store.auditLog.add([entryOf("1", { atMs: 1 })]);
    expect(await store.takeEvents(NOON, 10)).toEqual([]);
    await store.prune({ requestsMs: NOON, metersMs: NOON, repliesMs: NOON }, 100);
    expect(await chained(store)).toHaveLength(1);
  });
}

function listing(stores: () => TwoStores): void {
  test("rows are listed newest first, by every filter, within the accounts that may be seen", async () => {
    const { store } = stores();
    await store.auditLog.add([entryOf("1", { accountId: "a", act: PERSON })]);
    await store.auditLog.add([entryOf("2", { accountId: "b", atMs: NOON + 1, action: "topup.made" })]);
    await store.auditLog.add([{ ...entryOf("3", { atMs: NOON + 2 }), outcome: "refused" }]);
    await chained(store);
    const found = async (filter: object) =>
      (await store.auditLog.rows({ ...ALL, ...filter }, FIRST)).map(({ seq }) => seq);
    expect(await found({})).toEqual([3, 2, 1]);
    expect(await found({ actor: ANNA })).toEqual([1]);
    expect(await found({ action: "topup.made" })).toEqual([2]);
    expect(await found({ action: "key" })).toEqual([3, 1]);
    expect(await found({ target: "2" })).toEqual([2]);
    expect(await found({ target: "key" })).toEqual([3, 2, 1]);
    expect(await found({ outcome: "refused" })).toEqual([3]);
    expect(await found({ accountId: "b" })).toEqual([2]);
    expect(await found({ fromMs: NOON + 1, toMs: NOON + 2 })).toEqual([2]);
    expect(await found({ accountIds: ["a"] })).toEqual([1]);
    expect(await found({ accountIds: ["a"], accountId: "b" })).toEqual([]);
    expect(await found({ accountIds: [] })).toEqual([]);
    const before = await store.auditLog.rows(ALL, { limit: 1, before: 3 });
    expect(before.map(({ seq }) => seq)).toEqual([2]);
    // Further apart than one look-up reads.
    for (const table of ["audit", "audit_detail"])
      await stores().bench.raw(`UPDATE ${table} SET seq = 20000 WHERE seq = 3`);
    expect(await found({})).toEqual([20000, 2, 1]);
    expect(await found({ target: "1" })).toEqual([1]);
  });
}

const EDITS: Readonly<Record<string, string>> = {
  id: "'x'",
  at_ms: "at_ms + 1",
  actor_kind: "'x'",
  actor_id: "'x'",
  action: "'x'",
  target_type: "'x'",
  target_id: "'x'",
  account_id: "'x'",
  outcome: "'failed'",
  route: "'x'",
  request_id: "'x'",
  reason: "'x'",
  actor_digest: "'x'",
  target_digest: "'x'",
  change_digest: "'x'",
  hash: "'x'",
};
const DETAIL_EDITS = [
  "actor_name",
  "address",
  "agent",
  "target_name",
  "before_json",
  "after_json",
  "actor_salt",
];

async function fill({ store }: TwoStores, count: number): Promise<Store> {
  for (let at = 1; at <= count; at++) await store.auditLog.add([entryOf(String(at), { act: PERSON })]);
  await chained(store);
  return store;
}

function proving(stores: () => TwoStores): void {
  test("an edit of any column, chained or beside, is found at its row", async () => {
    const columns = [
      ...Object.entries(EDITS).map(([column, value]) => ["audit", column, value] as const),
      ...DETAIL_EDITS.map((column) => ["audit_detail", column, "'x'"] as const),
    ];
    const store = await fill(stores(), columns.length);
    const { bench } = stores();
    expect((await verifyAuditLog(store.auditLog)).broken).toBeNull();
    // The last row first, so that each verdict is on the newest edit.
    for (const [at, [table, column, value]] of columns.entries()) {
      const seq = columns.length - at;
      await bench.raw(`UPDATE ${table} SET ${column} = ${value} WHERE seq = ${seq}`);
      expect([column, (await verifyAuditLog(store.auditLog)).broken?.seq]).toEqual([column, seq]);
    }
  });

  test("rows that are missing within or at the end, or were added past it, are found", async () => {
    const store = await fill(stores(), 6);
    const { bench } = stores();
    await bench.raw("UPDATE audit SET seq = 7 WHERE seq = 6");
    expect((await verifyAuditLog(store.auditLog)).broken).toMatchObject({ seq: 6 });
    await bench.raw("DELETE FROM audit WHERE seq = 7");
    expect((await verifyAuditLog(store.auditLog)).broken).toMatchObject({
      seq: 6,
      cause: "it is missing at the end",
    });
    await bench.raw("DELETE FROM audit WHERE seq = 3");
    expect((await verifyAuditLog(store.auditLog)).broken).toMatchObject({ seq: 3, cause: "it is missing" });
    await bench.raw("DELETE FROM audit WHERE seq < 3");
    expect((await verifyAuditLog(store.auditLog)).broken).toMatchObject({ seq: 1 });
  });
}

function ending(stores: () => TwoStores): void {
  test("pruning leaves a chained checkpoint, from which the proof goes on", async () => {
    const { store, other } = stores();
    for (let at = 1; at <= 5; at++) await store.auditLog.add([entryOf(String(at), { atMs: NOON + at })]);
    await chained(store);
    const prune = (beforeMs: number, most: number) =>
      store.auditLog.prune(beforeMs, most, (last) => ({
        ...entryOf(`p${last.seq}`, { action: "audit.pruned", atMs: NOON + 9 }),
        target: nameCheckpoint(last),
      }));
    expect(await prune(NOON, 10)).toBe(0);
    expect(await prune(NOON + 4, 2)).toBe(2);
    expect(await prune(NOON + 4, 10)).toBe(1);
    expect((await chained(other)).map(({ seq, action }) => [seq, action])).toEqual([
      [4, "key.changed"],
      [5, "key.changed"],
      [6, "audit.pruned"],
      [7, "audit.pruned"],
    ]);
    await store.auditLog.add([entryOf("6")]);
    await chained(store);
    expect(await verifyAuditLog(store.auditLog)).toMatchObject({ rows: 5, prunedUpTo: 3, broken: null });
    await stores().bench.raw("DELETE FROM audit WHERE seq = 4");
    expect((await verifyAuditLog(store.auditLog)).broken).toMatchObject({ seq: 4 });
  });

  test("a person's name and addresses are erased, amounts stay, and the chain still proves them", async () => {
    const { store } = stores();
    await changesOf(store).changeMember(ANNA, () => makeAnna());
    await store.auditLog.add([entryOf("1", { act: PERSON }), entryOf("2")]);
    await store.people.erase({ id: ANNA, email: null });
    await changesOf(store).changeMember(ANNA, () =>
      makeAnna({ name: "", email: null, anonymisedAtMs: NOON }),
    );
    const rows = await chained(store);
    expect(JSON.stringify(rows)).not.toMatch(/anna example|anna@|192\.0\.2\.7|firefox/i);
    expect(rows.find(({ id }) => id === "aud_1")).toMatchObject({
      actorId: ANNA,
      after: '{"amount_usd":12.5}',
    });
    expect(rows.find(({ id }) => id === "aud_2")).toMatchObject({ actorName: "admin token" });
    expect(rows.map(({ action }) => action)).toContain("member.anonymised");
    expect((await verifyAuditLog(store.auditLog)).broken).toBeNull();
  });
}

export const auditSuite = makeSuite({ recording, chaining, listing, proving, ending });
