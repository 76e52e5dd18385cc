// People of a directory who sign in, at an issuer whose claims a test gives.
import { makeRecordAs } from "../../../src/admin/audit/audit-trail.ts";
import type { DirectoryParts } from "../../../src/admin/people/directory.ts";
import { type OpenedStore, openStore } from "../../../src/app/start/open-store.ts";
import type { Member } from "../../../src/core/people/people.ts";
import type { SignInRules } from "../../../src/core/people/sign-in.ts";
import { digestSession } from "../../../src/keys/secret.ts";
import type { Claims, Issuer, Tokens } from "../../../src/people/issuer.ts";
import { recheckMembers } from "../../../src/people/leaving.ts";
import { findPerson } from "../../../src/people/member.ts";
import { completeAttempt, type SignInParts, startAttempt } from "../../../src/people/sign-in.ts";
import { makeNode } from "./node.ts";

export interface Company {
  readonly opened: OpenedStore;
  /** A test may change them. */
  rules: SignInRules;
  readonly node: ReturnType<typeof makeNode>;
  /** Signs somebody in with these claims. Returns the session's secret. `onConfirm` is called before they are read. */
  signIn(claims: Claims, onConfirm?: () => Promise<void>): Promise<string>;
  /** Returns the person of a session, or null if it gives nothing. */
  whoIs(secret: string): Promise<Member | null>;
  /** Asks the issuer about everybody who is due, who answers with these claims or throws. */
  recheck(answer: () => Claims): Promise<void>;
  /** Moves its clock ahead. */
  later(ms: number): void;
  close(): Promise<void>;
}

function makeTokens(claims: Claims, onConfirm = async () => {}): Tokens {
  return {
    refreshToken: "refresh",
    async confirm() {
      await onConfirm();
      return { subject: String(claims.sub), claims, hasIdToken: true };
    },
  };
}

function makeIssuer(finish: () => Tokens): Issuer {
  return {
    begin: async () => {
      const state = crypto.randomUUID();
      return { attempt: { state, nonce: "n", verifier: "v" }, url: "https://issuer.example" };
    },
    finish: async () => finish(),
    refresh: async () => finish(),
    readLogout: async () => ({}),
    offersRefresh: async () => true,
    findSignOut: async () => null,
  };
}

/** On a store in memory, unless there is one. */
export async function openCompany(rules: SignInRules, shared?: OpenedStore): Promise<Company> {
  const opened = shared ?? (await openStore("sqlite::memory:", Buffer.alloc(32, 5).toString("base64")));
  const { store, world, credentialVault: vault } = opened;
  let aheadMs = 0;
  const clock = { nowMs: () => Date.now() + aheadMs };
  const makeParts = (issuer: Issuer): SignInParts => ({
    store,
    recordAs: makeRecordAs({ ...world, clock }),
    clock,
    log: () => {},
    pepper: world.pepper,
    random: world.random,
    vault,
    rules: () => company.rules,
    issuer: () => issuer,
  });
  const parts: DirectoryParts = { ...world, clock, log: () => {}, rules: () => company.rules };
  const company: Company = {
    opened,
    rules,
    node: makeNode(store, () => company.rules, clock.nowMs, parts),
    async signIn(claims, onConfirm) {
      const signing = makeParts(makeIssuer(() => makeTokens(claims, onConfirm)));
      const { value } = await startAttempt(signing, company.rules, "/");
      const { state } = JSON.parse(vault.open(value, "sign-in attempt"));
      const from = { address: "", agent: "", route: "", requestId: "" };
      const arrival = { query: `state=${state}`, kept: value, from };
      return (await completeAttempt(signing, company.rules, arrival)).secret;
    },
    async whoIs(secret) {
      const session = await store.people.session(digestSession(secret, world.pepper));
      if (session === null) return null;
      const access = await findPerson({ store, clock }, session, company.rules);
      return access === null ? null : store.people.member(session.memberId ?? "");
    },
    async recheck(answer) {
      aheadMs += company.rules.members.recheckMs + 1000;
      await recheckMembers(makeParts(makeIssuer(() => makeTokens(answer()))));
    },
    later(ms) {
      aheadMs += ms;
    },
    close: () => store.close(),
  };
  return company;
}
