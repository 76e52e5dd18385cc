// The guarantees of every store for paused and rotated keys, and for keys limited to client addresses.
import { beforeEach, expect, test } from "bun:test";
import type { GatewayKey, KeyProof } from "../../../src/core/keys/key.ts";
import type { HeldKeys } from "../../../src/core/keys/key-making.ts";
import type { Store } from "../../../src/core/store.ts";
import { decide } from "../../../src/ledger/decide.ts";
import { expectGrant, HOUR, ledgerOn, makeAsk, makeKey, NOON, PROOF } from "../../harness/samples.ts";
import { catchThrown, readCode } from "../../harness/thrown.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { makeMember } from "../../people/samples.ts";
import { makeSuite, type TwoStores } from "../two-stores.ts";

export const keysSuite = makeSuite({
  rotation,
  "many rotations": rotations,
  "rules at admission": rules,
  "states of keys": states,
  "keys of one person": makings,
});

type Opened = () => TwoStores;

const key = makeKey("key_a");
let asked = 0;

/** Returns `granted`, or the code with which an admission by the first secret is refused. */
async function admit(store: Store, proof: Partial<KeyProof> = {}, nowMs = NOON): Promise<string> {
  const ledger = ledgerOn(store);
  const ask = makeAsk(`request ${asked++}`, key, { proof: { ...PROOF, ...proof }, nowMs });
  const thrown = await catchThrown(expectGrant(ledger, ledger.ticket(ask)));
  return thrown === undefined ? "granted" : (readCode(thrown) ?? String(thrown));
}

/** Replaces the secret. The old one works for an hour, or stops at once. */
function rotate(store: Store, digest: string, oldSecretUntilMs: number | null = NOON + HOUR) {
  return unrecorded(store).rotateKey(key.id, { digest, last4: digest.slice(-4), oldSecretUntilMs });
}

function rotation(opened: Opened): void {
  beforeEach(() => unrecorded(opened().store).addKey(key, "digest one"));

  test("changes only the secret, and both are found on every connection", async () => {
    const { store, other } = opened();
    const rotated: GatewayKey = { ...key, last4: " two", rotations: 1, oldSecretUntilMs: NOON + HOUR };
    expect(
      await unrecorded(store).rotateKey(key.id, {
        digest: "digest two",
        last4: " two",
        oldSecretUntilMs: NOON + HOUR,
      }),
    ).toEqual(rotated);
    expect(await other.key(key.id)).toEqual(rotated);
    expect(await other.keyByDigest("digest two")).toEqual({ key: rotated, rotation: 1 });
    expect(await other.keyByDigest("digest one")).toEqual({ key: rotated, rotation: 0 });
    expect(await unrecorded(store).changeKey(key.id, { name: "new" })).toEqual({ ...rotated, name: "new" });
    expect(
      await unrecorded(store).rotateKey("none", { digest: "x", last4: "x", oldSecretUntilMs: null }),
    ).toBeNull();
  });

  test("lets the old secret work until its time, on every connection", async () => {
    const { store, other } = opened();
    expect(await admit(other)).toBe("granted");
    await rotate(store, "digest two");
    for (const one of [store, other]) {
      expect(await admit(one, { rotation: 1 })).toBe("granted");
      expect(await admit(one, { rotation: 0 }, NOON + HOUR - 1)).toBe("granted");
      expect(await admit(one, { rotation: 0 }, NOON + HOUR)).toBe("invalid_api_key");
      expect(await admit(one, { rotation: 1 }, NOON + HOUR)).toBe("granted");
    }
  });

  test("without a time, ends the old secret from the next admission on", async () => {
    const { store, other } = opened();
    expect(await admit(other)).toBe("granted");
    await rotate(store, "digest two", null);
    expect([await admit(store), await admit(other)]).toEqual(["invalid_api_key", "invalid_api_key"]);
    expect(await admit(other, { rotation: 1 })).toBe("granted");
  });

  test("is refused for a revoked key, which stays as it is", async () => {
    const { store, other } = opened();
    const revoked = await unrecorded(store).revokeKey(key.id, NOON);
    expect(await rotate(other, "digest two")).toEqual(revoked);
    expect(await store.keyByDigest("digest two")).toBeNull();
  });

  test("keeps the used allowance", async () => {
    const { store } = opened();
    await admit(store);
    await rotate(store, "digest two");
    await admit(store, { rotation: 1 });
    expect((await ledgerOn(store).allowance(key)).used).toBe(2);
  });
}

function rotations(opened: Opened): void {
  beforeEach(() => unrecorded(opened().store).addKey(key, "digest one"));

  test("keep only the latest old secret", async () => {
    const { store, other } = opened();
    await rotate(store, "digest two");
    await rotate(other, "digest three");
    const rotations = [0, 1, 2, 3];
    const answers = await Promise.all(rotations.map((rotation) => admit(store, { rotation })));
    expect(answers).toEqual(["invalid_api_key", "granted", "granted", "invalid_api_key"]);
    expect(await store.keyByDigest("digest one")).toBeNull();
    expect((await store.keyByDigest("digest two"))?.rotation).toBe(1);
  });

  test("to the same secret are made once, since a transaction may run twice", async () => {
    const { store, other } = opened();
    await rotate(store, "digest two");
    expect(await rotate(other, "digest two", null)).toMatchObject({
      rotations: 1,
      oldSecretUntilMs: NOON + HOUR,
    });
    expect((await store.keyByDigest("digest one"))?.rotation).toBe(0);
  });

  test("at once leave one secret and the one before it", async () => {
    const { store, other } = opened();
    const digests = Array.from({ length: 20 }, (_, at) => `digest ${at}`);
    await Promise.all(digests.map((digest, at) => rotate(at % 2 ? store : other, digest)));
    const found = await Promise.all(digests.map((digest) => store.keyByDigest(digest)));
    expect(found.flatMap((one) => one?.rotation ?? []).toSorted()).toEqual([19, 20]);
    expect((await store.key(key.id))?.rotations).toBe(20);
  });
}

