// Adjustments and the closing of accounts, as the operator asks for them.
import { afterAll, describe, expect, test } from "bun:test";
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { formatPlainUsd, toNearestNanoUsd } from "../../../src/core/money/money.ts";
import { formatLine, seen } from "../world/observe.ts";
import { createOperator } from "../world/operator.ts";
import { until } from "../world/until.ts";
import { asking, startHttpWorld } from "../world/world.ts";

const world = await startHttpWorld();
const operator = createOperator(world);
afterAll(() => world.stop());

async function newAccount(usd: number): Promise<string> {
  const id = String((await operator.post("/accounts", { name: "payer" })).body.id);
  if (usd > 0) await world.topUp(id, usd);
  return id;
}

async function told(path: string, body: unknown, headers: Record<string, string> = {}): Promise<string> {
  const { status, error, body: answer } = await operator.post(path, body, headers);
  return error ? `${status} ${error.code} ${error.param}` : `${status} ${answer.balance_usd} ${answer.state}`;
}

function journalOf(account: string): Promise<readonly JsonObject[]> {
  return operator.all(`/accounts/${account}/journal`, 50);
}

describe("adjustments", () => {
  test("need a reason, take what is free, and are made once per Idempotency-Key", async () => {
    const account = await newAccount(5);
    const adjust = (body: object, headers?: Record<string, string>) =>
      told(`/accounts/${account}/adjustments`, body, headers);
    const once = { "idempotency-key": "order-7" };
    expect(await adjust({ amount_usd: -2, reason: "a wrong price" }, once)).toBe("201 3 open");
    expect(await adjust({ amount_usd: -2, reason: "another" }, once)).toBe("201 3 open");
    expect(await adjust({ amount_usd: -1, reason: "another" }, once)).toBe(
      "409 idempotency_mismatch Idempotency-Key",
    );
    expect(await adjust({ amount_usd: -3.5, reason: "too much" })).toBe("409 balance_too_low amount_usd");
    expect(await adjust({ amount_usd: 0.5, reason: "goodwill" })).toBe("201 3.5 open");
    expect(await adjust({ amount_usd: 1 })).toBe("400 missing_required_parameter reason");
    expect(await adjust({ amount_usd: 1, reason: " " })).toBe("400 empty_string reason");
    expect(await adjust({ amount_usd: 0, reason: "nothing" })).toBe("400 invalid_value amount_usd");
    const by = { kind: "admin", id: "admin" };
    expect(await journalOf(account)).toMatchObject([
      { kind: "adjustment", amount_usd: 0.5, balance_usd: 3.5, reason: "goodwill", by },
      { kind: "adjustment", amount_usd: -2, balance_usd: 3, reason: "a wrong price", by },
      { kind: "topup", amount_usd: 5, balance_usd: 5, by },
    ]);
    const audited = await until("the audit", async () => {
      const rows = await operator.all(`/audit?action=adjustment&outcome=success&account=${account}`, 50);
      return rows.length === 2 ? rows[0] : null;
    });
    expect(audited).toMatchObject({
      action: "adjustment.made",
      reason: "goodwill",
      after: { amount_usd: 0.5 },
    });
  });

  const LARGE: readonly [path: string, body: JsonObject, answer: string][] = [
    ["topups", { amount_usd: 10_000.01 }, "400 missing_required_parameter confirm_amount_usd"],
    ["topups", { amount_usd: 10_000.01, confirm_amount_usd: 10_000 }, "400 invalid_value confirm_amount_usd"],
    ["topups", { amount_usd: 10_000.01, confirm_amount_usd: 10_000.01 }, "201 10000.01 open"],
    ["adjustments", { amount_usd: -10_000.01 }, "400 missing_required_parameter confirm_amount_usd"],
    [
      "adjustments",
      { amount_usd: -10_000.01, confirm_amount_usd: 10_000.01 },
      "400 invalid_value confirm_amount_usd",
    ],
    ["adjustments", { amount_usd: -10_000.01, confirm_amount_usd: -10_000.01 }, "201 0 open"],
    ["topups", { amount_usd: 10_000 }, "201 10000 open"],
  ];
  test("above 10,000 USD need the same amount again", async () => {
    const account = await newAccount(0);
    for (const [path, body, answer] of LARGE) {
      const given = path === "topups" ? body : { ...body, reason: "a correction" };
      expect([body, await told(`/accounts/${account}/${path}`, given)]).toEqual([body, answer]);
    }
  });
});

