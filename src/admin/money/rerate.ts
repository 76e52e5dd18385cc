// Re-rating: what a month's requests would have been charged at the prices that are known by now, and the adjustments that
// make up for the difference.
import { invalidValue } from "../../core/json/schema-fault.ts";
import type { Account } from "../../core/keys/key.ts";
import type { RequestRecord } from "../../core/log/record.ts";
import { readTrace, type Trace } from "../../core/log/trace.ts";
import type { Price } from "../../core/models/card.ts";
import { type NanoUsd, toUsd } from "../../core/money/money.ts";
import { listBillLines, sumBill } from "../../core/money/price.ts";
import type { Store } from "../../core/store.ts";
import { readPages } from "../../core/world/read-pages.ts";
import { computeMonth, findStatementMonth } from "../../ledger/money/month.ts";
import { ROWS_AT_ONCE } from "../log/export-rows.ts";
import type { ActingWorld } from "../world.ts";
import { OPEN_AFTER_MS } from "./statements.ts";
import { adjustAccount } from "./topups.ts";

const MONTH = /^20\d\d-(0[1-9]|1[0-2])$/;
const ENTRIES_AT_ONCE = 500;

/** The prices that are known by now. */
export interface KnownPrices {
  find(id: string, atMs: number): Price | null;
  dependsOnCredential(id: string): boolean;
}

interface RerateParts {
  readonly store: Pick<Store, "accounts" | "account" | "requests" | "journals">;
  readonly nowMs: number;
  readonly prices: KnownPrices;
  /** That of accounts without one of their own. */
  readonly timeZone: string;
}

interface RerateQuery {
  /** `2026-11` */
  readonly month: string;
  /** Undefined for all accounts. */
  readonly accountId: string | undefined;
}

interface ModelRerate {
  readonly model: string;
  /** Requests whose charge differs. */
  readonly requests: number;
  readonly chargedNanoUsd: NanoUsd;
  readonly wouldNanoUsd: NanoUsd;
}

export interface AccountRerate {
  readonly account: Pick<Account, "id" | "name">;
  /** True if the month's statement is closed: then nothing is adjusted, and no request was looked at. */
  readonly isClosed: boolean;
  /** Requests that were charged. */
  readonly requests: number;
  /** Those of them whose price can't be found again. */
  readonly leftOut: number;
  readonly models: readonly ModelRerate[];
  /** The amount that earlier re-ratings of the month added to the balance, and how many there were. */
  readonly earlierNanoUsd: NanoUsd;
  readonly earlier: number;
  /** The amount that is left to add to the balance, negative to take from it. */
  readonly adjustNanoUsd: NanoUsd;
}

/** Looks at the month of each account, and changes nothing. Throws the Fault `invalid_value` for a month that hasn't begun. */
export async function* reviewRerate(
  parts: RerateParts,
  { month, accountId }: RerateQuery,
): AsyncGenerator<AccountRerate> {
  if (!MONTH.test(month) || month > computeMonth(parts.nowMs, parts.timeZone))
    throw invalidValue("month", "expected a month that has begun, such as 2026-11");
  for await (const account of listAccounts(parts.store, accountId)) {
    const review = await reviewAccount(parts, account, month);
    if (review.isClosed || review.requests > 0 || review.earlier > 0) yield review;
  }
}

async function* listAccounts(store: RerateParts["store"], id: string | undefined): AsyncGenerator<Account> {
  if (id === undefined) {
    for await (const accounts of readPages((page) => store.accounts(page, {}), ENTRIES_AT_ONCE))
      yield* accounts;
    return;
  }
  const account = await store.account(id);
  if (account === null) throw invalidValue("account", "there is no account with that id");
  yield account;
}

