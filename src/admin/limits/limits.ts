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
  readonly store: Pick<Store, "account">;
  readonly ledger: Pick<Ledger, "accountLimits">;
}

/** Adds its limits to the view of an account. System accounts have none. */
export async function addLimits<Shown extends { readonly id: string }>(
  { store, ledger }: LimitUseParts,
  view: Shown,
): Promise<Shown & { limits: LimitView[] }> {
  const account = await store.account(view.id);
  const limits = account === null ? [] : await ledger.accountLimits(account);
  return { ...view, limits: limits.map(limitView) };
}

export type LimitView = View<typeof limitSchema>;

export function limitView({ models, resetsAtMs, ...state }: LimitState): LimitView {
  return {
    ...state,
    ...(models ? { models: [...models] } : {}),
    resets_at: formatInstantOrNull(resetsAtMs),
  };
}
