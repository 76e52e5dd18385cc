// Responses stored for later requests that continue them, on every store.
import { beforeEach, describe, expect, test } from "bun:test";
import type { StoredResponse } from "../../../src/core/log/kept.ts";
import type { Store } from "../../../src/core/store.ts";
import { addKey, makeKey, makeRecord, NOON, writeRecord } from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { type MakeBench, twoStores } from "../two-stores.ts";

const BYTES_MAX = 1000;
const OWNER = { accountId: "default", memberId: null };
const ANOTHER = { accountId: "another", memberId: null };
const ANN = { accountId: "default", memberId: "mem_ann" };
const BOB = { accountId: "default", memberId: "mem_bob" };

function makeResponse(id: string, fields: Partial<StoredResponse> = {}): StoredResponse {
  return {
    accountId: "default",
    id,
    keyId: "key_a",
    atMs: NOON,
    bytes: 10,
    items: JSON.stringify([`msg_${id}`]),
    sealed: `sealed ${id}`,
    ...fields,
  };
}

async function addKeys(store: Store, ...ids: readonly string[]): Promise<void> {
  for (const id of ids) await addKey(store, id);
}

function addPersonalKey(store: Store, id: string, memberId: string): Promise<void> {
  return unrecorded(store).addKey(makeKey(id, { accountId: "default", memberId }), `digest of ${id}`);
}

export function responsesSuite(name: string, makeBench: MakeBench): void {
  describe(`${name}: stored responses`, () => {
    const stores = twoStores(makeBench);
    beforeEach(() => addKeys(stores().store, "key_a", "key_b"));

    test("are found by id and by item, by their own account only, on every node", async () => {
      const { store, other } = stores();
      const response = makeResponse("a");
      await store.responses.add(response, BYTES_MAX);
      expect(await other.responses.find(OWNER, "a")).toEqual(response);
      expect(await other.responses.findByItem(OWNER, "msg_a")).toEqual(response);
      expect(await other.responses.findByItem(ANOTHER, "msg_a")).toBeNull();
      expect(await other.responses.findByItem(OWNER, "msg_")).toBeNull();
      expect(await other.responses.findByItem(OWNER, "%")).toBeNull();
      expect(await other.responses.find(ANOTHER, "a")).toBeNull();
    });

    test("are deleted once, individually or all of a key", async () => {
      const { store, other } = stores();
      for (const [id, keyId] of [
        ["a", "key_a"],
        ["b", "key_a"],
        ["c", "key_b"],
      ] as const)
        await store.responses.add(makeResponse(id, { keyId }), BYTES_MAX);
      expect(await other.responses.remove(ANOTHER, "a")).toBe(false);
      expect(await other.responses.remove(OWNER, "a")).toBe(true);
      expect(await store.responses.remove(OWNER, "a")).toBe(false);
      expect(await store.responses.find(OWNER, "a")).toBeNull();
      await other.responses.removeAll("default", "key_a");
      expect(await store.responses.find(OWNER, "b")).toBeNull();
      expect(await store.responses.find(OWNER, "c")).not.toBeNull();
    });

    test("stay within the account's limit: the oldest are deleted, as is one that is too large itself", async () => {
      const { store } = stores();
      for (const [at, bytes] of [400, 500, 300].entries())
        await store.responses.add(makeResponse(`${at}`, { atMs: NOON + at, bytes }), BYTES_MAX);
      const kept = async () => {
        const found = await Promise.all(["0", "1", "2", "3"].map((id) => store.responses.find(OWNER, id)));
        return found.flatMap((one) => one?.id ?? []);
      };
      expect(await kept()).toEqual(["1", "2"]);
      await store.responses.add(makeResponse("3", { atMs: NOON + 3, bytes: BYTES_MAX + 1 }), BYTES_MAX);
      expect(await kept()).toEqual([]);
    });

    test("are deleted by age, in batches", async () => {
      const { store, other } = stores();
      for (const at of [0, 1, 2, 3])
        await store.responses.add(makeResponse(`${at}`, { atMs: NOON + at }), BYTES_MAX);
      expect(await other.responses.prune(NOON + 3, 2)).toBe(2);
      expect(await other.responses.prune(NOON + 3, 2)).toBe(1);
      expect(await other.responses.prune(NOON + 3, 2)).toBe(0);
      expect(await store.responses.find(OWNER, "3")).not.toBeNull();
    });
  });
  describeOwners(name, makeBench);
}

function describeOwners(name: string, makeBench: MakeBench): void {
  describe(`${name}: the owners of stored responses`, () => {
    const stores = twoStores(makeBench);

    test("are those of a personal key's member, or of all service keys of the account", async () => {
      const { store, other } = stores();
      await addPersonalKey(store, "key_ann", "mem_ann");
      await addPersonalKey(store, "key_bob", "mem_bob");
      const keys = ["key_ann", "key_bob", "key_service"];
      for (const [at, keyId] of keys.entries()) {
        await store.responses.add(
          makeResponse(keyId, { keyId, atMs: NOON + at, items: '["msg"]' }),
          BYTES_MAX,
        );
        await writeRecord(store, makeRecord(`of ${keyId}`, { keyId }));
      }
      for (const [owner, own] of [
        [ANN, "key_ann"],
        [BOB, "key_bob"],
        [OWNER, "key_service"],
      ] as const) {
        expect((await other.responses.findByItem(owner, "msg"))?.id).toBe(own);
        for (const id of keys) {
          expect((await other.responses.find(owner, id))?.id ?? null).toBe(id === own ? id : null);
          expect(await other.responses.countTokens(owner, `of ${id}`)).toBe(id === own ? 30 : null);
          if (id !== own) expect(await other.responses.remove(owner, id)).toBe(false);
        }
        expect(await other.responses.remove(owner, own)).toBe(true);
      }
    });

    test("of a key that isn't known are nobody's, until they are deleted by age", async () => {
      const { store } = stores();
      await store.responses.add(makeResponse("a", { keyId: "key_gone" }), BYTES_MAX);
      expect(await store.responses.find(OWNER, "a")).toBeNull();
      expect(await store.responses.prune(NOON + 1, 10)).toBe(1);
    });
  });
}
