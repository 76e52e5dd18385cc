// Sign-ins from agents over time, on every engine: bounds, pace, ends, and two processes at once.
import { beforeEach, expect, test } from "bun:test";
import type { Member } from "../../../src/core/people/people.ts";
import type { SignInRules } from "../../../src/core/people/sign-in.ts";
import { createAuthenticator } from "../../../src/keys/authenticate.ts";
import { digestSecret, mintSecret } from "../../../src/keys/secret.ts";
import { createVault } from "../../../src/keys/vault.ts";
import { makeCodeRoom } from "../../../src/people/device-room.ts";
import { digestUserCode, pollDevice, refreshDevice, startDevice } from "../../../src/people/devices.ts";
import { mayUseKeys } from "../../../src/people/member.ts";
import { makeKey, NOON } from "../../harness/samples.ts";
import { readSettings } from "../../harness/settings.ts";
import { catchThrown, readCode } from "../../harness/thrown.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { makeMember, PEOPLE } from "../../people/samples.ts";
import { makeSuite, type TwoStores } from "../two-stores.ts";

export const devicesSuite = makeSuite({
  codes,
  "codes that wait": waiting,
  "codes that share their room": sharing,
  devices,
  "devices that end": ending,
  "devices of somebody whose role ends": roles,
});

type Opened = () => TwoStores;

const random = { bytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)) };
const pepper = new Uint8Array(32);
const vault = createVault(new Uint8Array(32).fill(7), random);
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

let nowMs = NOON;
const resetClock = () => {
  nowMs = NOON;
};

function makeParts(opened: Opened, which: "store" | "other" = "store") {
  const clock = { nowMs: () => nowMs };
  return { store: opened()[which], pepper, random, vault, clock, log: () => {} };
}

function readRules(): SignInRules {
  const { signIn } = readSettings(`server: { ${PEOPLE.server} }\n${PEOPLE.more}`);
  if (signIn === undefined) throw new Error("the configuration has no sign-in");
  return signIn;
}

const rules = readRules();
const agent = { agent: "claude-code", address: "192.0.2.1" };

async function begin(opened: Opened, from = agent) {
  const begun = await startDevice(makeParts(opened), from);
  if (begun === null) throw new Error("too many wait");
  return begun;
}

async function approve(opened: Opened, userCode: string): Promise<void> {
  const owner = { memberId: "mem_ada", accountId: "default", keyId: "key_agents" };
  const digest = digestUserCode(userCode, pepper);
  const { code } = await opened().store.devices.stepCode(
    "user",
    digest,
    (before) => ({ code: before && { ...before, state: "approved" as const, ...owner } }),
    10,
  );
  expect(code?.state).toBe("approved");
}

async function addAda({ store }: TwoStores): Promise<void> {
  const ruleGrants = [{ role: "member" as const, accountId: "default" }];
  await unrecorded(store).changeMember("mem_ada", () => makeMember("mem_ada", { ruleGrants }));
  await unrecorded(store).addKey(
    makeKey("key_agents", { memberId: "mem_ada" }),
    digestSecret(mintSecret(random), pepper),
  );
}

async function signIn(opened: Opened) {
  const { deviceCode, userCode } = await begin(opened);
  await approve(opened, userCode);
  return expectTokens(await pollDevice(makeParts(opened), rules, deviceCode));
}

type Granted = Awaited<ReturnType<typeof pollDevice>>;

function expectTokens(granted: Granted) {
  if ("error" in granted) throw new Error(`refused: ${granted.error}`);
  return granted.tokens;
}

const nameError = (granted: Granted) => ("error" in granted ? granted.error : "tokens");

/** Returns the id of the key that the secret proves, or the code with which it is refused. */
async function prove(opened: Opened, secret: string): Promise<string> {
  const { store, clock } = makeParts(opened);
  const agents = {
    find: (digest: string) => store.devices.agentByDigest(digest),
    publicUrl: () => "https://a.example",
  };
  const find = createAuthenticator({ store, clock, pepper, mayUseKeys, agents });
  let proven = "";
  const thrown = await catchThrown(
    (async () => {
      proven = (await find(secret)).key.id;
    })(),
  );
  return thrown === undefined ? proven : String(readCode(thrown));
}

