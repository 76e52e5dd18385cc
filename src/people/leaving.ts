// People who leave: they are looked up at the issuer while they have a session or keys, and both end with them.
import type { EventData } from "../core/events/events.ts";
import type { Doubt, Member } from "../core/people/people.ts";
import type { SignInRules } from "../core/people/sign-in.ts";
import { admitByRules, type Identity, readIdentity } from "./claims.ts";
import { findMatchingAgain, findObjectId } from "./directory/word.ts";
import { findDoubt, makeDoubt } from "./doubt.ts";
import { endOverdue, endPerson, expireKeys, isEnding, makeMemberEvent, recordEnding } from "./ending.ts";
import { IssuerSilent, PersonGone, SignInRefused, type Tokens } from "./issuer.ts";
import { tellBack, tellSilent } from "./outage.ts";
import { ensurePersonalAccount } from "./personal-account.ts";
import { listKeys } from "./personal-keys.ts";
import type { SignInParts as Parts } from "./sign-in.ts";
import { findAccounts } from "./sign-in.ts";
import { describeMember, openRefresh, sealRefresh } from "./signed-in.ts";

const MEMBERS_AT_ONCE = 50;
/** Longer than a look at the issuer takes, with all its deadlines. */
const LEASE_MS = 60_000;
/** The wait after an issuer gave no definite word. */
const RETRY_MS = 60_000;
/** The lease of somebody whose token was refused in doubt. It is over, so any node may ask. */
const REFUSED = 1;

/** Looks at everybody who is due, and stops as soon as the issuer doesn't answer. */
export async function recheckMembers(given: Parts): Promise<void> {
  const rules = given.rules();
  if (rules === undefined) return;
  const parts = { ...given, clock: findStoreClock(given) };
  let hasAnswered = false;
  for (;;) {
    const nowMs = parts.clock.nowMs();
    const dueMs = nowMs - findPeriod(rules);
    const due = await parts.store.people.dueMembers(dueMs, nowMs, MEMBERS_AT_ONCE);
    for (const member of due) {
      const outcome = await recheckMember(parts, rules, member);
      if (outcome === "silent") return;
      if (outcome === "answered" && !hasAnswered) await tellBack(parts, rules.issuer);
      hasAnswered ||= outcome === "answered";
    }
    if (due.length < MEMBERS_AT_ONCE) return;
  }
}

/** The result of a look at the issuer: `answered` after a definite word. */
type LookOutcome = "answered" | "silent" | "not asked";

/** Everybody is due again after this time. */
function findPeriod({ members: { recheckMs, keysExpireMs } }: SignInRules): number {
  return Math.min(recheckMs, keysExpireMs);
}

/** Nodes whose own clocks differ agree on the end of a lease. */
function findStoreClock({ store, clock }: Pick<Parts, "store" | "clock">): Parts["clock"] {
  return { nowMs: () => clock.nowMs() + (store.clockAheadMs() ?? 0) };
}

