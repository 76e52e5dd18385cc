// Ends a person's access for good, and erases who it was, also where a killed node left off.
import type { GatewayKey } from "../../core/keys/key.ts";
import type { KeyChange } from "../../core/keys/key-change.ts";
import { GATEWAY, type Member } from "../../core/people/people.ts";
import type { KeyFilter } from "../../core/store.ts";
import type { Page } from "../../core/world/page.ts";
import { readPages } from "../../core/world/read-pages.ts";
import { adminAccess, COMMAND_LINE } from "../../people/access.ts";
import { revokeAt } from "../../people/personal-keys.ts";
import { actAs, changeForgetting } from "../audit/audit-trail.ts";
import type { ActingWorld, AdminWorld } from "../world.ts";
import { type MemberParts, type MemberView, noMember, showMember } from "./members.ts";
import { refuseSelfChange } from "./sender-rights.ts";

const KEYS_AT_ONCE = 100;
const PEOPLE_AT_ONCE = 50;

const ERASED = {
  name: "",
  subject: "",
  objectId: undefined,
  directoryTurn: undefined,
  refreshSealed: null,
  ruleLimits: null,
  groups: [],
} as const;
const ENDED = {
  ruleGrants: [],
  ownGrants: [],
  ownUntilMs: null,
  readsContent: false,
  isDisabled: true,
} as const;

/**
 * Ends the person's access in one transaction, and erases who it was. Their usage and acts stay, under an id that says nothing.
 * May be repeated. Throws the Faults `not_found` and `own_grants`.
 */
export async function anonymiseMember(
  parts: MemberParts & ActingWorld,
  id: string,
  access = adminAccess(COMMAND_LINE),
): Promise<MemberView> {
  refuseSelfChange(access, id);
  const forgotten = await forget(parts, id);
  await markErased(parts, [forgotten]);
  const member = await parts.store.people.member(id);
  if (member === null) throw noMember();
  return showMember(parts, member);
}

/** Finishes what was interrupted, as when a node is killed in the middle, or when somebody read an older state of the store. */
export async function finishErasings(world: AdminWorld): Promise<void> {
  const parts = actAs(world, GATEWAY);
  for (;;) {
    const people = await world.store.people.unerased(PEOPLE_AT_ONCE);
    const forgotten: Member[] = [];
    for (const { id } of people) forgotten.push(await forget(parts, id));
    const isErased = await markErased(parts, forgotten);
    if (!isErased || people.length < PEOPLE_AT_ONCE) return;
  }
}

/** The e-mail address goes last: by it, a call that was interrupted can be repeated. */
async function forget(parts: ActingWorld, id: string): Promise<Member> {
  const { store, changes, clock } = parts;
  const nowMs = clock.nowMs();
  const reach = { accessEndMs: nowMs, changeKey: revokeAt(nowMs) };
  const member = await changes.changeMember(
    id,
    (before) => before && { ...before, ...ERASED, ...ENDED, anonymisedAtMs: before.anonymisedAtMs ?? nowMs },
    reach,
  );
  if (member === null) throw noMember();
  await forgetInKeys(parts, member);
  await store.limitRequests.forgetTexts(id);
  await store.people.erase(member);
  await changes.changeMember(id, (before) => before && { ...before, email: null });
  return member;
}

/** Returns false if something of them may still be left in the store's files. */
async function markErased(
  { store, changes, clock }: ActingWorld,
  forgotten: readonly Member[],
): Promise<boolean> {
  if (forgotten.length === 0) return true;
  const isErased = await store.people.dropErased();
  for (const { id } of forgotten)
    await changes.changeMember(id, (before) => {
      const erasedAtMs = isErased ? (before?.erasedAtMs ?? clock.nowMs()) : undefined;
      return before === null || before.erasedAtMs === erasedAtMs ? null : { ...before, erasedAtMs };
    });
  return isErased;
}

/** Personal keys keep nothing that the person chose as a name, and service keys don't name the person as their contact. */
async function forgetInKeys(parts: ActingWorld, { id, email }: Pick<Member, "id" | "email">): Promise<void> {
  const { store, act } = parts;
  const { changeKey } = changeForgetting(parts, act);
  const each = async (of: KeyFilter, makeChange: (key: GatewayKey) => KeyChange) => {
    const find = (page: Page) => store.keys(page, of);
    for await (const keys of readPages(find, KEYS_AT_ONCE))
      for (const key of keys) await changeKey(key.id, makeChange(key));
  };
  const texts = { contact: null, notes: null, allowedAddresses: null };
  await each({ memberId: id, nowMs: 0 }, (key) => ({ ...texts, name: key.id }));
  if (email !== null) await each({ contact: email.toLowerCase(), nowMs: 0 }, () => ({ contact: null }));
}
