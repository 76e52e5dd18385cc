// Secrets, digests and the master key: their format, and how invalid ones are refused.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openMasterKey } from "../../src/admin/master-key.ts";
import type { GatewayKey } from "../../src/core/keys/key.ts";
import { authenticate, createAuthenticator, createKeyFinder } from "../../src/keys/authenticate.ts";
import {
  deriveCheckValue,
  deriveContentKey,
  deriveCredentialKey,
  derivePepper,
  deriveReplyKey,
  parseMasterKey,
  readMasterKey,
} from "../../src/keys/master.ts";
import {
  checkSecret,
  digestSecret,
  isSameDigest,
  mintAdminToken,
  mintId,
  mintSecret,
} from "../../src/keys/secret.ts";
import { decide } from "../../src/ledger/decide.ts";
import { mayUseKeys } from "../../src/people/member.ts";
import { masterKeyFile } from "../../src/store/sqlite/master-key-file.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { countingRandom, makeKey, NOON, standingClock } from "../harness/samples.ts";
import { catchThrown, readCode } from "../harness/thrown.ts";

const random = { bytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)) };
const fixed = (byte: number) => ({ bytes: (count: number) => new Uint8Array(count).fill(byte) });

const unasked = async () => {
  throw new Error("Only personal keys ask for it.");
};
const NOBODY = { account: unasked, people: { memberTerms: unasked } };

describe("secrets", () => {
  test("are sk- and 49 letters and digits for any random bytes, and unique", () => {
    const secrets = Array.from({ length: 500 }, () => mintSecret(random));
    for (const secret of [...secrets, mintSecret(fixed(0)), mintSecret(fixed(255))]) {
      expect(secret).toMatch(/^sk-[0-9A-Za-z]{49}$/);
      expect(checkSecret(secret)).toBe(true);
    }
    expect(new Set(secrets).size).toBe(500);
  });

  test("keep all 256 bits: a single different bit gives another secret", () => {
    const flipped = Array.from({ length: 256 }, (_, bit) => ({
      bytes: (count: number) => {
        const bytes = new Uint8Array(count);
        bytes[bit >> 3] = 1 << (bit & 7);
        return bytes;
      },
    }));
    expect(new Set(flipped.map(mintSecret)).size).toBe(256);
  });

  test("are refused if one character is changed, missing, doubled or swapped", () => {
    const secret = mintSecret(countingRandom());
    for (let at = 0; at < secret.length; at++) {
      const before = secret.slice(0, at);
      const here = secret.charAt(at);
      const after = secret.slice(at + 1);
      const other = here === "a" ? "b" : "a";
      const wrong = [before + other + after, before + after, before + here + here + after];
      if (after !== "" && after.charAt(0) !== here)
        wrong.push(before + after.charAt(0) + here + after.slice(1));
      for (const text of wrong) expect(checkSecret(text)).toBe(false);
    }
  });

  test("of other services or formats are refused", () => {
    const secret = mintSecret(random);
    for (const text of [
      "",
      "sk-",
      ` ${secret}`,
      `${secret}\n`,
      secret.toUpperCase(),
      `sk-proj-${"a".repeat(150)}`,
    ]) {
      expect(checkSecret(text)).toBe(false);
    }
    expect(checkSecret(mintAdminToken(random))).toBe(false);
  });

  test("have digests that depend on all of the secret and the pepper", () => {
    const pepper = derivePepper(new Uint8Array(32));
    expect(digestSecret("a", pepper)).toMatch(/^[0-9a-f]{64}$/);
    expect(digestSecret("a", pepper)).toBe(digestSecret("a", pepper));
    expect(digestSecret("b", pepper)).not.toBe(digestSecret("a", pepper));
    expect(digestSecret("a", derivePepper(new Uint8Array(32).fill(1)))).not.toBe(digestSecret("a", pepper));
    expect(isSameDigest("abc", "abc")).toBe(true);
    expect(isSameDigest("abc", "abd") || isSameDigest("abc", "abcd") || isSameDigest("é", "ab")).toBe(false);
  });

  test("ids start with their kind", () => {
    expect(mintId("key", random)).toMatch(/^key_[0-9A-Za-z]{21}$/);
    expect(mintId("acct", random)).not.toBe(mintId("acct", random));
  });
});

