// Responses stored for later requests that continue them, on every store.
import { describe, expect, test } from "bun:test";
import type { StoredResponse } from "../src/core/rows.ts";
import { NOON } from "./samples.ts";
import { type MakeBench, twoStores } from "./two-stores.ts";

const BYTES_MAX = 1000;

function makeResponse(id: string, fields: Partial<StoredResponse> = {}): StoredResponse {
  return {
    ...{ accountId: "default", id, keyId: "key_a", atMs: NOON },
    ...{ bytes: 10, items: JSON.stringify([`msg_${id}`]), sealed: `sealed ${id}` },
    ...fields,
  };
}

export function responsesSuite(name: string, makeBench: MakeBench): void {
  describe(`${name}: stored responses`, () => {
    const stores = twoStores(makeBench);

    test("are found by id and by item, by their own account only, on every node", async () => {
      const { store, other } = stores();
      const response = makeResponse("a");
      await store.addResponse(response, BYTES_MAX);
      expect(await other.response("default", "a")).toEqual(response);
      expect(await other.responseOfItem("default", "msg_a")).toEqual(response);
      expect(await other.responseOfItem("another", "msg_a")).toBeNull();
      expect(await other.responseOfItem("default", "msg_")).toBeNull();
      expect(await other.responseOfItem("default", "%")).toBeNull();
      expect(await other.response("another", "a")).toBeNull();
    });

    test("are deleted once, individually or all of a key", async () => {
      const { store, other } = stores();
      for (const [id, keyId] of [
        ["a", "key_a"],
        ["b", "key_a"],
        ["c", "key_b"],
      ] as const)
        await store.addResponse(makeResponse(id, { keyId }), BYTES_MAX);
      expect(await other.removeResponse("another", "a")).toBe(false);
      expect(await other.removeResponse("default", "a")).toBe(true);
      expect(await store.removeResponse("default", "a")).toBe(false);
      expect(await store.response("default", "a")).toBeNull();
      await other.removeResponses("default", "key_a");
      expect(await store.response("default", "b")).toBeNull();
      expect(await store.response("default", "c")).not.toBeNull();
    });

    test("stay within the account's limit: the oldest are deleted, as is one that is too large itself", async () => {
      const { store } = stores();
      for (const [at, bytes] of [400, 500, 300].entries())
        await store.addResponse(makeResponse(`${at}`, { atMs: NOON + at, bytes }), BYTES_MAX);
      const kept = async () => {
        const found = await Promise.all(["0", "1", "2", "3"].map((id) => store.response("default", id)));
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
      expect(await store.response("default", "3")).not.toBeNull();
    });
  });
}