describe("closing", () => {
  test("refuses the account's keys for good, and pays out once nothing is held", async () => {
    const account = await newAccount(1);
    const fields = { name: "payer", account_id: account, requests_per_day: 0 };
    const secret = String((await operator.post("/keys", fields)).body.secret);
    const running = world.chat(asking("Acme#slow~latency=1100"), { secret });
    await until(
      "a hold",
      async () => Number((await operator.get(`/accounts/${account}`)).body.held_usd) > 0 || null,
    );
    const close = (body: object) => told(`/accounts/${account}/close`, body);
    expect(await close({})).toBe("409 balance_left pay_out");
    expect(await close({ pay_out: true })).toBe("400 missing_required_parameter reason");
    expect(await close({ pay_out: true, reason: "left" })).toMatch(/^200 \S+ closing$/);
    const refused = await seen(await world.chat(asking("Acme#cheap"), { secret }));
    expect([refused.status, refused.error?.code]).toEqual([401, "invalid_api_key"]);
    expect(await told("/keys", { ...fields, name: "new" })).toBe("409 account_closed null");
    const charged = Number(asObject((await seen(await running)).body.usage).charged);
    expect((await operator.get(`/accounts/${account}`)).body).toMatchObject({
      state: "closed",
      balance_usd: 0,
    });
    const [payout, charge] = await journalOf(account);
    expect(payout).toMatchObject({ kind: "payout", balance_usd: 0 });
    expect(charge).toMatchObject({
      kind: "charge",
      amount_usd: -charged,
      balance_usd: -Number(payout?.amount_usd),
    });
    expect(await told(`/accounts/${account}/topups`, { amount_usd: 1 })).toBe("409 account_closed null");
    // No field is required, so neither is a body.
    expect((await operator.post(`/accounts/${account}/reopen`, undefined)).body).toMatchObject({
      state: "open",
    });
    expect(await told(`/accounts/${account}/reopen`, {})).toBe("200 0 open");
    expect(formatLine(await operator.post("/keys", undefined))).toStartWith(
      "400 invalid_request_error missing",
    );
    const revoked = await operator.all(`/keys?account_id=${account}`, 50);
    expect(revoked.map(({ state }) => state)).toEqual(["revoked"]);
    expect(await told("/accounts/default/close", {})).toBe("400 invalid_value null");
  });
});

describe("statements", () => {
  test("show what was charged and cost by model and key, as JSON and CSV", async () => {
    const account = await newAccount(1);
    const fields = { name: "=payer", account_id: account, requests_per_day: 0 };
    const { id: keyId, secret } = (await operator.post("/keys", fields)).body;
    const answer = await seen(await world.chat(asking("Acme#cheap"), { secret: String(secret) }));
    const charged = Number(asObject(answer.body.usage).charged);
    const month = new Date().toISOString().slice(0, 7);
    const { body } = await operator.get(`/accounts/${account}/statements/${month}`);
    expect(body).toMatchObject({
      month,
      state: "open",
      time_zone: "UTC",
      opening_balance_usd: 0,
      topups_usd: 1,
      adjustments_usd: 0,
      charges_usd: charged,
      cost_usd: charged,
      lines: [
        { kind: "model", name: "Acme#cheap", amount_usd: charged },
        { kind: "key", id: keyId, name: "=payer", cost_usd: charged },
      ],
    });
    expect(Number(body.closing_balance_usd)).toBeCloseTo(1 - charged, 9);
    const csv = await fetch(`${world.url}/admin/v1/accounts/${account}/statements/${month}.csv`, {
      headers: { authorization: `Bearer ${world.adminToken}` },
    });
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const lines = (await csv.text()).split("\r\n");
    const shown = formatPlainUsd(toNearestNanoUsd(charged));
    expect(lines.at(-2)).toBe([account, "payer", month, "key", keyId, "'=payer", shown, shown].join(","));
    const wrong = async (path: string) => (await operator.get(path)).error?.code;
    expect(await wrong(`/accounts/${account}/statements/2026-13`)).toBe("invalid_value");
    expect(await wrong(`/accounts/${account}/statements/2099-01`)).toBe("invalid_value");
    expect(await wrong(`/accounts/acct_none/statements/${month}`)).toBe("not_found");
  });
});
