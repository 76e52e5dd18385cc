// Sessions at tool servers on every store.
import { describe, expect, test } from "bun:test";
import type { ToolSessionRow } from "../../../src/core/tools/session-rows.ts";
import { NOON } from "../../harness/samples.ts";
import { type MakeBench, type TwoStores, twoStores } from "../two-stores.ts";

const MANY = 10_000;

function makeRow(id: string, fields: Partial<ToolSessionRow> = {}): ToolSessionRow {
  const owner = { accountId: "default", keyId: "key_1", owner: "owner" };
  return { ...owner, id, server: "github", usedAtMs: NOON, sealed: `sealed ${id}`, ...fields };
}

export function toolSessionSuite(name: string, makeBench: MakeBench): void {
  describe(`${name}: sessions at tool servers`, () => {
    const stores = twoStores(makeBench);

    test("are kept once: the node that was first counts, and every node finds it", async () => {
      const { store, other } = stores();
      const first = makeRow("one");
      expect(await store.toolSessions.keep(first, MANY)).toEqual(first);
      expect(await other.toolSessions.keep(makeRow("one", { sealed: "later" }), MANY)).toEqual(first);
      expect(await other.toolSessions.find({ accountId: "default", id: "one" })).toEqual(first);
      expect(await other.toolSessions.find({ accountId: "another", id: "one" })).toBeNull();
    });

    test("are forgotten only as long as they are the same", async () => {
      const { store, other } = stores();
      const row = makeRow("one");
      await store.toolSessions.keep(row, MANY);
      await other.toolSessions.forget({ ...row, sealed: "another" });
      expect(await store.toolSessions.find(row)).toEqual(row);
      await other.toolSessions.forget(row);
      expect(await store.toolSessions.find(row)).toBeNull();
    });

    test("that rest are taken by one node, and those in use by none", async () => {
      const { store, other } = stores();
      await store.toolSessions.keep(makeRow("old"), MANY);
      await store.toolSessions.keep(makeRow("used"), MANY);
      await store.toolSessions.find(makeRow("used"), NOON + 70_000);
      const both = await Promise.all([
        store.toolSessions.takeResting(NOON + 65_000, 10),
        other.toolSessions.takeResting(NOON + 65_000, 10),
      ]);
      expect(both.flat()).toEqual([makeRow("old")]);
      expect(await store.toolSessions.find(makeRow("used"))).not.toBeNull();
    });

    test("rest at once with their owner's end, and stay ended beyond the rest of others", async () => {
      const { store } = stores();
      await store.toolSessions.keep(makeRow("mine", { owner: "me" }), MANY);
      await store.toolSessions.keep(makeRow("theirs", { owner: "them" }), MANY);
      await store.toolSessions.keep(makeRow("ended", { owner: "me", server: "" }), MANY);
      await store.toolSessions.end("default", "me");
      const taken = await store.toolSessions.takeResting(NOON, 10);
      expect(taken.map(({ id }) => id)).toEqual(["mine"]);
      expect(await store.toolSessions.find(makeRow("ended"))).not.toBeNull();
    });

    testBounds(stores);
  });
}

function testBounds(stores: () => TwoStores): void {
  test("of one key rest beyond their bound, the least recently used first", async () => {
    const { store } = stores();
    for (const [at, id] of ["a", "b", "c"].entries())
      await store.toolSessions.keep(makeRow(id, { usedAtMs: NOON + at }), 2);
    await store.toolSessions.keep(makeRow("other", { keyId: "key_2" }), 2);
    const taken = await store.toolSessions.takeResting(NOON, 10);
    expect(taken.map(({ id }) => id)).toEqual(["a"]);
  });

  test("that have ended are dropped beyond the key's bound, the oldest first", async () => {
    const { store } = stores();
    const keep = (id: string, fields: Partial<ToolSessionRow>) =>
      store.toolSessions.keep(makeRow(id, fields), 3);
    const ended = { server: "" };
    await keep("other's", { ...ended, keyId: "key_2", usedAtMs: NOON - 5 });
    await keep("old end", { ...ended, usedAtMs: NOON - 3 });
    await keep("old", { usedAtMs: NOON - 2 });
    await keep("end", { ...ended, usedAtMs: NOON - 1 });
    for (const id of ["new", "newest"]) await keep(id, {});
    const isKept = async (id: string) => (await store.toolSessions.find(makeRow(id))) !== null;
    const kept = await Promise.all(["other's", "old end", "old", "end"].map(isKept));
    expect(kept).toEqual([true, false, true, true]);
    // One at a server is never dropped: it has to be ended there.
    const taken = await store.toolSessions.takeResting(NOON - 2, 10);
    expect(taken.map(({ id }) => id)).toEqual(["old"]);
  });

  test("that have ended are dropped by their age, so many at once, and no others are", async () => {
    const { store } = stores();
    for (const at of [0, 1, 2, 3])
      await store.toolSessions.keep(makeRow(`ended ${at}`, { server: "", usedAtMs: NOON + at }), MANY);
    await store.toolSessions.keep(makeRow("session"), MANY);
    expect(await store.toolSessions.dropEnded(NOON + 3, 2)).toBe(2);
    expect(await store.toolSessions.dropEnded(NOON + 3, 2)).toBe(1);
    expect(await store.toolSessions.dropEnded(NOON + 3, 2)).toBe(0);
    expect(await store.toolSessions.find(makeRow("ended 3"))).not.toBeNull();
    expect(await store.toolSessions.find(makeRow("session"))).not.toBeNull();
  });
}
