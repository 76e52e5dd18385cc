// `poundkey ledger rerate`: shows what a month's requests would have been charged at today's knowledge of prices, and with
// --apply adjusts the balances.
import { type AccountRerate, applyRerate, reviewRerate } from "../../admin/money/rerate.ts";
import { listFamilyUse, markRerated } from "../../catalogue/price-book.ts";
import { PriceHistory } from "../../catalogue/priced-at.ts";
import { formatPlainUsd, toUsd } from "../../core/money/money.ts";
import type { Store } from "../../core/store.ts";
import { type Call, formatCount, formatJson } from "../administration.ts";
import { UsageError } from "../arguments.ts";
import { ACCOUNT_NAMING, findId } from "../gateway/names.ts";

export const RERATE_FLAGS = { month: "value", account: "value", apply: "switch" } as const;

export async function rerateMonth({
  values,
  switches,
  isJson,
  io,
  open,
  ask,
  settings,
}: Call): Promise<void> {
  const month = values.get("month");
  if (month === undefined) throw new UsageError("rerate needs --month, such as --month 2026-11");
  const isApplied = switches.has("apply");
  const world = await open();
  const { timeZone } = settings.quota;
  const prices = new PriceHistory(settings);
  const parts = { store: world.store, nowMs: world.clock.nowMs(), prices, timeZone };
  const named = values.get("account");
  const accountId = named && (await findId(ask, ACCOUNT_NAMING, named));
  const reviews: AccountRerate[] = [];
  for await (const review of reviewRerate(parts, { month, accountId })) {
    if (isApplied && review.adjustNanoUsd !== 0) await applyRerate({ ...world, timeZone }, month, review);
    reviews.push(review);
    if (!isJson) io.out(formatReview(review, month, isApplied));
  }
  if (isApplied && accountId === undefined && reviews.length > 0)
    await markFamilies(world.store, prices, month);
  if (isJson) io.out(formatJson({ month, applied: isApplied, accounts: reviews.map(viewReview) }));
  else if (reviews.length === 0) io.out(`No request of ${month} was charged.`);
  else if (!isApplied) io.out("Nothing was changed: --apply makes the adjustments.");
}

/** Marks the models that were charged at the price of their family, so that the console no longer asks to re-rate them. */
async function markFamilies(
  store: Pick<Store, "setting" | "changeSetting">,
  prices: PriceHistory,
  month: string,
): Promise<void> {
  const used = listFamilyUse(await store.setting("price_history"));
  const priced = new Set(used.flatMap(({ model }) => (prices.has(model) ? [model] : [])));
  if (priced.size > 0) await store.changeSetting("price_history", (kept) => markRerated(kept, priced, month));
}

function formatReview(review: AccountRerate, month: string, isApplied: boolean): string {
  const { account, isClosed, requests, leftOut, models, earlierNanoUsd, adjustNanoUsd } = review;
  const about = `${account.name} (${account.id})`;
  if (isClosed) return `${about}: the statement of ${month} is closed, so nothing is re-rated`;
  const left = leftOut === 0 ? "" : `, ${leftOut} left out`;
  const earlier = earlierNanoUsd === 0 ? "" : ` after ${formatPlainUsd(earlierNanoUsd)} USD earlier`;
  const done = isApplied ? "adjusted by" : "to be adjusted by";
  const end =
    adjustNanoUsd === 0
      ? `nothing to adjust${earlier}`
      : `${done} ${formatPlainUsd(adjustNanoUsd)} USD${earlier}`;
  const lines = models.map(
    ({ model, requests: own, chargedNanoUsd, wouldNanoUsd }) =>
      `  ${model}: ${formatPlainUsd(chargedNanoUsd)} → ${formatPlainUsd(wouldNanoUsd)} USD (${formatCount(own, "request")})`,
  );
  return [`${about}: ${formatCount(requests, "charged request")}${left}; ${end}`, ...lines].join("\n");
}

function viewReview({ account, isClosed, requests, leftOut, models, ...sums }: AccountRerate) {
  return {
    account_id: account.id,
    account: account.name,
    closed: isClosed,
    requests,
    left_out: leftOut,
    earlier_usd: toUsd(sums.earlierNanoUsd),
    adjust_usd: toUsd(sums.adjustNanoUsd),
    models: models.map(({ model, requests: own, chargedNanoUsd, wouldNanoUsd }) => ({
      model,
      requests: own,
      charged_usd: toUsd(chargedNanoUsd),
      would_charge_usd: toUsd(wouldNanoUsd),
    })),
  };
}
