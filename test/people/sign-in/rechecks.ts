// Rechecks by a clock that tests move, of people who are signed in at an issuer whose answers tests give.
import { makeRecordAs } from "../../../src/admin/audit/audit-trail.ts";
import { type OpenedStore, openStore } from "../../../src/app/start/open-store.ts";
import type { Tokens } from "../../../src/people/issuer.ts";
import { recheckMembers } from "../../../src/people/leaving.ts";
import type { SignInParts } from "../../../src/people/sign-in.ts";
import { sealRefresh } from "../../../src/people/signed-in.ts";
import { readSettings } from "../../harness/settings.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { makeMember } from "../samples.ts";
import { oidcYaml, RULES } from "./world.ts";

export const HOUR_MS = 3_600_000;
const NOON = Date.parse("2026-11-20T12:00:00Z");
const ISSUER = "https://login.example.com";

/** Another node, by its own clock and the time at which it reads who is due. */
interface Node {
  /** The milliseconds by which its clock is ahead of the store's. */
  readonly aheadMs?: number;
  /** Called between the lookup of those who are due and what is done about them. */
  readonly onDue?: () => Promise<void>;
  readonly rules?: string;
}

type Answer = (token: string) => Promise<Tokens>;

class Rechecks {
  nowMs = NOON;
  #opened: OpenedStore | null = null;

  async open(address = "sqlite::memory:"): Promise<void> {
    this.#opened = await openStore(address, Buffer.alloc(32, 5).toString("base64"));
  }

  close = (): Promise<void> => this.opened.store.close();

  get opened(): OpenedStore {
    if (this.#opened === null) throw new Error("the store isn't open");
    return this.#opened;
  }

  /** One person who is signed in, with a refresh token. */
  addMember = async (id: string, token = "first"): Promise<void> => {
    const { store, credentialVault } = this.opened;
    const { nowMs } = this;
    const refreshSealed = sealRefresh(credentialVault, token);
    const seen = { seenAtMs: nowMs, checkedAtMs: nowMs, createdAtMs: NOON, refreshSealed };
    const ruleGrants = [{ role: "admin", accountId: null }] as const;
    await unrecorded(store).changeMember(id, () => makeMember(id, { issuer: ISSUER, ruleGrants, ...seen }));
    const session = { digest: id, tokenDigest: "", tokenId: null, memberId: id, issuerSession: null };
    const from = { address: null, agent: null };
    await store.people.addSession({ ...session, ...from, expiresAtMs: nowMs + 12 * HOUR_MS }, nowMs);
  };

  /** Rechecks everybody who is due, with an issuer that answers like this. Returns the tokens that it was sent. */
  recheck = async (
    answer: Answer,
    { aheadMs = 0, onDue = async () => {}, rules = RULES }: Node = {},
  ): Promise<readonly string[]> => {
    const { store, world, credentialVault: vault } = this.opened;
    const dueMembers: SignInParts["store"]["people"]["dueMembers"] = async (...asked) => {
      const due = await store.people.dueMembers(...asked);
      await onDue();
      return due;
    };
    const people = { ...store.people, dueMembers };
    const sent: string[] = [];
    const unused = async () => {
      throw new Error("not part of a recheck");
    };
    const others = { readLogout: unused, offersRefresh: unused, findSignOut: unused };
    const rest = { begin: unused, finish: unused, ...others };
    const { signIn } = readSettings(
      `server: { public_url: "https://a.example" }\n${oidcYaml(ISSUER, rules)}`,
    );
    const refresh = (token: string) => {
      sent.push(token);
      return answer(token);
    };
    const parts: SignInParts = {
      recordAs: makeRecordAs(world),
      store: { ...store, people, clockAheadMs: () => -aheadMs },
      vault,
      log: () => {},
      pepper: world.pepper,
      random: world.random,
      rules: () => signIn,
      clock: { nowMs: () => this.nowMs + aheadMs },
      issuer: () => ({ ...rest, refresh }),
    };
    await recheckMembers(parts);
    return sent;
  };
}

export function createRechecks(): Rechecks {
  return new Rechecks();
}

/** The answer about somebody who is still there. */
export function here(subject: string): Tokens {
  return {
    refreshToken: "second",
    confirm: async () => ({ subject, claims: { groups: ["platform"] }, hasIdToken: true }),
  };
}
