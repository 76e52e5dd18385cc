// Somebody who signs in: which person it is, and which rules match by the directory.
import type { Changes } from "../../core/changes.ts";
import type { UserMatch } from "../../core/people/directory.ts";
import type { Store } from "../../core/store.ts";
import { admitByRules, type Identity } from "../claims.ts";
import { type ConfirmedSubject, SignInRefused } from "../issuer.ts";
import { findMemberId, makeMemberId } from "../member.ts";
import { hasHighRole, isDomainAllowed, listRuleGroups } from "./deciding.ts";
import { claimUser, type DirectoryContext, linkUser } from "./user-changes.ts";
import { findDirectoryUser, findMatching, findObjectId } from "./word.ts";

interface SignerParts {
  readonly store: Pick<Store, "directory" | "people">;
  readonly changes: Pick<Changes, "changeUser">;
  readonly pepper: Uint8Array;
}

interface Signer {
  readonly id: string;
  /** Undefined if the claims alone decide. */
  readonly isMatching: Awaited<ReturnType<typeof findMatching>> | undefined;
  /** The person's turn when the directory was read. Undefined for people who aren't in it. */
  readonly directoryTurn: number | undefined;
}

/** Throws a `SignInRefused` if the directory says that the person isn't active. */
export async function findSigner(
  parts: SignerParts,
  context: DirectoryContext,
  confirmed: ConfirmedSubject,
  identity: Identity,
): Promise<Signer> {
  const { rules, nowMs } = context;
  const { store } = parts;
  const known = await findMemberId(parts, rules, confirmed.subject);
  const before = await findDirectoryUser(store, rules, known, confirmed, identity);
  if (before === null) {
    return {
      id: known,
      isMatching: undefined,
      directoryTurn: (await store.people.member(known))?.directoryTurn,
    };
  }
  if (!before.user.isActive) throw refuseDeactivated();
  const claimed = { groups: identity.groups, atMs: nowMs };
  if (!before.user.isLinked && !(await link(parts, context, { before, known, confirmed, identity }))) {
    return { id: known, isMatching: undefined, directoryTurn: undefined };
  }
  const id = await findMemberId(parts, rules, confirmed.subject);
  const { directoryTurn } = (await store.people.member(id)) ?? {};
  const match = await findDirectoryUser(store, rules, id, confirmed, identity);
  const isMatching =
    match === null || !isDomainAllowed(match.user, rules)
      ? undefined
      : await findMatching(store, rules, match.groupIds, claimed);
  return { id, isMatching, directoryTurn };
}

export function refuseDeactivated(): SignInRefused {
  const message = "Your company's directory says that your account isn't active, so you aren't let in.";
  return new SignInRefused("person", "deactivated", message);
}

interface Meeting {
  readonly before: UserMatch;
  /** The id of the person with this subject. */
  readonly known: string;
  readonly confirmed: ConfirmedSubject;
  readonly identity: Identity;
}

/** Links a user to the person who signs in. False if it may not be this person. */
async function link(
  { store, changes }: SignerParts,
  context: DirectoryContext,
  { before: { user, groupIds }, known, confirmed, identity }: Meeting,
): Promise<boolean> {
  const { rules, nowMs, accountsOf, pepper } = context;
  const isByAddress = user.externalId !== (findObjectId(confirmed) ?? confirmed.subject);
  if (isByAddress) {
    const isMatching = await findMatching(store, rules, groupIds, { groups: identity.groups, atMs: nowMs });
    // An address may pass to somebody else, who would have the role as well.
    if (hasHighRole(admitByRules(confirmed, identity, rules, accountsOf(known), isMatching))) return false;
  }
  const claim = claimUser(context, user.id, null, listRuleGroups(rules));
  const subjectId = makeMemberId(rules.issuer, confirmed.subject, pepper);
  const of = { ...claim, people: { ...claim.people, ids: [known] } };
  const linked = await changes.changeUser(of, (rows) =>
    rows.user === null || rows.user.isLinked ? null : linkUser(context, rows, { memberId: known, subjectId }),
  );
  return linked !== null;
}