function codes(opened: Opened): void {
  beforeEach(resetClock);

  test("an agent that asks faster than every 5 s is told so, and gets its turn all the same", async () => {
    const { deviceCode } = await begin(opened);
    const outcomes: string[] = [];
    for (const second of [0, 1, 4, 5, 9.9, 10]) {
      nowMs = NOON + second * SECOND;
      outcomes.push(nameError(await pollDevice(makeParts(opened), rules, deviceCode)));
    }
    const pending = "authorization_pending";
    const slow = "slow_down";
    expect(outcomes).toEqual([pending, slow, slow, pending, pending, slow]);
  });

  test("a code ends after ten minutes, approved or not", async () => {
    const waiting = await begin(opened);
    const approved = await begin(opened);
    await approve(opened, approved.userCode);
    nowMs = NOON + 10 * MINUTE;
    for (const { deviceCode } of [waiting, approved]) {
      expect(nameError(await pollDevice(makeParts(opened), rules, deviceCode))).toBe("expired_token");
    }
  });

  test("two processes give one code's tokens once", async () => {
    await addAda(opened());
    const { deviceCode, userCode } = await begin(opened);
    await approve(opened, userCode);
    const asking = (["store", "other", "store"] as const).map((which) =>
      pollDevice(makeParts(opened, which), rules, deviceCode),
    );
    const outcomes = (await Promise.all(asking)).map(nameError);
    expect(outcomes.toSorted()).toEqual(["expired_token", "expired_token", "tokens"]);
  });
}

function waiting(opened: Opened): void {
  beforeEach(resetClock);

  test("20 wait for one address, or for one IPv6 host, and others are let in", async () => {
    const sources = ["192.0.2.1", "2001:db8::1"];
    for (const address of sources) {
      for (let count = 0; count < 20; count++) await begin(opened, { ...agent, address });
    }
    for (const address of ["192.0.2.1", "2001:db8::ffff"]) {
      expect(await startDevice(makeParts(opened), { ...agent, address })).toBeNull();
    }
    for (const address of ["192.0.2.2", "2001:db8:0:1::1"]) await begin(opened, { ...agent, address });
    nowMs = NOON + 10 * MINUTE;
    await begin(opened);
  });

  test("wrong codes count for ten minutes, for each person alone", async () => {
    await addAda(opened());
    const { store, other } = opened();
    const add = (id: string, { memberId = "mem_ada", atMs = NOON, by = store } = {}) =>
      by.devices.addMistake({ id, memberId, untilMs: atMs + 600 }, 2, atMs);
    const outcomes = await Promise.all(
      ["1", "2", "3", "4"].map((id, at) => add(id, { by: at % 2 ? other : store })),
    );
    expect(outcomes.toSorted()).toEqual([false, false, true, true]);
    expect(await add("5", { memberId: "mem_bob" })).toBe(true);
    const [counted] = ["1", "2", "3", "4"].filter((_, at) => outcomes[at]);
    // The transaction may run again after it was committed.
    expect(await add(String(counted))).toBe(true);
    await store.devices.removeMistake(String(counted));
    expect([await add("6"), await add("7")]).toEqual([true, false]);
    expect(await add("8", { atMs: NOON + 600 })).toBe(true);
  });
}

