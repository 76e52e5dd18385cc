// The audit log of people and named tokens: they are its actors, and each reads what concerns their own accounts.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { beginSession } from "../../src/admin/people/session.ts";
import { type OpenedStore, openStore } from "../../src/app/start/open-store.ts";
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import type { Role } from "../../src/core/people/people.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { createOperator, type Operator } from "../whole/world/operator.ts";
import { until } from "../whole/world/until.ts";
import { type HttpWorld, startHttpWorld } from "../whole/world/world.ts";
import { makeMember, PEOPLE } from "./samples.ts";

let world: HttpWorld;
let opened: OpenedStore;
let admin: Operator;
let team = "";
let other = "";
beforeAll(async () => {
  const from = 'trusted_proxies: ["127.0.0.1"], admin_token_from: ["127.0.0.0/8"]';
  world = await startHttpWorld({ ...PEOPLE, server: `${PEOPLE.server}, ${from}` });
  opened = await openStore(`sqlite:${join(world.directory, "poundkey.db")}`, undefined);
  admin = createOperator(world);
  team = await world.newAccount("Team");
  other = await world.newAccount("Other");
});
afterAll(async () => {
  await opened.store.close();
  await world.stop();
});

interface Token {
  readonly id: string;
  readonly secret: string;
  readonly ask: Operator;
}

async function newToken(role: Role, account: string): Promise<Token> {
  const { body } = await admin.post("/tokens", { name: `${role} of ${account}`, role, accounts: [account] });
  const id = String(body.id);
  const secret = String(body.secret);
  return { id, secret, ask: createOperator({ url: world.url, adminToken: secret }) };
}

/** Returns the rows that a reader sees, once the newest of them has this target. */
async function readOnce(reader: Operator, target: string, filter = ""): Promise<readonly JsonObject[]> {
  return until("the entry is chained", async () => {
    const rows = asArray((await reader.get(`/audit?limit=200${filter}`)).body.data).map(asObject);
    return rows.some((row) => asObject(row.target).id === target) ? rows : null;
  });
}

function about(rows: readonly JsonObject[], target: string): readonly unknown[] {
  const of = rows.filter((row) => asObject(row.target).id === target);
  return of.map(({ action, outcome, reason, actor }) => [action, outcome, reason, asObject(actor)]);
}

test("a move of a key is on record in both accounts, so that both managers know of it", async () => {
  const managers = [await newToken("manager", team), await newToken("manager", other)];
  const { body } = await admin.post("/keys", { name: "mover", account_id: team });
  const id = String(body.id);
  await admin.patch(`/keys/${id}`, { account_id: other });
  for (const [at, { ask }] of managers.entries()) {
    const [moved] = await readOnce(ask, id, "&action=key.changed");
    expect(moved).toMatchObject({
      account_id: [team, other][at],
      before: { account_id: team },
      after: { account_id: other },
    });
  }
});

test("a change is on record with its token or person as the actor", async () => {
  const token = await newToken("manager", team);
  const made = await token.ask.post("/keys", { name: "robot", account_id: team });
  const id = String(made.body.id);
  await unrecorded(opened.store).changeMember("mem_ann", () =>
    makeMember("mem_ann", { name: "Ann", ruleGrants: [{ role: "manager", accountId: team }] }),
  );
  const owner = { tokenDigest: "", tokenId: null, memberId: "mem_ann", issuerSession: null };
  const cookie = `poundkey_session=${await beginSession(opened.world, owner)}`;
  const headers = { cookie, "sec-fetch-site": "same-origin" };
  expect((await fetch(`${world.url}/admin/v1/keys/${id}`, { method: "DELETE", headers })).status).toBe(200);
  const rows = await until("both are chained", async () => {
    const found = await readOnce(admin, id);
    return about(found, id).length === 2 ? found : null;
  });
  const name = `manager of ${team}`;
  expect(about(rows, id)).toEqual([
    ["key.revoked", "success", null, { kind: "person", id: "mem_ann", name: "Ann" }],
    ["key.created", "success", null, { kind: "token", id: token.id, name }],
  ]);
  expect(JSON.stringify(rows)).not.toContain(token.secret.slice(3));
  expect(JSON.stringify(rows)).not.toContain(String(made.body.secret).slice(3));
});

