// Keys with what is left of their allowance, what they spent, and the use of their limits.
import { Type } from "@sinclair/typebox";
import type { GatewayKey } from "../../core/keys/key.ts";
import { toUsd } from "../../core/money/money.ts";
import type { Scope } from "../../core/people/people.ts";
import type { LedgerRules } from "../../ledger/allowance.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { computeDay, type DayRules, monthStartMs } from "../../ledger/limits/day.ts";
import { findAllowances } from "../../ledger/standing.ts";
import { formatInstantOrNull } from "../format.ts";
import { limitsSchema, limitView } from "../limits/limits.ts";
import { isUnsorted, type ListPage } from "../list.ts";
import { allowNull, instant, type View } from "../schema.ts";
import { allowanceSchema, allowanceView, spentSchema } from "./holder.ts";
import {
  type KeyListParts,
  type KeysQuery,
  keySchema,
  keyView,
  listKeyPage,
  listSortedKeys,
  noKey,
  requireKey,
} from "./keys.ts";

export const keyInUseSchema = Type.Object({
  ...keySchema.properties,
  allowance: allowanceSchema,
  spent_usd: spentSchema,
  last_used_at: allowNull(instant),
});
export type KeyInUseView = View<typeof keyInUseSchema>;

/** One key with the use of its limits. */
export const keyDetailSchema = Type.Object({ ...keyInUseSchema.properties, limits: limitsSchema });
export type KeyDetailView = View<typeof keyDetailSchema>;

export interface KeyParts extends KeyListParts {
  readonly ledger: Pick<Ledger, "allowances" | "limits" | "memberLimits" | "accountLimits">;
  readonly dayRules: () => DayRules;
}

/** The parts that a list needs. */
type UseParts = Omit<KeyParts, "ledger"> & { readonly ledger: Pick<Ledger, "allowances"> };

/** Returns the parts for a program without a gateway. */
export function makeUseParts(world: KeyListParts, rules: LedgerRules): UseParts {
  const ledger: UseParts["ledger"] = {
    allowances: (keys) => findAllowances({ ...world, rules: () => rules }, keys),
  };
  return { ...world, ledger, dayRules: () => rules.quota };
}

/** Returns a page of keys, newest first or as the query sorts them, with each key's remaining allowance, spending, and last use. */
export async function listKeysInUse(
  parts: UseParts,
  query: KeysQuery,
  scope?: Scope,
): Promise<ListPage<KeyInUseView>> {
  const { data, next } = await (isUnsorted(query)
    ? listKeyPage(parts, query, scope)
    : listSortedKeys(parts, query, { sinceMs: monthStartMs(parts.clock.nowMs(), parts.dayRules()) }, scope));
  return { data: await readKeyUses(parts, data), next };
}

/** Throws the Fault `not_found`. */
export async function getKey(parts: KeyParts, id: string, scope?: Scope): Promise<KeyDetailView> {
  const key = requireKey(id, await parts.store.key(id, scope));
  const [view] = await readKeyUses(parts, [key]);
  if (view) return { ...view, limits: (await parts.ledger.limits(key)).map(limitView) };
  throw noKey();
}

async function readKeyUses(parts: UseParts, keys: readonly GatewayKey[]): Promise<readonly KeyInUseView[]> {
  const { store, clock, ledger, dayRules } = parts;
  if (keys.length === 0) return [];
  const nowMs = clock.nowMs();
  const rules = dayRules();
  const uses = await store.keyUses(keys, computeDay(nowMs, rules).startMs, monthStartMs(nowMs, rules));
  const allowances = await ledger.allowances(keys);
  return keys.flatMap((key) => {
    const use = uses.find(({ keyId }) => keyId === key.id);
    const allowance = allowances.get(key.id);
    if (!use || !allowance) return [];
    const spent = {
      today: toUsd(use.sinceDayNanoUsd),
      month: toUsd(use.sinceMonthNanoUsd),
      total: toUsd(use.everNanoUsd),
    };
    return [
      {
        ...keyView(key, nowMs),
        allowance: allowanceView(allowance),
        spent_usd: spent,
        last_used_at: formatInstantOrNull(use.lastAtMs),
      },
    ];
  });
}
