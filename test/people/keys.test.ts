// The rights of each role over keys: the fields that it sets, up to which bounds, and which pauses it lifts.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type OpenedStore, openStore } from "../../src/app/start/open-store.ts";
import type { JsonObject } from "../../src/core/json/json.ts";
import type { Role } from "../../src/core/people/people.ts";
import type { Seen } from "../whole/world/observe.ts";
import { createOperator, type Operator } from "../whole/world/operator.ts";
import { until } from "../whole/world/until.ts";
import { asking, type HttpWorld, startHttpWorld } from "../whole/world/world.ts";
import { PEOPLE } from "./samples.ts";
import { type Ask, signInAs } from "./signed-in.ts";

const MAXIMA =
  "key_maxima: { requests_per_minute: 100, budgets: [{ usd: 50, per: month }], expires_in: 30d }";
const BUDGETS = [{ usd: 50, per: "month" }];
const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

let world: HttpWorld;
let opened: OpenedStore;
let admin: Operator;
let team: string;
beforeAll(async () => {
  world = await startHttpWorld({ ...PEOPLE, more: `${PEOPLE.more}\n${MAXIMA}\nlog: { content: true }` });
  opened = await openStore(`sqlite:${join(world.directory, "poundkey.db")}`, undefined);
  admin = createOperator(world);
  team = await world.newAccount("Team");
});
afterAll(async () => {
  await opened.store.close();
  await world.stop();
});

async function withToken(role: Role, more: JsonObject = {}): Promise<Operator> {
  const { body } = await admin.post("/tokens", { name: "t", role, accounts: [team], ...more });
  return createOperator({ url: world.url, adminToken: String(body.secret) });
}

function signIn(role: Role, id: string): Promise<Ask> {
  return signInAs({ url: world.url, opened }, id, [{ role, accountId: team }]);
}

const told = ({ status, error }: Seen) =>
  error ? `${status} ${error.code} ${error.param ?? ""}`.trim() : `${status}`;