test("a second cause of a pause is on record", async () => {
  const manager = await newToken("manager", team);
  const { body } = await manager.ask.post("/keys", { name: "held", account_id: team });
  const id = String(body.id);
  await manager.ask.patch(`/keys/${id}`, { paused: true });
  await admin.patch(`/keys/${id}`, { paused: true });
  const rows = await until("all are chained", async () => {
    const found = (await readOnce(admin, id)).filter((row) => asObject(row.target).id === id);
    return found.length === 3 ? found : null;
  });
  // Two changes within a millisecond have no order.
  expect(rows).toContainEqual(
    expect.objectContaining({
      action: "key.changed",
      before: { paused_by: ["person"] },
      after: { paused_by: ["person", "admin"] },
    }),
  );
});

test("a reader of one account sees its rows and no others, in the list and in exports", async () => {
  const [mine, theirs] = await Promise.all(
    [team, other].map(async (account_id) =>
      String((await admin.post("/keys", { name: "key", account_id })).body.id),
    ),
  );
  const reader = await newToken("manager", team);
  await readOnce(admin, String(theirs));
  const rows = await readOnce(reader.ask, String(mine));
  expect(new Set(rows.map(({ account_id }) => account_id))).toEqual(new Set([team]));
  const headers = { authorization: `Bearer ${reader.secret}` };
  for (const form of ["csv", "jsonl"]) {
    const text = await (await fetch(`${world.url}/admin/v1/export/audit.${form}`, { headers })).text();
    expect([text.includes(String(mine)), text.includes(String(theirs))]).toEqual([true, false]);
  }
  expect((await reader.ask.get(`/audit?account=${other}`)).body.data).toEqual([]);
  expect((await reader.ask.get(`/audit?target=${theirs}`)).body.data).toEqual([]);
});

test("what a role doesn't permit is on record as refused, where the sender's account reads it", async () => {
  const viewer = await newToken("viewer", team);
  const key = String((await admin.post("/keys", { name: "key", account_id: team })).body.id);
  expect((await viewer.ask.patch(`/keys/${key}`, { name: "mine" })).status).toBe(403);
  expect((await viewer.ask.get("/tokens")).status).toBe(403);
  expect((await viewer.ask.delete(`/keys/${viewer.secret}`)).status).toBe(403);
  const reader = await newToken("manager", team);
  const rows = await readOnce(reader.ask, "[redacted]", "&outcome=refused");
  const name = `viewer of ${team}`;
  expect(about(rows, key)).toEqual([
    ["key.changed", "refused", "not_permitted", { kind: "token", id: viewer.id, name }],
  ]);
});

test("a sender that is refused again and again doesn't fill the record", async () => {
  const viewer = await newToken("viewer", other);
  for (let at = 0; at < 150; at++) await viewer.ask.patch("/keys/key_other", { name: "mine" });
  const accounts = await viewer.ask.post("/accounts", { name: "last" });
  expect(accounts.status).toBe(403);
  const last = await admin.post("/accounts", { name: "Behind them" });
  await readOnce(admin, String(last.body.id));
  const rows = asArray((await admin.get(`/audit?limit=200&actor=${viewer.id}`)).body.data);
  // The minute may end in between.
  expect(rows.length).toBeWithin(60, 121);
});

test("the admin token from an address that isn't listed for it is on record as a refused sign-in", async () => {
  const headers = { authorization: `Bearer ${world.adminToken}`, "x-forwarded-for": "203.0.113.7" };
  expect((await fetch(`${world.url}/admin/v1/keys`, { headers })).status).toBe(403);
  const row = await until("it is chained", async () => {
    const rows = asArray((await admin.get("/audit?action=session.refused")).body.data).map(asObject);
    return rows.find(({ address }) => address === "203.0.113.7");
  });
  expect(row).toMatchObject({
    outcome: "refused",
    reason: "address_not_allowed",
    actor: { id: "", name: "" },
  });
});
