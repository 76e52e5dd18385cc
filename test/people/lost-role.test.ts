// A personal key is its member's right in the account: it works as long as the member has a role there that gives it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type OpenedStore, openStore } from "../../src/app/start/open-store.ts";
import type { Grant, Member, Role } from "../../src/core/people/people.ts";
import { mayUseKeys } from "../../src/people/member.ts";
import { createOperator, type Operator } from "../whole/world/operator.ts";
import { until } from "../whole/world/until.ts";
import { asking, type HttpWorld, startHttpWorld } from "../whole/world/world.ts";
import { makeMember, PEOPLE } from "./samples.ts";
import { signInAs } from "./signed-in.ts";

let world: HttpWorld;
let opened: OpenedStore;
let admin: Operator;
let [search, design]: [string, string] = ["", ""];
beforeAll(async () => {
  world = await startHttpWorld(PEOPLE);
  opened = await openStore(`sqlite:${join(world.directory, "poundkey.db")}`, undefined);
  admin = createOperator(world);
  [search, design] = [await world.newAccount("Search"), await world.newAccount("Design")];
});
afterAll(async () => {
  await opened.store.close();
  await world.stop();
});

const grant = (role: Role, accountId: string | null): Grant => ({ role, accountId });

function signIn(id: string, ...grants: readonly Grant[]) {
  return signInAs({ url: world.url, opened }, id, grants);
}

async function makeKey(id: string): Promise<string> {
  const ask = await signIn(id, grant("member", search));
  const { status, body } = await ask("POST", "/keys", { name: `of ${id}` });
  expect(status).toBe(201);
  return String(body.secret);
}

async function use(secret: string): Promise<string> {
  const answer = await world.chat(asking("Acme#cheap"), { secret });
  const text = await answer.text();
  return answer.status === 200 ? "answered" : `${answer.status} ${JSON.parse(text).error.code}`;
}

/** Other processes' half second may have to pass. */
async function expectUse(secret: string, wanted: string): Promise<void> {
  await until(wanted, async () => (await use(secret)) === wanted, 3000);
}

test("whoever changes team has the old team's key refused, and gets it back with the role", async () => {
  const secret = await makeKey("mem_ann");
  const service = await world.newKey({ account_id: search });
  await expectUse(secret, "answered");
  const ask = await signIn("mem_ann", grant("member", design));
  await expectUse(secret, "401 sign_in_required");
  const refused = await world.chat(asking("Acme#cheap"), { secret });
  expect(refused.headers.get("x-should-retry")).toBe("false");
  expect(await refused.text()).toContain("Sign in again at https://gateway.example");
  expect(await use(service.secret)).toBe("answered");
  expect((await ask("GET", "/keys")).body.data).toEqual([]);
  await signIn("mem_ann", grant("member", search));
  await expectUse(secret, "answered");
});

test("so has somebody from whom an admin takes a role back", async () => {
  const secret = await makeKey("mem_bob");
  await signIn("mem_bob", grant("viewer", design));
  await expectUse(secret, "401 sign_in_required");
  const path = "/members/mem_bob";
  expect((await admin.patch(path, { role: "member", accounts: [search] })).status).toBe(200);
  await expectUse(secret, "answered");
  await admin.patch(path, { role: null });
  await expectUse(secret, "401 sign_in_required");
});

test("keys that a person can't revoke any more take no place among those that a person may have", async () => {
  const before = await signIn("mem_cat", grant("member", search));
  for (let at = 0; at < 10; at++) await before("POST", "/keys", { name: `key ${at}` });
  expect((await before("POST", "/keys", { name: "eleventh" })).status).toBe(400);
  const after = await signIn("mem_cat", grant("member", design));
  expect((await after("POST", "/keys", { name: "first" })).status).toBe(201);
});

test("whom an admin lets in again has those keys back that disabling paused, and no others", async () => {
  const ask = await signIn("mem_dan", grant("member", search));
  const halted = String((await ask("POST", "/keys", { name: "halted" })).body.id);
  const going = String((await ask("POST", "/keys", { name: "going" })).body.id);
  await admin.patch(`/keys/${halted}`, { paused: true });
  const pauses = async () => {
    const rows = await Promise.all([halted, going].map((id) => admin.get(`/keys/${id}`)));
    return rows.map(({ body }) => body.paused_by);
  };
  await admin.patch("/members/mem_dan", { disabled: true });
  expect(await pauses()).toEqual([["admin"], ["admin"]]);
  await admin.patch("/members/mem_dan", { disabled: false });
  expect(await pauses()).toEqual([["admin"], []]);
});

const NOW = 1000;
test.each<[string, boolean, Partial<Member>]>([
  ["a member", true, { ruleGrants: [grant("member", "a")] }],
  ["a member of all accounts", true, { ruleGrants: [grant("member", null)] }],
  ["a member of another account", false, { ruleGrants: [grant("member", "b")] }],
  ["a viewer", false, { ruleGrants: [grant("viewer", "a")] }],
  ["a viewer who is also a member", true, { ruleGrants: [grant("viewer", "a"), grant("member", "a")] }],
  ["a manager", true, { ruleGrants: [grant("manager", "a")] }],
  ["a manager who moves money", false, { ruleGrants: [grant("manager", "a"), grant("billing", "a")] }],
  ["nobody by the rules", false, { ownGrants: [grant("member", "a")] }],
  ["somebody shut out", false, { ruleGrants: [grant("member", "a")], isDisabled: true }],
  ["somebody anonymous", false, { ruleGrants: [grant("member", "a")], anonymisedAtMs: 1 }],
])("%s may use keys: %p", (_, expected, fields) => {
  expect(mayUseKeys(makeMember("mem_a", fields), "a", NOW)).toBe(expected);
});

test("a role that an admin gave until a time counts before it", () => {
  const ownGrants = [grant("member", "a")];
  const member = makeMember("mem_a", { ruleGrants: [grant("viewer", "b")], ownGrants, ownUntilMs: NOW + 1 });
  expect([NOW, NOW + 1].map((nowMs) => mayUseKeys(member, "a", nowMs))).toEqual([true, false]);
});
