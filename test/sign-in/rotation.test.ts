// A refresh token that is replaced at each use is never lost: it is stored before anything else can fail.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { makeRecordAs } from "../../src/admin/audit-trail.ts";
import { type OpenedStore, openStore } from "../../src/app/open-store.ts";
import { IssuerSilent, PersonGone, type Tokens } from "../../src/people/issuer.ts";
import { recheckMembers } from "../../src/people/leaving.ts";
import { openRefresh, type SignInParts, sealRefresh } from "../../src/people/sign-in.ts";
import { makeKey } from "../samples.ts";
import { readSettings } from "../settings.ts";
import { oidcYaml, RULES } from "./world.ts";

const HOUR_MS = 3_600_000;
const NOON = Date.parse("2026-11-20T12:00:00Z");
const ISSUER = "https://login.example.com";

let opened: OpenedStore;
let nowMs = NOON;
beforeAll(async () => {
  opened = await openStore("sqlite::memory:", Buffer.alloc(32, 5).toString("base64"));
});
afterAll(() => opened.store.close());

/** One person who is signed in, with the first refresh token. */
async function addMember(id: string): Promise<void> {
  const { store, credentialVault } = opened;
  await store.people.changeMember(id, () => ({
    ...{ id, issuer: ISSUER, subject: id, name: id, email: null, createdAtMs: NOON },
    ...{ ruleGrants: [{ role: "admin", accountId: null }], ownGrants: [], ownUntilMs: null },
    ...{
      readsContent: false,
      isDisabled: false,
      seenAtMs: nowMs,
      ruleLimits: null,
      groups: [],
      warnedAtMs: null,
    },
    ...{ refreshSealed: sealRefresh(credentialVault, "first"), checkedAtMs: nowMs },
    ...{ leasedUntilMs: 0, anonymisedAtMs: null },
  }));
  const session = { digest: id, tokenDigest: "", tokenId: null, memberId: id, issuerSession: null };
  await store.addSession({ ...session, expiresAtMs: nowMs + 12 * HOUR_MS }, nowMs);
}

/** Rechecks everybody who is due, with an issuer that answers like this. Returns the tokens that it was sent. */
async function recheck(answer: (token: string) => Promise<Tokens>): Promise<readonly string[]> {
  const { store, world, credentialVault: vault } = opened;
  const sent: string[] = [];
  const unused = async () => {
    throw new Error("not part of a recheck");
  };
  const rest = {
    begin: unused,
    finish: unused,
    readLogout: unused,
    offersRefresh: unused,
    findSignOut: unused,
  };
  const { signIn } = readSettings(`server: { public_url: "https://a.example" }\n${oidcYaml(ISSUER, RULES)}`);
  const refresh = (token: string) => {
    sent.push(token);
    return answer(token);
  };
  const parts: SignInParts = {
    recordAs: makeRecordAs(world),
    ...{ store, vault, pepper: world.pepper, random: world.random, log: () => {} },
    ...{ clock: { nowMs: () => nowMs }, rules: () => signIn, issuer: () => ({ ...rest, refresh }) },
  };
  await recheckMembers(parts);
  return sent;
}

const here = (subject: string): Tokens => ({
  refreshToken: "second",
  confirm: async () => ({ subject, claims: { groups: ["platform"] }, hasIdToken: true }),
});

async function readMember(id: string) {
  const member = await opened.store.people.member(id);
  if (member === null) throw new Error("the person is gone");
  const { refreshSealed } = member;
  const token = refreshSealed === null ? null : openRefresh(opened.credentialVault, refreshSealed);
  return {
    token,
    isIn: await opened.store.people.hasSession(id, nowMs),
    leasedUntilMs: member.leasedUntilMs,
  };
}

test("the new token is used next, and only when it is due", async () => {
  await addMember("ada");
  expect(await recheck(async () => here("ada"))).toEqual([]);
  nowMs += HOUR_MS;
  expect(await recheck(async () => here("ada"))).toEqual(["first"]);
  nowMs += HOUR_MS;
  expect(await recheck(async () => here("ada"))).toEqual(["second"]);
  expect(await readMember("ada")).toEqual({ token: "second", isIn: true, leasedUntilMs: 0 });
});

