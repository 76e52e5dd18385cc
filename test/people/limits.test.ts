// A person's limits within an account, as the person and those who decide about them meet them.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type OpenedStore, openStore } from "../../src/app/start/open-store.ts";
import { ROLES, type Role } from "../../src/core/people/people.ts";
import { makeKey as makeStoredKey } from "../harness/samples.ts";
import { type Seen, seen } from "../whole/world/observe.ts";
import { createOperator, type Operator } from "../whole/world/operator.ts";
import { until } from "../whole/world/until.ts";
import { asking, type HttpWorld, startHttpWorld } from "../whole/world/world.ts";
import { PEOPLE } from "./samples.ts";
import { type Ask, signInAs } from "./signed-in.ts";

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

function signIn(role: Role, id: string, accountId = team): Promise<Ask> {
  return signInAs({ url: world.url, opened }, id, [{ role, accountId }]);
}

const told = ({ status, error }: Seen) =>
  error ? `${status} ${error.code} ${error.param ?? ""}`.trim() : `${status}`;

async function makeKey(ask: Ask): Promise<string> {
  return String((await ask("POST", "/keys", { name: "mine" })).body.secret);
}

const chat = (secret: string, model = "Acme#cheap") => world.chat(asking(model, "hi"), { secret });

async function listModels(secret: string): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${secret}` };
  const { body } = await seen(await fetch(`${world.url}/v1/models`, { headers }));
  const ids = (body.data as { id: string }[]).map(({ id }) => id);
  return ids.filter((id) => !id.startsWith("Router#"));
}

describe("a member", () => {
  test("meets the account's limit over all keys, sees it, and begins anew with none", async () => {
    const account = await world.newAccount("Two a minute");
    await admin.patch(`/accounts/${account}`, { member_defaults: { requests_per_minute: 2 } });
    const ann = await signIn("member", "mem_two", account);
    const one = await makeKey(ann);
    const two = await makeKey(ann);
    for (const secret of [one, two]) expect((await chat(secret)).status).toBe(200);
    const refused = await seen(await chat(one));
    expect(told(refused)).toBe("429 requests_per_minute_exceeded");
    expect(refused.error?.message).toContain("your limit in this account is 2 requests per minute");
    expect(refused.error?.limit).toMatchObject({ scope: "member", kind: "requests_per_minute", limit: 2 });
    expect((await seen(await chat(await makeKey(ann)))).status).toBe(429);
    const shown = await seen(
      await fetch(`${world.url}/v1/key`, { headers: { authorization: `Bearer ${two}` } }),
    );
    expect(shown.body.limits).toMatchObject([{ scope: "member", kind: "requests_per_minute", used: 2 }]);
  });

  test("uses the models of the key and of the account's members, and no others", async () => {
    const account = await world.newAccount("Cheap models");
    await admin.patch(`/accounts/${account}`, { member_defaults: { allowed_models: ["Acme#cheap"] } });
    const secret = await makeKey(await signIn("member", "mem_cheap", account));
    expect((await chat(secret)).status).toBe(200);
    expect(await listModels(secret)).toEqual(["Acme#cheap"]);
    const other = await seen(await chat(secret, "Acme#dear"));
    expect(`${other.status} ${other.error?.code}`).toBe("403 model_not_allowed");
    const service = await admin.post("/keys", { name: "service", account_id: account });
    expect((await chat(String(service.body.secret), "Acme#dear")).status).toBe(200);
    // Neither list is kept for the other.
    expect(await listModels(String(service.body.secret))).toContain("Acme#dear");
    expect(await listModels(secret)).toEqual(["Acme#cheap"]);
  });
});

test("requests and usage are found by whose key it was, refused ones too", async () => {
  const account = await world.newAccount("By person");
  await admin.patch(`/accounts/${account}`, { member_defaults: { requests_per_minute: 2 } });
  const asks = await Promise.all(["mem_one", "mem_two_of"].map((name) => signIn("member", name, account)));
  const secrets = await Promise.all(asks.map(makeKey));
  const service = await admin.post("/keys", { name: "service", account_id: account });
  for (const secret of [...secrets, secrets[0], String(service.body.secret)]) {
    expect((await chat(String(secret))).status).toBe(200);
  }
  expect((await chat(String(secrets[0]))).status).toBe(429);
  const usage = async (words: string) => (await admin.get(`/usage?account=${account}&${words}`)).body.data;
  const sums = await until("the refusal counts", async () => {
    const found = await usage("group_by=member,outcome");
    return JSON.stringify(found).includes('"refused"') ? found : null;
  });
  const found = (sums as Record<string, unknown>[]).map(
    (sum) => `${sum.member_id} ${sum.outcome} ${sum.requests}`,
  );
  expect(found.toSorted()).toEqual([
    " answered 1",
    "mem_one answered 2",
    "mem_one refused 1",
    "mem_two_of answered 1",
  ]);
  expect(await usage("group_by=day&member=mem_one")).toMatchObject([{ requests: 3 }]);
  const listed = await admin.get("/requests?member=mem_one");
  expect(listed.body.data).toMatchObject([{ member_id: "mem_one" }, { member_id: "mem_one" }]);
}, 300_000);

describe("what a member's budgets used", () => {
  test("is set back by managers and admins, never by oneself", async () => {
    await admin.patch(`/accounts/${team}`, { member_defaults: { budgets: [{ usd: 0.5, per: "day" }] } });
    await signIn("member", "mem_bound");
    const body = { account_id: team, reason: "a mistake" };
    const answers: Record<string, string> = {};
    for (const role of ROLES) {
      const ask = await signIn(role, `mem_as_${role}`);
      answers[role] = told(await ask("POST", "/members/mem_bound/budgets/reset", body));
    }
    const refused = "403 not_permitted";
    expect(answers).toEqual({
      member: refused,
      viewer: refused,
      billing: refused,
      operator: refused,
      manager: "201",
      admin: "201",
    });
    const manager = await signIn("manager", "mem_manager");
    expect(told(await manager("POST", "/members/mem_manager/budgets/reset", body))).toBe(
      "403 not_permitted id",
    );
    const elsewhere = { ...body, account_id: await world.newAccount("Elsewhere") };
    expect(told(await manager("POST", "/members/mem_bound/budgets/reset", elsewhere))).toBe(
      "400 invalid_value account_id",
    );
    await signIn("member", "mem_foreign", elsewhere.account_id);
    expect(told(await manager("POST", "/members/mem_foreign/budgets/reset", body))).toBe("404 not_found");
    const done = await admin.post("/members/mem_bound/budgets/reset", body);
    expect(done.body.limits).toMatchObject([{ scope: "member", kind: "budget", per: "day", limit: 0.5 }]);
  });
});

test("what an account's budgets used is set back by those who set them, and what was spent stays", async () => {
  const account = await world.newAccount("Wrong price");
  await admin.patch(`/accounts/${account}`, { budgets: [{ usd: 50, per: "month" }] });
  const key = await admin.post("/keys", { name: "service", account_id: account });
  expect((await chat(String(key.body.secret))).status).toBe(200);
  const path = `/accounts/${account}`;
  const readUsed = ({ body }: Seen) =>
    (body.limits as { kind: string; used: number }[]).find(({ kind }) => kind === "budget")?.used;
  const used = readUsed(await admin.get(path));
  expect(used).toBeGreaterThan(0);
  const manager = await signIn("manager", "mem_manager_of_price", account);
  const [body, reset] = [{ reason: "a wrong price" }, `${path}/budgets/reset`];
  expect(told(await manager("POST", reset, body))).toBe("403 not_permitted");
  expect(told(await admin.post(reset, {}))).toBe("400 missing_required_parameter reason");
  expect(told(await admin.post("/accounts/none/budgets/reset", body))).toBe("404 not_found");
  expect(told(await admin.post("/accounts/funding/budgets/reset", body))).toBe("404 not_found");
  const operator = await signIn("operator", "mem_operator_of_price", account);
  const done = await operator("POST", reset, body);
  expect([done.status, readUsed(done), done.body.id]).toEqual([201, 0, account]);
  const spent = await admin.get(`/usage?group_by=account&account=${account}`);
  expect((spent.body.data as { cost_usd: number }[])[0]?.cost_usd).toBe(Number(used));
  const entry = await until("the entry is chained", async () => {
    const { body: found } = await admin.get(`/audit?account=${account}&action=budget.reset`);
    return (found.data as Record<string, unknown>[])[0];
  });
  expect(entry).toMatchObject({
    target: { type: "account", id: account, name: "Wrong price" },
    after: body,
    before: { budgets: [{ budget: "month", used }] },
  });
});

test("a person's limits are shown with their use, by account, to themselves and to those who see members", async () => {
  const account = await world.newAccount("Shown");
  const other = await world.newAccount("Unseen");
  for (const id of [account, other]) {
    await admin.patch(`/accounts/${id}`, { member_defaults: { requests_per_minute: 9 } });
  }
  const grants = [account, other].map((accountId) => ({ role: "member" as const, accountId }));
  const ann = await signInAs({ url: world.url, opened }, "mem_shown", grants);
  const { body: key } = await ann("POST", "/keys", { name: "mine", account_id: account });
  expect((await chat(String(key.secret))).status).toBe(200);
  const manager = await signIn("manager", "mem_sees", account);
  const limits = async (ask: Ask) =>
    ((await ask("GET", "/members/mem_shown")).body.limits as Record<string, unknown>[]).map(
      ({ account_id, limits }) => [account_id, (limits as { used: number }[]).map(({ used }) => used)],
    );
  expect(await limits(ann)).toEqual([
    [account, [1]],
    [other, [0]],
  ]);
  expect(await limits(manager)).toEqual([[account, [1]]]);
  expect(told(await ann("GET", "/members/mem_sees"))).toBe("403 not_permitted");
  const everywhere = await signInAs({ url: world.url, opened }, "mem_all", [
    { role: "operator", accountId: null },
  ]);
  expect(await (await everywhere("GET", "/members/mem_all")).body.limits).toEqual([]);
  await opened.store
    .changes(() => [])
    .addKey(makeStoredKey("key_of_all", { accountId: account, memberId: "mem_all" }), "digest");
  expect((await everywhere("GET", "/members/mem_all")).body.limits).toMatchObject([{ account_id: account }]);
});

test("the members' defaults of an account are shown as they were set, and wrong ones named", async () => {
  const account = await world.newAccount("Defaults");
  const set = async (member_defaults: unknown) => admin.patch(`/accounts/${account}`, { member_defaults });
  const whole = {
    requests_per_minute: 5,
    tokens_per_minute: 900,
    parallel: 2,
    keys: 3,
    allowed_models: ["Acme#*"],
    budgets: [{ usd: 50, per: "month", warn: [0.5] }],
  };
  expect((await set(whole)).body.member_defaults).toEqual(whole);
  expect((await admin.get(`/accounts/${account}`)).body.member_defaults).toEqual(whole);
  expect((await set({ parallel: null })).body.member_defaults).toEqual({});
  expect((await set(null)).body.member_defaults).toBe(null);
  const extra = { usd: 1, per: "day", extra_usd: 1, extra_until: "2030-01-01" };
  const wrong = [{ rpm: 1 }, { keys: -1 }, { budgets: [{ usd: 1, per: "year" }] }, { budgets: [extra] }];
  for (const defaults of wrong) {
    const { status, error } = await set(defaults);
    expect(`${status} ${String(error?.param).startsWith("member_defaults")}`).toBe("400 true");
  }
});
