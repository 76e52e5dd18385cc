// The operator's use-cases on money, on a real store: top-ups, journals, and usage by the operator's days.

import { beforeEach, describe, expect, test } from "bun:test";
import { viewFields } from "../../../src/admin/fields.ts";
import { getRequest } from "../../../src/admin/log/requests.ts";
import { getAccount } from "../../../src/admin/money/accounts.ts";
import { ACCOUNT_FIELDS } from "../../../src/core/fields/account.ts";
import type { GatewayKey } from "../../../src/core/keys/key.ts";
import { NO_AMOUNTS } from "../../../src/core/money/units.ts";
import type { DayRules } from "../../../src/ledger/limits/day.ts";
import {
  DAY,
  HOUR,
  MINUTE,
  makeAccount,
  makeKey,
  makeRecord,
  NOON,
  writeRecord,
} from "../../harness/samples.ts";
import { openPayments } from "../../ledger/payments.ts";
import {
  createAccount,
  createKey,
  listAccounts,
  listJournal,
  sumUsage,
  topUpAccount,
  updateAccount,
} from "../admin-asked.ts";
import { adminBench, type TestWorld, wrongWith } from "../admin-world.ts";

const bench = adminBench();
let world: TestWorld;
beforeEach(() => {
  ({ world } = bench());
});

async function newKey(accountId = "default"): Promise<GatewayKey> {
  const { id } = await createKey(world, { name: "payer", account_id: accountId });
  return makeKey(id, { accountId });
}

async function linesOf(accountId: string): Promise<readonly string[]> {
  const { data } = await listJournal(world, accountId, {
    limit: 200,
    ...(/^(acct|default)/.test(accountId) ? { detail: "ledger" } : {}),
  });
  return data
    .toReversed()
    .map(({ kind, amount_usd, balance_usd }) => `${kind} ${amount_usd} → ${balance_usd}`);
}