function sharing(opened: Opened): void {
  beforeEach(resetClock);

  test("a network beyond its share loses its oldest code, and one that has most once all places are taken", async () => {
    const { store, other } = opened();
    const digest = digestUserCode((await begin(opened)).userCode, pepper);
    const like = await store.devices.codeByUser(digest);
    if (like === null) throw new Error("the code isn't there");
    const bounds = { ofBlock: 20, ofNetwork: 4, inAll: 6 };
    const add = (name: string, network: string, by = store) => {
      nowMs++;
      const names = { deviceDigest: name, userDigest: name, block: name, network };
      return by.devices.addCode({ ...like, ...names, createdAtMs: nowMs }, makeCodeRoom(network, bounds));
    };
    const listWaiting = async (...names: readonly string[]) => {
      const codes = await Promise.all(names.map((name) => other.devices.codeByUser(name)));
      return names.filter((_, at) => (codes[at]?.expiresAtMs ?? 0) > nowMs);
    };
    for (const name of ["a1", "a2", "a3", "a4", "a5"]) expect(await add(name, "a")).toBe(true);
    expect(await listWaiting("a1", "a2", "a3", "a4", "a5")).toEqual(["a2", "a3", "a4", "a5"]);
    expect(await add("b1", "b")).toBe(true);
    expect(await add("c1", "c", other)).toBe(true);
    expect(await listWaiting("a2", "a3", "a4", "a5", "b1", "c1")).toEqual(["a3", "a4", "a5", "b1", "c1"]);
    for (const name of ["d1", "e1", "f1"]) expect(await add(name, name)).toBe(true);
    expect(await listWaiting("c1", "d1", "e1", "f1")).toHaveLength(4);
    // Two sign-ins never show the same code.
    const taken = { ...like, deviceDigest: "other", userDigest: "f1", createdAtMs: nowMs };
    expect(await store.devices.addCode(taken, makeCodeRoom("g"))).toBe(false);
  });

  test("an agent elsewhere gets a code while a network asks for as many as it can", async () => {
    const { store } = opened();
    const ofFlood = await begin(opened, { ...agent, address: "2001:db8:1::1" });
    // The share of a network is a hundredth here, and it has as many addresses as it likes.
    const like = await store.devices.codeByUser(digestUserCode(ofFlood.userCode, pepper));
    if (like === null) throw new Error("the code isn't there");
    for (let at = 0; at < 120; at++) {
      const names = { deviceDigest: `d${at}`, userDigest: `u${at}`, block: `2001:db8:1:${at}::/64` };
      nowMs++;
      const room = makeCodeRoom(like.network, { ofBlock: 20, ofNetwork: 10, inAll: 100 });
      expect(await store.devices.addCode({ ...like, ...names, createdAtMs: nowMs }, room)).toBe(true);
    }
    const elsewhere = await begin(opened, { ...agent, address: "198.51.100.7" });
    expect(nameError(await pollDevice(makeParts(opened), rules, elsewhere.deviceCode))).toBe(
      "authorization_pending",
    );
    expect(nameError(await pollDevice(makeParts(opened), rules, ofFlood.deviceCode))).toBe("expired_token");
  });
}

function devices(opened: Opened): void {
  beforeEach(async () => {
    nowMs = NOON;
    await addAda(opened());
  });

  test("a secret works for an hour, and then says that a sign-in is required", async () => {
    const { secret, untilMs } = await signIn(opened);
    expect(untilMs).toBe(NOON + HOUR);
    expect(await prove(opened, secret)).toBe("key_agents");
    nowMs = NOON + HOUR;
    expect(await prove(opened, secret)).toBe("sign_in_required");
    expect(await prove(opened, mintSecret(random))).toBe("invalid_api_key");
  });

  test("a refresh token works once, and for a minute gives the same successor", async () => {
    const first = await signIn(opened);
    nowMs = NOON + 50 * MINUTE;
    const next = expectTokens(await refreshDevice(makeParts(opened), rules, first.refresh));
    expect(next.untilMs).toBe(nowMs + HOUR);
    nowMs += MINUTE;
    expect(expectTokens(await refreshDevice(makeParts(opened, "other"), rules, first.refresh))).toEqual(next);
    nowMs += 1;
    expect(nameError(await refreshDevice(makeParts(opened), rules, first.refresh))).toBe("invalid_grant");
    // The one that was used again ends no other.
    expect(await prove(opened, next.secret)).toBe("key_agents");
    expectTokens(await refreshDevice(makeParts(opened), rules, next.refresh));
  });
}

