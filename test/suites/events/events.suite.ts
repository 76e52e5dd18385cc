// Events on every store: recorded with the change that makes them happen, once for their id, and taken by one process.
import { expect, test } from "bun:test";
import { actAs } from "../../../src/admin/audit/audit-trail.ts";
import { random } from "../../../src/app/world.ts";
import { makeEvent } from "../../../src/core/events/events.ts";
import type { Store } from "../../../src/core/store.ts";
import { TESTER } from "../../harness/acting.ts";
import { makeKey, NOON, standingClock } from "../../harness/samples.ts";
import { catchThrown } from "../../harness/thrown.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { makeSuite, type TwoStores } from "../two-stores.ts";

const EXPIRING = makeEvent("key.expiring", "key_1", {
  accountId: "default",
  atMs: NOON,
  data: { key_id: "key_1", name: "ci <b>", until: "2026-06-01T00:00:00Z" },
});

function changesOf(store: Store) {
  const world = { store, clock: standingClock(NOON), random, pepper: new Uint8Array(32) };
  return actAs(world, TESTER, [EXPIRING]).changes;
}

function recording(stores: () => TwoStores): void {
  test("an event is recorded with its change, beside the audit log's entry", async () => {
    const { store, other } = stores();
    await changesOf(store).addKey(makeKey("key_1"), "digest 1");
    expect(await other.takeEvents(NOON, 10)).toEqual([EXPIRING]);
    expect((await other.auditLog.chain(10))?.map(({ action }) => action)).toEqual(["key.created"]);
  });

  test("an event of a change that fails is not recorded", async () => {
    const { store } = stores();
    await unrecorded(store).addKey(makeKey("key_1"), "digest 1");
    expect(await catchThrown(changesOf(store).addKey(makeKey("key_1"), "digest 1"))).toBeTruthy();
    expect(await store.takeEvents(NOON, 10)).toEqual([]);
  });

  test("an event that is recorded again is the same event", async () => {
    const { store, other } = stores();
    await Promise.all([store, other, store].map((one) => one.addEvents([EXPIRING])));
    const taken = await Promise.all([store, other].map((one) => one.takeEvents(NOON, 10)));
    expect(taken.flat()).toEqual([EXPIRING]);
    await store.addEvents([EXPIRING]);
    expect(await store.takeEvents(NOON, 10)).toEqual([]);
  });
}

export const eventsSuite = makeSuite({ recording });