describe("usage", () => {
  const UTC: DayRules = { timeZone: "UTC", dayStartsMinutes: 0 };
  const usage = (query: Record<string, string>, rules = UTC) =>
    sumUsage({ ...world, dayRules: () => rules, keepMs: () => 30 * DAY }, query);
  const daysOf = async (query: Record<string, string>, rules = UTC) => {
    const { data } = await usage(query, rules);
    return data.map(({ day, requests }) => `${day} ${requests}`);
  };
  let made = 0;
  const asked = (atMs: number, fields: Parameters<typeof makeRecord>[1] = {}) =>
    writeRecord(world.store, makeRecord(`request ${made++}`, { ...fields, atMs }));

  test("is totalled by group, most expensive first", async () => {
    const other = await createAccount(world, { name: "other" });
    await asked(NOON, { modelUsed: "Acme#dear", keyId: "a", chargedNanoUsd: 4000 });
    await asked(NOON, { modelUsed: "Acme#cheap", keyId: "b", accountId: other.id });
    await asked(NOON - DAY, {
      modelUsed: "Acme#cheap",
      keyId: "b",
      accountId: other.id,
      chargedNanoUsd: 2000,
    });
    await asked(NOON - DAY, { modelUsed: "Sim#echo", keyId: "b", accountId: other.id, costNanoUsd: 100 });
    const failed = { modelUsed: null, modelTried: "Acme#none", status: 502, faultCode: "upstream_error" };
    await asked(NOON, { ...failed, amounts: NO_AMOUNTS, keyId: "b", accountId: other.id, costNanoUsd: 0 });
    const units = { images: 0, seconds: 0, characters: 0, search_units: 0, pages: 0 };
    const begun = { errors: 0, units, first_token_ms: null, cached: 0, saved_usd: 0 };
    const one = { prompt: 10, completion: 20, cached: 3, cache_write: 0, reasoning: 5, searches: 0 };
    const two = { prompt: 20, completion: 40, cached: 6, cache_write: 0, reasoning: 10, searches: 0 };
    expect(await usage({})).toEqual({
      data: [
        {
          ...begun,
          day: "2026-11-19",
          requests: 2,
          tokens: two,
          cost_usd: 0.0000021,
          provider_cost_usd: 0.0000021,
          charged_usd: 0.000002,
        },
        {
          ...begun,
          day: "2026-11-20",
          requests: 3,
          errors: 1,
          tokens: two,
          cost_usd: 0.0000055,
          provider_cost_usd: 0.0000055,
          charged_usd: 0.000004,
        },
      ],
    });
    const sums = { tokens: one, cost_usd: 0.000004, charged_usd: 0.000004 };
    expect((await usage({ group_by: "provider,model" })).data).toMatchObject([
      { model: "Acme#dear", provider: "Acme", requests: 1, ...sums },
      { model: "Acme#cheap", provider: "Acme", requests: 2, cost_usd: 0.0000035 },
      { model: "Sim#echo", provider: "Sim", requests: 1, cost_usd: 0.0000001 },
      { model: "Acme#none", provider: "Acme", requests: 1, errors: 1, cost_usd: 0 },
    ]);
    const others = { requests: 4, errors: 1, cost_usd: 0.0000036, charged_usd: 0.000002 };
    expect((await usage({ group_by: "provider" })).data).toMatchObject([
      {
        provider: "Acme",
        requests: 4,
        tokens: { completion: 60 },
        cost_usd: 0.0000075,
        charged_usd: 0.000006,
      },
      { provider: "Sim", requests: 1 },
    ]);
    expect((await usage({ group_by: "account" })).data).toMatchObject([
      { account_id: "default", requests: 1 },
      { account_id: other.id, ...others },
    ]);
    expect((await usage({ group_by: "key" })).data.map(({ key_id }) => key_id)).toEqual(["a", "b"]);
    const costs = ["cost_usd", "provider_cost_usd", "charged_usd"];
    const money = [...costs, "cached", "saved_usd", "first_token_ms"];
    const fields = Object.keys((await usage({ group_by: "day,key" })).data[0] ?? {});
    expect(fields).toEqual(["day", "key_id", "requests", "errors", "tokens", "units", ...money]);
  });

  test("follows the operator's days, including days of 23 and 25 hours and half-hour time zones", async () => {
    const midnight = Date.UTC(2026, 2, 8, 5);
    const newYork = { timeZone: "America/New_York", dayStartsMinutes: 0 };
    for (const hours of [-1, 0, 22, 23]) await asked(midnight + hours * HOUR);
    bench().clock.atMs = midnight + 2 * DAY;
    const day = { from: "2026-03-08", to: "2026-03-08" };
    expect(await daysOf(day, newYork)).toEqual(["2026-03-08 2"]);
    expect(await daysOf({}, newYork)).toEqual(["2026-03-07 1", "2026-03-08 2", "2026-03-09 1"]);
    const late = { ...newYork, dayStartsMinutes: 60 };
    expect(await daysOf(day, late)).toEqual(["2026-03-08 2"]);

    const kolkata = { timeZone: "Asia/Kolkata", dayStartsMinutes: 0 };
    bench().clock.atMs = NOON;
    const start = Date.UTC(2026, 10, 19, 18, 30);
    for (const minutes of [-40, 10, 40]) await asked(start + minutes * MINUTE);
    expect(await daysOf({ from: "2026-11-19" }, kolkata)).toEqual(["2026-11-19 2", "2026-11-20 1"]);
    expect(await daysOf({ from: "2026-11-20" }, kolkata)).toEqual(["2026-11-20 1"]);
  });

  test("reads a date as a day in the operator's time zone", async () => {
    const ahead = { timeZone: "Pacific/Kiritimati", dayStartsMinutes: 0 };
    const behind = { timeZone: "Etc/GMT+12", dayStartsMinutes: 23 * 60 };
    await asked(NOON);
    for (const [rules, day] of [
      [ahead, "2026-11-21"],
      [behind, "2026-11-19"],
    ] as const) {
      expect(await daysOf({ from: day, to: day }, rules)).toEqual([`${day} 1`]);
      expect(await daysOf({ from: "2026-11-20", to: "2026-11-20" }, rules)).toEqual([]);
    }
  });

  test("covers the last 30 days by default, and accepts times or whole days as bounds", async () => {
    const midnight = NOON - 12 * HOUR;
    for (const days of [30, 29, 1, 0]) await asked(midnight - days * DAY);
    expect(await daysOf({})).toEqual(["2026-10-22 1", "2026-11-19 1", "2026-11-20 1"]);
    expect(await daysOf({ to: "2026-11-19" })).toEqual(["2026-10-21 1", "2026-10-22 1", "2026-11-19 1"]);
    expect(await daysOf({ to: "2026-11-19T00:00:00Z" })).toEqual(["2026-10-21 1", "2026-10-22 1"]);
    expect(await daysOf({ from: "2026-11-19T00:00:00Z", to: "2026-11-20T00:00:00Z" })).toEqual([
      "2026-11-19 1",
    ]);
    await asked(NOON);
    expect(await daysOf({ from: "2026-11-20T01:00:00Z", to: "2026-11-20T13:00:00Z" })).toEqual([
      "2026-11-20 1",
    ]);
    expect(await daysOf({ from: "2026-11-20", to: "2026-11-20T12:00:00Z" })).toEqual(["2026-11-20 1"]);
    expect(await daysOf({ from: "2026-11-20", to: "9999-12-31" })).toEqual(["2026-11-20 2"]);
    const ever = { from: "0000-01-01", to: "9999-12-31", group_by: "account" };
    expect((await usage(ever)).data).toMatchObject([{ requests: 5 }]);
    expect((await usage({ from: "2199-01-01", to: "2199-01-02" })).data).toEqual([]);
  });

  test.each([
    [{ group_by: "" }, "invalid_value group_by"],
    [{ group_by: "day,week" }, "invalid_value group_by"],
    [{ group_by: "day model" }, "invalid_value group_by"],
    [{ from: "yesterday" }, "invalid_value from"],
    [{ to: "2026-02-30" }, "invalid_value to"],
    [{ from: "2026-11-20T12:00:00" }, "invalid_value from"],
    [{ from: "2026-11-21" }, "invalid_value from"],
    [{ from: "2026-11-19", to: "2026-11-18" }, "invalid_value from"],
    [{ from: "2020-01-01" }, "invalid_value from"],
    [{ since: "2026-11-01" }, "unknown_parameter since"],
  ])("%j is refused: %s", async (query, fault) => {
    expect(await wrongWith(() => usage(query))).toBe(fault);
  });
});

