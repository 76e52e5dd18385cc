// The parts of signing in with the company's identity provider, whose client is loaded when somebody first does.
import { makeRecordAs } from "../../admin/audit/audit-trail.ts";
import type { SignInRules } from "../../core/people/sign-in.ts";
import { writeDuration } from "../../core/text/duration.ts";
import type { Log } from "../../core/world/world.ts";
import { endRoles } from "../../people/ended-roles.ts";
import type { Issuer } from "../../people/issuer.ts";
import { recheckMembers } from "../../people/leaving.ts";
import type { SignInParts } from "../../people/sign-in.ts";
import type { LiveConfiguration } from "../start/live-configuration.ts";
import type { OpenedStore } from "../start/open-store.ts";
import { clock } from "../world.ts";

/** People are looked for at most this often, and at least four times in `members.recheck`. */
const LOOK_MS = 60_000;

export function createSignInParts(
  { store, world, credentialVault }: OpenedStore,
  live: LiveConfiguration,
  log: Log,
): SignInParts {
  return {
    store,
    recordAs: makeRecordAs(world),
    clock,
    log,
    pepper: world.pepper,
    random: world.random,
    vault: credentialVault,
    rules: () => live.settings.signIn,
    issuer: keepIssuer(),
  };
}

/** Returns a function that keeps the issuer, with what it has learned of it, until other rules are loaded. */
function keepIssuer(): (rules: SignInRules) => Issuer {
  let kept: { readonly rules: SignInRules; readonly issuer: Issuer } | null = null;
  return (rules) => {
    if (kept?.rules !== rules) kept = { rules, issuer: loadIssuer(rules) };
    return kept.issuer;
  };
}

/** The client's libraries take 20 ms to load, which only a sign-in should wait for. */
function loadIssuer(rules: SignInRules): Issuer {
  let loading: Promise<Issuer> | null = null;
  const load = (): Promise<Issuer> => {
    loading ??= import("./oidc-client.ts").then(({ createIssuer }) => createIssuer(rules, clock));
    return loading;
  };
  return {
    begin: async () => (await load()).begin(),
    finish: async (query, attempt) => (await load()).finish(query, attempt),
    refresh: async (token, subject) => (await load()).refresh(token, subject),
    readLogout: async (token) => (await load()).readLogout(token),
    offersRefresh: async () => (await load()).offersRefresh(),
    findSignOut: async () => (await load()).findSignOut(),
  };
}

/** Asks the issuer for its addresses, and returns a sentence on how leavers are noticed. Rejects if it doesn't answer. */
export async function probeIssuer(rules: SignInRules): Promise<string> {
  const { recheckMs, keysExpireMs } = rules.members;
  const host = new URL(rules.issuer).host;
  const offers = await loadIssuer(rules).offersRefresh();
  const check = writeDuration(recheckMs);
  return offers
    ? `${host} answered, and offers refresh tokens: leavers are noticed within ${check}`
    : `${host} answered, and offers no refresh tokens: people sign in again after ${check}, and their keys end ${writeDuration(keysExpireMs)} after the last time`;
}

interface PeopleTasks {
  /** Looks for people who left. */
  recheck(): Promise<void>;
  /** Takes back the roles whose time has ended. */
  endRoles(): Promise<void>;
}

/** Returns the regular tasks on people. They may be called at any time. */
export function createRecheck(parts: SignInParts): PeopleTasks {
  let lastMs = 0;
  return {
    async endRoles() {
      if (parts.rules() !== undefined) await endRoles(parts);
    },
    async recheck() {
      const rules = parts.rules();
      const nowMs = clock.nowMs();
      if (rules === undefined) return;
      const { recheckMs, keysExpireMs } = rules.members;
      if (nowMs - lastMs < Math.min(LOOK_MS, recheckMs / 4, keysExpireMs / 4)) return;
      lastMs = nowMs;
      await recheckMembers(parts);
    },
  };
}
