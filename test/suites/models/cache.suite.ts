// Kept answers of the cache on every store.
import { describe, expect, test } from "bun:test";
import type { CachedAnswer } from "../../../src/core/models/cached-answer.ts";
import { NOON } from "../../harness/samples.ts";
import { type MakeBench, twoStores } from "../two-stores.ts";

function makeAnswer(id: string, fields: Partial<CachedAnswer> = {}): CachedAnswer {
  const times = { atMs: NOON, untilMs: NOON + 1000 };
  return { accountId: "default", id, ...times, bytes: 10, sealed: `sealed ${id}`, ...fields };
}

export function cacheSuite(name: string, makeBench: MakeBench): void {
  describe(`${name}: kept answers`, () => {
    const stores = twoStores(makeBench);

    test("are found by their ids, in their own account only, on every node", async () => {
      const { store, other } = stores();
      const one = makeAnswer("one");
      const two = makeAnswer("two");
      await store.cache.keep(one);
      await store.cache.keep(two);
      expect(await other.cache.find("default", ["one"])).toEqual([one]);
      expect((await other.cache.find("default", ["none", "two", "one"])).length).toBe(2);
      expect(await other.cache.find("another", ["one"])).toEqual([]);
    });

    test("are replaced by later ones", async () => {
      const { store, other } = stores();
      await store.cache.keep(makeAnswer("one"));
      const later = makeAnswer("one", { atMs: NOON + 5, untilMs: NOON + 5000, bytes: 20, sealed: "later" });
      await other.cache.keep(later);
      expect(await store.cache.find("default", ["one"])).toEqual([later]);
    });

    test("go oldest first, beyond the bound of their account or of all", async () => {
      const { store } = stores();
      const ids = ["a", "b", "c", "d"];
      for (const [at, id] of ids.entries()) await store.cache.keep(makeAnswer(id, { atMs: NOON + at }));
      await store.cache.keep(makeAnswer("e", { accountId: "another", atMs: NOON - 1 }));
      const left = async (accountId = "default") =>
        (await store.cache.find(accountId, [...ids, "e"])).map(({ id }) => id).sort();
      await store.cache.trim(40, "default");
      expect(await left()).toEqual(ids);
      await store.cache.trim(25, "default");
      expect(await left()).toEqual(["c", "d"]);
      expect(await left("another")).toEqual(["e"]);
      await store.cache.trim(20);
      expect([await left(), await left("another")]).toEqual([["c", "d"], []]);
    });

    test("go once their time is over, or with their account", async () => {
      const { store } = stores();
      await store.cache.keep(makeAnswer("old"));
      await store.cache.keep(makeAnswer("new", { untilMs: NOON + 9000 }));
      expect(await store.cache.prune(NOON + 1001, 100)).toBe(1);
      expect((await store.cache.find("default", ["old", "new"])).map(({ id }) => id)).toEqual(["new"]);
      await store.purgeAccount("default", 100);
      expect(await store.cache.find("default", ["new"])).toEqual([]);
    });
  });
}
