// The operator's money routes over HTTP: top-ups, journals, usage, and how a request's row shows its payment.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { type Seen, seen } from "../world/observe.ts";
import { createOperator } from "../world/operator.ts";
import { until } from "../world/until.ts";
import { asking, startHttpWorld } from "../world/world.ts";

/** Its days have the date that UTC had this much earlier. */
const DAY_BEHIND_MS = 36 * 3_600_000 - 60_000;

const world = await startHttpWorld({ more: `quota: { time_zone: Etc/GMT+12, day_starts: "23:59" }` });
const operator = createOperator(world);
afterAll(() => world.stop());

async function newAccount(): Promise<string> {
  return String((await operator.post("/accounts", { name: "payer" })).body.id);
}

function topUp(account: string, body: unknown, headers: Record<string, string> = {}): Promise<Seen> {
  return operator.post(`/accounts/${account}/topups`, body, headers);
}

function journalOf(account: string): Promise<readonly JsonObject[]> {
  return operator.all(`/accounts/${account}/journal?detail=ledger`, 3);
}

describe("top-ups", () => {
  test("return the account", async () => {
    const account = await newAccount();
    const made = await topUp(account, { amount_usd: 2.5, note: "by hand" });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ id: account, name: "payer", balance_usd: 2.5, held_usd: 0 });
    expect((await operator.get(`/accounts/${account}`)).body).toEqual({ ...made.body, limits: [] });
    expect(await journalOf(account)).toMatchObject([{ kind: "topup", amount_usd: 2.5, note: "by hand" }]);
  });

  test("are made once per Idempotency-Key, even concurrently", async () => {
    const account = await newAccount();
    const ask = (usd: number) => topUp(account, { amount_usd: usd }, { "idempotency-key": "order-7" });
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(5)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 201, body: { balance_usd: 5 } });
    const other = await ask(6);
    expect(other).toMatchObject({ status: 409, error: { code: "idempotency_mismatch" } });
    expect(other.headers.get("x-should-retry")).toBe("false");
    expect((await journalOf(account)).length).toBe(1);
  });

  const wrong: readonly [account: string, body: unknown, headers: Record<string, string>, told: string][] = [
    ["default", { amount_usd: 0 }, {}, "400 decimal_below_min_value amount_usd"],
    ["default", { amount_usd: "1" }, {}, "400 invalid_type amount_usd"],
    ["default", { amount_usd: 1, note: 1 }, {}, "400 invalid_type note"],
    ["default", {}, {}, "400 missing_required_parameter amount_usd"],
    ["default", { amount_usd: 1 }, { "idempotency-key": "" }, "400 invalid_value Idempotency-Key"],
    ["default", { amount_usd: 1 }, { "idempotency-key": "a b" }, "400 invalid_value Idempotency-Key"],
    ["acct_none", { amount_usd: 1 }, {}, "404 not_found null"],
    ["funding", { amount_usd: 1 }, {}, "404 not_found null"],
    ["default", { amount_usd: 1 }, { authorization: "Bearer wrong" }, "401 invalid_api_key null"],
  ];
  test.each(wrong)("%s %j %j: %#", async (account, body, headers, told) => {
    const { status, error } = await topUp(account, body, headers);
    expect(`${status} ${error?.code} ${error?.param}`).toBe(told);
    expect((await operator.get("/accounts/default")).body.balance_usd).toBe(0);
  });
});