describe("authentication", () => {
  test("accepts the secret of an active key, and refuses all others alike, mostly without a look-up", async () => {
    const pepper = derivePepper(new Uint8Array(32));
    const live = mintSecret(random);
    const expired = mintSecret(random);
    const revoked = mintSecret(random);
    const keys = new Map([
      [digestSecret(live, pepper), makeKey("key_live")],
      [digestSecret(expired, pepper), makeKey("key_expired", { expiresAtMs: NOON })],
      [digestSecret(revoked, pepper), makeKey("key_revoked", { revokedAtMs: NOON - 1 })],
    ]);
    let lookUps = 0;
    const keyByDigest = async (digest: string) => {
      lookUps++;
      const key = keys.get(digest);
      return key ? { key, rotation: 0 } : null;
    };
    const parts = { store: { ...NOBODY, keyByDigest }, clock: standingClock(NOON), pepper, mayUseKeys };
    expect((await authenticate(parts, live)).key.id).toBe("key_live");
    const wrong = [expired, revoked, mintSecret(random), live.slice(0, -1), "", "sk-' OR 1=1 --"];
    const thrown = await Promise.all(wrong.map((secret) => catchThrown(authenticate(parts, secret))));
    expect(thrown.map(readCode)).toEqual(wrong.map(() => "invalid_api_key"));
    expect(new Set(thrown.map(String)).size).toBe(1);
    expect(lookUps).toBe(4);
  });

  test("is cached for half a second, even if the clock is changed", async () => {
    const pepper = derivePepper(new Uint8Array(32));
    const secret = mintSecret(random);
    const clock = standingClock(NOON);
    const digest = digestSecret(secret, pepper);
    let key: GatewayKey | null = makeKey("key_a");
    const keyByDigest = async (asked: string) => (asked === digest && key ? { key, rotation: 0 } : null);
    const find = createAuthenticator({ store: { ...NOBODY, keyByDigest }, clock, pepper, mayUseKeys });
    const proves = async (text: string) => find(text);
    await proves(secret);
    key = null;
    clock.atMs = NOON + 499;
    expect((await proves(secret)).key.id).toBe("key_a");
    clock.atMs = NOON + 500;
    expect(readCode(await catchThrown(proves(secret)))).toBe("invalid_api_key");
    key = makeKey("key_a", { expiresAtMs: NOON - 1000 });
    clock.atMs = NOON - 2000;
    await proves(secret);
    clock.atMs = NOON - 1000;
    expect(readCode(await catchThrown(proves(secret)))).toBe("invalid_api_key");
  });
});

test("a key that lines ask for is looked up once in half a second, and only while it may be used", async () => {
  const clock = standingClock(NOON);
  const pepper = derivePepper(new Uint8Array(32));
  let stored = makeKey("key_a");
  let lookUps = 0;
  const key = async () => {
    lookUps++;
    return stored;
  };
  const find = createKeyFinder({
    store: { ...NOBODY, keyByDigest: unasked, key },
    clock,
    pepper,
    mayUseKeys,
  });
  for (let line = 0; line < 20; line++) expect((await find("key_a")).id).toBe("key_a");
  expect(lookUps).toBe(1);
  stored = makeKey("key_a", { revokedAtMs: NOON });
  clock.atMs = NOON + 500;
  for (let line = 0; line < 2; line++)
    expect(readCode(await catchThrown(find("key_a")))).toBe("invalid_api_key");
  expect(lookUps).toBe(3);
});

test("a remembered old secret ends with its grace", async () => {
  const pepper = derivePepper(new Uint8Array(32));
  const clock = standingClock(NOON);
  const key = makeKey("key_a", { rotations: 2, oldSecretUntilMs: NOON + 100 });
  const proves = (rotation: number) => {
    const store = { ...NOBODY, keyByDigest: async () => ({ key, rotation }) };
    const find = createAuthenticator({ store, clock, pepper, mayUseKeys });
    return async (secret: string) => find(secret);
  };
  const present = proves(2);
  const old = proves(1);
  const older = proves(0);
  const secret = mintSecret(random);
  expect((await present(secret)).rotation).toBe(2);
  expect((await old(secret)).rotation).toBe(1);
  expect(readCode(await catchThrown(older(secret)))).toBe("invalid_api_key");
  clock.atMs = NOON + 100;
  expect((await present(secret)).rotation).toBe(2);
  expect(readCode(await catchThrown(old(secret)))).toBe("invalid_api_key");
});

