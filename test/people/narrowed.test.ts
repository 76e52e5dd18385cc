// Keys by name, moved keys, near budgets and refusals: each as the sender's role and accounts permit.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type OpenedStore, openStore } from "../../src/app/start/open-store.ts";
import type { JsonObject } from "../../src/core/json/json.ts";
import type { Grant, Role } from "../../src/core/people/people.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import type { Seen } from "../whole/world/observe.ts";
import { createOperator, type Operator } from "../whole/world/operator.ts";
import { until } from "../whole/world/until.ts";
import { asking, type HttpWorld, startHttpWorld } from "../whole/world/world.ts";
import { PEOPLE } from "./samples.ts";
import { type Ask, signInAs } from "./signed-in.ts";

let world: HttpWorld;
let opened: OpenedStore;
let admin: Operator;
let team = "";
let other = "";
let empty = "";
beforeAll(async () => {
  world = await startHttpWorld({
    ...PEOPLE,
    more: `${PEOPLE.more}\nkey_maxima: { requests_per_minute: 100 }`,
  });
  opened = await openStore(`sqlite:${join(world.directory, "poundkey.db")}`, undefined);
  admin = createOperator(world);
  team = await world.newAccount("Team");
  other = await world.newAccount("Other");
  await admin.post(`/accounts/${team}/topups`, { amount_usd: 5 });
  empty = await world.newAccount("Empty");
});
afterAll(async () => {
  await opened.store.close();
  await world.stop();
});

let count = 0;

/** Signs a person in with these roles, by account. */
function signIn(roles: Readonly<Record<string, Role>>): Promise<Ask> {
  return begin(Object.entries(roles).map(([accountId, role]) => ({ role, accountId })));
}

function begin(ruleGrants: readonly Grant[]): Promise<Ask> {
  return signInAs({ url: world.url, opened }, `mem_${++count}`, ruleGrants);
}

const told = ({ status, error }: Seen) =>
  error ? `${status} ${error.code} ${error.param ?? ""}`.trim() : `${status}`;
const newKey = (fields: JsonObject) => admin.post("/keys", { name: "key", ...fields });

describe("a move of a key", () => {
  test("needs the right over keys in both accounts", async () => {
    const { body } = await newKey({ account_id: other });
    const both = await signIn({ [other]: "manager", [team]: "manager" });
    expect(told(await both("PATCH", `/keys/${body.id}`, { account_id: team }))).toBe("200");
    const one = await signIn({ [team]: "manager" });
    expect(told(await one("PATCH", `/keys/${body.id}`, { account_id: other }))).toBe(
      "400 invalid_value account_id",
    );
    const viewer = await signIn({ [team]: "manager", [other]: "viewer" });
    expect(told(await viewer("PATCH", `/keys/${body.id}`, { account_id: other }))).toBe("403 not_permitted");
    const outside = await signIn({ [other]: "manager" });
    expect(told(await outside("PATCH", `/keys/${body.id}`, { account_id: other }))).toBe("404 not_found");
  });

  test("is refused to an operator if either account has a balance, also to an admin of the other one", async () => {
    const { body } = await newKey({ account_id: empty });
    const operator = await signIn({ [team]: "operator", [other]: "operator", [empty]: "operator" });
    expect(told(await operator("PATCH", `/keys/${body.id}`, { account_id: team }))).toBe("403 not_permitted");
    const mixed = await signIn({ [team]: "operator", [empty]: "admin" });
    expect(told(await mixed("PATCH", `/keys/${body.id}`, { account_id: team }))).toBe("403 not_permitted");
    expect(told(await operator("PATCH", `/keys/${body.id}`, { account_id: other }))).toBe("200");
  });
});

describe("a PUT of a key by name", () => {
  test("makes a member's personal key, which others of the name neither see nor share", async () => {
    const ann = await signIn({ [team]: "member" });
    const ben = await signIn({ [team]: "member" });
    const made = await ann("PUT", "/keys/by-name/Team/laptop", {}, "once");
    expect([made.status, made.body.kind]).toEqual([201, "personal"]);
    const again = await ann("PUT", "/keys/by-name/Team/laptop", {}, "once");
    expect([again.status, again.body.secret]).toEqual([201, made.body.secret]);
    const another = await ben("PUT", "/keys/by-name/Team/laptop", {}, "once");
    expect(another.status).toBe(201);
    expect(another.body.id).not.toBe(made.body.id);
    expect(told(await ann("PUT", "/keys/by-name/Other/laptop", {}))).toBe("404 not_found");
    expect(told(await ann("PUT", `/keys/by-name/${other}/laptop`, {}))).toBe("404 not_found");
  });

  test("stays within the maxima, and takes back nothing that a higher role set", async () => {
    const ann = await signIn({ [team]: "member" });
    const path = "/keys/by-name/Team/mine";
    const { body } = await ann("PUT", path, {});
    expect(body.requests_per_minute).toBe(100);
    expect(told(await ann("PUT", path, { requests_per_minute: 50 }))).toBe("200");
    expect(told(await ann("PUT", path, { requests_per_minute: 60 }))).toBe(
      "403 not_permitted requests_per_minute",
    );
    expect(told(await ann("PUT", path, {}))).toBe("403 not_permitted requests_per_minute");
    await admin.patch(`/keys/${body.id}`, { requests_per_day: 7 });
    expect(told(await ann("PUT", path, { requests_per_minute: 50 }))).toBe(
      "403 not_permitted requests_per_day",
    );
    const manager = await signIn({ [team]: "manager" });
    expect(told(await manager("PUT", "/keys/by-name/Team/bot", { requests_per_minute: 101 }))).toBe(
      "400 invalid_value requests_per_minute",
    );
  });

  test("is refused to an operator in an account with a balance, and a repeat of another's request has no secret", async () => {
    const operator = await signIn({ [team]: "operator", [empty]: "operator" });
    expect(told(await operator("PUT", "/keys/by-name/Team/robot", {}))).toBe("403 not_permitted");
    expect(told(await operator("PUT", "/keys/by-name/Empty/robot", {}))).toBe("201");
    const manager = await signIn({ [team]: "manager" });
    expect(told(await manager("PUT", "/keys/by-name/Team/robot", {}, "one"))).toBe("201");
    const repeat = await operator("PUT", "/keys/by-name/Team/robot", {}, "one");
    expect([told(repeat), repeat.body.secret]).toEqual(["200", undefined]);
  });

  test("pauses a key or an account in the name of the sender's role, and lifts no pause", async () => {
    const operator = await signIn({ [empty]: "operator" });
    const { body } = await newKey({ account_id: empty, name: "halted", paused: true });
    expect(body.paused_by).toEqual(["admin"]);
    const put = await operator("PUT", "/keys/by-name/Empty/halted", { paused: false });
    expect([put.status, put.body.paused_by]).toEqual([200, ["admin"]]);
    const global = await begin([{ role: "admin", accountId: null }]);
    const account = await global("PUT", "/accounts/by-name/Halted", { paused: true });
    expect(account.body).toMatchObject({ state: "paused", paused_by: ["admin"] });
    const lasting = await global("PUT", "/accounts/by-name/Halted", {});
    expect([lasting.status, lasting.body.state]).toEqual([200, "paused"]);
  });
});

