// A refresh token that is replaced at each use is never lost: it is stored before anything else can fail.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
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
const open = async () => {
  opened = await openStore("sqlite::memory:", Buffer.alloc(32, 5).toString("base64"));
};
beforeAll(open);
afterAll(() => opened.store.close());

/** One person who is signed in, with a refresh token. */
async function addMember(id: string, token = "first"): Promise<void> {
  const { store, credentialVault } = opened;
  await store.people.changeMember(id, () => ({
    ...{ id, issuer: ISSUER, subject: id, name: id, email: null, createdAtMs: NOON },
    ...{ ruleGrants: [{ role: "admin", accountId: null }], ownGrants: [], ownUntilMs: null },
    ...{ readsContent: false, isDisabled: false, seenAtMs: nowMs },
    ...{ ruleLimits: null, groups: [], warnedAtMs: null },
    ...{ refreshSealed: sealRefresh(credentialVault, token), checkedAtMs: nowMs },
    ...{ leasedUntilMs: 0, anonymisedAtMs: null },
  }));
  const session = { digest: id, tokenDigest: "", tokenId: null, memberId: id, issuerSession: null };
  await store.addSession({ ...session, expiresAtMs: nowMs + 12 * HOUR_MS }, nowMs);
}

/** Another node, by its own clock and the time at which it reads who is due. */
interface Node {
  /** The milliseconds by which its clock is ahead of the store's. */
  readonly aheadMs?: number;
  /** Called between the lookup of those who are due and what is done about them. */
  readonly onDue?: () => Promise<void>;
  readonly rules?: string;
}

/** Rechecks everybody who is due, with an issuer that answers like this. Returns the tokens that it was sent. */
async function recheck(
  answer: (token: string) => Promise<Tokens>,
  { aheadMs = 0, onDue = async () => {}, rules = RULES }: Node = {},
): Promise<readonly string[]> {
  const { world, credentialVault: vault } = opened;
  const dueMembers: SignInParts["store"]["people"]["dueMembers"] = async (...asked) => {
    const due = await opened.store.people.dueMembers(...asked);
    await onDue();
    return due;
  };
  const people = { ...opened.store.people, dueMembers };
  const store = { ...opened.store, people, clockAheadMs: () => -aheadMs };
  const sent: string[] = [];
  const unused = async () => {
    throw new Error("not part of a recheck");
  };
  const others = { readLogout: unused, offersRefresh: unused, findSignOut: unused };
  const rest = { begin: unused, finish: unused, ...others };
  const { signIn } = readSettings(`server: { public_url: "https://a.example" }\n${oidcYaml(ISSUER, rules)}`);
  const refresh = (token: string) => {
    sent.push(token);
    return answer(token);
  };
  const parts: SignInParts = {
    recordAs: makeRecordAs(world),
    ...{ store, vault, pepper: world.pepper, random: world.random, log: () => {} },
    ...{ clock: { nowMs: () => nowMs + aheadMs }, rules: () => signIn, issuer: () => ({ ...rest, refresh }) },
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

test("a person about whom the issuer can't be asked doesn't keep it from being asked about others", async () => {
  await addMember("max", "of max");
  nowMs += 1;
  await addMember("zoe", "of zoe");
  const rules = `${RULES}, members: { recheck: 7d, key_expires: 1h }`;
  const answer = async (token: string) => {
    if (token === "of max") throw new IssuerSilent("it answered 'server_error'", false);
    return here("zoe");
  };
  nowMs += HOUR_MS;
  expect(await recheck(answer, { rules })).toEqual(["of max"]);
  expect(await recheck(answer, { rules })).toEqual(["of zoe"]);
  for (const id of ["max", "zoe"]) await opened.store.endSessionsOf(id);
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

/** Begins a recheck, and resolves once the issuer has answered it with a new token, which was kept. */
async function beginRecheck(id: string) {
  const confirming = Promise.withResolvers<void>();
  const claims = Promise.withResolvers<Awaited<ReturnType<Tokens["confirm"]>>>();
  const confirm = () => {
    confirming.resolve();
    return claims.promise;
  };
  const done = recheck(async () => ({ ...here(id), confirm }));
  await confirming.promise;
  return { done, confirm: async () => claims.resolve(await here(id).confirm()), refuse: claims.reject };
}

describe("of two nodes on a store of their own", () => {
  beforeEach(async () => {
    await opened.store.close();
    await open();
  });

  test("a node that read who was due before another kept the new token doesn't send the old one", async () => {
    await addMember("joe");
    nowMs += HOUR_MS;
    const read = Promise.withResolvers<void>();
    const late = Promise.withResolvers<void>();
    const onDue = () => {
      read.resolve();
      return late.promise;
    };
    const second = recheck(async () => here("joe"), { onDue });
    await read.promise;
    const first = await beginRecheck("joe");
    late.resolve();
    expect(await second).toEqual([]);
    await first.confirm();
    expect(await first.done).toEqual(["first"]);
    expect(await readMember("joe")).toEqual({ token: "second", isIn: true, leasedUntilMs: 0 });
  });

  test("while one node waits for the claims, another whose clock is two minutes ahead doesn't ask", async () => {
    await addMember("max");
    nowMs += HOUR_MS;
    const first = await beginRecheck("max");
    expect(await recheck(async () => here("max"), { aheadMs: 120_000 })).toEqual([]);
    await first.confirm();
    expect(await first.done).toEqual(["first"]);
  });

  test("a node that took too long ends nobody once another asks", async () => {
    await addMember("zoe");
    nowMs += HOUR_MS;
    const first = await beginRecheck("zoe");
    nowMs += 61_000;
    const second = await beginRecheck("zoe");
    first.refuse(new PersonGone("invalid_grant"));
    await first.done;
    expect((await readMember("zoe")).isIn).toBe(true);
    await second.confirm();
    expect(await second.done).toEqual(["second"]);
    expect((await readMember("zoe")).isIn).toBe(true);
  });
});