describe("the master key", () => {
  const text = Buffer.from(new Uint8Array(32).fill(7)).toString("base64");
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "poundkey-keys-"));
    path = join(folder, "data", "poundkey.db");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test("is 32 bytes in base64, and anything else is refused without being shown", () => {
    expect(parseMasterKey(` ${text}\n`, "here")).toEqual(new Uint8Array(32).fill(7));
    expect(parseMasterKey(text.slice(0, -1), "here").length).toBe(32);
    for (const bad of ["", "short", `${text}A`, text.slice(0, 40), `!${text.slice(1)}`, "a".repeat(64)]) {
      expect(() => parseMasterKey(bad, "THE_SOURCE")).toThrow(/^THE_SOURCE must be 32 bytes in base64/);
      if (bad.length > 8) expect(() => parseMasterKey(bad, "x")).not.toThrow(bad);
    }
  });

  test("derives a different key for each use, none equal to itself", () => {
    const masterKey = parseMasterKey(text, "here");
    const keys = [masterKey, derivePepper(masterKey), deriveReplyKey(masterKey)].map((key) =>
      Buffer.from(key).toString("hex"),
    );
    expect(new Set([...keys, deriveCheckValue(masterKey)]).size).toBe(4);
  });

  test("derives the same keys as earlier versions, so that existing stores stay readable", () => {
    const masterKey = parseMasterKey(text, "here");
    const derived = [derivePepper, deriveReplyKey, deriveCredentialKey, deriveContentKey].map((derive) =>
      Buffer.from(derive(masterKey)).toString("hex"),
    );
    expect([...derived, deriveCheckValue(masterKey)]).toEqual([
      "b2210f4b85cffb98d653237e794100581a4d76ea1d03824b3bda87fb5f6d6d5b",
      "f71fe3ced5e235b286dd194d13f262b65f051c0a2258910aa784fac2b75eb571",
      "66147c417298f74bd84ad6e62c9833dc487e37c8524accc4768d05f6a83aec6c",
      "ddac02ec989e8b265f385ee94806922d0404f14b403ba7e74f3f74403d138b7e",
      "8d5f5a422ca7f4ead44e4175cf988c5e827008a860f68b54e29f28f1987495d9",
    ]);
  });

  test("is generated once beside the database, readable by its owner only", () => {
    const file = masterKeyFile(path);
    expect(file.read()).toBeNull();
    const made = readMasterKey({ text: undefined, file, inUse: false, random });
    expect(file.path).toBe(join(folder, "data", "master.key"));
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
    expect(readMasterKey({ text: "", file, inUse: true, random })).toEqual(made);
    expect(file.make("another")).toBe(file.read() ?? "");
    expect(readMasterKey({ text, file, inUse: true, random })).toEqual(new Uint8Array(32).fill(7));
  });

  test("is not generated again for a store that had one", () => {
    const file = masterKeyFile(path);
    expect(() => readMasterKey({ text: undefined, file, inUse: true, random })).toThrow(
      /missing.*POUNDKEY_MASTER_KEY/,
    );
    expect(existsSync(file.path)).toBe(false);
  });

  test("belongs to its store: another one is refused at the next start", async () => {
    const store = await openSqliteStore({ path, decide });
    const file = masterKeyFile(path);
    const first = await openMasterKey(store, { text: undefined, file, random });
    expect(await openMasterKey(store, { text: undefined, file, random })).toEqual(first);
    expect(String(await catchThrown(openMasterKey(store, { text, file, random })))).toContain(
      "a different master key",
    );
    writeFileSync(file.path, "nonsense");
    expect(String(await catchThrown(openMasterKey(store, { text: undefined, file, random })))).toContain(
      file.path,
    );
    rmSync(file.path);
    expect(String(await catchThrown(openMasterKey(store, { text: undefined, file, random })))).toContain(
      "missing",
    );
    await store.close();
  });
});