test("the name that a moved key has since is its new account's", async () => {
  const { body } = await newKey({ name: "before", account_id: team });
  const answer = await world.chat(asking("Acme#cheap"), { secret: String(body.secret) });
  expect(answer.status).toBe(200);
  await answer.text();
  await admin.patch(`/keys/${body.id}`, { account_id: other, name: "secret plan" });
  const month = new Date().toISOString().slice(0, 7);
  const made = await admin.post("/tokens", { name: "theirs", role: "viewer", accounts: [team] });
  for (const path of [`/accounts/${team}/statements/${month}`, `/export/requests.jsonl?key=${body.id}`]) {
    const read = async (token: unknown) => {
      const headers = { authorization: `Bearer ${token}` };
      const text = await (await fetch(`${world.url}/admin/v1${path}`, { headers })).text();
      return [text.includes(String(body.id)), text.includes("secret plan")];
    };
    expect([path, await read(world.adminToken), await read(made.body.secret)]).toEqual([
      path,
      [true, true],
      [true, false],
    ]);
  }
});

test("budgets near their end are shown to those who see their account, and members see those of their keys", async () => {
  const account_id = await world.newAccount("Near");
  const budgets = [{ usd: 0.000001, per: "day", hard: false }];
  await admin.patch(`/accounts/${account_id}`, { budgets });
  const ann = await signIn({ [account_id]: "member" });
  const mine = await ann("POST", "/keys", { name: "mine", requests_per_minute: 9 });
  await admin.patch(`/keys/${mine.body.id}`, { budgets, requests_per_day: null });
  expect((await world.chat(asking("Acme#cheap"), { secret: String(mine.body.secret) })).status).toBe(200);
  const list = async (ask: Ask) => {
    const { data } = (await ask("GET", "/nearing")).body;
    return Array.isArray(data) ? data.map(({ scope, id }) => [scope, id]) : null;
  };
  const viewer = await signIn({ [account_id]: "viewer" });
  const foreign = await signIn({ [other]: "viewer" });
  expect((await list(viewer))?.toSorted()).toEqual([
    ["account", account_id],
    ["key", mine.body.id],
  ]);
  expect(await list(ann)).toEqual([["key", mine.body.id]]);
  expect(await list(foreign)).toEqual([]);
});

test("a person's budget near its end is shown with the person's name", async () => {
  const account_id = await world.newAccount("Near of a person");
  const budgets = [{ usd: 0.000001, per: "day", hard: false }];
  await admin.patch(`/accounts/${account_id}`, { member_defaults: { budgets } });
  const grants = [{ role: "member" as const, accountId: account_id }];
  const ann = await signInAs({ url: world.url, opened }, "mem_near", grants);
  await unrecorded(opened.store).changeMember("mem_near", (one) => one && { ...one, name: "Ann Example" });
  const { body } = await ann("POST", "/keys", { name: "mine" });
  expect((await world.chat(asking("Acme#cheap"), { secret: String(body.secret) })).status).toBe(200);
  const { data } = (await ann("GET", "/nearing")).body;
  expect(data).toMatchObject([{ scope: "member", id: "mem_near", name: "Ann Example", account_id }]);
});

test("models that end are shown with the use of the sender's accounts alone", async () => {
  const { body } = await newKey({ account_id: team, requests_per_day: null });
  const sent = await world.chat(asking("OpenAI#gpt-4o"), { secret: String(body.secret) });
  expect(sent.status).toBe(200);
  const see = async (ask: Ask) => {
    const { data } = (await ask("GET", "/models/retiring")).body;
    const row = Array.isArray(data) ? data.find(({ model }) => model === "OpenAI#gpt-4o") : null;
    return [row?.requests, row?.keys_total, row?.keys.length];
  };
  const viewer = await signIn({ [team]: "viewer" });
  expect(
    await until("the sums hold it", async () => ((await see(viewer))[0] === 1 ? see(viewer) : null)),
  ).toEqual([1, 1, 1]);
  expect(await see(await signIn({ [other]: "viewer" }))).toEqual([0, 0, 0]);
});