describe("a member's personal key", () => {
  test("is one of as many as the configuration lets a person have", async () => {
    const cat = await signIn("member", "mem_cat");
    for (let at = 0; at < 10; at++) await cat("POST", "/keys", { name: `key ${at}` });
    const eleventh = await cat("POST", "/keys", { name: "eleventh" });
    expect(told(eleventh)).toBe("400 invalid_value kind");
    expect(eleventh.error?.message).toContain("at most 10 personal keys");
    expect(told(await cat("PUT", "/keys/by-name/Team/twelfth", {}))).toBe("400 invalid_value kind");
    const kept = await cat("PUT", "/keys/by-name/Team/key 3", {});
    expect(told(kept)).toBe("200");
    expect(told(await cat("DELETE", `/keys/${kept.body.id}`))).toBe("200");
    expect(told(await cat("POST", "/keys", { name: "eleventh" }))).toBe("201");
  });

  test("is one of as many as the account gives each member, also if it comes from another account", async () => {
    const narrow = await world.newAccount("Two keys");
    await admin.patch(`/accounts/${narrow}`, { member_defaults: { keys: 2 } });
    const grants = [narrow, team].map((accountId) => ({ role: "member" as const, accountId }));
    const dan = await signInAs({ url: world.url, opened }, "mem_dan", grants);
    const make = (account_id: string) => dan("POST", "/keys", { name: "mine", account_id });
    const [first] = [await make(narrow), await make(narrow)];
    const third = await make(narrow);
    expect(told(third)).toBe("400 invalid_value account_id");
    expect(third.error?.message).toContain("at most 2 personal keys there");
    expect(told(await dan("PUT", "/keys/by-name/Two keys/third", {}))).toBe("400 invalid_value account_id");
    const other = (await make(team)).body;
    const move = () => dan("PATCH", `/keys/${other.id}`, { account_id: narrow });
    expect(told(await move())).toBe("400 invalid_value account_id");
    await dan("DELETE", `/keys/${first?.body.id}`);
    expect(told(await move())).toBe("200");
    const stays = { account_id: narrow, name: "renamed" };
    expect(told(await dan("PATCH", `/keys/${other.id}`, stays))).toBe("200");
  });

  test("takes what is left out from the defaults, or from the maxima, and is its member's", async () => {
    const ann = await signIn("member", "mem_ann");
    const made = await ann("POST", "/keys", { name: "mine" });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      kind: "personal",
      member_id: "mem_ann",
      account_id: team,
      requests_per_minute: 100,
      budgets: BUDGETS,
      tokens_per_minute: "default",
    });
    const restMs = Date.parse(String(made.body.expires_at)) - Date.now();
    expect(restMs > 29 * DAY_MS && restMs <= 30 * DAY_MS).toBe(true);
    const bob = await signIn("member", "mem_bob");
    expect(told(await bob("GET", `/keys/${made.body.id}`))).toBe("404 not_found");
    expect(told(await bob("DELETE", `/keys/${made.body.id}`))).toBe("404 not_found");
    expect((await bob("GET", "/keys")).body.data).toEqual([]);
    expect((await admin.get("/keys?member=mem_ann")).body.data).toMatchObject([{ id: made.body.id }]);
    expect((await admin.get("/keys?member=mem_bob")).body.data).toEqual([]);
  });

  const refused: readonly (readonly [fields: JsonObject, told: string])[] = [
    [{ requests_per_minute: 101 }, "400 invalid_value requests_per_minute"],
    [{ requests_per_minute: null }, "400 invalid_value requests_per_minute"],
    [{ budgets: [] }, "400 invalid_value budgets"],
    [{ budgets: [{ usd: 51, per: "month" }] }, "400 invalid_value budgets"],
    [{ budgets: [{ usd: 5, per: "month", hard: false }] }, "400 invalid_value budgets"],
    [{ expires_at: inDays(31) }, "400 invalid_value expires_at"],
    [{ expires_at: null }, "400 invalid_value expires_at"],
    [{ notes: "x" }, "403 not_permitted notes"],
    [{ contact: "x" }, "403 not_permitted contact"],
    [{ requests_per_day: null }, "403 not_permitted requests_per_day"],
    [{ kind: "service" }, "403 not_permitted"],
    [{ account_id: "default" }, "400 invalid_value account_id"],
  ];
  test.each(refused)("is refused with %p", async (fields, expected) => {
    const ann = await signIn("member", "mem_ann");
    expect(told(await ann("POST", "/keys", { name: "mine", ...fields }))).toBe(expected);
  });

  test("is changed by its member, who lowers its limits and raises none", async () => {
    const ann = await signIn("member", "mem_ann");
    const { body: key } = await ann("POST", "/keys", { name: "mine", requests_per_minute: 50 });
    const change = async (fields: JsonObject) => told(await ann("PATCH", `/keys/${key.id}`, fields));
    const open = { name: "ours", allowed_models: ["Acme#*"], allowed_addresses: null, expires_at: inDays(5) };
    for (const fields of [
      open,
      { allowed_models: null, expires_at: inDays(20) },
      { requests_per_minute: 40 },
    ]) {
      expect(await change(fields)).toBe("200");
    }
    expect(await change({ requests_per_minute: 41 })).toBe("403 not_permitted requests_per_minute");
    // Beyond the maximum it is as in a new key.
    for (const [fields, expected] of refused.slice(0, 7)) expect(await change(fields)).toBe(expected);
    expect(await change({ budgets: [{ usd: 50, per: "month", extra_usd: 1, extra_until: inDays(3) }] })).toBe(
      "400 invalid_value budgets",
    );
    expect(await change({ spend_limit_usd: 5 })).toBe("200");
    expect(await change({ spend_limit_usd: null })).toBe("403 not_permitted spend_limit_usd");
    expect(await change({ notes: "x" })).toBe("403 not_permitted notes");
  });
});

