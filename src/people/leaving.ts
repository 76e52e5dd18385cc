// People who leave: they are looked up at the issuer while they have a session or keys, and both end with them.
import type { Changes } from "../core/changes.ts";
import { type EventData, type EventType, makeEvent, type OutboxEvent } from "../core/events.ts";
import type { GatewayKey } from "../core/key.ts";
import type { Page } from "../core/page.ts";
import type { Member } from "../core/people.ts";
import { readPages } from "../core/read-pages.ts";
import type { SignInRules } from "../core/sign-in.ts";
import type { KeyFilter, RecordedStore } from "../core/store.ts";
import { admit, type Identity, readIdentity } from "./claims.ts";
import { IssuerSilent, PersonGone, SignInRefused, type Tokens } from "./issuer.ts";
import { keepOwnAccount } from "./own-account.ts";
import type { SignInParts as Parts } from "./sign-in.ts";
import { describeMember, findAccounts, openRefresh, sealRefresh } from "./sign-in.ts";

const MEMBERS_AT_ONCE = 50;
const KEYS_AT_ONCE = 100;
/** Longer than a look at the issuer takes, with all its deadlines. */
const LEASE_MS = 60_000;
/** The wait after an issuer didn't answer. */
const RETRY_MS = 60_000;
const WEEK_MS = 7 * 86_400_000;

/** Looks at everybody who is due, and stops as soon as the issuer doesn't answer. */
export async function recheckMembers(given: Parts): Promise<void> {
  const rules = given.rules();
  if (rules === undefined) return;
  const parts = { ...given, clock: findStoreClock(given) };
  for (;;) {
    const nowMs = parts.clock.nowMs();
    const dueMs = nowMs - findPeriod(rules);
    const due = await parts.store.people.dueMembers(dueMs, nowMs, MEMBERS_AT_ONCE);
    for (const member of due) {
      if (!(await recheckMember(parts, rules, member))) return;
    }
    if (due.length < MEMBERS_AT_ONCE) return;
  }
}

/** Everybody is due again after this time. */
function findPeriod({ members: { recheckMs, keysExpireMs } }: SignInRules): number {
  return Math.min(recheckMs, keysExpireMs);
}

/** Nodes whose own clocks differ agree on the end of a lease. */
function findStoreClock({ store, clock }: Pick<Parts, "store" | "clock">): Parts["clock"] {
  return { nowMs: () => clock.nowMs() + (store.clockAheadMs() ?? 0) };
}

/** Returns false if the issuer didn't answer. */
async function recheckMember(parts: Parts, rules: SignInRules, member: Member): Promise<boolean> {
  const { store, clock, recordAs } = parts;
  const nowMs = clock.nowMs();
  const [key] = await listKeys(store, member.id, 1);
  // Tokens end with the person who made them.
  const isHolder = key !== undefined || (await store.people.hasToken(member.id, nowMs));
  const isLive = isHolder || (await store.people.hasSession(member.id, nowMs));
  const isOurs = member.issuer === rules.issuer;
  if (!isLive || member.refreshSealed === null || !isOurs) {
    if (!(await note(parts, member, { checkedAtMs: nowMs }))) return true;
    // A node that stopped while it ended a person may have left keys.
    if (member.ruleGrants.length === 0) await endOwnKeys(parts, member.id);
    else if (isHolder) await expireKeys(parts, rules, member);
    return true;
  }
  // Only one node wins the row as it was read.
  const leased = await recordAs().changes.changeMember(member.id, (before) =>
    before?.leasedUntilMs === member.leasedUntilMs &&
    before.checkedAtMs === member.checkedAtMs &&
    before.refreshSealed === member.refreshSealed
      ? { ...before, leasedUntilMs: nowMs + LEASE_MS }
      : null,
  );
  if (leased === null) return true;
  const token = readRefresh(parts, member.refreshSealed);
  // A node that stopped in the middle may have left a token that is used up, which the issuer refuses.
  const wasInterrupted = member.leasedUntilMs !== 0;
  if (token !== null) return askIssuer(parts, rules, leased, { token, wasInterrupted });
  await note(parts, leased, { refreshSealed: null, ...checked(parts) });
  return true;
}

/** Null if it was sealed under another master key: it is as if the issuer had given none. */
function readRefresh({ vault, log }: Parts, sealed: string): string | null {
  try {
    return openRefresh(vault, sealed);
  } catch (error) {
    log({ event: "members_failed", level: "warn", cause: `a refresh token can't be opened (${error})` });
    return null;
  }
}

