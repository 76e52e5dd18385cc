// The operator's order to forget what was used of a key's budgets, for example after a wrong price.
import { type Static, Type } from "@sinclair/typebox";
import { Fault } from "../core/fault.ts";
import { mintId } from "../keys/secret.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { adminAccess, COMMAND_LINE } from "../people/access.ts";
import { checkReset } from "./key-rights.ts";
import { requireKey } from "./keys.ts";
import { getKey, type KeyDetailView, type KeyParts } from "./keys-in-use.ts";
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
  access = adminAccess(COMMAND_LINE),
): Promise<KeyDetailView> {
  const key = requireKey(keyId, await parts.store.key(keyId, access.scope("keys.read")));
  const { accountId } = key;
  const account = await parts.store.account(accountId);
  if (account === null) throw new Fault("not_found", "The key's account does not exist.");
  checkReset({ access }, key, account);
  const id = mintId("evt", parts.random);
  await parts.ledger.resetBudgets({ id, accountId, keyId, by: access.actor.id, reason });
  return getKey(parts, keyId, access.scope("keys.read"));
}
