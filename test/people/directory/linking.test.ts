// Users of the directory and the people who sign in: who links to whom, and which word wins.
import { afterEach, expect, test } from "bun:test";
import { createUser, deleteUser, patchUser } from "../../../src/admin/people/directory.ts";
import { createGroup, deleteGroup, patchGroup } from "../../../src/admin/people/directory-groups.ts";
import type { SignInRule } from "../../../src/core/people/sign-in.ts";
import { IssuerSilent, PersonGone, SignInRefused } from "../../../src/people/issuer.ts";
import { findMemberState } from "../../../src/people/state.ts";
import { catchThrown } from "../../harness/thrown.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { makeRule, makeRules } from "./node.ts";
import { type Company, openCompany } from "./signing-in.ts";

let company: Company;
afterEach(() => company.close());

const OPERATORS: Partial<SignInRule> = { role: "operator", accounts: null };
const RULES = makeRules([makeRule("Search"), makeRule("Platform", OPERATORS)]);
const entra = (name: string) => ({ userName: `${name}@a.example`, externalId: `oid-${name}` });
const claims = (name: string, groups: readonly string[] = []) => ({
  sub: `sub-${name}`,
  oid: `oid-${name}`,
  name,
  email: `${name}@a.example`,
  email_verified: true,
  groups,
});
const set = (path: string, value: unknown) => ({ Operations: [{ op: "replace", path, value }] });
const inGroup = (displayName: string, ...users: readonly { readonly id: string }[]) =>
  createGroup(company.node, { displayName, members: users.map(({ id: value }) => ({ value })) });
const memberOf = async (id: string) => {
  const member = await company.opened.store.people.member(id);
  if (member === null) throw new Error("the person is missing");
  return member;
};
const listAll = () => company.opened.store.people.members({ limit: 100, after: null });

test("Okta's id is the subject, and Entra's the object id: who was made before is who signs in", async () => {
  company = await openCompany(RULES);
  const okta = await createUser(company.node, { userName: "ann@a.example", externalId: "00u-ann" });
  const bob = await createUser(company.node, entra("bob"));
  await inGroup("Search", okta, bob);
  const ann = await company.whoIs(await company.signIn({ sub: "00u-ann", name: "Ann" }));
  expect([ann?.id, ann?.ruleGrants.length]).toEqual([okta.memberId, 1]);
  const secret = await company.signIn(claims("bob"));
  expect((await company.whoIs(secret))?.id).toBe(bob.memberId);
  // The link outlasts the directory and its names.
  await patchUser(company.node, bob.id, set("externalId", "another"));
  company.rules = { ...RULES, directory: undefined };
  const again = await company.whoIs(await company.signIn(claims("bob", ["Search"])));
  expect(again?.id).toBe(bob.memberId);
  expect(await listAll()).toHaveLength(2);
});

test("somebody who is known stays who they are, whether the directory or the sign-in finds it out", async () => {
  company = await openCompany(RULES);
  const known = await company.whoIs(await company.signIn(claims("ann", ["Search"])));
  const user = await createUser(company.node, entra("ann"));
  expect([user.memberId, user.isLinked]).toEqual([known?.id ?? "", true]);

  const old = await company.whoIs(await company.signIn(claims("ben", ["Search"])));
  await unrecorded(company.opened.store).changeMember(old?.id ?? "", (before) =>
    before === null ? null : { ...before, objectId: undefined },
  );
  const made = await createUser(company.node, entra("ben"));
  expect(made.memberId).not.toBe(old?.id ?? "");
  await inGroup("Search", made);
  const signed = await company.whoIs(await company.signIn(claims("ben")));
  expect(signed?.id).toBe(old?.id ?? "");
  expect((await listAll()).map(({ id }) => id)).not.toContain(made.memberId);
});

test("a group that the directory knows is decided by its members alone, once it had one", async () => {
  company = await openCompany(RULES);
  const user = await createUser(company.node, entra("ann"));
  const secret = await company.signIn(claims("ann", ["Search"]));
  const group = await createGroup(company.node, { displayName: "Search" });
  // Entra makes groups empty and fills them later.
  expect((await company.whoIs(secret))?.id).toBe(user.memberId);
  const other = await createUser(company.node, entra("other"));
  await patchGroup(company.node, group.id, {
    Operations: [{ op: "add", path: "members", value: [{ value: other.id }] }],
  });
  expect(await company.whoIs(secret)).toBeNull();
  expect(findMemberState(await memberOf(user.memberId))).toBe("left");
  expect(await catchThrown(company.signIn(claims("ann", ["Search"])))).toMatchObject({ reason: "no_rule" });
});

test("a role above member needs both words", async () => {
  company = await openCompany(RULES);
  const user = await createUser(company.node, entra("ann"));
  await inGroup("Search", user);
  await inGroup("Platform", user);
  const roles = async () => (await memberOf(user.memberId)).ruleGrants.map(({ role }) => role).sort();
  expect(await roles()).toEqual(["member"]);
  await company.signIn(claims("ann", []));
  expect(await roles()).toEqual(["member"]);
  await company.signIn(claims("ann", ["Platform"]));
  expect(await roles()).toEqual(["member", "operator"]);
});

