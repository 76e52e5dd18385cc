// The operator's routes over HTTP: accounts, keys and the log.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/core/json/json.ts";
import { formatLine, type Seen, seen } from "../whole/world/observe.ts";
import { createOperator, type Operator } from "../whole/world/operator.ts";
import { until } from "../whole/world/until.ts";
import { asking, type HttpWorld, startHttpWorld } from "../whole/world/world.ts";

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let world: HttpWorld;
let operator: Operator;
beforeAll(async () => {
  world = await startHttpWorld();
  operator = createOperator(world);
});
afterAll(() => world.stop());

const told = ({ status, error }: Seen) => (error ? `${status} ${error.code} ${error.param}` : String(status));

async function ask(secret: string, path: string): Promise<Seen> {
  return seen(await fetch(world.url + path, { headers: { authorization: `Bearer ${secret}` } }));
}

describe("accounts", () => {
  test("can be created, shown and renamed", async () => {
    const made = await operator.post("/accounts", { name: "Team" });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.stringMatching(/^acct_/),
      name: "Team",
      requests_per_minute: null,
      tokens_per_minute: null,
      parallel: null,
      budgets: [],
      requests_per_day: "default",
      free_budget_usd_per_day: "default",
      time_zone: null,
      balance_low_usd: null,
      tags: null,
      external_id: null,
      member_defaults: null,
      allowed_tools: null,
      paused: false,
      paused_by: [],
      state: "open",
      limits: [],
      balance_usd: 0,
      held_usd: 0,
      due_usd: 0,
      created_at: expect.stringMatching(INSTANT),
    });
    const changed = await operator.patch(`/accounts/${made.body.id}`, { name: "Crew" });
    expect(changed.body.name).toBe("Crew");
    expect((await operator.get(`/accounts/${made.body.id}`)).body).toEqual(changed.body);
  });

  test("are listed newest first, in pages, including the default one", async () => {
    for (const name of ["a", "b", "c", "d", "e"]) await operator.post("/accounts", { name });
    const rows = await operator.all("/accounts", 2);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    expect(rows).toEqual(await operator.all("/accounts", 200));
    const times = rows.map(({ created_at: at }) => String(at));
    expect(times).toEqual([...times].sort().reverse());
    expect(rows.map(({ id }) => id)).toContain("default");
  });
});