async function reviewAccount(
  { store, prices, timeZone, nowMs }: RerateParts,
  { id, name, timeZone: own }: Account,
  month: string,
): Promise<AccountRerate> {
  const account = { id, name };
  const { fromMs, toMs } = findStatementMonth(month, own ?? timeZone);
  const isClosed = nowMs >= toMs + OPEN_AFTER_MS;
  const empty = { requests: 0, leftOut: 0, models: [], earlierNanoUsd: 0, earlier: 0, adjustNanoUsd: 0 };
  if (isClosed) return { account, isClosed, ...empty };
  const models = new Map<string, ModelRerate>();
  let requests = 0;
  let leftOut = 0;
  const span = { accountId: id, fromMs, toMs };
  for await (const rows of readPages((page) => store.requests(span, page), ROWS_AT_ONCE)) {
    for (const row of rows) {
      if (row.chargedNanoUsd === 0) continue;
      requests += 1;
      const would = rerateRow(row, prices);
      if (would === null) leftOut += 1;
      else if (would !== row.chargedNanoUsd) addRow(models, row, would);
    }
  }
  const { sum: earlierNanoUsd, count: earlier } = await sumEarlier(store, id, month, fromMs);
  const due = [...models.values()].reduce((sum, one) => sum + one.wouldNanoUsd - one.chargedNanoUsd, 0);
  const adjustNanoUsd = -due - earlierNanoUsd;
  return {
    account,
    isClosed,
    requests,
    leftOut,
    models: [...models.values()],
    earlierNanoUsd,
    earlier,
    adjustNanoUsd,
  };
}

function addRow(models: Map<string, ModelRerate>, row: RequestRecord, would: NanoUsd): void {
  const model = row.modelUsed ?? "";
  const known = models.get(model);
  models.set(model, {
    model,
    requests: (known?.requests ?? 0) + 1,
    chargedNanoUsd: (known?.chargedNanoUsd ?? 0) + row.chargedNanoUsd,
    wouldNanoUsd: (known?.wouldNanoUsd ?? 0) + would,
  });
}

/**
 * Returns what the request would be charged. Null if that isn't known: its model has no price now, its provider reported
 * the cost or an implausible usage, or another service, region or credential had a price of its own.
 */
export function rerateRow(row: RequestRecord, prices: KnownPrices): NanoUsd | null {
  const { modelUsed, amounts, costNanoUsd, chargedNanoUsd, atMs } = row;
  const trace = readTrace(row.trace);
  if (modelUsed === null || trace === null || !isUsual(trace)) return null;
  const price = prices.find(modelUsed, atMs);
  if (price === null || prices.dependsOnCredential(modelUsed)) return null;
  const calls = trace.attempts[trace.counted ?? -1]?.calls ?? 1;
  const would = sumBill(listBillLines(price, amounts, calls), trace.markup);
  // A part of the cost was written off, or the allowance or a person's own balance paid it.
  return chargedNanoUsd === costNanoUsd ? would : Math.min(chargedNanoUsd, would);
}

function isUsual({ bill, served, usageImplausible, counted }: Trace): boolean {
  const isReported = bill.some(({ what }) => what === "reported cost");
  return counted !== undefined && served === undefined && usageImplausible === null && !isReported;
}

/** The adjustments of a month carry these words, by which they are found again. */
function makeReason(month: string): string {
  return `re-rated requests of ${month}`;
}

async function sumEarlier(
  { journals }: RerateParts["store"],
  accountId: string,
  month: string,
  fromMs: number,
) {
  const reason = makeReason(month);
  let sum = 0;
  let count = 0;
  const read = async (page: Parameters<typeof journals.entries>[1]) =>
    (await journals.entries(accountId, page, ["hold", "void", "post"])).map((entry) => ({
      ...entry,
      id: `${entry.accountId}.${entry.seq}`,
    }));
  for await (const entries of readPages(read, ENTRIES_AT_ONCE)) {
    for (const { kind, note, balanceNanoUsd } of entries) {
      if (kind !== "adjustment" || note !== reason) continue;
      sum += balanceNanoUsd;
      count += 1;
    }
    if ((entries.at(-1)?.atMs ?? 0) < fromMs) break;
  }
  return { sum, count };
}

/**
 * Adjusts the balance by what the review says is left. Repeating it does nothing. Throws the Faults of adjustments, such as
 * `balance_too_low`.
 */
export async function applyRerate(
  world: ActingWorld & { readonly timeZone: string },
  month: string,
  { account, adjustNanoUsd, earlier }: AccountRerate,
): Promise<void> {
  const amount_usd = toUsd(adjustNanoUsd);
  const fields = { amount_usd, confirm_amount_usd: amount_usd, reason: makeReason(month) };
  await adjustAccount(world, account.id, fields, `rerate-${month}-${earlier + 1}`);
}