describe("a manager", () => {
  test("gives a key up to the maxima and the account's own limits", async () => {
    await admin.patch(`/accounts/${team}`, { tokens_per_minute: 1000, requests_per_day: 10 });
    const manager = await withToken("manager");
    const make = async (fields: JsonObject) => told(await manager.post("/keys", { name: "k", ...fields }));
    expect(await make({ tokens_per_minute: 1000, requests_per_day: 10, contact: "ops" })).toBe("201");
    expect(await make({ tokens_per_minute: 1001 })).toBe("400 invalid_value tokens_per_minute");
    // The account's own binds it all the same.
    expect(await make({ tokens_per_minute: null })).toBe("201");
    expect(await make({ requests_per_day: 11 })).toBe("400 invalid_value requests_per_day");
    expect(await make({ requests_per_day: null })).toBe("400 invalid_value requests_per_day");
    expect(await make({ requests_per_minute: 101 })).toBe("400 invalid_value requests_per_minute");
    await admin.patch(`/accounts/${team}`, { tokens_per_minute: null, requests_per_day: "default" });
  });

  test("raises no limit of an own personal key", async () => {
    const lead = await signIn("manager", "mem_lead");
    const { body: own } = await lead("POST", "/keys", {
      name: "mine",
      kind: "personal",
      requests_per_minute: 5,
    });
    const path = `/keys/${own.id}`;
    expect(told(await lead("PATCH", path, { requests_per_minute: 6 }))).toBe(
      "403 not_permitted requests_per_minute",
    );
    expect(told(await lead("POST", `${path}/budgets/reset`, { reason: "x" }))).toBe("403 not_permitted id");
    const beside = "403 not_permitted requests_per_day";
    const more = { name: "more", kind: "personal", requests_per_day: 100 };
    expect(told(await lead("POST", "/keys", more))).toBe(beside);
    expect(told(await lead("PATCH", path, { requests_per_day: 100 }))).toBe(beside);
    expect(told(await lead("PATCH", path, { requests_per_day: 0 }))).toBe("200");
    const { body: service } = await lead("POST", "/keys", { name: "theirs", requests_per_minute: 5 });
    expect(service.kind).toBe("service");
    expect(told(await lead("PATCH", `/keys/${service.id}`, { requests_per_minute: 6 }))).toBe("200");
  });
});

test("an operator neither makes, rotates, resumes nor widens a key in an account with a balance", async () => {
  const paid = await world.newAccount("Paid");
  const operator = await withToken("operator", { accounts: [paid] });
  const make = () => operator.post("/keys", { name: "k", account_id: paid, requests_per_minute: 50 });
  const { body: key } = await make();
  await world.topUp(paid, 5);
  const change = async (fields: JsonObject) => told(await operator.patch(`/keys/${key.id}`, fields));
  expect(told(await make())).toBe("403 not_permitted");
  expect(told(await operator.post(`/keys/${key.id}/rotate`, {}))).toBe("403 not_permitted");
  expect(told(await operator.post(`/keys/${key.id}/budgets/reset`, { reason: "x" }))).toBe(
    "403 not_permitted",
  );
  const narrowed = {
    requests_per_minute: 40,
    expires_at: inDays(20),
    allowed_models: ["Acme#*", "Router#fair"],
    allowed_addresses: ["10.0.0.0/8"],
  };
  expect(await change(narrowed)).toBe("200");
  const wider: readonly JsonObject[] = [
    { requests_per_minute: 41 },
    { expires_at: inDays(21) },
    { allowed_models: null },
    { allowed_models: [] },
    { allowed_models: ["*"] },
    { allowed_models: ["Router#fair"] },
    { allowed_addresses: null },
    { allowed_addresses: [] },
    { allowed_addresses: ["10.0.0.0/7"] },
    { requests_per_day: null },
  ];
  for (const fields of wider) expect([fields, await change(fields)]).toEqual([fields, "403 not_permitted"]);
  const narrower = [{ allowed_models: ["Acme#cheap"] }, { allowed_addresses: ["10.1.0.0/16", "10.9.9.9"] }];
  for (const fields of [...narrower, { name: "renamed" }, { paused: true }]) {
    expect([fields, await change(fields)]).toEqual([fields, "200"]);
  }
  expect(await change({ paused: false })).toBe("403 not_permitted");
});

