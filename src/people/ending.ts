// The end of a person: their access ends at once, and their keys for good some time later.
import type { AuditFacts } from "../core/audit/audit-log.ts";
import type { Changes, MemberReach } from "../core/changes.ts";
import { type EventData, type EventType, makeEvent, type OutboxEvent } from "../core/events/events.ts";
import type { GatewayKey } from "../core/keys/key.ts";
import type { Act, Member } from "../core/people/people.ts";
import type { SignInRules } from "../core/people/sign-in.ts";
import type { Store } from "../core/store.ts";
import type { Clock } from "../core/world/world.ts";
import { findDoubt } from "./doubt.ts";
import type { SignInRefused } from "./issuer.ts";
import { eachKey, KEYS_AT_ONCE, listKeys, revokeAt } from "./personal-keys.ts";
import { describeStays } from "./stays.ts";

/** Puts on record what a sender changes, and does besides. */
export interface Recording {
  readonly changes: Changes;
  note(facts: AuditFacts): Promise<void>;
}

export interface EndingParts {
  readonly store: Store;
  readonly pepper: Uint8Array;
  /** Without an act, it is the gateway's own. The events are recorded with each change. */
  readonly recordAs: (act?: Act, events?: readonly OutboxEvent[]) => Recording;
  readonly clock: Pick<Clock, "nowMs">;
}

const WEEK_MS = 7 * 86_400_000;

const ENDING: ReadonlySet<string> = new Set(["no_rule", "domain"]);

/** True if it says that the person may not be here. A renamed account, or a list that was cut off, says nothing about that. */
export function isEnding({ reason }: SignInRefused): boolean {
  return ENDING.has(reason);
}

/**
 * Writes the change with its events and returns true, unless the person has signed in since `member` was read (what is
 * found out with the token before says nothing about the one from then), or another node has begun to ask.
 */
export async function recordEnding(
  { recordAs }: Pick<EndingParts, "recordAs">,
  { id, seenAtMs, leasedUntilMs }: Member,
  change: Partial<Member>,
  events: readonly OutboxEvent[] = [],
  isSame: (before: Member) => boolean = () => true,
  reach?: MemberReach,
): Promise<boolean> {
  const { changes } = recordAs(undefined, events);
  const changed = await changes.changeMember(
    id,
    (before) =>
      before?.anonymisedAtMs === null &&
      before.seenAtMs === seenAtMs &&
      before.leasedUntilMs === leasedUntilMs &&
      isSame(before)
        ? { ...before, ...change }
        : null,
    reach,
  );
  return changed !== null;
}

export function makeMemberEvent(
  { clock }: Pick<EndingParts, "clock">,
  { id }: Member,
  type: Extract<EventType, `member.${string}`>,
  data: EventData,
): OutboxEvent {
  return makeEvent(type, id, { accountId: "", atMs: clock.nowMs(), data: { member_id: id, ...data } });
}

/** Events of keys by the time at which they were caused, of which there is one for a member. */
function makeKeyEvents(
  { clock }: EndingParts,
  { id: member_id }: Member,
  type: "key.contact_gone" | "key.expiring",
  keys: readonly GatewayKey[],
  data: EventData = {},
): readonly OutboxEvent[] {
  const atMs = clock.nowMs();
  return keys.map(({ id: key_id, accountId, name }) =>
    makeEvent(type, key_id, { accountId, atMs, data: { key_id, name, member_id, ...data } }),
  );
}

/**
 * Ends the person's sessions and the agents that they signed in, on all nodes. Without grants, their keys and tokens are
 * refused from then on, but not revoked: an issuer also refuses the tokens of people who have only changed a password,
 * and they have everything back once they sign in.
 */
export async function endPerson(parts: EndingParts, member: Member, reason: string): Promise<void> {
  const { clock } = parts;
  const stays = await describeStays({ ...parts, nowMs: clock.nowMs() }, member);
  const events = [
    makeMemberEvent(parts, member, "member.left", { reason, ...stays }),
    ...(await reportContacts(parts, member)),
  ];
  const nowMs = clock.nowMs();
  // Rules that match nobody say nothing of the issuer: a group of the directory may give a role again.
  const refused = reason === "no_rule" ? {} : { refusedAtMs: nowMs };
  const left = { ruleGrants: [], refreshSealed: null, checkedAtMs: nowMs, doubt: undefined, ...refused };
  await endAccess(parts, member, left, events, { accessEndMs: nowMs, reason });
}

/** Writes the end with all that it reaches. Returns false if the person has signed in since, or another node asks. */
function endAccess(
  parts: EndingParts,
  member: Member,
  ended: Partial<Member>,
  events: readonly OutboxEvent[],
  reach: MemberReach,
): Promise<boolean> {
  return recordEnding(parts, member, { ...ended, leasedUntilMs: 0 }, events, undefined, reach);
}

/**
 * Returns what a yes about the person reaches: a doubt that lasted has ended sessions and agents, which mustn't work again as
 * keys and tokens do.
 */
export function endOverdue(member: Pick<Member, "doubt" | "seenAtMs"> | null, nowMs: number): MemberReach {
  const doubt = member && findDoubt(member);
  return doubt !== null && doubt.actsUntilMs <= nowMs ? { accessEndMs: nowMs, reason: "in_doubt" } : {};
}

/** Service keys stay, but somebody else has to look after those whose contact is the person's address. */
async function reportContacts(parts: EndingParts, member: Member): Promise<readonly OutboxEvent[]> {
  if (member.email === null) return [];
  const keys: GatewayKey[] = [];
  await eachKey(parts.store, { contact: member.email.toLowerCase() }, async (key) => keys.push(key));
  return makeKeyEvents(parts, member, "key.contact_gone", keys);
}

/**
 * Ends keys for good some time after the issuer last confirmed the person. Where nobody can ask the issuer, tokens end with
 * them, and the person is warned a week before.
 */
export async function expireKeys(
  parts: EndingParts,
  { members: { keysExpireMs } }: SignInRules,
  member: Member,
): Promise<void> {
  const nowMs = parts.clock.nowMs();
  const endMs = member.seenAtMs + keysExpireMs;
  const until = new Date(endMs).toISOString();
  if (endMs <= nowMs) {
    const hadRole = member.ruleGrants.length > 0;
    const events = hadRole ? [makeMemberEvent(parts, member, "member.keys_expired", { until })] : [];
    const ended = { ruleGrants: [], refreshSealed: null, doubt: undefined, refusedAtMs: nowMs };
    await endAccess(parts, member, ended, events, { accessEndMs: nowMs, changeKey: revokeAt(nowMs) });
  } else if (
    member.ruleGrants.length > 0 &&
    endMs - WEEK_MS <= nowMs &&
    (member.warnedAtMs ?? 0) <= member.seenAtMs
  ) {
    const keys = await listKeys(parts.store, member.id, KEYS_AT_ONCE);
    const events = makeKeyEvents(parts, member, "key.expiring", keys, { until });
    await recordEnding(parts, member, { warnedAtMs: nowMs }, events);
  }
}