test("somebody whom the directory has deactivated can't sign in, and is told why", async () => {
  company = await openCompany(RULES);
  const user = await createUser(company.node, { ...entra("ann"), active: false });
  await inGroup("Search", user);
  const refused = await catchThrown(company.signIn(claims("ann", ["Search"])));
  expect(refused).toBeInstanceOf(SignInRefused);
  expect(refused).toMatchObject({ reason: "deactivated" });
  await patchUser(company.node, user.id, set("active", true));
  expect((await company.whoIs(await company.signIn(claims("ann"))))?.id).toBe(user.memberId);
});

test("an address links once where it may, and never to a role above member", async () => {
  company = await openCompany(RULES);
  const named = (name: string) => ({ userName: `${name}@A.example`, externalId: `nick-${name}` });
  const ann = await createUser(company.node, named("ann"));
  await inGroup("Search", ann);
  expect(await catchThrown(company.signIn(claims("ann")))).toMatchObject({ reason: "no_rule" });
  company.rules = makeRules(RULES.rules, { directory: { linksByEmail: true, from: [] } });
  expect((await company.whoIs(await company.signIn(claims("ann"))))?.id).toBe(ann.memberId);
  const thief = { ...claims("ann"), sub: "another", oid: "another" };
  expect(await catchThrown(company.signIn(thief))).toMatchObject({ reason: "no_rule" });

  const boss = await createUser(company.node, named("boss"));
  await inGroup("Platform", boss);
  const claimed = claims("boss", ["Platform"]);
  expect((await company.whoIs(await company.signIn(claimed)))?.id).not.toBe(boss.memberId);
  const unverified = { ...claims("cleo"), email_verified: false };
  const cleo = await createUser(company.node, named("cleo"));
  await patchGroup(company.node, (await inGroup("Other")).id, {
    Operations: [{ op: "add", path: "members", value: [{ value: cleo.id }] }],
  });
  expect(await catchThrown(company.signIn(unverified))).toMatchObject({ reason: "no_rule" });
});

test("neither's yes outweighs the other's no", async () => {
  company = await openCompany(RULES);
  const user = await createUser(company.node, entra("ann"));
  const group = await inGroup("Search", user);
  const secret = await company.signIn(claims("ann"));
  await company.recheck(() => claims("ann"));
  expect((await company.whoIs(secret))?.id).toBe(user.memberId);
  await company.recheck(() => {
    throw new PersonGone("invalid_grant");
  });
  expect(findMemberState(await memberOf(user.memberId))).toBe("left");
  for (const op of ["remove", "add"]) {
    await patchGroup(company.node, group.id, {
      Operations: [{ op, path: "members", value: [{ value: user.id }] }],
    });
  }
  expect(findMemberState(await memberOf(user.memberId))).toBe("left");
  await company.signIn(claims("ann"));
  expect(findMemberState(await memberOf(user.memberId))).toBe("active");
});

test("a deleted group counts by claims only from a sign-in after it", async () => {
  company = await openCompany(RULES);
  const user = await createUser(company.node, entra("ann"));
  const group = await inGroup("Search", user);
  await company.signIn(claims("ann", ["Search"]));
  await deleteGroup(company.node, group.id);
  expect((await memberOf(user.memberId)).ruleGrants).toEqual([]);
  // A sign-in within the same millisecond may have begun before it.
  company.later(1);
  await company.signIn(claims("ann", ["Search"]));
  expect((await memberOf(user.memberId)).ruleGrants).toHaveLength(1);
});

test("an end at the moment of a sign-in leaves no session that works", async () => {
  company = await openCompany(RULES);
  for (let round = 0; round < 30; round++) {
    const name = `person-${round}`;
    const user = await createUser(company.node, entra(name));
    const group = await inGroup(`Search`, user).catch(() => null);
    if (group === null) {
      const { rows } = await company.opened.store.directory.groups(
        { displayName: "search" },
        { offset: 0, limit: 1 },
      );
      await patchGroup(company.node, rows[0]?.id ?? "", {
        Operations: [{ op: "add", path: "members", value: [{ value: user.id }] }],
      });
    }
    const end = () =>
      round % 2 === 0
        ? patchUser(company.node, user.id, set("active", false))
        : deleteUser(company.node, user.id);
    const signing = company.signIn(claims(name), async () => {
      for (let turn = 0; turn < round % 7; turn++) await Promise.resolve();
    });
    const [signed] = await Promise.allSettled([signing, end()]);
    if (signed.status === "fulfilled") expect(await company.whoIs(signed.value)).toBeNull();
    const owner = { memberId: user.memberId, tokenId: null, tokenDigest: "" };
    const sessions = await company.opened.store.people.sessionsOf(owner, 0, 10);
    expect([round, sessions]).toEqual([round, []]);
  }
});

test("a sign-in brings back no session that a doubt has ended", async () => {
  company = await openCompany(RULES);
  const old = await company.signIn(claims("ann", ["Search"]));
  const isSilent = () => {
    throw new IssuerSilent("connection refused", false);
  };
  await company.recheck(isSilent);
  expect(await company.whoIs(old)).not.toBeNull();
  await company.recheck(isSilent);
  expect(await company.whoIs(old)).toBeNull();
  const secret = await company.signIn(claims("ann", ["Search"]));
  expect(await company.whoIs(secret)).not.toBeNull();
  expect(await company.whoIs(old)).toBeNull();
});
