// The limits of many accounts, which every store reads together: as worked out by hand, and as a read of each account has them.
import { expect, test } from "bun:test";
import { listSpending } from "../../../src/admin/money/spending.ts";
import type { Account } from "../../../src/core/keys/key.ts";
import { makeBudget } from "../../../src/core/limits/budget.ts";
import type { LimitState } from "../../../src/core/limits/limit.ts";
import type { RequestRecord } from "../../../src/core/log/record.ts";
import type { Scope } from "../../../src/core/people/people.ts";
import type { Store } from "../../../src/core/store.ts";
import {
  addKey,
  DAY,
  give,
  HOUR,
  ledgerOn,
  MINUTE,
  makeAccount,
  makeRecord,
  NOON,
  QUOTA,
  standingClock,
  writeRecord,
} from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { openPayments } from "../../ledger/payments.ts";
import type { TwoStores } from "../two-stores.ts";

export const ACCOUNT_LIMITS = {
  "the limits of many accounts": limitsTogether,
  "spending by account": spending,
  "spending by account that is narrowed": narrowedSpending,
};

const USD = 1_000_000_000;
/** In Kolkata, a day begins half an hour after a whole hour of UTC. */
const KOLKATA_DAY = Date.UTC(2026, 10, 19, 18, 30);

const perDay = (usd: number, models: readonly string[] | null = null) =>
  makeBudget({ nanoUsd: usd * USD, per: "day", models });
const perMonth = (usd: number) => makeBudget({ nanoUsd: usd * USD, per: "month" });

function add(store: Store, id: string, fields: Partial<Account> = {}): Promise<void> {
  return unrecorded(store).addAccount(makeAccount(id, fields));
}

let count = 0;
function spend(store: Store, accountId: string, usd: number, fields: Partial<RequestRecord> = {}) {
  const charged = { chargedNanoUsd: usd * USD, keyId: `key of ${accountId}` };
  return writeRecord(store, makeRecord(`spent ${count++}`, { accountId, ...charged, ...fields }));
}

/** Adds accounts with limits in each state that they may be in. */
async function addAccounts(store: Store): Promise<void> {
  await add(store, "plain");
  await spend(store, "plain", 0.5);
  await add(store, "unused", { budgets: [makeBudget({ nanoUsd: 3 * USD, per: "total" })] });
  await add(store, "used", { budgets: [perDay(4), perMonth(10)] });
  await spend(store, "used", 1, { atMs: NOON - 2 * DAY });
  await spend(store, "used", 1.5);
  await add(store, "held", { budgets: [perDay(4)] });
  await give(store, "held", USD);
  await openPayments(store).hold("held", await addKey(store, "key of held", "held"), USD);
  await add(store, "over", { budgets: [perDay(2)] });
  await spend(store, "over", 1, { atMs: NOON - DAY });
  await add(store, "minute", { requestsPerMinute: 5 });
  await spend(store, "minute", 1, { atMs: NOON - MINUTE / 2 });
  // Their budgets begin with what was spent before.
  await add(store, "later");
  await spend(store, "later", 1, { atMs: NOON - 2 * DAY });
  await spend(store, "later", 0.5, { atMs: NOON - HOUR });
  await spend(store, "later", 0.25, { modelUsed: "Acme#a" });
  await unrecorded(store).changeAccount("later", { budgets: [perDay(4, ["Acme#*"]), perMonth(8)] });
  await add(store, "kolkata", { timeZone: "Asia/Kolkata" });
  await spend(store, "kolkata", 0.125, { atMs: KOLKATA_DAY - 10 * MINUTE });
  await spend(store, "kolkata", 0.5, { atMs: KOLKATA_DAY + 10 * MINUTE });
  await unrecorded(store).changeAccount("kolkata", { budgets: [perDay(1)] });
}