function rules(opened: Opened): void {
  beforeEach(() => unrecorded(opened().store).addKey(key, "digest"));

  test("a pause and its end apply from the next admission on, on every connection", async () => {
    const { store, other } = opened();
    expect(await admit(store)).toBe("granted");
    await unrecorded(other).changeKey(key.id, { isPaused: true });
    expect([await admit(store), await admit(other)]).toEqual(["key_paused", "key_paused"]);
    await unrecorded(store).changeKey(key.id, { isPaused: false });
    expect([await admit(store), await admit(other)]).toEqual(["granted", "granted"]);
    expect((await ledgerOn(store).allowance(key)).used).toBe(3);
  });

  test("addresses apply from the next admission on, and a caller without a secret has none", async () => {
    const { store, other } = opened();
    const from = (address: string) => admit(store, { address });
    expect(await from("192.0.2.1")).toBe("granted");
    await unrecorded(other).changeKey(key.id, { allowedAddresses: ["10.0.0.0/8", "::1"] });
    expect([await from("192.0.2.1"), await from("")]).toEqual(["address_not_allowed", "address_not_allowed"]);
    expect([await from("10.9.8.7"), await from("::1")]).toEqual(["granted", "granted"]);
    const ledger = ledgerOn(store);
    await expectGrant(ledger, ledger.ticket(makeAsk("console", key, { proof: null })));
    await unrecorded(other).changeKey(key.id, { allowedAddresses: null });
    expect(await from("192.0.2.1")).toBe("granted");
  });

  test("a revoked key is invalid, and a stranger's address doesn't learn of a pause", async () => {
    const { store } = opened();
    await unrecorded(store).changeKey(key.id, { isPaused: true, allowedAddresses: ["10.0.0.0/8"] });
    expect(await admit(store)).toBe("address_not_allowed");
    expect(await admit(store, { address: "10.0.0.1" })).toBe("key_paused");
    await unrecorded(store).revokeKey(key.id, NOON);
    expect(await admit(store)).toBe("invalid_api_key");
  });

  test("a process that starts later applies them too", async () => {
    const { bench, store } = opened();
    await unrecorded(store).changeKey(key.id, { isPaused: true });
    const third = await bench.open(decide);
    await third.beat();
    expect(await admit(third)).toBe("key_paused");
    await third.close();
  });
}

function states(opened: Opened): void {
  test("a paused key is neither active nor, once it has expired, paused", async () => {
    const { store } = opened();
    await unrecorded(store).addKey(key, "a");
    await unrecorded(store).addKey(makeKey("paused", { isPaused: true, expiresAtMs: NOON + 1 }), "b");
    await unrecorded(store).addKey(makeKey("expired", { isPaused: true, expiresAtMs: NOON }), "c");
    await unrecorded(store).addKey(makeKey("revoked", { isPaused: true, revokedAtMs: NOON }), "d");
    const ids = async (state: "active" | "paused" | "expired" | "revoked") =>
      (await store.keys({ limit: 9, after: null }, { state, nowMs: NOON })).map(({ id }) => id);
    expect(await ids("active")).toEqual(["key_a"]);
    expect(await ids("paused")).toEqual(["paused"]);
    expect(await ids("expired")).toEqual(["expired"]);
    expect(await ids("revoked")).toEqual(["revoked"]);
  });
}

function makings(opened: Opened): void {
  const MOST = 7;
  const makingOf = (check: (held: HeldKeys) => void) => ({
    memberId: "mem_ann",
    accountId: key.accountId,
    scope: { accountIds: null, personal: null },
    atMs: NOON,
    check,
  });

  test("are counted one after the other, on whichever connection they are made", async () => {
    const { store, other } = opened();
    await unrecorded(store).changeMember("mem_ann", () => makeMember("mem_ann"));
    const making = makingOf(({ inScope, inAccount, makings: times }) => {
      expect([inAccount, times.length]).toEqual([inScope, inScope]);
      if (inScope >= MOST) throw new Error("too many");
    });
    const make = (at: number) => {
      const made = { ...makeKey(`key_${at}`), memberId: "mem_ann" };
      return unrecorded(at % 2 === 0 ? store : other).makeKey(made, `digest ${at}`, making);
    };
    const tries = await Promise.allSettled(Array.from({ length: 200 }, (_, at) => make(at)));
    expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(MOST);
    const filter = { memberId: "mem_ann", isRevoked: false, nowMs: NOON };
    expect(await other.keys({ limit: 200, after: null }, filter)).toHaveLength(MOST);
  });

  test("count as made for an hour, also once they are revoked", async () => {
    const { store, other } = opened();
    const seen: (readonly number[])[] = [];
    const made = { ...key, memberId: "mem_ann" };
    const making = makingOf(({ makings: times }) => seen.push(times));
    await unrecorded(store).makeKey(made, "digest one", making);
    const until = { last4: "two", oldSecretUntilMs: null };
    await unrecorded(other).rotateKey(made.id, { digest: "digest two", ...until, making });
    await unrecorded(store).revokeKey(made.id, NOON);
    await unrecorded(other).makeKey({ ...made, id: "key_b" }, "digest b", {
      ...making,
      atMs: NOON + HOUR - 1,
    });
    await unrecorded(store).makeKey({ ...made, id: "key_c" }, "digest c", { ...making, atMs: NOON + HOUR });
    expect(seen).toEqual([[], [NOON], [NOON, NOON], [NOON + HOUR - 1]]);
  });
}
