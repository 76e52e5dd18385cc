// The ends of a person and of an account, on a store where both have everything that can end.
import { makeRecordAs } from "../../../src/admin/audit/audit-trail.ts";
import { closeAccount } from "../../../src/admin/money/closing.ts";
import { anonymiseMember } from "../../../src/admin/people/anonymising.ts";
import { createUser, deleteUser, patchUser } from "../../../src/admin/people/directory.ts";
import { changeMember } from "../../../src/admin/people/members.ts";
import type { OpenedStore } from "../../../src/app/start/open-store.ts";
import { ACCOUNT_DEFAULTS } from "../../../src/core/keys/key.ts";
import { digestUserCode, pollDevice, startDevice } from "../../../src/people/devices.ts";
import { PersonGone } from "../../../src/people/issuer.ts";
import { recheckMembers } from "../../../src/people/leaving.ts";
import { sealRefresh } from "../../../src/people/signed-in.ts";
import { makeKey } from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { makeNode, makeRule, makeRules } from "../directory/node.ts";

export const MASTER_KEY = Buffer.alloc(32, 7).toString("base64");
export const TEAM = "acct_team";
/** Long and rare, so that no other bytes are like it. */
export const EMAIL = "zwiebelfisch.quark@a.example";
const HOUR_MS = 3_600_000;
const RULES = makeRules([makeRule("*")], {
  agents: { tokenMs: HOUR_MS, reauthenticateMs: 100 * HOUR_MS, policies: [] },
});

/** Returns the use-cases of a node on the store, as the directory's token. */
export function makeActing({ store, world }: OpenedStore) {
  return makeNode(store, () => RULES, Date.now, { pepper: world.pepper });
}

async function findUser({ store }: OpenedStore) {
  const { rows } = await store.directory.users({}, { offset: 0, limit: 1 });
  const [user] = rows;
  if (user === undefined) throw new Error("there is no user");
  return user;
}

/** One person with a session, two keys, an agent and a user of the directory, and a team's account with a key and a content. */
export async function fill(opened: OpenedStore): Promise<void> {
  const { store, credentialVault } = opened;
  const changes = unrecorded(store);
  await changes.addAccount({ ...ACCOUNT_DEFAULTS, id: TEAM, name: "Team", createdAtMs: 1 });
  const emails = [{ value: EMAIL, type: "work", primary: true }];
  const user = { userName: EMAIL, displayName: EMAIL, externalId: EMAIL, emails };
  const { memberId } = await createUser(makeActing(opened), user);
  const atMs = Date.now() - 2 * HOUR_MS;
  const seen = {
    name: EMAIL,
    email: EMAIL,
    subject: EMAIL,
    seenAtMs: atMs,
    checkedAtMs: atMs,
    refreshSealed: sealRefresh(credentialVault, "a token"),
    ruleGrants: [{ role: "member", accountId: "default" }] as const,
  };
  await changes.changeMember(memberId, (before) => before && { ...before, ...seen });
  const own = { memberId, name: `of ${EMAIL}`, contact: EMAIL };
  await changes.addKey(makeKey("key_agents", own), "digest of the agents' key");
  await changes.addKey(makeKey("key_own", { ...own, isPaused: true, pausedBy: ["operator"] }), "digest");
  for (const id of ["key_a", "key_b"]) {
    await changes.addKey(makeKey(id, { accountId: TEAM }), `digest of ${id}`);
    await store.addContent({ accountId: TEAM, id: `content of ${id}`, atMs, sealed: "s" });
  }
  const session = { tokenDigest: "", tokenId: null, issuerSession: null, address: null, agent: null };
  await store.people.addSession(
    { ...session, digest: "session", memberId, expiresAtMs: atMs + 100 * HOUR_MS },
    atMs,
  );
  await addAgent(opened, memberId);
}

async function addAgent({ store, world, credentialVault: vault }: OpenedStore, memberId: string) {
  const parts = { ...world, store, vault, clock: { nowMs: Date.now }, log: () => {} };
  const begun = await startDevice(parts, { agent: "an agent", address: "192.0.2.1" });
  const owner = { memberId, accountId: "default", keyId: "key_agents" };
  const approve = (before: Parameters<Parameters<typeof store.devices.stepCode>[2]>[0]) => ({
    code: before && { ...before, state: "approved" as const, ...owner },
  });
  await store.devices.stepCode("user", digestUserCode(begun?.userCode ?? "", world.pepper), approve, 10);
  await pollDevice(parts, RULES, begun?.deviceCode ?? "");
}

/** Each end as its own door makes it. */
export const ENDS: Readonly<Record<string, (opened: OpenedStore) => Promise<unknown>>> = {
  "gone at the issuer": (opened) => recheck(opened, 0),
  "deactivated by the directory": async (opened) =>
    patchUser(makeActing(opened), (await findUser(opened)).id, {
      Operations: [{ op: "replace", value: { active: false } }],
    }),
  "deleted by the directory": async (opened) => deleteUser(makeActing(opened), (await findUser(opened)).id),
  "disabled by an admin": async (opened) =>
    changeMember({ ...makeActing(opened), ...MEMBER_PARTS }, (await findUser(opened)).memberId, {
      disabled: true,
    }),
  anonymised: async (opened) =>
    anonymiseMember({ ...makeActing(opened), ...MEMBER_PARTS }, (await findUser(opened)).memberId),
  "the account closed": (opened) => closeAccount(makeActing(opened), TEAM, {}),
};

const MEMBER_PARTS = { keysExpireMs: () => null, hasDirectory: () => true };

/** Asks an issuer at which the person is gone, so much later. */
export async function recheck(opened: OpenedStore, laterMs: number): Promise<void> {
  const { store, world, credentialVault: vault } = opened;
  const unused = async () => {
    throw new Error("not part of a recheck");
  };
  const issuer = {
    begin: unused,
    finish: unused,
    readLogout: unused,
    offersRefresh: unused,
    findSignOut: unused,
    refresh: async () => {
      throw new PersonGone("invalid_grant");
    },
  };
  const clock = { ...world.clock, nowMs: () => Date.now() + laterMs };
  const recordAs = makeRecordAs({ ...world, store });
  const parts = { ...world, store, vault, recordAs, clock, log: () => {} };
  await recheckMembers({ ...parts, rules: () => RULES, issuer: () => issuer });
}
