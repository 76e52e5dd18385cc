// A sign-in with the company's identity provider, from the first redirect to the session.
import { asObject, parseJson } from "../core/json/json.ts";
import type { Act, Member } from "../core/people/people.ts";
import type { SignInRules } from "../core/people/sign-in.ts";
import type { Store } from "../core/store.ts";
import type { Log, Random, Vault } from "../core/world/world.ts";
import { digestSecret, digestSession, mintSessionSecret } from "../keys/secret.ts";
import { type Admission, admitByRules, type KnownAccounts, readIdentity } from "./claims.ts";
import { findSigner } from "./directory/signer.ts";
import { type EndingParts, endPerson, isEnding } from "./ending.ts";
import { type Attempt, type ConfirmedSubject, type Issuer, SignInRefused } from "./issuer.ts";
import { ensurePersonalAccount, findPersonalAccountId } from "./personal-account.ts";
import { keepMember, refuseState, type SignedInPerson } from "./signed-in.ts";
import { findMemberState, isLetIn } from "./state.ts";

/** The time for one attempt, on the issuer's pages. */
export const ATTEMPT_MS = 10 * 60_000;
export const PERSON_SESSION_MS = 12 * 3_600_000;
const ATTEMPT_USE = "sign-in attempt";
const NAME_DIGITS = 12;
const ACCOUNTS_AT_ONCE = 500;

export interface SignInParts extends EndingParts {
  readonly random: Random;
  readonly vault: Pick<Vault, "seal" | "open">;
  readonly log: Log;
  /** Undefined while people can't sign in. */
  readonly rules: () => SignInRules | undefined;
  readonly issuer: (rules: SignInRules) => Issuer;
}

/** An attempt that the browser keeps from the start to the callback, in a cookie that is named after the state. */
interface StartedAttempt {
  /** The issuer's page to go to. */
  readonly url: string;
  readonly state: string;
  readonly value: string;
}

/** Returns the issuer's page to go to, and what the browser has to keep for the way back. */
export async function startAttempt(
  { issuer, vault, clock }: Pick<SignInParts, "issuer" | "vault" | "clock">,
  rules: SignInRules,
  returnTo: string,
): Promise<StartedAttempt> {
  const { attempt, url } = await issuer(rules).begin();
  const kept = { ...attempt, returnTo, untilMs: clock.nowMs() + ATTEMPT_MS };
  const value = vault.seal(JSON.stringify(kept), ATTEMPT_USE);
  return { url, state: attempt.state, value };
}

/** Two tabs may sign in at once, so each attempt has a cookie of its own. */
export function nameAttempt(state: string): string {
  const digest = new Bun.CryptoHasher("sha256").update(state).digest("hex");
  return `poundkey_attempt_${digest.slice(0, NAME_DIGITS)}`;
}

interface SignedIn {
  /** The session's secret. */
  readonly secret: string;
  readonly returnTo: string;
}

/** Somebody who comes back from the issuer. */
interface IssuerReturn {
  /** The callback's. */
  readonly query: string;
  /** The value of the attempt's cookie. Null if there is none. */
  readonly kept: string | null;
  readonly from: Omit<Act, "actor">;
}

/**
 * Ends an attempt with a session. Throws a `SignInRefused` or an `IssuerSilent`; then nothing is stored of the person.
 */
export async function completeAttempt(
  parts: SignInParts,
  rules: SignInRules,
  { query, kept, from }: IssuerReturn,
): Promise<SignedIn> {
  const { returnTo, attempt } = await openAttempt(parts, query, kept);
  const tokens = await parts.issuer(rules).finish(query, attempt);
  const confirmed = await tokens.confirm();
  const identity = readIdentity(confirmed, rules);
  const { member, recording } = await admitPerson(parts, rules, { tokens, confirmed, identity, from });
  const secret = await startSession(parts, member, confirmed, from);
  await recording.note({ action: "session.started", target: { type: "session", id: "", name: "" } });
  return { secret, returnTo };
}

interface ArrivedPerson extends SignedInPerson {
  readonly from: IssuerReturn["from"];
}

/** Applies the rules to the person, again if the directory changes them meanwhile. */
async function admitPerson(parts: SignInParts, rules: SignInRules, person: ArrivedPerson) {
  const { confirmed, identity, from } = person;
  const { pepper, clock } = parts;
  const { ids } = await findAccounts(parts, rules, "");
  const accountsOf = (id: string) => ({ ids, personalAccountId: findPersonalAccountId(id, rules, pepper) });
  for (;;) {
    const context = { rules, pepper, nowMs: clock.nowMs(), accountsOf };
    const linking = { ...parts, changes: parts.recordAs().changes };
    const signer = await findSigner(linking, context, confirmed, identity);
    const { id, isMatching } = signer;
    const known = accountsOf(id);
    const admission = await admitOrEnd(parts, id, () =>
      admitByRules(confirmed, identity, rules, known, isMatching),
    );
    const recording = parts.recordAs({ ...from, actor: { kind: "person", id, name: identity.name } });
    const member = await keepMember(parts, recording, rules, { ...person, ...signer, admission });
    if (member === null) continue;
    await ensurePersonalAccount({ ...parts, changes: recording.changes }, admission, known.personalAccountId);
    return { member, recording };
  }
}

