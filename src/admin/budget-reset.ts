// The operator's order to forget what was used of a key's budgets, for example after a wrong price.
import { type Static, Type } from "@sinclair/typebox";
import { Fault } from "../core/fault.ts";
import { mintId } from "../keys/secret.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { adminAccess, COMMAND_LINE } from "../people/access.ts";
import { makeEntry } from "./audit-trail.ts";
import { checkReset } from "./key-rights.ts";
import { requireKey } from "./keys.ts";
import { getKey, type KeyDetailView, type KeyParts } from "./keys-in-use.ts";
import { closeObject } from "./schema.ts";
import type { ActingWorld } from "./world.ts";

const REASON_CHARACTERS_MAX = 500;

export const budgetResetSchema = closeObject({
  reason: Type.String({ minLength: 1, maxLength: REASON_CHARACTERS_MAX }),
});

export interface ResetParts extends KeyParts, Pick<ActingWorld, "random"> {
  readonly ledger: KeyParts["ledger"] & Pick<Ledger, "resetBudgets">;
}

/** The reason and the amounts stay on record. Throws the Fault `not_found`. */
export async function resetKeyBudgets(
  parts: ResetParts & Pick<ActingWorld, "act">,
  keyId: string,
  { reason }: Static<typeof budgetResetSchema>,
  access = adminAccess(COMMAND_LINE),
): Promise<KeyDetailView> {
  const key = requireKey(keyId, await parts.store.key(keyId, access.scope("keys.read")));
  const { accountId, name } = key;
  const account = await parts.store.account(accountId);
  if (account === null) throw new Fault("not_found", "The key's account does not exist.");
  checkReset({ access }, key, account);
  const id = mintId("evt", parts.random);
  const entry = makeEntry(parts, parts.act, {
    ...{ action: "budget.reset", target: { type: "key", id: keyId, name }, accountId },
    after: { reason },
  });
  await parts.ledger.resetBudgets({ id, accountId, keyId, by: access.actor.id, reason, entry });
  return getKey(parts, keyId, access.scope("keys.read"));
}
