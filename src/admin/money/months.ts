// A month of all accounts: the sums of each one's statement, and of all, for those who keep the books elsewhere.
import { Type } from "@sinclair/typebox";
import { invalidValue } from "../../core/json/schema-fault.ts";
import { type Account, findAccountState } from "../../core/keys/key.ts";
import { toNearestNanoUsd, toUsd } from "../../core/money/money.ts";
import type { Scope } from "../../core/people/people.ts";
import { readPages } from "../../core/world/read-pages.ts";
import { computeMonth, findStatementMonth } from "../../ledger/money/month.ts";
import { formatCsvLine } from "../log/csv.ts";
import { allowNull, text, type View } from "../schema.ts";
import { getStatement, MONTH, type StatementParts, statementSchema } from "./statements.ts";

const ACCOUNTS_AT_ONCE = 100;
/** Amounts in files have as many decimals as a charge may have. */
const DECIMALS = 9;

const { account_id, account, time_zone, state, ...rest } = statementSchema.properties;
const { opening_balance_usd, topups_usd, charges_usd, adjustments_usd, closing_balance_usd, cost_usd } = rest;
const SUMS = {
  opening_balance_usd,
  topups_usd,
  charges_usd,
  adjustments_usd,
  closing_balance_usd,
  cost_usd,
};
type MonthSum = keyof typeof SUMS;
const SUM_NAMES = [
  "opening_balance_usd",
  "topups_usd",
  "charges_usd",
  "adjustments_usd",
  "closing_balance_usd",
  "cost_usd",
] as const satisfies readonly MonthSum[];

export const monthSchema = Type.Object({
  month: text,
  first_month: Type.String({ description: "The month in which the oldest of these accounts was made." }),
  data: Type.Array(
    Type.Object({ account_id, account, external_id: allowNull(text), time_zone, state, ...SUMS }),
  ),
  total: Type.Object(SUMS),
});
export type MonthView = View<typeof monthSchema>;

/**
 * Returns the statements' sums of a month, by the accounts' names. Accounts that were made later are left out. Throws the
 * Fault `invalid_value` for a month that hasn't begun.
 */
export async function getMonth(parts: StatementParts, month: string, scope: Scope): Promise<MonthView> {
  const { store, clock, dayRules } = parts;
  const { timeZone } = dayRules();
  const now = computeMonth(clock.nowMs(), timeZone);
  if (!MONTH.test(month) || month > now) {
    throw invalidValue("month", "expected a month that has begun, such as 2026-11");
  }
  const { toMs } = findStatementMonth(month, timeZone);
  const rows: MonthView["data"][number][] = [];
  let first = now;
  const find = (page: Parameters<typeof store.accounts>[0]) => store.accounts(page, { scope });
  for await (const accounts of readPages(find, ACCOUNTS_AT_ONCE)) {
    for (const { createdAtMs } of accounts) {
      const made = computeMonth(createdAtMs, timeZone);
      if (made < first) first = made;
    }
    const there = accounts.filter(({ createdAtMs }) => createdAtMs < toMs);
    const made = await Promise.all(there.map((one) => makeRow(parts, one, month, scope)));
    rows.push(...made.filter((row) => row !== null));
  }
  const data = rows.toSorted(
    (a, b) => a.account.localeCompare(b.account) || (a.account_id < b.account_id ? -1 : 1),
  );
  return { month, first_month: first, data, total: addUp(data) };
}

type MonthRow = MonthView["data"][number];

/** Null for a month that hasn't begun in the account's own zone, and for a closed account with nothing in it. */
async function makeRow(
  parts: StatementParts,
  of: Account,
  month: string,
  scope: Scope,
): Promise<MonthRow | null> {
  const timeZone = of.timeZone ?? parts.dayRules().timeZone;
  if (month > computeMonth(parts.clock.nowMs(), timeZone)) return null;
  const { lines: _, ...sums } = await getStatement(parts, of.id, month, scope);
  const isEmpty = SUM_NAMES.every((name) => sums[name] === 0);
  if (isEmpty && findAccountState(of) === "closed") return null;
  return {
    account_id: of.id,
    account: of.name,
    external_id: of.externalId,
    time_zone: sums.time_zone,
    state: sums.state,
    ...pickSums((name) => sums[name]),
  };
}

/** In whole nano-dollars, so that what is shown adds up. */
function addUp(rows: readonly MonthRow[]): MonthView["total"] {
  return pickSums((name) => toUsd(rows.reduce((sum, row) => sum + toNearestNanoUsd(row[name]), 0)));
}

function pickSums(read: (name: MonthSum) => number): MonthView["total"] {
  return {
    opening_balance_usd: read("opening_balance_usd"),
    topups_usd: read("topups_usd"),
    charges_usd: read("charges_usd"),
    adjustments_usd: read("adjustments_usd"),
    closing_balance_usd: read("closing_balance_usd"),
    cost_usd: read("cost_usd"),
  };
}

const ABOUT = ["month", "account", "account_id", "external_id", "time_zone", "state"];

/** Amounts have the same decimals in every line. There is no line of totals, which a program would count twice. */
export function formatMonth({ month, data }: MonthView): string {
  const lines = data.map((row) => [
    month,
    row.account,
    row.account_id,
    row.external_id,
    row.time_zone,
    row.state,
    ...SUM_NAMES.map((name) => Number(row[name]).toFixed(DECIMALS)),
  ]);
  return [[...ABOUT, ...SUM_NAMES], ...lines].map(formatCsvLine).join("");
}