async function recheckMember(parts: Parts, rules: SignInRules, member: Member): Promise<LookOutcome> {
  const { store, clock, recordAs } = parts;
  const nowMs = clock.nowMs();
  const [key] = await listKeys(store, member.id, 1);
  const { hasSession, hasToken } = await store.people.holdings(member.id, nowMs);
  // Tokens end with the person who made them.
  const isHolder = key !== undefined || hasToken;
  const isLive = isHolder || hasSession;
  const isOurs = member.issuer === rules.issuer;
  if (!isLive || member.refreshSealed === null || !isOurs) {
    if (!(await recordEnding(parts, member, { checkedAtMs: nowMs }))) return "not asked";
    if (isHolder) await expireKeys(parts, rules, member);
    return "not asked";
  }
  // Only one node wins the row as it was read.
  const leased = await recordAs().changes.changeMember(member.id, (before) =>
    before?.leasedUntilMs === member.leasedUntilMs &&
    before.checkedAtMs === member.checkedAtMs &&
    before.refreshSealed === member.refreshSealed
      ? { ...before, leasedUntilMs: nowMs + LEASE_MS }
      : null,
  );
  if (leased === null) return "not asked";
  const token = readRefresh(parts, member.refreshSealed);
  // A node that stopped in the middle may have left a token that is used up, which the issuer refuses.
  const wasInterrupted = member.leasedUntilMs !== 0;
  const wasRefused = member.leasedUntilMs === REFUSED;
  if (token !== null) return askIssuer(parts, rules, leased, { token, wasInterrupted, wasRefused });
  await recordEnding(parts, leased, { refreshSealed: null, checkedAtMs: nowMs, leasedUntilMs: 0 });
  return "not asked";
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

/** A look at the issuer, and how the one before ended. */
interface IssuerLook {
  readonly token: string;
  /** True if that one may have used up the token. */
  readonly wasInterrupted: boolean;
  /** True if it was refused with the token in doubt. */
  readonly wasRefused: boolean;
}

async function askIssuer(
  parts: Parts,
  rules: SignInRules,
  member: Member,
  { token, wasInterrupted, wasRefused }: IssuerLook,
): Promise<LookOutcome> {
  let isKept = false;
  try {
    const tokens = await parts.issuer(rules).refresh(token, member.subject);
    if (!(await keepToken(parts, member, tokens))) return "answered";
    isKept = true;
    await applyClaims(parts, rules, member, tokens);
    return "answered";
  } catch (error) {
    if (error instanceof SignInRefused) await refusePerson(parts, member, error);
    else if (error instanceof PersonGone && !wasInterrupted) await endPerson(parts, member, "gone");
    else if (error instanceof PersonGone) await doubtPerson(parts, rules, member, wasRefused);
    else {
      const mayHaveActed = !(error instanceof IssuerSilent) || error.mayHaveActed;
      const isDoubtful = !isKept && (wasInterrupted || mayHaveActed);
      return waitForIssuer(parts, rules, member, error, isDoubtful);
    }
    return "answered";
  }
}

/**
 * The refused token may be one that an unanswered try has used up, which says nothing about the person. They have time to
 * sign in again, and are asked about until then, since a refusal may also pass.
 */
async function doubtPerson(
  parts: Parts,
  rules: SignInRules,
  member: Member,
  wasRefused: boolean,
): Promise<void> {
  const nowMs = parts.clock.nowMs();
  const doubt = keepDoubt(rules, member, nowMs);
  const events = wasRefused ? [] : [makeMemberEvent(parts, member, "member.in_doubt", describeDoubt(doubt))];
  const waitMs = doubt.keysUntilMs <= nowMs ? findPeriod(rules) : RETRY_MS;
  const change = { doubt, ...postpone(rules, nowMs, waitMs), leasedUntilMs: REFUSED };
  if (!(await recordEnding(parts, member, change, events))) return;
  if (member.seenAtMs + rules.members.keysExpireMs <= nowMs)
    await expireKeys(parts, rules, { ...member, ...change });
}

function describeDoubt({ actsUntilMs, keysUntilMs }: Doubt): EventData {
  const [sessions_end_at, keys_end_at] = [actsUntilMs, keysUntilMs].map((ms) => new Date(ms).toISOString());
  return { sessions_end_at, keys_end_at };
}

/** A doubt goes on from when it began. */
function keepDoubt(rules: SignInRules, member: Member, nowMs: number): Doubt {
  return makeDoubt(rules, findDoubt(member)?.sinceMs ?? nowMs);
}

/** Asks again after a while, and about those first who were due before. */
function postpone(rules: SignInRules, nowMs: number, waitMs: number): Pick<Member, "checkedAtMs"> {
  const periodMs = findPeriod(rules);
  return { checkedAtMs: nowMs - periodMs + Math.min(periodMs, waitMs) };
}

async function refusePerson(parts: Parts, member: Member, refused: SignInRefused): Promise<void> {
  const { reason } = refused;
  if (isEnding(refused)) return endPerson(parts, member, reason);
  const hadRole = member.ruleGrants.length > 0;
  const events = hadRole ? [makeMemberEvent(parts, member, "member.without_role", { reason })] : [];
  await recordEnding(
    parts,
    member,
    { ruleGrants: [], ...checked(parts), refusedAtMs: parts.clock.nowMs() },
    events,
  );
}

/**
 * A token that replaces the one before is stored before anything else happens: it is the only one that works. Returns
 * false if another node asks now, or the person has signed in.
 */
async function keepToken(parts: Parts, member: Member, { refreshToken }: Tokens): Promise<boolean> {
  if (refreshToken === null) return true;
  return recordEnding(parts, member, { refreshSealed: sealRefresh(parts.vault, refreshToken) });
}

async function applyClaims(parts: Parts, rules: SignInRules, member: Member, tokens: Tokens): Promise<void> {
  const confirmed = await tokens.confirm();
  const identity = readIdentity(confirmed, rules);
  const seen = { seenAtMs: parts.clock.nowMs(), ...checked(parts) };
  const reach = endOverdue(member, seen.seenAtMs);
  // The issuer confirms the person, but says nothing about groups without an ID token.
  if (isSilentOnGroups(identity)) {
    await recordEnding(parts, member, seen, [], undefined, reach);
    return;
  }
  const known = await findAccounts(parts, rules, member.id);
  const claimed = { groups: identity.groups, atMs: seen.seenAtMs };
  for (let now: Member | null = member; now !== null; now = await findMoved(parts, now)) {
    const { directoryTurn } = now;
    const isMatching = await findMatchingAgain(parts.store, rules, now, claimed);
    const admission = admitByRules(confirmed, identity, rules, known, isMatching);
    const change = { ...describeMember(identity, admission), objectId: findObjectId(confirmed), ...seen };
    const isSame = (before: Member) => before.directoryTurn === directoryTurn;
    if (!(await recordEnding(parts, member, change, [], isSame, reach))) continue;
    await ensurePersonalAccount(
      { ...parts, changes: parts.recordAs().changes },
      admission,
      known.personalAccountId,
    );
    return;
  }
}

/** Returns the person as the directory has changed them since. Null if it hasn't, or somebody else asks. */
async function findMoved(
  { store }: Parts,
  { id, directoryTurn, leasedUntilMs }: Member,
): Promise<Member | null> {
  const now = await store.people.member(id);
  return now?.directoryTurn === directoryTurn || now?.leasedUntilMs !== leasedUntilMs ? null : now;
}

function isSilentOnGroups({ groups }: Identity): boolean {
  return groups === null;
}

function checked({ clock }: Parts) {
  return { checkedAtMs: clock.nowMs(), leasedUntilMs: 0, doubt: undefined, refusedAtMs: undefined };
}

/** An issuer that doesn't answer puts everybody in doubt about whom it would be asked, and is asked again in a minute. */
async function waitForIssuer(
  parts: Parts,
  rules: SignInRules,
  member: Member,
  error: unknown,
  isTokenDoubtful: boolean,
): Promise<"silent"> {
  const nowMs = parts.clock.nowMs();
  await recordEnding(parts, member, {
    ...postpone(rules, nowMs, RETRY_MS),
    leasedUntilMs: isTokenDoubtful ? nowMs : 0,
    doubt: keepDoubt(rules, member, nowMs),
  });
  const begun = makeDoubt(rules, nowMs);
  const people = await parts.store.people.doubtDueMembers(rules.issuer, nowMs - findPeriod(rules), begun);
  await tellSilent(parts, rules.issuer, begun, people);
  const cause = error instanceof Error ? error.message : String(error);
  parts.log({ event: "issuer_silent", level: "warn", cause });
  return "silent";
}
