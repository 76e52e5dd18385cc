// The list of what outlasts a person: service keys and tokens whose secret they know, those they look after, their account.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { makeRecordAs } from "../../src/admin/audit/audit-trail.ts";
import { type OpenedStore, openStore } from "../../src/app/start/open-store.ts";
import { ACCOUNT_DEFAULTS } from "../../src/core/keys/key.ts";
import type { Grant } from "../../src/core/people/people.ts";
import { endRoles } from "../../src/people/ended-roles.ts";
import { endPerson } from "../../src/people/ending.ts";
import { makePersonalAccountId } from "../../src/people/personal-account.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import type { Seen } from "../whole/world/observe.ts";
import { createOperator, type Operator } from "../whole/world/operator.ts";
import { type HttpWorld, startHttpWorld } from "../whole/world/world.ts";
import { PEOPLE } from "./samples.ts";
import { signInAs } from "./signed-in.ts";

const ADMIN: readonly Grant[] = [{ role: "admin", accountId: null }];

let world: HttpWorld;
let opened: OpenedStore;
let admin: Operator;
let team: string;
beforeAll(async () => {
  world = await startHttpWorld(PEOPLE);
  opened = await openStore(`sqlite:${join(world.directory, "poundkey.db")}`, undefined);
  admin = createOperator(world);
  team = await world.newAccount("Team");
});
afterAll(async () => {
  await opened.store.close();
  await world.stop();
});

const enter = (id: string, grants: readonly Grant[] = ADMIN) =>
  signInAs({ url: world.url, opened }, id, grants);
const idOf = ({ body }: Seen) => String(body.id);

/** As a table of the type, the name and the reason. */
async function listStays(id: string, by: Pick<Operator, "get"> = admin): Promise<readonly string[]> {
  const { body } = await by.get(`/members/${id}/stays`);
  const data: readonly Record<string, unknown>[] = Array.isArray(body.data) ? body.data : [];
  return data.map(({ type, name, why }) => `${type} ${name} ${why}`);
}

async function addOwnAccount(memberId: string): Promise<void> {
  const id = makePersonalAccountId(memberId, opened.world.pepper);
  await unrecorded(opened.store).addAccount({ ...ACCOUNT_DEFAULTS, id, name: "Own", createdAtMs: 1 });
}

const parts = () => ({
  store: opened.store,
  pepper: opened.world.pepper,
  clock: { nowMs: () => Date.now() },
  recordAs: makeRecordAs(opened.world),
});

async function takeEvent(type: string, memberId: string) {
  const events = await opened.store.takeEvents(Date.now(), 1000);
  return events.find((one) => one.type === type && one.data.member_id === memberId)?.data;
}

test("secrets that a person was the last to see, and what they look after, stay and are told of at their end", async () => {
  const ada = await enter("mem_ada");
  await unrecorded(opened.store).changeMember(
    "mem_ada",
    (before) => before && { ...before, email: "ada@acme.example" },
  );
  await addOwnAccount("mem_ada");
  const made = idOf(await ada("POST", "/keys", { name: "made", account_id: team, kind: "service" }));
  const handed = idOf(await ada("POST", "/keys", { name: "handed over", account_id: team, kind: "service" }));
  const gone = idOf(await ada("POST", "/keys", { name: "gone", account_id: team, kind: "service" }));
  await ada("DELETE", `/keys/${gone}`);
  const theirs = idOf(await admin.post("/keys", { name: "rotated", account_id: team }));
  await ada("POST", `/keys/${theirs}/rotate`, {});
  await admin.post(`/keys/${handed}/rotate`, {});
  await admin.post("/keys", { name: "asked about", account_id: team, contact: "Ada@acme.example" });
  const own = createOperator({
    url: world.url,
    adminToken: String((await ada("POST", "/tokens", { name: "own", role: "admin" })).body.secret),
  });
  await own.post("/keys", { name: "by token", account_id: team });
  await admin.post("/tokens", { name: "robot", role: "viewer", contact: "ada@acme.example" });
  const all = [
    "account Own own",
    "key asked about contact",
    "key by token made",
    "key made made",
    "key rotated rotated",
    "token robot contact",
  ];
  expect((await listStays("mem_ada")).toSorted()).toEqual(all);
  const page = await admin.get("/members/mem_ada/stays?limit=4");
  const rest = await admin.get(`/members/mem_ada/stays?limit=4&after=${page.body.next}`);
  expect([page.body.data, rest.body.data].map((one) => Array.isArray(one) && one.length)).toEqual([4, 2]);

  const member = await opened.store.people.member("mem_ada");
  if (member === null) throw new Error("nobody is there");
  await endPerson(parts(), member, "gone");
  const told = await takeEvent("member.left", "mem_ada");
  expect(told).toMatchObject({ reason: "gone", stays_more: 0 });
  const stays: readonly Record<string, unknown>[] = Array.isArray(told?.stays) ? told.stays : [];
  expect(stays.map(({ type, name, why }) => `${type} ${name} ${why}`).toSorted()).toEqual(all);
  expect(stays).toContainEqual({ type: "key", id: made, name: "made", account_id: team, why: "made" });

  await admin.post(`/keys/${made}/rotate`, {});
  expect(await listStays("mem_ada")).not.toContain("key made made");
});

test("a manager sees what stays in the accounts that they manage, a member nothing", async () => {
  const other = await world.newAccount("Other");
  const bob = await enter("mem_bob", [
    { role: "manager", accountId: team },
    { role: "manager", accountId: other },
  ]);
  await bob("POST", "/keys", { name: "here", account_id: team, kind: "service" });
  await bob("POST", "/keys", { name: "there", account_id: other, kind: "service" });
  const manager = await enter("mem_may", [{ role: "manager", accountId: team }]);
  const get = (path: string) => manager("GET", path);
  expect(await listStays("mem_bob", { get })).toEqual(["key here made"]);
  const member = await enter("mem_kim", [{ role: "member", accountId: team }]);
  expect((await member("GET", "/members/mem_bob/stays")).status).toBe(403);
});

test("a role that an admin gave until a time is taken back then, and told of once with what stays", async () => {
  const cleo = await enter("mem_cleo", [{ role: "viewer", accountId: null }]);
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await admin.patch("/members/mem_cleo", { role: "manager", accounts: [team], until });
  await cleo("POST", "/keys", { name: "of the role", account_id: team, kind: "service" });
  await endRoles(parts());
  expect(await takeEvent("member.role_ended", "mem_cleo")).toBeUndefined();
  const later = { ...parts(), clock: { nowMs: () => Date.parse(until) } };
  await Promise.all([endRoles(later), endRoles(later)]);
  expect(await takeEvent("member.role_ended", "mem_cleo")).toMatchObject({
    role: "manager",
    until,
    grants: [{ role: "viewer", account: null }],
    stays: [{ type: "key", name: "of the role", why: "made" }],
  });
  expect((await admin.get("/members/mem_cleo")).body).toMatchObject({ own_grants: [], until: null });
  await endRoles(later);
  expect(await takeEvent("member.role_ended", "mem_cleo")).toBeUndefined();
});
