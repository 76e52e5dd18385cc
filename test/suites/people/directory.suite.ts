// A company's directory on every store: what it says is whole, counts at once on every node, and ends what it ends.
import { expect, test } from "bun:test";
import { anonymiseMember } from "../../../src/admin/people/anonymising.ts";
import { createUser, deleteUser, patchUser } from "../../../src/admin/people/directory.ts";
import { createGroup, patchGroup } from "../../../src/admin/people/directory-groups.ts";
import { listUsers } from "../../../src/admin/people/directory-lists.ts";
import { DirectoryReview } from "../../../src/admin/people/directory-review.ts";
import { asObject, parseJson } from "../../../src/core/json/json.ts";
import type { DirectoryUser } from "../../../src/core/people/directory.ts";
import type { SignInRules } from "../../../src/core/people/sign-in.ts";
import { DirectoryRefusal } from "../../../src/people/directory/refusal.ts";
import { findMemberState } from "../../../src/people/state.ts";
import { USER } from "../../../src/store/people/directory-tables.ts";
import { MEMBER } from "../../../src/store/people/people.ts";
import { makeKey, NOON } from "../../harness/samples.ts";
import { catchThrown } from "../../harness/thrown.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { makeNode, makeRule, makeRules } from "../../people/directory/node.ts";
import type { TwoStores } from "../two-stores.ts";
import { directoryLists } from "./directory-lists.suite.ts";

const RULES = makeRules([makeRule("Search"), makeRule("Platform", { role: "operator", accounts: null })]);
const set = (path: string, value: unknown) => ({ Operations: [{ op: "replace", path, value }] });
const members = (op: string, ids: readonly string[]) => ({
  Operations: [{ op, path: "members", value: ids.map((value) => ({ value })) }],
});

/** Two nodes on one store, whose rules a test may change. */
function makeNodes({ store, other }: TwoStores, rules: { now: SignInRules } = { now: RULES }) {
  return { here: makeNode(store, () => rules.now), there: makeNode(other, () => rules.now), rules };
}

/** Returns a function that reads the person of a user on the other node. */
function makeMemberOf(opened: () => TwoStores) {
  return async ({ memberId }: { readonly memberId: string }) => {
    const member = await opened().other.people.member(memberId);
    if (member === null) throw new Error("the person is missing");
    return member;
  };
}

export function directory(opened: () => TwoStores): void {
  twins(opened);
  ends(opened);
  whole(opened);
  directoryLists(opened);
  reviews(opened);
  large(opened);
  claims(opened);
}