async function askIssuer(
  parts: Parts,
  rules: SignInRules,
  member: Member,
  { token, wasInterrupted }: { readonly token: string; readonly wasInterrupted: boolean },
): Promise<boolean> {
  let isKept = false;
  try {
    const tokens = await parts.issuer(rules).refresh(token, member.subject);
    if (!(await keepToken(parts, member, tokens))) return true;
    isKept = true;
    await applyClaims(parts, rules, member, tokens);
    return true;
  } catch (error) {
    if (error instanceof SignInRefused) await refusePerson(parts, member, error);
    else if (error instanceof PersonGone && !wasInterrupted) await endPerson(parts, member, "gone");
    else if (error instanceof PersonGone)
      await note(parts, member, { refreshSealed: null, ...checked(parts) });
    else {
      const mayHaveActed = !(error instanceof IssuerSilent) || error.mayHaveActed;
      const isDoubtful = !isKept && (wasInterrupted || mayHaveActed);
      return waitForIssuer(parts, rules, member, error, isDoubtful);
    }
    return true;
  }
}

/** Keys only end for good if no rule matches. A renamed account, or a list that was cut off, says nothing about that. */
const ENDING: ReadonlySet<string> = new Set(["no_rule", "domain"]);

async function refusePerson(parts: Parts, member: Member, { reason }: SignInRefused): Promise<void> {
  if (ENDING.has(reason)) return endPerson(parts, member, reason);
  const hadRole = member.ruleGrants.length > 0;
  const events = hadRole ? [makeMemberEvent(parts, member, "member.without_role", { reason })] : [];
  await note(parts, member, { ruleGrants: [], ...checked(parts) }, events);
}

/**
 * A token that replaces the one before is stored before anything else happens: it is the only one that works. Returns
 * false if another node asks now, or the person has signed in.
 */
async function keepToken(parts: Parts, member: Member, { refreshToken }: Tokens): Promise<boolean> {
  if (refreshToken === null) return true;
  return note(parts, member, { refreshSealed: sealRefresh(parts.vault, refreshToken) });
}

async function applyClaims(parts: Parts, rules: SignInRules, member: Member, tokens: Tokens): Promise<void> {
  const confirmed = await tokens.confirm();
  const identity = readIdentity(confirmed, rules);
  const seen = { seenAtMs: parts.clock.nowMs(), ...checked(parts) };
  // The issuer confirms the person, but says nothing about groups without an ID token.
  if (isSilentOnGroups(identity)) {
    await note(parts, member, seen);
    return;
  }
  const known = await findAccounts(parts, rules, member.id);
  const admission = admit(confirmed, identity, rules, known);
  if (!(await note(parts, member, { ...describeMember(identity, admission), ...seen }))) return;
  await keepOwnAccount({ ...parts, changes: parts.recordAs().changes }, admission, known.ownId);
}

function isSilentOnGroups({ groups }: Identity): boolean {
  return groups === null;
}

function checked({ clock }: Parts) {
  return { checkedAtMs: clock.nowMs(), leasedUntilMs: 0 };
}

/** An issuer that doesn't answer ends nobody. It is asked again in a minute, and about those first who were due before. */
async function waitForIssuer(
  parts: Parts,
  rules: SignInRules,
  member: Member,
  error: unknown,
  isTokenDoubtful: boolean,
): Promise<false> {
  const nowMs = parts.clock.nowMs();
  const periodMs = findPeriod(rules);
  await note(parts, member, {
    checkedAtMs: nowMs - periodMs + Math.min(periodMs, RETRY_MS),
    leasedUntilMs: isTokenDoubtful ? nowMs : 0,
  });
  const cause = error instanceof Error ? error.message : String(error);
  parts.log({ event: "issuer_silent", level: "warn", cause });
  return false;
}

function makeMemberEvent(
  { clock }: Parts,
  { id }: Member,
  type: Extract<EventType, `member.${string}`>,
  data: EventData,
): OutboxEvent {
  return makeEvent(type, id, { accountId: "", atMs: clock.nowMs(), data: { member_id: id, ...data } });
}

