// Keys and accounts by name over HTTP: made once, brought to a state, and never more than that.
import { afterAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { asking, startHttpWorld } from "../world/world.ts";

const world = await startHttpWorld({ more: "key_defaults: { expires_in: 30d }" });
afterAll(() => world.stop());

let count = 0;
const mintName = (what: string) => `${what} ${count++}/ü`;

async function ask(method: string, path: string, body?: JsonObject, headers: Record<string, string> = {}) {
  const response = await fetch(`${world.url}/admin/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${world.adminToken}`,
      "content-type": "application/json",
      ...headers,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: asObject(await response.json()) };
}

const makePath = (...names: string[]) => names.map(encodeURIComponent).join("/");
const putAccount = (name: string, body: JsonObject = {}) =>
  ask("PUT", `/accounts/by-name/${makePath(name)}`, body);
const putKey = (account: string, name: string, body: JsonObject = {}, repeat?: string) =>
  ask("PUT", `/keys/by-name/${makePath(account, name)}`, body, repeat ? { "idempotency-key": repeat } : {});
const codeOf = ({ status, body }: Awaited<ReturnType<typeof ask>>) => [status, asObject(body.error).code];

async function countKeys(accountId: unknown): Promise<number> {
  const { body } = await ask("GET", `/keys?account_id=${accountId}`);
  return Array.isArray(body.data) ? body.data.length : -1;
}

describe("an account by name", () => {
  test("is made once, then brought to what is given, with defaults for the rest", async () => {
    const name = mintName("Team");
    const made = await putAccount(name, { requests_per_minute: 5, time_zone: "Europe/Berlin" });
    expect([made.status, made.body.name, made.body.requests_per_minute]).toEqual([201, name, 5]);
    const again = await putAccount(name, { tokens_per_minute: 100, name });
    expect([again.status, again.body.id]).toEqual([200, made.body.id]);
    expect(again.body).toMatchObject({ requests_per_minute: null, tokens_per_minute: 100, time_zone: null });
  });

  test("has an id in another system, by which it is found", async () => {
    const name = mintName("Team");
    const made = await ask("POST", "/accounts", { name, external_id: " CRM-0815/7 " });
    expect([made.status, made.body.external_id]).toEqual([201, "CRM-0815/7"]);
    const findIds = async (q: string) => {
      const { body } = await ask("GET", `/search?q=${encodeURIComponent(q)}`);
      return asArray(body.data).map((one) => asObject(one).id);
    };
    expect(await findIds("crm-0815")).toEqual([made.body.id]);
    const changed = await ask("PATCH", `/accounts/${made.body.id}`, { external_id: "CRM-2" });
    expect(changed.body.external_id).toBe("CRM-2");
    expect((await ask("GET", `/accounts/${made.body.id}`)).body.external_id).toBe("CRM-2");
    expect([await findIds("crm-0815"), await findIds("CRM-2")]).toEqual([[], [made.body.id]]);
    expect((await putAccount(name, { external_id: "CRM-3" })).body.external_id).toBe("CRM-3");
    expect((await putAccount(name)).body.external_id).toBeNull();
    for (const wrong of ["x".repeat(201), "a\nb", 7])
      expect(await ask("PATCH", `/accounts/${made.body.id}`, { external_id: wrong })).toMatchObject({
        status: 400,
        body: { error: { param: "external_id" } },
      });
  });

  test("of which two exist is refused", async () => {
    const name = mintName("Team");
    for (let at = 0; at < 2; at++) await ask("POST", "/accounts", { name });
    expect(codeOf(await putAccount(name))).toEqual([409, "name_ambiguous"]);
    expect(codeOf(await putKey(name, "bot"))).toEqual([409, "name_ambiguous"]);
  });

  test("asked for by many at once is made once", async () => {
    const name = mintName("Team");
    const all = await Promise.all(Array.from({ length: 12 }, () => putAccount(name)));
    expect(all.filter(({ status }) => status === 201).length).toBe(1);
    expect(new Set(all.map(({ body }) => body.id)).size).toBe(1);
  });

  test("whose body has another name, or a field that doesn't exist, is refused with the field", async () => {
    const other = await putAccount(mintName("Team"), { name: "other" });
    expect([...codeOf(other), asObject(other.body.error).param]).toEqual([400, "invalid_value", "name"]);
    const wrong = await putAccount(mintName("Team"), { budget: 5 });
    expect([...codeOf(wrong), asObject(wrong.body.error).param]).toEqual([
      400,
      "unknown_parameter",
      "budget",
    ]);
  });
});

describe("an empty list restricts nothing, as null does", () => {
  const empty = { allowed_models: [], allowed_addresses: [], hooks: [], budgets: [] };
  const none = { allowed_models: null, allowed_addresses: null, hooks: null, budgets: [] };

  test.each(["PUT", "PATCH", "POST"])("on a key by %s", async (method) => {
    const account = String((await putAccount(mintName("Team"))).body.id);
    const limited = { allowed_models: ["Acme#cheap"], allowed_addresses: ["203.0.113.7"] };
    const { id, secret } = (await putKey(account, "bot", limited)).body;
    const changes = {
      PUT: () => putKey(account, "bot", empty),
      PATCH: () => ask("PATCH", `/keys/${id}`, empty),
      POST: () => ask("POST", "/keys", { name: "other", account_id: account, ...empty }),
    };
    const { status, body } = await changes[method as keyof typeof changes]();
    expect(status).toBe(method === "POST" ? 201 : 200);
    expect(body).toMatchObject(none);
    const used = method === "POST" ? body.secret : secret;
    expect((await world.chat(asking("Local#sim"), { secret: String(used) })).status).toBe(200);
  });

  test("in the limits of an account's members", async () => {
    const { body } = await putAccount(mintName("Team"), {
      member_defaults: { parallel: 2, allowed_models: [], budgets: [] },
    });
    expect(body.member_defaults).toEqual({ parallel: 2 });
  });

  test("but a budget still needs a model, and only null lets a token into all accounts", async () => {
    const budgets = [{ usd: 1, per: "day", models: [] }];
    const { status, body } = await ask("POST", "/keys", { name: "a", budgets });
    expect([status, asObject(body.error).param]).toEqual([400, "budgets[0].models"]);
    expect(codeOf(await ask("POST", "/tokens", { name: "a", role: "viewer", accounts: [] }))[0]).toBe(400);
  });
});

describe("a key by name", () => {
  test("is made with a secret that works, and then brought to what is given", async () => {
    const account = mintName("Team");
    const { id } = (await putAccount(account)).body;
    const made = await putKey(account, "bot", { requests_per_day: null, parallel: 3 });
    expect([made.status, made.body.account_id, made.body.parallel]).toEqual([201, id, 3]);
    const { status } = await world.chat(asking("Acme#cheap"), { secret: String(made.body.secret) });
    expect(status).toBe(200);
    const again = await putKey(String(id), "bot", { budgets: [{ usd: 5, per: "month" }] });
    expect([again.status, again.body.id, again.body.secret]).toEqual([200, made.body.id, undefined]);
    expect(again.body).toMatchObject({ parallel: "default", requests_per_day: "default" });
    expect(again.body.limits).toMatchObject([{ kind: "budget", per: "month", limit: 5 }]);
    // The configured expiry counts from the creation.
    expect(again.body.expires_at).toBe(made.body.expires_at);
    expect((await putKey(account, "bot", { expires_at: null })).body.expires_at).toBeNull();
    expect(await countKeys(id)).toBe(1);
  });

  test("asked for by many at once is made once", async () => {
    const { id } = (await putAccount(mintName("Team"))).body;
    const all = await Promise.all(Array.from({ length: 12 }, () => putKey(String(id), "bot")));
    expect(all.filter(({ body }) => typeof body.secret === "string").length).toBe(1);
    expect([new Set(all.map(({ body }) => body.id)).size, await countKeys(id)]).toEqual([1, 1]);
  });

  test("stays paused, keeps an extra amount until a change removes it, and revoked ones don't count", async () => {
    const { id: account } = (await putAccount(mintName("Team"))).body;
    const put = (body: JsonObject = {}) => putKey(String(account), "bot", body);
    const budgets = [
      { usd: 5, per: "month" },
      { usd: 1, per: "day", models: ["*opus*"] },
    ];
    const { id, secret } = (await put({ budgets })).body;
    const extra = { extra_usd: 2.5, extra_until: "2099-01-01T00:00:00.000Z" };
    const change = (fields: JsonObject) => ask("PATCH", `/keys/${id}`, fields);
    const raised = await change({ paused: true, budgets: [{ per: "month", ...extra }] });
    expect(raised.body.budgets).toEqual([{ ...budgets[0], ...extra }, budgets[1]]);
    const after = await put({ budgets: [{ usd: 9, per: "month" }], paused: false });
    expect(after.body).toMatchObject({ paused: true, budgets: [{ usd: 9, per: "month", ...extra }] });
    const removed = await change({ budgets: [{ per: "month", extra_usd: null }] });
    expect(removed.body.budgets).toEqual([{ usd: 9, per: "month" }]);
    await ask("DELETE", `/keys/${id}`);
    const fresh = await put();
    expect([fresh.status, fresh.body.id === id, fresh.body.secret === secret]).toEqual([201, false, false]);
    expect((await world.chat(asking("Acme#cheap"), { secret: String(secret) })).status).toBe(401);
  });

  test("of which two are live is refused, in an account that doesn't exist too", async () => {
    const { id } = (await putAccount(mintName("Team"))).body;
    for (let at = 0; at < 2; at++) await ask("POST", "/keys", { name: "bot", account_id: id });
    expect(codeOf(await putKey(String(id), "bot"))).toEqual([409, "name_ambiguous"]);
    expect(codeOf(await putKey("nobody", "bot"))).toEqual([404, "not_found"]);
    const elsewhere = await putKey(String(id), "bot", { account_id: "default" });
    expect(asObject(elsewhere.body.error).param).toBe("account_id");
  });

  test("answers the same Idempotency-Key as it did, and another body under it with a conflict", async () => {
    const { id } = (await putAccount(mintName("Team"))).body;
    const put = (body: JsonObject, repeat = "run-1") => putKey(String(id), "bot", body, repeat);
    const made = await put({ parallel: 3, notes: "a" });
    await ask("PATCH", `/keys/${made.body.id}`, { parallel: 8 });
    expect(await put({ notes: "a", parallel: 3 })).toEqual(made);
    expect((await ask("GET", `/keys/${made.body.id}`)).body.parallel).toBe(8);
    expect(codeOf(await put({ parallel: 4 }))).toEqual([409, "idempotency_mismatch"]);
    expect((await put({ parallel: 4 }, "run-2")).body.secret).toBeUndefined();
    expect(codeOf(await put({}, "x".repeat(256)))).toEqual([400, "invalid_value"]);
  });
});

describe("a change of an extra amount alone", () => {
  test("names a budget by its period and models, also of an account", async () => {
    const { id } = (await putAccount(mintName("Team"), { budgets: [{ usd: 5, per: "month", warn: [0.8] }] }))
      .body;
    const extra = { extra_usd: 1, extra_until: "2099-01-01T00:00:00.000Z" };
    const change = (...budgets: JsonObject[]) => ask("PATCH", `/accounts/${id}`, { budgets });
    const { body } = await change({ per: "month", ...extra });
    expect(body.budgets).toEqual([{ usd: 5, per: "month", warn: [0.8], ...extra }]);
    expect(body.limits).toMatchObject([{ limit: 6 }]);
    const wrong = [
      [{ per: "week", ...extra }, "budgets[0]"],
      [{ per: "month", extra_usd: 1 }, "budgets[0].extra_until"],
      [{ per: "month", warn: [1], ...extra }, "budgets[0].usd"],
      [{ per: "month" }, "budgets[0].usd"],
    ] as const;
    for (const [budget, param] of wrong) {
      const { status, body } = await change(budget);
      expect([status, asObject(body.error).param]).toEqual([400, param]);
    }
  });
});

test("a key that is moved is served at once, and its new account pays", async () => {
  const made = [await putAccount(mintName("Team")), await putAccount(mintName("Team"))];
  const [from, to] = made.map(({ body }) => body.id);
  for (const id of [from, to]) await ask("POST", `/accounts/${id}/topups`, { amount_usd: 5 });
  const fields = { account_id: from, requests_per_day: 0, budgets: [{ usd: 1, per: "total" }] };
  const { id, secret = "" } = await world.newKey(fields);
  const chat = () => world.chat(asking("Acme#cheap"), { secret });
  expect((await chat()).status).toBe(200);
  const used = async () => {
    const { limits } = (await ask("GET", `/keys/${id}`)).body;
    return Array.isArray(limits) ? asObject(limits[0]).used : null;
  };
  const once = Number(await used());
  expect(once).toBeGreaterThan(0);
  const wrong = await ask("PATCH", `/keys/${id}`, { account_id: "acct_none" });
  expect([wrong.status, asObject(wrong.body.error).param]).toEqual([400, "account_id"]);
  const moved = await ask("PATCH", `/keys/${id}`, { account_id: to });
  expect([moved.status, moved.body.account_id]).toEqual([200, to]);
  // Its look-up is remembered for half a second.
  expect((await chat()).status).toBe(200);
  expect(await used()).toBeCloseTo(2 * once, 12);
  const balances = [from, to].map(async (one) => (await ask("GET", `/accounts/${one}`)).body.balance_usd);
  const [left, paid] = await Promise.all(balances);
  expect(left).toBe(paid);
  expect(Number(left)).toBeLessThan(5);
});
