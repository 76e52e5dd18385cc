// Raises a member's limit without a request from the member. It is kept as a request that was granted at once.
import { Fault } from "../../core/faults/fault.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import { findMemberLimits } from "../../core/limits/member-limits.ts";
import type { LimitRequest } from "../../core/people/limit-request.ts";
import type { LimitRules } from "../../core/settings.ts";
import { mintId } from "../../keys/secret.ts";
import type { Access } from "../../people/access.ts";
import { readName } from "../input.ts";
import { beyondSenderEnd, findSenderEnd } from "../people/sender-rights.ts";
import type { ActingWorld } from "../world.ts";
import { refuseBeyondAccount, requireLimit } from "./asked-limit.ts";
import {
  type LimitRequestView,
  makeEvent,
  type NewLimitRequest,
  readAmount,
  readAsked,
  readUntil,
  viewLimitRequest,
} from "./limit-requests.ts";

/**
 * Adds to a limit that somebody else has as a member of the account. Throws the Faults `not_permitted`, `invalid_value`,
 * `missing_required_parameter` and `beyond_own_end`.
 */
export async function raiseLimit(
  parts: ActingWorld & { readonly limitRules: LimitRules },
  { member_id: memberId, account_id: accountId, ...given }: NewLimitRequest & { readonly member_id: string },
  access: Access,
): Promise<LimitRequestView> {
  const { store, changes, clock, random, limitRules } = parts;
  const account = await store.account(accountId, access.scope("accounts.read"));
  if (account === null) throw invalidValue("account_id", "this account doesn't exist");
  access.require("members.limit", accountId);
  if (access.personId === memberId) {
    const message = "This isn't permitted: nobody decides about their own limits.";
    throw new Fault("not_permitted", message, { param: "member_id" });
  }
  const member = await store.people.member(memberId, access.scope("members.read"));
  if (member === null) throw invalidValue("member_id", "there is no person with this id");
  const nowMs = clock.nowMs();
  const { rules } = (await store.people.memberTerms(memberId)) ?? { rules: [] };
  const limits = findMemberLimits(account, { rules, raises: [] }, limitRules, nowMs);
  const { asked, limit } = requireLimit(readAsked({ account_id: accountId, ...given }), limits);
  const amount = readAmount(asked, given.amount);
  refuseBeyondAccount(account, asked, limit + amount);
  const untilMs = readUntil(given.until, nowMs);
  const endMs = findSenderEnd(access, "decideLimitRequest", [accountId]);
  if (endMs !== null && untilMs > endMs) throw beyondSenderEnd("until", endMs);
  const { kind: deciderKind, id: deciderId, name } = access.actor;
  const decided = { state: "granted", decidedAtMs: nowMs, deciderKind, deciderId, note: null } as const;
  const request: LimitRequest = {
    id: mintId("lrq", random),
    accountId,
    memberId,
    reason: readName(given.reason, "reason"),
    createdAtMs: nowMs,
    ...asked,
    amount,
    untilMs,
    ...decided,
  };
  const event = makeEvent(mintId("evt", random), "limit_request.decided", request, nowMs, { granted: true });
  await changes.addLimitRequest({ request, event }, nowMs, () => {});
  const deciderName = access.memberId === null ? "" : name;
  return viewLimitRequest({ request, memberName: member.name, deciderName }, nowMs);
}