describe("pauses", () => {
  test("stack, and only the same or a higher role lifts one", async () => {
    const ann = await signIn("member", "mem_ann");
    const manager = await withToken("manager");
    const operator = await withToken("operator");
    const { body: key } = await ann("POST", "/keys", { name: "mine" });
    const path = `/keys/${key.id}`;
    const pause = async (by: Operator, paused: boolean) => (await by.patch(path, { paused })).body.paused_by;
    expect((await ann("PATCH", path, { paused: true })).body).toMatchObject({ paused_by: ["holder"] });
    expect(await pause(manager, true)).toEqual(["holder", "person"]);
    expect(await pause(admin, true)).toEqual(["holder", "person", "admin"]);
    expect((await ann("PATCH", path, { paused: false })).body).toMatchObject({
      paused: true,
      state: "paused",
      paused_by: ["person", "admin"],
    });
    expect(told(await ann("PATCH", path, { paused: false }))).toBe("403 not_permitted paused");
    expect(await pause(operator, false)).toEqual(["admin"]);
    expect(told(await operator.patch(path, { paused: false }))).toBe("403 not_permitted paused");
    const refused = await world.chat(asking("Acme#cheap"), { secret: String(key.secret) });
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("key_paused")]);
    expect(await pause(admin, false)).toEqual([]);
    await until("other processes' half second has passed", async () => {
      return (await world.chat(asking("Acme#cheap"), { secret: String(key.secret) })).status === 200;
    });
  });

  test("of an account stop all its keys, free requests too, until the same or a higher role lifts it", async () => {
    const id = await world.newAccount("Stopped");
    const operator = await withToken("operator", { accounts: [id] });
    const key = await world.newKey({ account_id: id });
    const ask = async () => (await world.chat(asking("Acme#cheap"), { secret: key.secret })).status;
    expect(await ask()).toBe(200);
    expect((await admin.patch(`/accounts/${id}`, { paused: true })).body).toMatchObject({
      paused: true,
      state: "paused",
      paused_by: ["admin"],
    });
    expect(await ask()).toBe(403);
    expect(told(await operator.patch(`/accounts/${id}`, { paused: false }))).toBe("403 not_permitted paused");
    expect((await admin.patch(`/accounts/${id}`, { paused: false })).body).toMatchObject({ state: "open" });
    expect(await ask()).toBe(200);
  });
});

test("prompts and answers are shown to admins, their own member, and others who may read them", async () => {
  const ann = await signIn("member", "mem_ann");
  const { body: key } = await ann("POST", "/keys", { name: "mine" });
  const answered = await world.chat(asking("Acme#cheap"), { secret: String(key.secret) });
  const { id } = (await answered.json()) as { id: string };
  const readers: Readonly<Record<string, (path: string) => Promise<Seen>>> = {
    admin: admin.get,
    member: (path) => ann("GET", path),
    viewer: (await withToken("viewer")).get,
    manager: (await withToken("manager")).get,
    operator: (await withToken("operator")).get,
    "viewer with content": (await withToken("viewer", { content: true })).get,
  };
  const shown: Record<string, boolean> = {};
  for (const [name, read] of Object.entries(readers)) {
    shown[name] = Boolean((await read(`/requests/${id}`)).body.content);
  }
  expect(shown).toEqual({
    admin: true,
    member: true,
    "viewer with content": true,
    viewer: false,
    manager: false,
    operator: false,
  });
});