/** Events of keys by the time at which they were caused, of which there is one for a member. */
function makeKeyEvents(
  { clock }: Parts,
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
 * Writes the change with its events and returns true, unless the person has signed in since `member` was read (what is
 * found out with the token before says nothing about the one from then), or another node has begun to ask.
 */
async function note(
  { recordAs }: Parts,
  { id, seenAtMs, leasedUntilMs }: Member,
  change: Partial<Member>,
  events: readonly OutboxEvent[] = [],
): Promise<boolean> {
  const changed = await recordAs(undefined, events).changes.changeMember(id, (before) =>
    before?.anonymisedAtMs === null && before.seenAtMs === seenAtMs && before.leasedUntilMs === leasedUntilMs
      ? { ...before, ...change }
      : null,
  );
  return changed !== null;
}

/** Ends the person's sessions and personal keys, on all nodes. */
async function endPerson(parts: Parts, member: Member, reason: string): Promise<void> {
  const { store, recordAs } = parts;
  const events = [
    makeMemberEvent(parts, member, "member.left", { reason }),
    ...(await reportContacts(parts, member)),
  ];
  const { checkedAtMs, ...released } = checked(parts);
  const change = { ruleGrants: [], refreshSealed: null, checkedAtMs };
  if (!(await note(parts, member, change, events))) return;
  const sessions = await store.endSessionsOf(member.id);
  if (sessions > 0) {
    const target = { type: "session", id: member.id, name: "" } as const;
    await recordAs().note({ action: "session.ended", target, reason, after: { sessions } });
  }
  await endOwnKeys(parts, member.id);
  await note(parts, member, released);
}

/** Service keys stay, but somebody else has to look after those whose contact is the person's address. */
async function reportContacts(parts: Parts, member: Member): Promise<readonly OutboxEvent[]> {
  if (member.email === null) return [];
  const keys: GatewayKey[] = [];
  await eachKey(parts.store, { contact: member.email.toLowerCase() }, async (key) => keys.push(key));
  return makeKeyEvents(parts, member, "key.contact_gone", keys);
}

function listKeys(store: Pick<RecordedStore, "keys">, memberId: string, limit: number) {
  return store.keys({ limit, after: null }, { memberId, isRevoked: false, nowMs: 0 });
}

/** Revokes the keys of a person that the gateway found gone. */
function endOwnKeys({ store, clock, recordAs }: Parts, memberId: string): Promise<number> {
  return endKeys({ store, clock, changes: recordAs().changes }, memberId);
}

/** Ends the person's devices, revokes their keys, and returns how many of these. */
export async function endKeys(
  { store, clock, changes }: Pick<Parts, "store" | "clock"> & { readonly changes: Changes },
  memberId: string,
): Promise<number> {
  await store.devices.endDevicesOf(memberId, clock.nowMs());
  let ended = 0;
  for (;;) {
    const keys = await listKeys(store, memberId, KEYS_AT_ONCE);
    for (const { id } of keys) await changes.revokeKey(id, clock.nowMs());
    ended += keys.length;
    if (keys.length < KEYS_AT_ONCE) return ended;
  }
}

/** Calls `change` with each of these keys that isn't revoked. */
export async function eachKey(
  store: Pick<RecordedStore, "keys">,
  of: Pick<KeyFilter, "memberId" | "contact">,
  change: (key: GatewayKey) => Promise<unknown>,
): Promise<void> {
  const find = (page: Page) => store.keys(page, { ...of, isRevoked: false, nowMs: 0 });
  for await (const keys of readPages(find, KEYS_AT_ONCE)) for (const key of keys) await change(key);
}

/** Where nobody can ask the issuer, keys and tokens end some time after it last confirmed the person, who is warned a week before. */
async function expireKeys(
  parts: Parts,
  { members: { keysExpireMs } }: SignInRules,
  member: Member,
): Promise<void> {
  const nowMs = parts.clock.nowMs();
  const endMs = member.seenAtMs + keysExpireMs;
  const until = new Date(endMs).toISOString();
  if (endMs <= nowMs) {
    const expired = makeMemberEvent(parts, member, "member.keys_expired", { until });
    if (await note(parts, member, { ruleGrants: [] }, [expired])) await endOwnKeys(parts, member.id);
  } else if (endMs - WEEK_MS <= nowMs && (member.warnedAtMs ?? 0) <= member.seenAtMs) {
    const keys = await listKeys(parts.store, member.id, KEYS_AT_ONCE);
    const events = makeKeyEvents(parts, member, "key.expiring", keys, { until });
    await note(parts, member, { warnedAtMs: nowMs }, events);
  }
}