describe("journals", () => {
  test("list every movement, newest first, with the balance after it", async () => {
    const { id } = await createAccount(world, { name: "Team" });
    await topUpAccount(world, id, { amount_usd: 2, note: "first" }, null);
    const payments = openPayments(world.store);
    const key = await newKey(id);
    const answered = await payments.hold("answered", key, 500_000_000);
    await payments.post(answered, 200_000_000);
    await payments.release(await payments.hold("unanswered", key, 500_000_000));
    await payments.post(await payments.hold("dear", key, 1_500_000_000), 2_000_000_000);
    expect(await linesOf(id)).toEqual([
      "topup 2 → 2",
      "hold -0.5 → 1.5",
      "post 0.3 → 1.8",
      "hold -0.5 → 1.3",
      "void 0.5 → 1.8",
      "hold -1.5 → 0.3",
      "post 0 → 0.3",
      "overrun -0.3 → 0",
    ]);
    const { data, next } = await listJournal(world, id, { detail: "ledger" });
    expect(next).toBeNull();
    expect(data[0]).toEqual({
      id: `${id}.8`,
      at: "2026-11-20T12:00:00.000Z",
      kind: "overrun",
      account_id: id,
      amount_usd: -0.3,
      balance_usd: 0,
      completion_id: "dear",
      usage_source: "provider",
      ended: "done",
      written_off_usd: 0.2,
    });
    expect(data[3]).toMatchObject({ kind: "void", completion_id: "unanswered", ended: "upstream_failed" });
    expect(data[7]).toEqual({
      id: `${id}.1`,
      at: "2026-11-20T12:00:00.000Z",
      kind: "topup",
      account_id: id,
      amount_usd: 2,
      balance_usd: 2,
      by: { kind: "admin", id: "admin" },
      note: "first",
    });
    expect(await getRequest(world, "dear")).toMatchObject({ hold_usd: 1.5, charged_usd: 1.8, cost_usd: 2 });
  });

  test("of system accounts show their side, and all sides sum to zero", async () => {
    const ids = ["default", (await createAccount(world, { name: "Team" })).id];
    const payments = openPayments(world.store);
    for (const id of ids) {
      await topUpAccount(world, id, { amount_usd: 3 }, null);
      await payments.post(await payments.hold(`of ${id}`, await newKey(id), 1_000_000_000), 3_500_000_000);
      await payments.hold(`open of ${id}`, await newKey(id), 0);
    }
    expect(await getAccount(world, "funding")).toEqual({
      id: "funding",
      ...viewFields(ACCOUNT_FIELDS, makeAccount("funding")),
      paused_by: [],
      state: "open",
      due_usd: 0,
      balance_usd: -6,
      held_usd: 0,
      created_at: null,
    });
    expect(await linesOf("funding")).toEqual(["topup -3 → null", "topup -3 → null"]);
    const revenue = ["charge 1 → null", "overrun 2.5 → null", "charge 1 → null", "overrun 2.5 → null"];
    expect(await linesOf("revenue")).toEqual(expect.arrayContaining(revenue));
    expect(await linesOf("overrun")).toEqual(["overrun -0.5 → null", "overrun -0.5 → null"]);
    const all = await Promise.all(
      [...ids, "funding", "revenue", "overrun"].map((id) => getAccount(world, id)),
    );
    expect(all.reduce((sum, one) => sum + one.balance_usd + one.held_usd, 0)).toBe(0);
    expect((await listAccounts(world, {})).data.length).toBe(2);
    const { data, next } = await listJournal(world, "funding", { limit: "1" });
    const rest = await listJournal(world, "funding", { limit: "1", after: next ?? "" });
    expect([...data, ...rest.data].map((row) => row.account_id).toSorted()).toEqual(ids.toSorted());
    expect(rest.next).toBeNull();
    expect(await wrongWith(() => updateAccount(world, "funding", { name: "mine" }))).toBe("not_found");
    for (const id of ["funding", "revenue", "overrun"])
      expect(await wrongWith(() => topUpAccount(world, id, { amount_usd: 1 }, null))).toBe("not_found");
  });

  test("can be paged to the end, and reject a position from another list", async () => {
    for (let index = 1; index <= 7; index++) {
      if (index % 3 === 0) bench().clock.atMs += 1;
      await topUpAccount(world, "default", { amount_usd: index }, null);
    }
    for (const id of ["default", "funding"]) {
      const seen: number[] = [];
      let after: string | null = null;
      do {
        const query: object = after === null ? { limit: "3" } : { limit: "3", after };
        const page: Awaited<ReturnType<typeof listJournal>> = await listJournal(world, id, query);
        seen.push(...page.data.map((row) => Math.abs(row.amount_usd)));
        after = page.next;
      } while (after !== null);
      expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1]);
    }
    const journal = (id: string, query: object) => wrongWith(() => listJournal(world, id, query));
    expect(await journal("default", { after: `${NOON}.acct_x.3` })).toBe("invalid_value after");
    expect(await journal("default", { after: `${NOON}.default` })).toBe("invalid_value after");
    expect(await journal("funding", { after: `${NOON}.default` })).toBe("invalid_value after");
    expect(await journal("default", { after: "x" })).toBe("invalid_value after");
    expect(await journal("default", { limit: "0" })).toBe("invalid_value limit");
    expect(await journal("default", { kind: "post" })).toBe("unknown_parameter kind");
    expect(await journal("acct_none", {})).toBe("not_found");
  });
});
