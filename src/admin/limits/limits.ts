// The limits of a key or an account with their use, as `GET /v1/key` and the admin routes show them.
import { Type } from "@sinclair/typebox";
import { PERIODS } from "../../core/limits/budget.ts";
import { LIMIT_KINDS, LIMIT_SCOPES, type LimitState } from "../../core/limits/limit.ts";
import type { Store } from "../../core/store.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { formatInstantOrNull } from "../format.ts";
import { allowNull, allowWords, instant, text, type View } from "../schema.ts";

const amount = Type.Number({ minimum: 0 });
export const limitSchema = Type.Object({
  scope: allowWords(LIMIT_SCOPES),
  kind: allowWords(LIMIT_KINDS),
  per: Type.Optional(allowWords(PERIODS)),
  models: Type.Optional(Type.Array(text)),
  limit: amount,
  used: amount,
  reserved: amount,
  remaining: amount,
  resets_at: allowNull(instant),
});

/** Those that are set, with what was used of them. Amounts are USD for budgets, else requests or tokens. */
export const limitsSchema = Type.Array(limitSchema);

interface LimitUseParts {
  readonly store: Pick<Store, "key" | "account">;
  readonly ledger: Pick<Ledger, "limits" | "accountLimits">;
}

/** Adds its limits to the view of a key or an account. System accounts have none. */
export async function addLimits<Shown extends { readonly id: string }>(
  parts: LimitUseParts,
  scope: "key" | "account",
  view: Shown,
): Promise<Shown & { limits: LimitView[] }> {
  const limits =
    scope === "key" ? await findKeyLimits(parts, view.id) : await findAccountLimits(parts, view.id);
  return { ...view, limits: limits.map(limitView) };
}

async function findKeyLimits({ store, ledger }: LimitUseParts, id: string): Promise<readonly LimitState[]> {
  const key = await store.key(id);
  return key === null ? [] : ledger.limits(key);
}

async function findAccountLimits(
  { store, ledger }: LimitUseParts,
  id: string,
): Promise<readonly LimitState[]> {
  const account = await store.account(id);
  return account === null ? [] : ledger.accountLimits(account);
}

export type LimitView = View<typeof limitSchema>;

export function limitView({ models, resetsAtMs, ...state }: LimitState): LimitView {
  return {
    ...state,
    ...(models ? { models: [...models] } : {}),
    resets_at: formatInstantOrNull(resetsAtMs),
  };
}