/** A refusal by the rules ends what the person has, as if the gateway had asked the issuer itself. */
async function admitOrEnd(parts: SignInParts, id: string, decide: () => Admission): Promise<Admission> {
  try {
    return decide();
  } catch (error) {
    if (error instanceof SignInRefused && isEnding(error)) {
      const member = await parts.store.people.member(id);
      if (member !== null && member.ruleGrants.length > 0) await endPerson(parts, member, error.reason);
    }
    throw error;
  }
}

/** Returns the attempt to which the callback belongs. It may be used once, over all nodes. */
async function openAttempt(
  { vault, store, clock, pepper }: SignInParts,
  query: string,
  kept: string | null,
): Promise<{ readonly attempt: Attempt; readonly returnTo: string }> {
  const opened = kept === null ? null : readAttempt(vault, kept);
  const nowMs = clock.nowMs();
  if (opened === null || opened.untilMs <= nowMs) {
    const message =
      "This sign-in was not started in this browser, or more than ten minutes ago. Please start again.";
    throw new SignInRefused("attempt", "no_attempt", message);
  }
  const { state, returnTo, untilMs } = opened;
  if (new URLSearchParams(query).get("state") !== state) {
    throw new SignInRefused("attempt", "state", "The answer belongs to another sign-in. Please start again.");
  }
  const isFirst = await store.people.useOnce(digestSecret(`attempt ${state}`, pepper), untilMs, nowMs);
  if (!isFirst) {
    const message = "This sign-in was already used once. Please start again.";
    throw new SignInRefused("attempt", "used_state", message);
  }
  return { attempt: opened, returnTo };
}

function readAttempt(vault: SignInParts["vault"], sealed: string) {
  try {
    const { state, nonce, verifier, returnTo, untilMs } = asObject(
      parseJson(vault.open(sealed, ATTEMPT_USE)),
    );
    return {
      state: String(state),
      nonce: String(nonce),
      verifier: String(verifier),
      returnTo: String(returnTo),
      untilMs: Number(untilMs),
    };
  } catch {
    return null;
  }
}

/** Returns the accounts that the rules may give this person. */
export async function findAccounts(
  { store, log, pepper }: Pick<SignInParts, "store" | "log" | "pepper">,
  rules: SignInRules,
  memberId: string,
): Promise<KnownAccounts> {
  const named = await listAccountIds(store, rules);
  tellAmbiguous(log, rules, named);
  const ids = new Map<string, string>();
  for (const [name, [id, another]] of named) if (id !== undefined && another === undefined) ids.set(name, id);
  return { ids, personalAccountId: findPersonalAccountId(memberId, rules, pepper) };
}

/** The ambiguous names of each configuration that the log has a line of. */
const told = new WeakMap<SignInRules, Set<string>>();

function tellAmbiguous(log: Log, rules: SignInRules, named: ReadonlyMap<string, readonly string[]>): void {
  const known = told.getOrInsertComputed(rules, () => new Set());
  for (const [account, ids] of named) {
    if (ids.length < 2 || known.has(account)) continue;
    known.add(account);
    log({ event: "sign_in_rule_ambiguous", level: "warn", account, account_ids: ids });
  }
}

/** Returns the ids of the accounts that the rules name, by the name used there. Several accounts may have one name, but an id is one's own. */
async function listAccountIds(
  store: Pick<Store, "people">,
  { rules }: SignInRules,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const named = [...new Set(rules.flatMap(({ accounts }) => accounts ?? []))];
  const found = new Map<string, readonly string[]>();
  for (let at = 0; at < named.length; at += ACCOUNTS_AT_ONCE) {
    const some = named.slice(at, at + ACCOUNTS_AT_ONCE);
    const accounts = await store.people.accountsNamed(some);
    for (const given of some) {
      const byId = accounts.filter(({ id }) => id === given);
      const meant = byId.length > 0 ? byId : accounts.filter(({ name }) => name === given);
      found.set(
        given,
        meant.map(({ id }) => id),
      );
    }
  }
  return found;
}

async function startSession(
  { store, clock, pepper, random, log }: SignInParts,
  { id: memberId }: Member,
  { claims: { sid } }: ConfirmedSubject,
  { address, agent }: Pick<Act, "address" | "agent">,
): Promise<string> {
  const secret = mintSessionSecret(random);
  const nowMs = clock.nowMs();
  const session = {
    digest: digestSession(secret, pepper),
    // Versions that know no people compare it with the admin token's digest, and refuse.
    tokenDigest: "",
    expiresAtMs: nowMs + PERSON_SESSION_MS,
    tokenId: null,
    memberId,
    issuerSession: typeof sid === "string" ? sid : null,
    address,
    agent,
  };
  await store.people.addSession(session, nowMs);
  // An end at the same moment may have come before the session, and ended those that were there.
  const now = await store.people.member(memberId);
  if (now === null || !isLetIn(now)) {
    await store.people.endSession(session.digest);
    throw refuseState(now === null ? "disabled" : findMemberState(now));
  }
  log({ event: "session.started", member_id: memberId });
  return secret;
}
