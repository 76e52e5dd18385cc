// Secrets that other gateways stored as digests, on every engine: their first use, by two processes at once, and their end.
import { beforeEach, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import type { GatewayKey } from "../../../src/core/keys/key.ts";
import type { Store } from "../../../src/core/store.ts";
import { createAuthenticator } from "../../../src/keys/authenticate.ts";
import { ForeignSecrets } from "../../../src/keys/foreign.ts";
import { digestSecret } from "../../../src/keys/secret.ts";
import { mayUseKeys } from "../../../src/people/member.ts";
import { HOUR, makeKey, NOON } from "../../harness/samples.ts";
import { readCode } from "../../harness/thrown.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { makeSuite, type TwoStores } from "../two-stores.ts";

export const foreignSuite = makeSuite({ "foreign secrets": use, "rotated foreign secrets": rotations });

const pepper = new Uint8Array(32);
const KEYS = 60;

/** The form in which LiteLLM stores a secret. */
const digestForeign = (secret: string) => createHash("sha256").update(secret).digest("hex");

function makeForeign(at: number, fields: Partial<GatewayKey> = {}) {
  return { key: makeKey(`key_${at}`, fields), secret: `sk-litellm-${at}` };
}

/** The secret that a key has here is unknown to everybody until the foreign one is used. */
function add(store: Store, { key, secret }: ReturnType<typeof makeForeign>, rotation = key.rotations) {
  const secrets = [{ digest: digestForeign(secret), rotation, endsAtMs: NOON + HOUR }];
  return unrecorded(store).addKey(key, `unknown ${key.id}`, { secrets, opening: null });
}

/** As a process has it. Without a memory of earlier answers, since time stands still. */
async function find(store: Store, secret: string, nowMs = NOON): Promise<string> {
  const clock = { nowMs: () => nowMs };
  const foreign = new ForeignSecrets({ store, clock, untilMs: () => NOON + 9 * HOUR });
  const authenticate = createAuthenticator({ store, clock, pepper, mayUseKeys, foreign });
  try {
    return (await authenticate(secret)).key.id;
  } catch (thrown) {
    return readCode(thrown) ?? String(thrown);
  }
}

const all = Array.from({ length: KEYS }, (_, at) => makeForeign(at));

function addAll(opened: () => TwoStores): void {
  beforeEach(async () => {
    for (const one of all) await add(opened().store, one);
  });
}

function use(opened: () => TwoStores): void {
  addAll(opened);

  test("are replaced by our own digests at their first use, on two processes at once", async () => {
    const { store, other, bench } = opened();
    const twice = await Promise.all(all.flatMap(({ secret }) => [find(store, secret), find(other, secret)]));
    expect(twice).toEqual(all.flatMap(({ key }) => [key.id, key.id]));
    for (const { key, secret } of all) {
      expect((await store.keyByDigest(digestSecret(secret, pepper)))?.key.id).toBe(key.id);
    }
    await bench.raw("DELETE FROM foreign_digest");
    expect(await find(other, all[0]?.secret ?? "")).toBe("key_0");
  });

  test("end, and none of an ended one is left", async () => {
    const { store, other } = opened();
    expect(await find(store, "sk-litellm-0", NOON + HOUR - 1)).toBe("key_0");
    expect(await find(other, "sk-litellm-1", NOON + HOUR)).toBe("invalid_api_key");
    expect(await store.foreign.end(NOON + HOUR - 1, 100)).toBe(0);
    expect(await store.foreign.end(NOON + HOUR, 40)).toBe(40);
    expect(await other.foreign.end(NOON + HOUR, 100)).toBe(KEYS - 41);
    expect(await find(store, "sk-litellm-0", NOON + HOUR)).toBe("key_0");
  });

  test("of a revoked key prove nothing", async () => {
    const { store, other } = opened();
    await unrecorded(store).revokeKey("key_3", NOON);
    expect(await find(other, "sk-litellm-3")).toBe("invalid_api_key");
  });
}

function rotations(opened: () => TwoStores): void {
  addAll(opened);

  test("follow the key's rotations: the one before the present works during its grace", async () => {
    const { store, other } = opened();
    const rotate = (id: string, untilMs: number | null) =>
      unrecorded(store).rotateKey(id, {
        digest: `new ${id} ${untilMs}`,
        last4: "wxyz",
        oldSecretUntilMs: untilMs,
      });
    await rotate("key_0", NOON + HOUR);
    await rotate("key_1", null);
    await rotate("key_2", NOON + HOUR);
    await rotate("key_2", NOON + 2 * HOUR);
    const found = ["sk-litellm-0", "sk-litellm-1", "sk-litellm-2"].map((secret) => find(other, secret));
    expect(await Promise.all(found)).toEqual(["key_0", "invalid_api_key", "invalid_api_key"]);
    expect(await store.keyByDigest(`new key_0 ${NOON + HOUR}`)).toMatchObject({ rotation: 1 });
    expect(await find(store, "sk-litellm-0", NOON + HOUR - 1)).toBe("key_0");
  });

  test("of a key that was replaced elsewhere work for as long as they would have there", async () => {
    const { store, other } = opened();
    const replaced = makeForeign(900, { rotations: 1, oldSecretUntilMs: NOON + HOUR / 2 });
    const secrets = ["sk-old", "sk-new"].map((secret, rotation) => ({
      digest: digestForeign(secret),
      rotation,
      endsAtMs: NOON + HOUR,
    }));
    await unrecorded(store).addKey(replaced.key, "unknown", { secrets, opening: null });
    expect(await find(store, "sk-old", NOON + 1)).toBe("key_900");
    expect(await find(other, "sk-new", NOON + 1)).toBe("key_900");
    expect(await find(store, "sk-old", NOON + HOUR / 2)).toBe("invalid_api_key");
    expect(await find(store, "sk-new", NOON + 2 * HOUR)).toBe("key_900");
  });
}
