// People about whom the provider says neither yes nor no: what ends, when, and what a yes or a sign-in brings back.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { findNamedToken } from "../../../src/admin/people/named-tokens.ts";
import { beginSession } from "../../../src/admin/people/session.ts";
import { createAuthenticator } from "../../../src/keys/authenticate.ts";
import { digestSecret, mintSecret, mintTokenSecret } from "../../../src/keys/secret.ts";
import { IssuerSilent, PersonGone } from "../../../src/people/issuer.ts";
import { findPerson, mayUseKeys } from "../../../src/people/member.ts";
import { makeKey } from "../../harness/samples.ts";
import { readSettings } from "../../harness/settings.ts";
import { catchThrown, readCode } from "../../harness/thrown.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { createRechecks, HOUR_MS, here } from "./rechecks.ts";
import { oidcYaml, RULES } from "./world.ts";

const MINUTE_MS = 60_000;
const MEMBERS = "members: { recheck: 1h, key_expires: 30d }";

const rechecks = createRechecks();
beforeEach(() => rechecks.open());
afterEach(() => rechecks.close());

const isSilent = async () => {
  throw new IssuerSilent("the deadline passed", true);
};
const isUnreachable = async () => {
  throw new IssuerSilent("connection refused", false);
};
const refuses = async () => {
  throw new PersonGone("invalid_grant");
};

const pass = (ms: number) => {
  rechecks.nowMs += ms;
};
const ask = (answer: Parameters<typeof rechecks.recheck>[0], members = MEMBERS) =>
  rechecks.recheck(answer, { rules: `${RULES}, ${members}` });

/** Signs somebody in who has a key and a named token. Returns a function that says which of all three still work. */
async function enter(id: string) {
  const { store, world } = rechecks.opened;
  await rechecks.addMember(id, `of ${id}`);
  const clock = { nowMs: () => rechecks.nowMs };
  const secret = mintSecret(world.random);
  await unrecorded(store).addKey(makeKey(`key_${id}`, { memberId: id }), digestSecret(secret, world.pepper));
  const tokenSecret = mintTokenSecret(world.random);
  const made = { makerKind: "person", makerId: id, contact: "the platform team", revokedAtMs: null } as const;
  const token = {
    id: `tok_${id}`,
    name: "t",
    last4: "abcd",
    readsContent: false,
    expiresAtMs: null,
    ...made,
  };
  const grants = [{ role: "admin", accountId: null }] as const;
  await unrecorded(store).addToken(
    { ...token, grants, createdAtMs: 1 },
    digestSecret(tokenSecret, world.pepper),
  );
  const { signIn } = readSettings(
    `server: { public_url: "https://a.example" }\n${oidcYaml("https://login.example.com", `${RULES}, ${MEMBERS}`)}`,
  );
  const session = {
    digest: id,
    tokenDigest: "",
    tokenId: null,
    memberId: id,
    issuerSession: null,
    address: null,
    agent: null,
  };
  return async () => {
    const person = await findPerson({ store, clock }, { ...session, expiresAtMs: 0 }, signIn);
    const named = await findNamedToken({ ...world, clock }, tokenSecret);
    // A new one each time remembers nothing.
    const authenticate = createAuthenticator({ ...world, clock, mayUseKeys });
    const refused = await catchThrown((async () => authenticate(secret))());
    return [
      person === null ? "session ended" : "session",
      named === null ? "token ended" : "token",
      refused === undefined ? "key" : readCode(refused),
    ].join(", ");
  };
}

const ALL = "session, token, key";
const KEY_ALONE = "session ended, token ended, key";
const NOTHING = "session ended, token ended, sign_in_required";

async function signInAgain(id: string): Promise<void> {
  await unrecorded(rechecks.opened.store).changeMember(
    id,
    (before) => before && { ...before, seenAtMs: rechecks.nowMs, leasedUntilMs: 0, doubt: undefined },
  );
}

