// The operator's order to forget what was used of a key's budgets, for example after a wrong price.
import { type Static, Type } from "@sinclair/typebox";
import { mintId } from "../keys/secret.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { getKey, type KeyDetailView, type KeyParts, requireKey } from "./keys.ts";
import { closeObject } from "./schema.ts";
import type { AdminWorld } from "./world.ts";

const REASON_CHARACTERS_MAX = 500;

export const budgetResetSchema = closeObject({
  reason: Type.String({ minLength: 1, maxLength: REASON_CHARACTERS_MAX }),
});

export interface ResetParts extends KeyParts, Pick<AdminWorld, "random"> {
  readonly ledger: KeyParts["ledger"] & Pick<Ledger, "resetBudgets">;
}

/** The reason and the amounts stay on record. Throws the Fault `not_found`. */
export async function resetKeyBudgets(
  parts: ResetParts,
  keyId: string,
  { reason }: Static<typeof budgetResetSchema>,
): Promise<KeyDetailView> {
  const { accountId } = requireKey(keyId, await parts.store.key(keyId));
  const id = mintId("evt", parts.random);
  await parts.ledger.resetBudgets({ id, accountId, keyId, by: "admin", reason });
  return getKey(parts, keyId);
}
