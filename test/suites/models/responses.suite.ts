// Responses stored for later requests that continue them, on every store.
import { beforeEach, describe, expect, test } from "bun:test";
import type { StoredResponse } from "../../../src/core/rows.ts";
import type { Store } from "../../../src/core/store.ts";
import { addKey, makeKey, makeRecord, NOON, writeRecord } from "../../harness/samples.ts";
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
  return store.addKey(makeKey(id, { accountId: "default", memberId }), `digest of ${id}`);
}

export function responsesSuite(name: string, makeBench: MakeBench): void {
  describe(`${name}: stored responses`, () => {
    const stores = twoStores(makeBench);
    beforeEach(() => addKeys(stores().store, "key_a", "key_b"));

    test("are found by id and by item, by their own account only, on every node", async () => {
      const { store, other } = stores();
      const response = makeResponse("a");
      await store.addResponse(response, BYTES_MAX);
      expect(await other.response(OWNER, "a")).toEqual(response);
      expect(await other.responseOfItem(OWNER, "msg_a")).toEqual(response);
      expect(await other.responseOfItem(ANOTHER, "msg_a")).toBeNull();
      expect(await other.responseOfItem(OWNER, "msg_")).toBeNull();
      expect(await other.responseOfItem(OWNER, "%")).toBeNull();
      expect(await other.response(ANOTHER, "a")).toBeNull();
    });

    test("are deleted once, individually or all of a key", async () => {
      const { store, other } = stores();
      for (const [id, keyId] of [
        ["a", "key_a"],
        ["b", "key_a"],
        ["c", "key_b"],
      ] as const)
        await store.addResponse(makeResponse(id, { keyId }), BYTES_MAX);
      expect(await other.removeResponse(ANOTHER, "a")).toBe(false);
      expect(await other.removeResponse(OWNER, "a")).toBe(true);
      expect(await store.removeResponse(OWNER, "a")).toBe(false);
      expect(await store.response(OWNER, "a")).toBeNull();
      await other.removeResponses("default", "key_a");
      expect(await store.response(OWNER, "b")).toBeNull();
      expect(await store.response(OWNER, "c")).not.toBeNull();
    });

    test("stay within the account's limit: the oldest are deleted, as is one that is too large itself", async () => {
      const { store } = stores();
      for (const [at, bytes] of [400, 500, 300].entries())
        await store.addResponse(makeResponse(`${at}`, { atMs: NOON + at, bytes }), BYTES_MAX);
      const kept = async () => {
        const found = await Promise.all(["0", "1", "2", "3"].map((id) => store.response(OWNER, id)));
        return found.flatMap((one) => one?.id ?? []);
      };
      expect(await kept()).toEqual(["1", "2"]);
      await store.addResponse(makeResponse("3", { atMs: NOON + 3, bytes: BYTES_MAX + 1 }), BYTES_MAX);
      expect(await kept()).toEqual([]);
    });

    test("are deleted by age, in batches", async () => {
      const { store, other } = stores();
      for (const at of [0, 1, 2, 3])
        await store.addResponse(makeResponse(`${at}`, { atMs: NOON + at }), BYTES_MAX);
      expect(await other.pruneResponses(NOON + 3, 2)).toBe(2);
      expect(await other.pruneResponses(NOON + 3, 2)).toBe(1);
      expect(await other.pruneResponses(NOON + 3, 2)).toBe(0);
      expect(await store.response(OWNER, "3")).not.toBeNull();
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
        await store.addResponse(makeResponse(keyId, { keyId, atMs: NOON + at, items: '["msg"]' }), BYTES_MAX);
        await writeRecord(store, makeRecord(`of ${keyId}`, { keyId }));
      }
      for (const [owner, own] of [
        [ANN, "key_ann"],
        [BOB, "key_bob"],
        [OWNER, "key_service"],
      ] as const) {
        expect((await other.responseOfItem(owner, "msg"))?.id).toBe(own);
        for (const id of keys) {
          expect((await other.response(owner, id))?.id ?? null).toBe(id === own ? id : null);
          expect(await other.answerTokens(owner, `of ${id}`)).toBe(id === own ? 30 : null);
          if (id !== own) expect(await other.removeResponse(owner, id)).toBe(false);
        }
        expect(await other.removeResponse(owner, own)).toBe(true);
      }
    });

    test("of a key that isn't known are nobody's, until they are deleted by age", async () => {
      const { store } = stores();
      await store.addResponse(makeResponse("a", { keyId: "key_gone" }), BYTES_MAX);
      expect(await store.response(OWNER, "a")).toBeNull();
      expect(await store.pruneResponses(NOON + 1, 10)).toBe(1);
    });
  });
}
