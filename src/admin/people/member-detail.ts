// One person as the admin routes show them, with their limits in each account and what is used of those.
import { Type } from "@sinclair/typebox";
import type { Member } from "../../core/people/people.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Access } from "../../people/access.ts";
import { listGrants } from "../../people/member.ts";
import { isPermitted } from "../../people/roles.ts";
import { limitsSchema, limitView } from "../limits/limits.ts";
import { text, type View } from "../schema.ts";
import { type MemberParts, memberSchema, noMember, showMember } from "./members.ts";

/** The limits of a person are shown in this many accounts at most. */
const ACCOUNTS_MAX = 20;
/** The personal keys that are looked at to find these. */
const KEYS_MAX = 100;

export const memberDetailSchema = Type.Object({
  ...memberSchema.properties,
  // One for each account in which the person uses keys and has limits of their own.
  limits: Type.Array(Type.Object({ account_id: text, limits: limitsSchema })),
});
export type MemberDetailView = View<typeof memberDetailSchema>;

interface DetailParts extends MemberParts {
  readonly ledger: Pick<Ledger, "memberLimits">;
}

/** People see themselves. Throws the Faults `not_permitted` and `not_found`. */
export async function getMember(parts: DetailParts, id: string, access: Access): Promise<MemberDetailView> {
  const isOwn = id === access.memberId;
  if (!isOwn) access.require("members.read");
  const scope = isOwn ? undefined : access.scope("members.read");
  const member = await parts.store.people.member(id, scope);
  if (member === null) throw noMember();
  const isSeen = (accountId: string) => isOwn || access.may("members.read", accountId);
  const ids = (await listAccounts(parts, member)).filter(isSeen).slice(0, ACCOUNTS_MAX);
  const limits = await Promise.all(
    ids.map(async (accountId) => ({
      account_id: accountId,
      limits: (await parts.ledger.memberLimits({ accountId, memberId: id })).map(limitView),
    })),
  );
  return {
    ...(await showMember(parts, member, scope)),
    limits: limits.filter((one) => one.limits.length > 0),
  };
}

/** Those that grants to use keys name, and those of the person's keys. */
async function listAccounts({ store, clock }: DetailParts, member: Member): Promise<readonly string[]> {
  const live = { memberId: member.id, isRevoked: false, nowMs: clock.nowMs() };
  const keys = await store.keys({ limit: KEYS_MAX, after: null }, live);
  const granted = listGrants(member, live.nowMs).filter((grant) => isPermitted([grant], "own.keys.write"));
  return [...new Set([...granted, ...keys].flatMap(({ accountId }) => accountId ?? []))];
}