describe("somebody whose token is refused after a look that nobody answered", () => {
  test("is out within `recheck`, with their keys a day later, and back with both by signing in", async () => {
    const works = await enter("ada");
    pass(HOUR_MS);
    await ask(isSilent);
    pass(MINUTE_MS);
    await ask(refuses);
    expect(await works()).toBe(ALL);
    pass(HOUR_MS - MINUTE_MS - 1);
    expect(await works()).toBe(ALL);
    pass(1);
    expect(await works()).toBe(KEY_ALONE);
    pass(23 * HOUR_MS - 1);
    await ask(refuses);
    expect(await works()).toBe(KEY_ALONE);
    pass(1);
    expect(await works()).toBe(NOTHING);
    expect((await rechecks.opened.store.key("key_ada"))?.revokedAtMs).toBeNull();
    await signInAgain("ada");
    expect(await works()).toBe(ALL);
  });

  test("is asked about again each minute, told of once, and back at once when the issuer says yes", async () => {
    const works = await enter("ida");
    pass(HOUR_MS);
    await ask(isSilent);
    for (let minute = 0; minute < 3; minute++) {
      pass(MINUTE_MS);
      expect(await ask(refuses)).toEqual(["of ida"]);
    }
    const { store } = rechecks.opened;
    const told = (await store.takeEvents(rechecks.nowMs, 100)).filter(
      ({ type }) => type === "member.in_doubt",
    );
    expect(told.map(({ data }) => data.member_id)).toEqual(["ida"]);
    pass(HOUR_MS);
    expect(await works()).toBe(KEY_ALONE);
    await ask(async () => here("ida"));
    expect(await works()).toBe(ALL);
    expect((await store.people.member("ida"))?.doubt).toBeUndefined();
  });

  test("signs in again once the doubt has ended their sessions, and not before", async () => {
    const { store, world } = rechecks.opened;
    const clock = { nowMs: () => rechecks.nowMs };
    const isIn = async (id: string) => (await store.people.holdings(id, rechecks.nowMs)).hasSession;
    for (const [id, waitMs] of [
      ["ada", HOUR_MS],
      ["bob", MINUTE_MS],
    ] as const) {
      await enter(id);
      const owner = { tokenDigest: "", tokenId: null, memberId: id, issuerSession: null };
      await beginSession({ ...world, clock }, owner);
      pass(HOUR_MS);
      await ask(isSilent);
      pass(waitMs);
      expect(await isIn(id)).toBe(true);
      await ask(async (token) => here(token.replace("of ", "")));
      expect([id, await isIn(id)]).toEqual([id, waitMs < HOUR_MS]);
    }
  });

  test("has no keys any more after `key_expires`", async () => {
    await enter("eve");
    pass(HOUR_MS);
    await ask(isSilent);
    pass(30 * 24 * HOUR_MS);
    await ask(refuses);
    expect((await rechecks.opened.store.key("key_eve"))?.revokedAtMs).toBe(rechecks.nowMs);
  });
});

describe("while the issuer doesn't answer", () => {
  test("everybody who is due is in doubt, also those who weren't asked, and nobody else", async () => {
    const works = await enter("ada");
    const others = await enter("bob");
    pass(HOUR_MS / 2);
    const late = await enter("cleo");
    pass(HOUR_MS / 2);
    expect(await ask(isUnreachable)).toHaveLength(1);
    pass(HOUR_MS - 1);
    expect(await Promise.all([works(), others(), late()])).toEqual([ALL, ALL, ALL]);
    pass(1);
    await ask(isUnreachable);
    expect(await Promise.all([works(), others(), late()])).toEqual([KEY_ALONE, KEY_ALONE, ALL]);
    pass(23 * HOUR_MS);
    await ask(isUnreachable);
    expect(await Promise.all([works(), others(), late()])).toEqual([NOTHING, NOTHING, KEY_ALONE]);
    pass(MINUTE_MS);
    await ask(async (token) => here(token.replace("of ", "")));
    expect(await Promise.all([works(), others(), late()])).toEqual([ALL, ALL, ALL]);
  });

  test("its silence is told once, and once that it is back, whichever node asks", async () => {
    await enter("ada");
    await enter("bob");
    const told = async () => {
      const events = await rechecks.opened.store.takeEvents(rechecks.nowMs, 100);
      return events.flatMap(({ type, data }) => (type.startsWith("issuer.") ? [[type, data]] : []));
    };
    pass(HOUR_MS);
    const since = new Date(rechecks.nowMs).toISOString();
    await ask(isSilent);
    const issuer = "https://login.example.com";
    const ends = [1, 24].map((hours) => new Date(rechecks.nowMs + hours * HOUR_MS).toISOString());
    const silent = { issuer, since, people: 2, sessions_end_at: ends[0], keys_end_at: ends[1] };
    expect(await told()).toEqual([["issuer.silent", silent]]);
    pass(MINUTE_MS);
    await rechecks.recheck(isUnreachable, { aheadMs: 5000, rules: `${RULES}, ${MEMBERS}` });
    expect(await told()).toEqual([]);
    pass(MINUTE_MS);
    await rechecks.recheck(async (token) => here(token.replace("of ", "")), {
      rules: `${RULES}, ${MEMBERS}`,
    });
    expect(await told()).toEqual([["issuer.back", { issuer, since }]]);
    pass(2 * HOUR_MS);
    await ask(async () => here("ada"));
    expect(await told()).toEqual([]);
    pass(2 * HOUR_MS);
    await ask(isSilent);
    expect((await told()).map(([type]) => type)).toEqual(["issuer.silent"]);
  });

  test("a changed `doubt` applies to people who are in doubt already, and no value ends keys before `recheck`", async () => {
    const works = await enter("ada");
    const others = await enter("bob");
    pass(HOUR_MS);
    await ask(isSilent, "members: { doubt: 0s }");
    pass(HOUR_MS - 1);
    expect(await Promise.all([works(), others()])).toEqual([ALL, ALL]);
    pass(1);
    expect(await Promise.all([works(), others()])).toEqual([NOTHING, NOTHING]);
    await ask(isSilent, "members: { doubt: 7d }");
    expect(await Promise.all([works(), others()])).toEqual([KEY_ALONE, KEY_ALONE]);
  });
});

test("a plain refusal ends all at once, and a sign-in brings keys and tokens back", async () => {
  const works = await enter("ada");
  pass(HOUR_MS);
  await ask(refuses);
  expect(await works()).toBe(NOTHING);
  await unrecorded(rechecks.opened.store).changeMember(
    "ada",
    (before) =>
      before && { ...before, ruleGrants: [{ role: "admin", accountId: null }], seenAtMs: rechecks.nowMs },
  );
  expect(await works()).toBe(ALL);
});