describe("keys", () => {
  const FIELDS = {
    name: "Team's key",
    allowed_models: ["Acme#cheap", "Router#fair"],
    allowed_tools: ["github_*", "!github_delete_*"],
    spend_limit_usd: 12.5,
    keep_responses: false,
    cache: null,
    hooks: null,
    tags: { team: "search" },
    requests_per_day: 7,
    expires_at: "2099-01-31T12:00:00.000Z",
    paused: false,
    notes: "Ask Ann",
    allowed_addresses: ["127.0.0.0/8", "::1"],
  };

  const spendLimit = {
    scope: "key",
    kind: "budget",
    per: "total",
    limit: 12.5,
    used: 0,
    reserved: 0,
    remaining: 12.5,
    resets_at: null,
  };

  test("are created with a secret that is shown once and works immediately", async () => {
    const { body: account } = await operator.post("/accounts", { name: "Payer" });
    const made = await operator.post("/keys", { ...FIELDS, account_id: account.id });
    expect(made.status).toBe(201);
    const { secret, ...key } = made.body;
    expect(secret).toMatch(/^sk-[A-Za-z0-9_-]{40,}$/);
    expect(key).toEqual({
      ...FIELDS,
      requests_per_minute: "default",
      tokens_per_minute: "default",
      parallel: "default",
      model_limits: "default",
      budgets: "default",
      contact: null,
      kind: "service",
      member_id: null,
      paused_by: [],
      limits: [spendLimit],
      id: expect.stringMatching(/^key_/),
      account_id: account.id,
      last4: String(secret).slice(-4),
      created_at: expect.stringMatching(INSTANT),
      revoked_at: null,
      old_secret_expires_at: null,
      state: "active",
    });
    expect((await operator.get(`/keys/${key.id}`)).body).toMatchObject(key);
    const own = await ask(String(secret), "/v1/key");
    expect(own.body).toEqual({
      id: key.id,
      name: FIELDS.name,
      account_id: account.id,
      last4: key.last4,
      allowance: {
        limit: 7,
        used: 0,
        remaining: 7,
        resets_at: expect.stringMatching(/T00:00:00\.000Z$/),
        next_slot_at: null,
        paid_by_balance: false,
      },
      balance_usd: 0,
      spend_limit_usd: 12.5,
      cost_usd: { today: 0, month: 0, total: 0 },
      limits: [spendLimit],
      spent_usd: { today: 0, month: 0, total: 0 },
      allowed_models: FIELDS.allowed_models,
      allowed_tools: FIELDS.allowed_tools,
      expires_at: FIELDS.expires_at,
      paused: false,
    });
    const listed = JSON.stringify(await operator.all("/keys", 200));
    expect(listed).toContain(String(key.id));
    expect(listed).not.toContain(String(secret));
  });

  test("may have a budget for models by any part of their ids", async () => {
    const budget = { usd: 10, per: "day", models: ["*opus*"] };
    const made = await operator.post("/keys", { name: "opus", budgets: [budget] });
    expect([made.status, made.body.budgets]).toEqual([201, [budget]]);
    const wrong = await operator.post("/keys", { name: "a", budgets: [{ ...budget, models: ["opus"] }] });
    expect([wrong.status, wrong.error?.param]).toEqual([400, "budgets[0].models[0]"]);
  });

  test("get the configured values by default", async () => {
    const { body } = await operator.post("/keys", { name: "plain" });
    expect(body).toMatchObject({
      account_id: "default",
      allowed_models: null,
      expires_at: null,
      spend_limit_usd: null,
      hooks: null,
      tags: null,
      keep_responses: true,
    });
    expect((await ask(String(body.secret), "/v1/key")).body.allowance).toMatchObject({ limit: 200 });
  });

  test("are changed field by field, and null removes a limit", async () => {
    const { body: key } = await operator.post("/keys", FIELDS);
    const changed = await operator.patch(`/keys/${key.id}`, { name: "New", allowed_models: null });
    expect(changed.body).toMatchObject({
      name: "New",
      allowed_models: null,
      spend_limit_usd: 12.5,
      requests_per_day: 7,
    });
    // A model without a price passes no limit on cost.
    await operator.patch(`/keys/${key.id}`, { requests_per_day: null, spend_limit_usd: null });
    const secret = String(key.secret);
    await until("the change shows", async () => {
      const { allowance } = (await ask(secret, "/v1/key")).body as { allowance: JsonObject };
      return allowance.limit === null;
    });
    expect(formatLine(await seen(await world.chat(asking("Local#sim"), { secret })))).toBe("200 whole");
  });

  test("are listed newest first, in pages", async () => {
    for (let at = 0; at < 5; at++) await operator.post("/keys", { name: `key ${at}` });
    const rows = await operator.all("/keys", 2);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    expect(rows.map(({ id }) => id)).toEqual((await operator.all("/keys", 200)).map(({ id }) => id));
    expect((await operator.get("/keys?limit=1")).body).toMatchObject({ next: expect.any(String) });
  });
});

describe("the log", () => {
  test("has a row per answered request, by completion id", async () => {
    const { body: key } = await operator.post("/keys", { name: "logged" });
    const init = { secret: String(key.secret), headers: { "x-request-id": "from-outside" } };
    const done = await seen(await world.chat(asking("openai/gpt-5.4"), init));
    await seen(await world.chat(asking("Local#sim~trouble=500", "x", { stream: true }), init));
    const rows = await until("both rows", async () => {
      const all = await operator.all(`/requests`, 200);
      const own = all.filter(({ key_id: id }) => id === key.id);
      return own.length === 2 ? own : null;
    });
    expect(rows[1]).toMatchObject({
      id: done.body.id,
      request_id: "from-outside",
      account_id: "default",
      model_asked: "openai/gpt-5.4",
      model_used: "OpenAI#gpt-5.4",
      attempts: 1,
      stream: false,
      status: 200,
      error_code: null,
      usage_source: "provider",
      ended: "done",
      charged_usd: 0,
    });
    expect(Number(rows[1]?.cost_usd)).toBeGreaterThan(0);
    expect(rows[0]).toMatchObject({
      model_used: null,
      stream: true,
      status: 502,
      error_code: "upstream_error",
      ended: "upstream_failed",
      cost_usd: 0,
    });
    const one = await operator.get(`/requests/${done.body.id}`);
    expect(one.body).toMatchObject(structuredClone(rows[1] ?? {}));
    expect(one.text + JSON.stringify(rows)).not.toMatch(/good day|sk-|sim-key/);
  });

  test("can be filtered and paged", async () => {
    const { body: key } = await operator.post("/keys", { name: "logged" });
    for (const model of ["Local#sim", "Local#sim", "Local#sim~trouble=500"])
      await seen(await world.chat(asking(model), { secret: String(key.secret) }));
    const count = async (query: string) =>
      ((await operator.get(`/requests?key_id=${key.id}${query}`)).body.data as unknown[]).length;
    await until("all rows", async () => (await count("")) === 3);
    expect(await count("&status=502")).toBe(1);
    expect(await count("&model=Local%23sim")).toBe(2);
    expect(await count("&limit=1")).toBe(1);
    expect((await operator.get("/requests?status=abc")).status).toBe(400);
    expect(await count("&surface=openai-chat")).toBe(3);
    const { text } = await operator.get("/requests?surface=openai");
    expect(text).toContain("Invalid value for 'surface'. Supported values are: 'openai-chat', ");
  });
});