const TOMORROW = "2026-11-21T00:00:00.000Z";
const DECEMBER = "2026-12-01T00:00:00.000Z";
const BY_HAND: Readonly<Record<string, readonly string[]>> = {
  plain: [],
  unused: ["budget total: 0 of 3, held 0, left 3, until null"],
  used: [
    `budget day: 1.5 of 4, held 0, left 2.5, until ${TOMORROW}`,
    `budget month: 2.5 of 10, held 0, left 7.5, until ${DECEMBER}`,
  ],
  held: [`budget day: 0 of 4, held 1, left 4, until ${TOMORROW}`],
  over: [`budget day: 0 of 2, held 0, left 2, until ${TOMORROW}`],
  minute: ["requests_per_minute: 1 of 5, held 0, left 4, until 2026-11-20T12:00:35.000Z"],
  later: [
    `budget day Acme#*: 0.25 of 4, held 0, left 3.75, until ${TOMORROW}`,
    `budget month: 1.75 of 8, held 0, left 6.25, until ${DECEMBER}`,
  ],
  kolkata: ["budget day: 0.5 of 1, held 0, left 0.5, until 2026-11-20T18:30:00.000Z"],
  "no such account": [],
};
const IDS = Object.keys(BY_HAND);

function tell({ kind, per, models = [], limit, used, ...rest }: LimitState): string {
  const until = rest.resetsAtMs === null ? null : new Date(rest.resetsAtMs).toISOString();
  const named = [kind, per, ...models].filter((word) => word !== undefined).join(" ");
  return `${named}: ${used} of ${limit}, held ${rest.reserved}, left ${rest.remaining}, until ${until}`;
}

function limitsTogether(opened: () => TwoStores): void {
  test("are those of each account by itself, and as worked out by hand", async () => {
    const { store, other } = opened();
    await addAccounts(store);
    const ledger = ledgerOn(other);
    const found = await ledger.limitsByAccount(IDS.map((id) => ({ id })));
    const told = IDS.map((id) => [id, found.get(id)?.map(tell)]);
    expect(Object.fromEntries(told)).toEqual(BY_HAND);
    const alone = await Promise.all(IDS.map(async (id) => [id, await ledger.accountLimits({ id })] as const));
    expect(found).toEqual(new Map(alone));
    expect(await ledger.limitsByAccount([])).toEqual(new Map());
  });
}

/** Of the whole month, 19.5 of 30 days are over. */
const SHARE = 0.65;

function list(store: Store, scope: Scope) {
  const clock = standingClock(NOON);
  return listSpending({ store, ledger: ledgerOn(store), clock, dayRules: () => QUOTA }, scope);
}

function spending(opened: () => TwoStores): void {
  test("has each account's fullest budget, costs and keys", async () => {
    const { store, other } = opened();
    await addAccounts(store);
    const { month, data, total_usd } = await list(other, { accountIds: null, personal: null });
    const budgets = data.map(({ account_id, budget }) => [
      account_id,
      budget && `${budget.per} ${budget.used} ${budget.reserved}`,
    ]);
    expect([month, total_usd]).toEqual(["2026-11", 0.5 + 2.5 + 1 + 1 + 1.75 + 0.625]);
    expect(Object.fromEntries(budgets)).toEqual({
      default: undefined,
      plain: undefined,
      unused: "total 0 0",
      used: "day 1.5 0",
      held: "day 0 1",
      over: "day 0 0",
      minute: undefined,
      later: "month 1.75 0",
      kolkata: "day 0.5 0",
    });
    expect(data.find(({ account_id }) => account_id === "used")).toEqual({
      account_id: "used",
      cost_usd: 2.5,
      forecast_usd: 2.5 / SHARE,
      last_month_usd: 0,
      requests: 2,
      budget: {
        scope: "account",
        kind: "budget",
        per: "day",
        limit: 4,
        used: 1.5,
        reserved: 0,
        remaining: 2.5,
        resets_at: TOMORROW,
      },
      keys: 1,
      people: 0,
    });
  });
}

function narrowedSpending(opened: () => TwoStores): void {
  test("has no account of which one doesn't see all", async () => {
    const { store, other } = opened();
    await addAccounts(store);
    const seen = async (scope: Scope) =>
      (await list(other, scope)).data.map(({ account_id, budget }) => `${account_id} ${budget?.used}`);
    expect(await seen({ accountIds: ["later", "plain"], personal: null })).toEqual([
      "plain undefined",
      "later 1.75",
    ]);
    const personal = { memberId: "mem_ann", accountIds: null };
    expect(await seen({ accountIds: ["used"], personal })).toEqual(["used 1.5"]);
    expect(await seen({ accountIds: [], personal })).toEqual([]);
  });
}
