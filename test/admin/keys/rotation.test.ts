// The operator's use-cases on a key's pause, notes and addresses, and on its rotation, on a real store.
import { beforeEach, describe, expect, test } from "bun:test";
import { revokeKey } from "../../../src/admin/keys/keys.ts";
import { getKey } from "../../../src/admin/keys/keys-in-use.ts";
import { authenticate } from "../../../src/keys/authenticate.ts";
import { HOUR, QUOTA } from "../../harness/samples.ts";
import { catchThrown, readCode } from "../../harness/thrown.ts";
import { createKey, rotateKey, updateKey } from "../admin-asked.ts";
import { adminBench, type TestWorld, wrongWith } from "../admin-world.ts";

const bench = adminBench();
let world: TestWorld;
beforeEach(() => {
  ({ world } = bench());
});

const show = (id: string) => getKey({ ...world, ledger: bench().ledger, dayRules: () => QUOTA }, id);

describe("a key", () => {
  test("can be paused, limited and annotated, and none of it stays if it is removed", async () => {
    const { secret, ...key } = await createKey(world, { name: "a" });
    const fields = { paused: true, notes: "new", allowed_addresses: ["::1"] };
    expect(await updateKey(world, key.id, fields)).toEqual({
      ...key,
      ...fields,
      state: "paused",
      paused_by: ["admin"],
    });
    expect(await updateKey(world, key.id, { notes: "  " })).toMatchObject({ notes: null, paused: true });
    const none = { paused: false, notes: null, allowed_addresses: null };
    expect(await updateKey(world, key.id, none)).toEqual({ ...key, ...none });
  });

  test("that is rotated keeps its old secret until the grace has passed", async () => {
    const { secret: first, ...key } = await createKey(world, { name: "a" });
    const { secret: second, ...rotated } = await rotateKey(world, key.id, { grace: "1h" });
    const old_secret_expires_at = "2026-11-20T13:00:00.000Z";
    expect(rotated).toEqual({ ...key, last4: second.slice(-4), old_secret_expires_at });
    expect(await show(key.id)).toMatchObject(rotated);
    for (const secret of [first, second]) expect((await authenticate(world, secret)).key.id).toBe(key.id);
    bench().clock.atMs += HOUR;
    expect(readCode(await catchThrown(authenticate(world, first)))).toBe("invalid_api_key");
    expect((await authenticate(world, second)).rotation).toBe(1);
    expect((await show(key.id)).old_secret_expires_at).toBeNull();
  });

  test("that has expired gets no secret that would not work", async () => {
    const { id } = await createKey(world, { name: "a", expires_at: "2026-11-20T13:00:00Z" });
    bench().clock.atMs += 2 * HOUR;
    expect(await wrongWith(() => rotateKey(world, id, {}))).toBe("key_expired");
    await updateKey(world, id, { expires_at: "2026-11-21T13:00:00Z" });
    expect((await rotateKey(world, id, {})).secret).toStartWith("sk-");
  });

  test("that is revoked has no old secret and gets no new one", async () => {
    const { secret: first, id } = await createKey(world, { name: "a" });
    await rotateKey(world, id, { grace: "30d" });
    expect(await revokeKey(world, id)).toMatchObject({ old_secret_expires_at: null });
    expect(await wrongWith(() => rotateKey(world, id, {}))).toBe("key_revoked");
    expect(readCode(await catchThrown(authenticate(world, first)))).toBe("invalid_api_key");
  });
});
