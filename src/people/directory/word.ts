// The directory's word about somebody who signs in, or about whom the issuer is asked.
import type { UserMatch } from "../../core/people/directory.ts";
import type { Member } from "../../core/people/people.ts";
import type { SignInRules } from "../../core/people/sign-in.ts";
import type { Store } from "../../core/store.ts";
import type { Identity, matchClaims } from "../claims.ts";
import type { ConfirmedSubject } from "../issuer.ts";
import { listRuleGroups, matchDirectory } from "./deciding.ts";

/** True if a rule's group counts for somebody. */
type IsMatching = ReturnType<typeof matchClaims>;

/** Returns the id that the issuer's directory has for the person, which some issuers name besides the subject. */
export function findObjectId({ claims: { oid } }: Pick<ConfirmedSubject, "claims">): string | undefined {
  return typeof oid === "string" && oid !== "" && oid.length <= 200 ? oid : undefined;
}

/** Returns the one user of the directory who somebody is. Null if there is none. */
export async function findDirectoryUser(
  store: Pick<Store, "directory">,
  rules: SignInRules,
  memberId: string,
  confirmed: ConfirmedSubject,
  { email }: Pick<Identity, "email">,
): Promise<UserMatch | null> {
  if (rules.directory === undefined) return null;
  const [match, another] = await store.directory.usersOf({
    memberId,
    externalIds: [findObjectId(confirmed) ?? confirmed.subject],
    email: rules.directory.linksByEmail ? email : null,
  });
  if (match === undefined || another !== undefined) return null;
  const { memberId: linked, isLinked } = match.user;
  return isLinked && linked !== memberId ? null : match;
}

/** Returns which rules match somebody by the directory and these claims. */
export async function findMatching(
  store: Pick<Store, "directory">,
  rules: SignInRules,
  groupIds: ReadonlySet<string>,
  claimed: { readonly groups: readonly string[] | null; readonly atMs: number },
): Promise<IsMatching> {
  const groups = await store.directory.groupsNamed(listRuleGroups(rules));
  return matchDirectory({ groups, groupIds }, { groups: claimed.groups ?? [], atMs: claimed.atMs });
}

/** The same for a person whom the issuer confirms again. Undefined if the claims alone decide. */
export async function findMatchingAgain(
  store: Pick<Store, "directory">,
  rules: SignInRules,
  { id, directoryTurn }: Pick<Member, "id" | "directoryTurn">,
  claimed: { readonly groups: readonly string[] | null; readonly atMs: number },
): Promise<IsMatching | undefined> {
  if (rules.directory === undefined || directoryTurn === undefined) return undefined;
  const [match] = await store.directory.usersOf({ memberId: id, externalIds: [], email: null });
  return match && findMatching(store, rules, match.groupIds, claimed);
}
