// Warnings about a key that is valid but may not do what its maker expects.
import { Type } from "@sinclair/typebox";
import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { Account, GatewayKey } from "../../core/keys/key.ts";
import { resolveAllowance } from "../../core/keys/key-limits.ts";
import { SELECTORS } from "../../core/models/selector.ts";
import type { Settings } from "../../core/settings.ts";
import type { Store } from "../../core/store.ts";
import { matchesAny, NO_MODELS } from "../../core/text/pattern.ts";
import type { Clock } from "../../core/world/world.ts";
import { listLimitOwners } from "../../ledger/limits/limit-owners.ts";
import { limitsSchema } from "../limits/limits.ts";
import { text, type View } from "../schema.ts";
import { createdKeySchema, keySchema } from "./keys.ts";
import { keyDetailSchema } from "./keys-in-use.ts";

const warnings = Type.Optional(
  Type.Array(text, {
    description:
      "What may not be intended, such as a model that nobody serves here, or spending that nothing bounds.",
  }),
);
export const checkedKeySchema = Type.Object({ ...keySchema.properties, limits: limitsSchema, warnings });
export const checkedNewKeySchema = Type.Object({
  ...createdKeySchema.properties,
  limits: limitsSchema,
  warnings,
});
export type CheckedNewKeyView = View<typeof checkedNewKeySchema>;
export const checkedKeyDetailSchema = Type.Object({ ...keyDetailSchema.properties, warnings });
export type CheckedKeyDetailView = View<typeof checkedKeyDetailSchema>;

/** A key with the account that pays for its requests. */
interface PaidKey {
  readonly key: GatewayKey;
  readonly account: Account;
}

/** Returns a key with its account. Null if there is no such key. */
export async function findPaidKey(
  store: Pick<Store, "key" | "account">,
  id: string,
): Promise<PaidKey | null> {
  const key = await store.key(id);
  const account = key && (await store.account(key.accountId));
  return key && account && { key, account };
}

type SpendingRules = Pick<Settings, "quota" | "billing" | "ownerLimits">;

/** Returns a warning if nothing bounds a key's spending: no allowance, no hard budget, also of its account, no balance. */
export function warnOfNoBound(
  { key, account }: PaidKey,
  { quota, billing, ownerLimits }: SpendingRules,
  nowMs: number,
): readonly string[] {
  if (key.revokedAtMs !== null || billing.charge === "always") return [];
  if (resolveAllowance(key, account, quota) !== null) return [];
  const member = key.memberId === null ? null : { id: key.memberId, terms: null };
  const owners = listLimitOwners({ key, member, account, nowMs }, ownerLimits);
  if (owners.some(({ budgets }) => budgets.some(({ budget }) => budget.isHard))) return [];
  return ["Nothing bounds what this key may spend: it has neither a daily allowance nor a budget."];
}

/** The same for the key with this id. */
export async function warnOfNoBoundById(
  { store, clock }: { readonly store: Pick<Store, "key" | "account">; readonly clock: Pick<Clock, "nowMs"> },
  id: string,
  rules: SpendingRules,
): Promise<readonly string[]> {
  const paid = await findPaidKey(store, id);
  return paid === null ? [] : warnOfNoBound(paid, rules, clock.nowMs());
}

/** The most names to warn about. */
const WARNINGS_MAX = 20;

/** Adds the warnings to a key's view, if there are any. */
export function addWarnings<View extends object>(
  view: View,
  warnings: readonly string[],
): View & { warnings?: string[] } {
  return warnings.length === 0 ? view : { ...view, warnings: [...warnings] };
}

/** Returns a warning for each id or pattern that names no model of the catalogue. */
export function warnOfModels(models: readonly string[], catalogue: Catalogue): readonly string[] {
  const ids = [...SELECTORS.map((name) => `Router#${name}`), ...catalogue.list().map(({ id }) => id)];
  const found: string[] = [];
  for (const model of new Set(models)) {
    const isServed = model === "*" || model === NO_MODELS || ids.some((id) => matchesAny([model], id));
    const warning = isServed ? null : explainUnserved(model, catalogue);
    if (warning !== null) found.push(warning);
    // Each look-up of an unknown name compares it with all others.
    if (found.length === WARNINGS_MAX) break;
  }
  return found;
}

/** Returns a warning for each hook and each rule of the guard that a key names and that isn't configured. */
export function warnOfMissing(
  { hooks, guard }: Partial<Pick<GatewayKey, "hooks" | "guard">>,
  settings: Pick<Settings, "hooks" | "guard">,
): readonly string[] {
  return [
    ...warnMissing("hook", hooks, settings.hooks),
    ...warnMissing("rule of the guard", guard, settings.guard?.rules ?? []),
  ];
}

function warnMissing(
  what: string,
  names: readonly string[] | null | undefined,
  configured: readonly { readonly name: string }[],
): readonly string[] {
  const missing = (names ?? []).filter((name) => !configured.some((one) => one.name === name));
  return missing.map(
    (name) => `No ${what} here is called '${name}': the key's requests are refused until one is.`,
  );
}

/** Any name stands for the models that a provider accepts without listing them. Null if they include the pattern's. */
function explainUnserved(model: string, catalogue: Catalogue): string | null {
  const found = catalogue.resolve(model.replaceAll("*", "x"));
  if (found.kind !== "unknown") return null;
  const near = found.nearest.map((id) => `'${id}'`).join(" or ");
  return `No model here is called '${model}'.${near === "" ? "" : ` Did you mean ${near}?`}`;
}