describe("a request paid from the balance", () => {
  let account: string;
  let key: JsonObject;
  let answer: Seen;
  let charged: number;
  beforeAll(async () => {
    account = await newAccount();
    await topUp(account, { amount_usd: 1 });
    key = (await operator.post("/keys", { name: "payer", account_id: account, requests_per_day: 0 })).body;
    answer = await seen(await world.chat(asking("Acme#cheap"), { secret: String(key.secret) }));
    charged = Number(asObject(answer.body.usage).charged);
  });

  test("shows its hold and its charge in its row", async () => {
    expect(charged).toBeGreaterThan(0);
    const { body } = await operator.get(`/requests/${answer.body.id}`);
    expect(body).toMatchObject({ cost_usd: charged, charged_usd: charged, account_id: account });
    expect(Number(body.hold_usd)).toBeGreaterThan(charged);
  });

  test("appears in the journal as a hold and its return", async () => {
    const rows = await journalOf(account);
    const { body: row } = await operator.get(`/requests/${answer.body.id}`);
    expect(rows.map(({ kind }) => kind)).toEqual(["post", "hold", "topup"]);
    const [post, hold] = rows;
    expect(post).toMatchObject({ completion_id: row.id, usage_source: "provider", ended: "done" });
    expect(hold).toMatchObject({ completion_id: row.id, amount_usd: -Number(row.hold_usd), ended: null });
    expect(Number(post?.amount_usd)).toBeCloseTo(Number(row.hold_usd) - charged, 9);
    expect(Number(post?.balance_usd)).toBeCloseTo(1 - charged, 9);
    const { body: after } = await operator.get(`/accounts/${account}`);
    expect(after).toMatchObject({ balance_usd: post?.balance_usd, held_usd: 0 });
    const [earned] = await operator.all("/accounts/revenue/journal", 50);
    expect(earned).toMatchObject({
      id: post?.id,
      account_id: account,
      amount_usd: charged,
      balance_usd: null,
    });
  });

  test("holds its cost while it runs", async () => {
    const other = await newAccount();
    await topUp(other, { amount_usd: 1 });
    const fields = { name: "payer", account_id: other, requests_per_day: 0 };
    const secret = String((await operator.post("/keys", fields)).body.secret);
    const running = world.chat(asking("Acme#slow~latency=1100"), { secret });
    const held = await until("a hold", async () => {
      const { body: now } = await operator.get(`/accounts/${other}`);
      return Number(now.held_usd) > 0 ? now : null;
    });
    expect(Number(held.balance_usd) + Number(held.held_usd)).toBeCloseTo(1, 9);
    await (await running).text();
    expect((await operator.get(`/accounts/${other}`)).body.held_usd).toBe(0);
  });

  test("is in the usage totals, by the operator's day", async () => {
    const { body } = await operator.get("/usage?group_by=day,model,key,account,provider");
    const rows = body.data as readonly JsonObject[];
    const own = rows.find((row) => row.key_id === key.id && row.model === "Acme#cheap");
    const { body: row } = await operator.get(`/requests/${answer.body.id}`);
    const hourMs = new Date(String(row.at)).setUTCMinutes(0, 0, 0);
    expect(own?.day).toBe(new Date(hourMs - DAY_BEHIND_MS).toISOString().slice(0, 10));
    expect(own).toMatchObject({
      account_id: account,
      provider: "Acme",
      requests: 1,
      cost_usd: charged,
      charged_usd: charged,
      tokens: { prompt: asObject(answer.body.usage).prompt_tokens },
    });
  });
});

test("system accounts can be shown and sum to zero with all others, but are not listed", async () => {
  const listed = await operator.all("/accounts", 50);
  expect(listed.map(({ id }) => id)).not.toContain("funding");
  const ids = ["funding", "revenue", "overrun"];
  const system = await Promise.all(ids.map(async (id) => (await operator.get(`/accounts/${id}`)).body));
  expect(system[0]).toMatchObject({ id: "funding", name: "funding", held_usd: 0, created_at: null });
  const sum = [...listed, ...system].reduce(
    (total, { balance_usd, held_usd }) => total + Math.round((Number(balance_usd) + Number(held_usd)) * 1e9),
    0,
  );
  expect(sum).toBe(0);
});

describe("operator mistakes", () => {
  const ROWS: readonly (readonly [path: string, told: string])[] = [
    ["/accounts/acct_none/journal", "404 not_found null"],
    ["/accounts/default/journal?after=1.acct_x.1", "400 invalid_value after"],
    ["/accounts/default/journal?limit=201", "400 invalid_value limit"],
    ["/accounts/default/journal?kind=post", "400 unknown_parameter kind"],
    ["/usage?group_by=week", "400 invalid_value group_by"],
    ["/usage?group_by=", "400 invalid_value group_by"],
    ["/usage?from=tomorrow", "400 invalid_value from"],
    ["/usage?to=2026-13-01", "400 invalid_value to"],
    ["/usage?from=2026-01-02&to=2026-01-01", "400 invalid_value from"],
    ["/usage?since=2026-01-02", "400 unknown_parameter since"],
    ["/accounts/default/topups", "405 method_not_supported null"],
  ];
  test.each(ROWS)("GET %s", async (path, told) => {
    const { status, error } = await operator.get(path);
    expect(`${status} ${error?.code} ${error?.param}`).toBe(told);
  });

  test("a wrong token reveals nothing", async () => {
    for (const path of [
      "/accounts/default/journal",
      "/accounts/acct_none/journal",
      "/usage",
      "/usage?from=x",
    ]) {
      const headers = { authorization: `Bearer ${world.secret}` };
      const answer = await seen(await fetch(`${world.url}/admin/v1${path}`, { headers }));
      expect(`${answer.status} ${answer.error?.code}`).toBe("401 invalid_api_key");
    }
  });
});