function twins(opened: () => TwoStores): void {
  const memberOf = makeMemberOf(opened);

  test("of two users or groups of a name that are made at once on two nodes, one is refused", async () => {
    const { here, there } = makeNodes(opened());
    const settle = (make: () => Promise<unknown>[]) => Promise.allSettled(make());
    const users = await settle(() =>
      [here, there].map((node) => createUser(node, { userName: "Ann@a.example" })),
    );
    const groups = await settle(() =>
      [here, there].map((node) => createGroup(node, { displayName: "Search" })),
    );
    for (const pair of [users, groups]) {
      expect(pair.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      const refused = pair.find((one) => one.status === "rejected");
      expect(refused?.reason).toBeInstanceOf(DirectoryRefusal);
    }
    expect((await listUsers(there, { filter: null, startIndex: 1, count: 10 })).total).toBe(1);
  });

  test("a group's change counts on every node with its answer, and ends sessions of whoever has no role left", async () => {
    const { here, there } = makeNodes(opened());
    const user = await createUser(here, { userName: "ann@a.example" });
    expect(findMemberState(await memberOf(user))).toBe("left");
    const group = await createGroup(there, { displayName: "Search", members: [{ value: user.id }] });
    expect(await memberOf(user)).toMatchObject({ ruleGrants: [{ role: "member", accountId: "default" }] });
    const session = {
      tokenDigest: "",
      expiresAtMs: NOON * 2,
      tokenId: null,
      issuerSession: null,
      address: null,
      agent: null,
    };
    await opened().store.people.addSession({ ...session, digest: "one", memberId: user.memberId }, NOON);
    await patchGroup(there, group.id, members("remove", [user.id]));
    expect((await memberOf(user)).ruleGrants).toEqual([]);
    expect(await opened().store.people.session("one")).toBeNull();
  });
}

function ends(opened: () => TwoStores): void {
  const memberOf = makeMemberOf(opened);

  test("deactivating pauses keys and activating resumes them, but none that somebody else paused", async () => {
    const { here } = makeNodes(opened());
    const { changes } = here;
    const user = await createUser(here, { userName: "ann@a.example" });
    await createGroup(here, { displayName: "Search", members: [{ value: user.id }] });
    await changes.addKey(makeKey("key_1", { memberId: user.memberId }), "digest 1");
    const paused = { isPaused: true, pausedBy: ["operator"] as const };
    await changes.addKey(makeKey("key_2", { memberId: user.memberId, ...paused }), "digest 2");
    const pausers = async () =>
      Promise.all(["key_1", "key_2"].map(async (id) => (await opened().other.key(id))?.pausedBy));
    await patchUser(here, user.id, set("active", "False"));
    expect(await pausers()).toEqual([["directory"], ["operator", "directory"]]);
    expect(findMemberState(await memberOf(user))).toBe("deactivated");
    await patchUser(here, user.id, set("active", true));
    expect(await pausers()).toEqual([[], ["operator"]]);
    expect(findMemberState(await memberOf(user))).toBe("active");
    await deleteUser(here, user.id);
    const keys = await Promise.all(["key_1", "key_2"].map((id) => opened().other.key(id)));
    expect(keys.every((key) => key?.revokedAtMs !== null)).toBe(true);
    expect(findMemberState(await memberOf(user))).toBe("left");
  });
}

function whole(opened: () => TwoStores): void {
  const memberOf = makeMemberOf(opened);

  test("an end that fails anywhere has changed nothing", async () => {
    const { here } = makeNodes(opened());
    const user = await createUser(here, { userName: "ann@a.example" });
    await createGroup(here, { displayName: "Search", members: [{ value: user.id }] });
    await opened().bench.raw("ALTER TABLE device RENAME TO device_away");
    expect(await catchThrown(patchUser(here, user.id, set("active", false)))).toBeInstanceOf(Error);
    await opened().bench.raw("ALTER TABLE device_away RENAME TO device");
    expect(findMemberState(await memberOf(user))).toBe("active");
    const { rows } = await listUsers(here, { filter: null, startIndex: 1, count: 1 });
    expect(rows[0]?.isActive).toBe(true);
  });
}

function reviews(opened: () => TwoStores): void {
  const memberOf = makeMemberOf(opened);

  test("changed rules give everybody their rights anew, and turned off, the claims alone count", async () => {
    const nodes = makeNodes(opened(), { now: RULES });
    const { here, rules } = nodes;
    const users = await Promise.all(
      ["ann", "ben", "cleo"].map((name) => createUser(here, { userName: `${name}@a.example` })),
    );
    await createGroup(here, { displayName: "Search", members: users.map(({ id: value }) => ({ value })) });
    const review = new DirectoryReview(here);
    await review.tick();
    rules.now = makeRules([makeRule("Search", { limits: null, accounts: null })]);
    await review.tick();
    for (const user of users)
      expect((await memberOf(user)).ruleGrants).toEqual([{ role: "member", accountId: null }]);
    const [ann] = users;
    if (ann === undefined) throw new Error("nobody was made");
    await unrecorded(opened().store).changeMember(ann.memberId, (before) =>
      before === null ? null : { ...before, groups: ["Search"], seenAtMs: NOON },
    );
    rules.now = { ...rules.now, directory: undefined };
    await review.tick();
    const grants = await Promise.all(users.map(async (user) => (await memberOf(user)).ruleGrants.length));
    expect(grants).toEqual([1, 0, 0]);
  });

  test("an anonymised person's rows of the directory are gone", async () => {
    const { here } = makeNodes(opened());
    const user = await createUser(here, {
      userName: "ann@a.example",
      externalId: "oid-ann",
      emails: [{ value: "ann@a.example" }],
    });
    const group = await createGroup(here, { displayName: "Search", members: [{ value: user.id }] });
    await anonymiseMember({ ...here, keysExpireMs: () => null }, user.memberId);
    expect((await listUsers(here, { filter: null, startIndex: 1, count: 10 })).total).toBe(0);
    expect(await opened().other.directory.memberships({ groups: [group.id] })).toEqual([]);
    const again = await createUser(here, { userName: "ann@a.example", externalId: "oid-ann" });
    expect(again.memberId).not.toBe(user.memberId);
  });
}

const CROWD = 600;

/** Adds copies of a user with their people. Returns the ids of all users. */
async function multiply(
  { bench, store }: TwoStores,
  { id, memberId }: DirectoryUser,
): Promise<readonly string[]> {
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${CROWD + 1})`;
  for (const { name, columns, of, ids } of [
    { name: "member", columns: MEMBER.columns, of: memberId, ids: ["id"] },
    { name: "directory_user", columns: USER.columns, of: id, ids: ["id", "member_id", "name_folded"] },
  ]) {
    const values = columns.map((column) => (ids.includes(column) ? `${column} || '-' || i` : column));
    await bench.raw(
      `INSERT INTO ${name} (${columns.join(", ")}) ${numbers} SELECT ${values.join(", ")} FROM ${name}, n WHERE id = '${of}'`,
    );
  }
  await bench.raw("UPDATE directory SET users = (SELECT count(*) FROM directory_user)");
  const { rows } = await store.directory.users({}, { offset: 0, limit: 2 * CROWD });
  return rows.map((row) => row.id);
}

/** A node that ends after the first part of a large change. */
function makeDying(node: ReturnType<typeof makeNode>) {
  let parts = 0;
  const stepGroup: typeof node.changes.stepGroup = async (...given) => {
    if (parts++ > 0) throw new Error("the node is gone");
    return node.changes.stepGroup(...given);
  };
  return { ...node, changes: Object.assign(Object.create(node.changes), { stepGroup }) };
}

function large(opened: () => TwoStores): void {
  const memberOf = makeMemberOf(opened);

  test("a change of a large group is whole with its answer, or once another node or the next change has finished it", async () => {
    const { here, there } = makeNodes(opened());
    const [first, ...more] = await multiply(opened(), await createUser(here, { userName: "ann@a.example" }));
    const ids = [first ?? "", ...more];
    const countIn = async () => {
      const { rows } = await opened().other.directory.users({}, { offset: 0, limit: 2 * CROWD });
      const people = await Promise.all(rows.map(memberOf));
      return people.filter(({ ruleGrants }) => ruleGrants.length > 0).length;
    };
    const group = await createGroup(here, { displayName: "Search" });
    await patchGroup(here, group.id, members("replace", ids));
    expect([ids.length, await countIn()]).toEqual([CROWD + 1, CROWD + 1]);
    const half = ids.slice(0, CROWD / 2);
    expect(await catchThrown(patchGroup(makeDying(here), group.id, members("replace", half)))).toBeInstanceOf(
      Error,
    );
    expect(await countIn()).toBeGreaterThan(half.length);
    await new DirectoryReview(there).tick();
    expect(await countIn()).toBe(half.length);
    expect(await catchThrown(patchGroup(makeDying(here), group.id, members("replace", ids)))).toBeInstanceOf(
      Error,
    );
    await patchGroup(there, group.id, members("remove", [ids.at(-1) ?? ""]));
    expect(await countIn()).toBe(CROWD);
    const entries = await listGroupEntries(opened());
    expect(entries).toEqual(["created", "0+601", "301+0", "0+301", "1+0"]);
  }, 30_000);
}

function claims(opened: () => TwoStores): void {
  test("once a large group decides, nobody outside of it has its role by the claims", async () => {
    const { here } = makeNodes(opened());
    const ids = await multiply(opened(), await createUser(here, { userName: "ann@a.example" }));
    const group = await createGroup(here, { displayName: "Search" });
    const grants = JSON.stringify([{ role: "member", accountId: "default" }]);
    await opened().bench.raw(
      `UPDATE member SET issuer_groups = '["Search"]', seen_at_ms = ${NOON}, rule_grants = '${grants}'`,
    );
    const some = ids.slice(0, 280);
    await patchGroup(here, group.id, members("add", some));
    const people = await opened().other.people.members({ limit: 2 * CROWD, after: null });
    expect(people.filter(({ ruleGrants }) => ruleGrants.length > 0).length).toBe(some.length);
  }, 30_000);
}

/** Returns how many went and came by each entry of the audit. */
async function listGroupEntries({ store }: TwoStores): Promise<readonly string[]> {
  while ((await store.auditLog.chain(100)) !== null);
  const rows = await store.auditLog.rows({ accountIds: null }, { limit: 10_000, before: null });
  const ofGroups = rows.toReversed().filter(({ action }) => action.startsWith("group."));
  return ofGroups.map(({ action, after }) => {
    if (action === "group.created") return "created";
    const { went_in_all = 0, came_in_all = 0 } = asObject(parseJson(after ?? ""));
    return `${went_in_all}+${came_in_all}`;
  });
}