function ending(opened: Opened): void {
  beforeEach(async () => {
    nowMs = NOON;
    await addAda(opened());
  });

  test("the person signs in again after agents.reauthenticate, however often it was refreshed", async () => {
    let tokens = await signIn(opened);
    for (let hour = 1; hour < 12; hour++) {
      nowMs = NOON + hour * HOUR;
      tokens = expectTokens(await refreshDevice(makeParts(opened), rules, tokens.refresh));
    }
    nowMs += HOUR / 2;
    tokens = expectTokens(await refreshDevice(makeParts(opened), rules, tokens.refresh));
    expect(tokens.untilMs).toBe(NOON + 12 * HOUR);
    nowMs = NOON + 12 * HOUR;
    expect(nameError(await refreshDevice(makeParts(opened), rules, tokens.refresh))).toBe("gone");
    expect(await prove(opened, tokens.secret)).toBe("sign_in_required");
  });

  test.each([
    ["without a rule that matches", { ruleGrants: [] }],
    ["with a role that has no keys", { ruleGrants: [{ role: "viewer" as const, accountId: "default" }] }],
    [
      "with a role in another account alone",
      { ruleGrants: [{ role: "member" as const, accountId: "other" }] },
    ],
    ["who was shut out", { isDisabled: true }],
    ["of another issuer", { issuer: "https://other.example" }],
  ])("a person %s gets no more tokens", async (_, change) => {
    const { refresh, secret } = await signIn(opened);
    await unrecorded(opened().store).changeMember("mem_ada", (before) => before && { ...before, ...change });
    expect(nameError(await refreshDevice(makeParts(opened), rules, refresh))).toBe("gone");
    expect(await prove(opened, secret)).toBe("sign_in_required");
  });

  test("a device that was ended gets no more tokens, and a revoked key ends all", async () => {
    const one = await signIn(opened);
    const other = await signIn(opened);
    const { devices } = opened().store;
    const [first] = await devices.devicesOf("mem_ada", nowMs);
    expect(await devices.endDevice("mem_bob", String(first?.id), nowMs)).toBe(false);
    expect(await devices.endDevice("mem_ada", String(first?.id), nowMs)).toBe(true);
    expect(await devices.endDevice("mem_ada", String(first?.id), nowMs)).toBe(false);
    const outcomes = await Promise.all([one, other].map(({ secret }) => prove(opened, secret)));
    expect(outcomes.toSorted()).toEqual(["key_agents", "sign_in_required"]);
    await unrecorded(opened().store).revokeKey("key_agents", nowMs);
    for (const { secret } of [one, other]) expect(await prove(opened, secret)).toBe("sign_in_required");
    for (const { refresh } of [one, other]) {
      expect(nameError(await refreshDevice(makeParts(opened), rules, refresh))).toBe("gone");
    }
  });
}

function roles(opened: Opened): void {
  beforeEach(async () => {
    nowMs = NOON;
    await addAda(opened());
  });

  test("a secret works only while its person has a role with keys in the account, and again with the next one", async () => {
    const { secret } = await signIn(opened);
    const change = (fields: Partial<Member>) =>
      unrecorded(opened().store).changeMember("mem_ada", (before) => before && { ...before, ...fields });
    const member = { role: "member" as const, accountId: "default" };
    await change({ ruleGrants: [{ ...member, accountId: "other" }] });
    expect(await prove(opened, secret)).toBe("sign_in_required");
    await change({ ownGrants: [member], ownUntilMs: nowMs + 1000 });
    expect(await prove(opened, secret)).toBe("key_agents");
    nowMs += 1000;
    expect(await prove(opened, secret)).toBe("sign_in_required");
    await change({ ruleGrants: [member] });
    expect(await prove(opened, secret)).toBe("key_agents");
  });
}