test("it is stored even if the issuer then falls silent", async () => {
  nowMs += HOUR_MS;
  const confirm = async () => {
    throw new IssuerSilent("the user information didn't come", true);
  };
  await recheck(async () => ({ refreshToken: "third", confirm }));
  expect((await readMember("ada")).token).toBe("third");
  expect((await readMember("ada")).isIn).toBe(true);
});

test("a refusal after a look that was broken off ends nobody: the token may be the one that was replaced", async () => {
  nowMs += HOUR_MS;
  await recheck(async () => {
    throw new IssuerSilent("the connection broke", true);
  });
  nowMs += HOUR_MS;
  await recheck(async () => {
    throw new PersonGone("invalid_grant");
  });
  expect(await readMember("ada")).toEqual({ token: null, isIn: true, leasedUntilMs: 0 });
});

test("a refusal after an issuer that was never reached does end it", async () => {
  await addMember("eve");
  nowMs += HOUR_MS;
  await recheck(async () => {
    throw new IssuerSilent("connection refused", false);
  });
  expect((await readMember("eve")).isIn).toBe(true);
  nowMs += HOUR_MS;
  await recheck(async () => {
    throw new PersonGone("invalid_grant");
  });
  expect(await readMember("eve")).toEqual({ token: null, isIn: false, leasedUntilMs: 0 });
});

test("a refusal of a token that a new sign-in has replaced ends nobody", async () => {
  await addMember("kim");
  nowMs += HOUR_MS;
  await recheck(async () => {
    const refreshSealed = sealRefresh(opened.credentialVault, "of the new sign-in");
    await opened.store.people.changeMember(
      "kim",
      (before) => before && { ...before, refreshSealed, seenAtMs: nowMs },
    );
    throw new PersonGone("invalid_grant");
  });
  expect(await readMember("kim")).toMatchObject({ token: "of the new sign-in", isIn: true });
  await opened.store.endSessionsOf("kim");
});

test("one that can't be opened any more is forgotten, and is never sent", async () => {
  await addMember("pat");
  await opened.store.people.changeMember(
    "pat",
    (before) => before && { ...before, refreshSealed: "unreadable" },
  );
  nowMs += HOUR_MS;
  expect(await recheck(async () => here("pat"))).toEqual([]);
  expect(await readMember("pat")).toMatchObject({ token: null, isIn: true });
  await opened.store.endSessionsOf("pat");
});

test("keys that were left when a person was ended are ended at the next look", async () => {
  const { store } = opened;
  await addMember("lee");
  await store.people.changeMember(
    "lee",
    (before) => before && { ...before, ruleGrants: [], refreshSealed: null },
  );
  await store.addKey(makeKey("key_lee", { memberId: "lee" }), "digest of key_lee");
  nowMs += HOUR_MS;
  await recheck(async () => here("lee"));
  expect((await store.key("key_lee"))?.revokedAtMs).toBe(nowMs);
});

test.each([
  ["rules name no account that exists", { groups: ["nowhere"] }],
  ["list of groups was cut off", { hasgroups: true }],
])("somebody whose %s has no role until that is mended, and keeps the keys", async (why, claims) => {
  const { store } = opened;
  await addMember(why);
  await store.addKey(makeKey(`key of ${why}`, { memberId: why }), `digest of ${why}`);
  nowMs += HOUR_MS;
  await recheck(async () => ({
    ...here(why),
    confirm: async () => ({ subject: why, claims, hasIdToken: true }),
  }));
  expect((await store.people.member(why))?.ruleGrants).toEqual([]);
  nowMs += HOUR_MS;
  await recheck(async () => here(why));
  expect((await store.people.member(why))?.ruleGrants).toEqual([{ role: "admin", accountId: null }]);
  expect((await store.key(`key of ${why}`))?.revokedAtMs).toBeNull();
  await store.revokeKey(`key of ${why}`, nowMs);
  await store.endSessionsOf(why);
});

test("while one node asks, no other does", async () => {
  await addMember("ida");
  nowMs += HOUR_MS;
  const asking = Promise.withResolvers<Tokens>();
  const asked = Promise.withResolvers<void>();
  const first = recheck(() => {
    asked.resolve();
    return asking.promise;
  });
  await asked.promise;
  expect(await recheck(async () => here("ida"))).toEqual([]);
  asking.resolve(here("ida"));
  expect(await first).toEqual(["first"]);
  expect((await readMember("ida")).token).toBe("second");
});