describe("operator mistakes", () => {
  const ROWS: readonly (readonly [string, string, unknown, string])[] = [
    ["POST", "/accounts", {}, "400 missing_required_parameter name"],
    ["POST", "/accounts", { name: "" }, "400 empty_string name"],
    ["POST", "/accounts", { name: 7 }, "400 invalid_type name"],
    ["POST", "/accounts", { name: "x".repeat(101) }, "400 string_above_max_length name"],
    ["POST", "/accounts", { name: "x", balance_usd: 5 }, "400 unknown_parameter balance_usd"],
    ["POST", "/accounts", "{", "400 null null"],
    ["POST", "/accounts", [], "400 invalid_type null"],
    ["PATCH", "/accounts/acct_none", { name: "x" }, "404 not_found null"],
    ["GET", "/accounts/acct_none", undefined, "404 not_found null"],
    ["GET", "/accounts?limit=0", undefined, "400 invalid_value limit"],
    ["GET", "/accounts?limit=201", undefined, "400 invalid_value limit"],
    ["GET", "/accounts?limit=x", undefined, "400 invalid_value limit"],
    ["GET", "/accounts?after=x", undefined, "400 invalid_value after"],
    ["GET", "/accounts?of=x", undefined, "400 unknown_parameter of"],
    ["POST", "/keys", {}, "400 missing_required_parameter name"],
    ["POST", "/keys", { name: "x", secret: "sk-mine" }, "400 unknown_parameter secret"],
    ["POST", "/keys", { name: "x", admin: true }, "400 unknown_parameter admin"],
    ["POST", "/keys", { name: "x", account_id: "acct_none" }, "400 invalid_value account_id"],
    ["POST", "/keys", { name: "x", expires_at: "2001-01-01" }, "400 invalid_value expires_at"],
    ["POST", "/keys", { name: "x", expires_at: "soon" }, "400 invalid_value expires_at"],
    ["POST", "/keys", { name: "x", expires_at: 7 }, "400 invalid_type expires_at"],
    ["POST", "/keys", { name: "x", allowed_models: ["nonsense"] }, "400 invalid_value allowed_models[0]"],
    ["POST", "/keys", { name: "x", allowed_models: "Acme#cheap" }, "400 invalid_type allowed_models"],
    ["POST", "/keys", { name: "x", spend_limit_usd: -1 }, "400 decimal_below_min_value spend_limit_usd"],
    ["POST", "/keys", { name: "x", spend_limit_usd: "1" }, "400 invalid_type spend_limit_usd"],
    ["POST", "/keys", { name: "x", requests_per_day: -1 }, "400 integer_below_min_value requests_per_day"],
    ["POST", "/keys", { name: "x", requests_per_day: 1.5 }, "400 invalid_type requests_per_day"],
    ["POST", "/keys", { name: "x".repeat(70_000) }, "413 request_too_large null"],
    ["PATCH", "/keys/key_none", { name: "x" }, "404 not_found null"],
    ["DELETE", "/keys/key_none", undefined, "404 not_found null"],
    ["GET", "/keys/key_none", undefined, "404 not_found null"],
    ["GET", "/requests/chatcmpl-none", undefined, "404 not_found null"],
    ["GET", "/requests?surface=Gemini", undefined, "400 invalid_value surface"],
    ["GET", "/requests?operation=chats", undefined, "400 invalid_value operation"],
    ["GET", "/requests?selector=good", undefined, "400 invalid_value selector"],
    ["GET", "/requests?ended=well", undefined, "400 invalid_value ended"],
    ["GET", "/keys?state=on", undefined, "400 invalid_value state"],
    ["GET", "/usage?group_by=surfaces", undefined, "400 invalid_value group_by"],
  ];

  test.each(ROWS)("%s %s %j", async (method, path, body, expected) => {
    const by: Readonly<Record<string, () => Promise<Seen>>> = {
      GET: () => operator.get(path),
      POST: () => operator.post(path, body),
      PATCH: () => operator.patch(path, body),
      DELETE: () => operator.delete(path),
    };
    const answer = await by[method]?.();
    expect(answer && told(answer)).toBe(expected);
  });

  test("a wrong token reveals nothing", async () => {
    for (const token of ["x", "", `${world.adminToken}x`, world.secret]) {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await seen(await fetch(`${world.url}/admin/v1/keys`, { headers }));
      expect(answer.status).toBe(401);
      expect(answer.text).not.toMatch(/key_/);
    }
  });
});
