// Keeps accounts apart that rules of the sign-in name: two of a name would mean neither, and its people would lose their role.
import { Fault } from "../../core/faults/fault.ts";
import type { SignInRules } from "../../core/people/sign-in.ts";
import { foldName } from "../../core/text/names.ts";
import type { AdminWorld } from "../world.ts";

const NAMES_AT_ONCE = 500;

interface RuleNameParts {
  readonly store: Pick<AdminWorld["store"], "people" | "account">;
  readonly signIn: Pick<SignInRules, "rules"> | undefined;
}

/**
 * Throws the Fault `name_in_use` if the name looks like that of another living account that a rule names, or is its id.
 * `ownId` is the account that gets the name. Null for a new one.
 */
export async function refuseRuleName(
  { store, signIn }: RuleNameParts,
  name: string,
  ownId: string | null,
): Promise<void> {
  const ruled = [...new Set((signIn?.rules ?? []).flatMap(({ accounts }) => accounts ?? []))];
  for (let at = 0; at < ruled.length; at += NAMES_AT_ONCE) {
    const named = await store.people.accountsNamed(ruled.slice(at, at + NAMES_AT_ONCE));
    const alike = named.filter((one) => one.id !== ownId && isAlike(name, one));
    for (const { id } of alike) {
      const account = await store.account(id);
      if (account === null || account.closedAtMs !== null) continue;
      const message = `Another account, ${id}, looks the same or has this id, and a rule of the sign-in gives roles in it. Choose another name.`;
      throw new Fault("name_in_use", message, { param: "name" });
    }
  }
}

function isAlike(given: string, { id, name }: { readonly id: string; readonly name: string }): boolean {
  return given.trim() === id || foldName(given) === foldName(name);
}
