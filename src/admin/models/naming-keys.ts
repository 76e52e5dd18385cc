// The keys whose list of models names a model by its id.
import type { GatewayKey } from "../../core/keys/key.ts";
import type { Scope } from "../../core/people/people.ts";
import type { Store } from "../../core/store.ts";

/** Enough to know whom to ask. */
const KEYS_MAX = 100;

interface NamingParts {
  readonly store: Pick<Store, "keys">;
  readonly nowMs: number;
}

/** Returns at most 100 of those that aren't revoked. A pattern names no single model. */
export async function listNamingKeys(
  { store, nowMs }: NamingParts,
  model: string,
  scope?: Scope,
): Promise<readonly GatewayKey[]> {
  const filter = { nowMs, isRevoked: false, modelsText: JSON.stringify(model).toLowerCase(), scope };
  const found = await store.keys({ limit: KEYS_MAX, after: null }, filter);
  return found.filter(({ allowedModels }) => namesModel(allowedModels ?? [], model));
}

/** True if an entry is the model's id, in whatever case. */
export function namesModel(entries: readonly string[], model: string): boolean {
  const id = model.toLowerCase();
  return entries.some((entry) => entry.toLowerCase() === id);
}
