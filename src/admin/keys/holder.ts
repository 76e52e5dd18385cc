// A key as its holder sees it: the allowance and its reset, limits, and spending.
import { Type } from "@sinclair/typebox";
import { Fault } from "../../core/faults/fault.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import { toUsd } from "../../core/money/money.ts";
import type { QuotaRules } from "../../core/settings.ts";
import type { Store } from "../../core/store.ts";
import { resolveKeyTools, type ToolRights } from "../../core/tools/rights.ts";
import type { Clock } from "../../core/world/world.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { computeDay, monthStartMs } from "../../ledger/limits/day.ts";
import type { Allowance } from "../../ledger/standing.ts";
import { formatInstant, formatInstantOrNull } from "../format.ts";
import { limitsSchema, limitView } from "../limits/limits.ts";
import { allowNull, boolean, count, instant, text, usd, type View } from "../schema.ts";

export const allowanceSchema = Type.Object({
  limit: allowNull(count),
  used: count,
  remaining: allowNull(count),
  resets_at: instant,
  next_slot_at: allowNull(instant),
  paid_by_balance: boolean,
});

export const spentSchema = Type.Object({ today: usd, month: usd, total: usd });

/** The body of `GET /v1/key`. */
export const holderSchema = Type.Object({
  id: text,
  name: text,
  account_id: text,
  last4: text,
  allowance: allowanceSchema,
  balance_usd: usd,
  spend_limit_usd: allowNull(usd),
  spent_usd: spentSchema,
  cost_usd: spentSchema,
  limits: limitsSchema,
  allowed_models: allowNull(Type.Array(text)),
  allowed_tools: allowNull(Type.Array(text)),
  expires_at: allowNull(instant),
  paused: boolean,
});
export type HolderView = View<typeof holderSchema>;

export function allowanceView(allowance: Allowance): View<typeof allowanceSchema> {
  const { limit, used, remaining, resetsAtMs, nextSlotAtMs, paidByBalance } = allowance;
  return {
    limit,
    used,
    remaining,
    resets_at: formatInstant(resetsAtMs),
    next_slot_at: formatInstantOrNull(nextSlotAtMs),
    paid_by_balance: paidByBalance,
  };
}

interface HolderParts {
  readonly store: Pick<Store, "account" | "spentSince">;
  readonly ledger: Pick<Ledger, "allowance" | "limits">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly quota: () => QuotaRules;
  readonly tools: () => Pick<ToolRights, "keyDefault">;
}

/** Throws the Fault `store_unavailable`. */
export async function holderView(parts: HolderParts, key: GatewayKey): Promise<HolderView> {
  const { store, ledger, clock, quota, tools } = parts;
  const nowMs = clock.nowMs();
  const rules = quota();
  const today = await store.spentSince(key, computeDay(nowMs, rules).startMs);
  const month = await store.spentSince(key, monthStartMs(nowMs, rules));
  const total = await store.spentSince(key, 0);
  const sum = (of: "chargedNanoUsd" | "costNanoUsd") => ({
    today: toUsd(today[of]),
    month: toUsd(month[of]),
    total: toUsd(total[of]),
  });
  const account = await store.account(key.accountId);
  if (account === null) throw new Fault("not_found", "The key's account does not exist.");
  const allowance = await ledger.allowance(key);
  return {
    id: key.id,
    name: key.name,
    account_id: key.accountId,
    last4: key.last4,
    allowance: allowanceView(allowance),
    balance_usd: toUsd(account.balanceNanoUsd),
    spend_limit_usd: key.spendLimitNanoUsd === null ? null : toUsd(key.spendLimitNanoUsd),
    spent_usd: sum("chargedNanoUsd"),
    cost_usd: sum("costNanoUsd"),
    limits: (await ledger.limits(key)).map(limitView),
    allowed_models: key.allowedModels,
    allowed_tools: resolveKeyTools(key, tools()),
    expires_at: formatInstantOrNull(key.expiresAtMs),
    paused: key.isPaused,
  };
}
