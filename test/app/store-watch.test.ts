// The store's trouble on a full disk: small writes that still fit in between don't hide it.
import { expect, test } from "bun:test";
import { StoreWatch } from "../../src/app/upkeep/store-watch.ts";
import { unavailable } from "../../src/store/engine/unavailable.ts";
import { ManualClock } from "../harness/manual-clock.ts";
import { addKey, give, openMemoryStore } from "../harness/samples.ts";

test("a write that fits soon after one that failed doesn't end the problem; a later one does", async () => {
  const clock = new ManualClock();
  const store = await openMemoryStore();
  await addKey(store, "k");
  let isFull = false;
  const watch = new StoreWatch({
    store: {
      ...store,
      transact: (demand) =>
        isFull ? Promise.reject(unavailable(new Error("database or disk is full"))) : store.transact(demand),
    },
    clock,
    log: () => {},
    onTransaction: () => {},
  });
  const write = () => give(watch.store, "default", 1);
  isFull = true;
  expect(await write().catch(() => "refused")).toBe("refused");
  isFull = false;
  await clock.move(1000);
  await write();
  expect([watch.isUp, watch.recentFailure?.reason]).toEqual([true, "database or disk is full"]);
  expect(watch.isSound).toBe(false);
  await clock.move(5000);
  await write();
  expect(watch.recentFailure).toBeNull();
  expect(watch.isSound).toBe(true);
  await store.close();
});

test("a failed sync is noted once, however many wait for it", async () => {
  const clock = new ManualClock();
  const store = await openMemoryStore();
  const events: string[] = [];
  const failed = Promise.reject(unavailable(new Error("no power")));
  const watch = new StoreWatch({
    store: { ...store, durable: () => failed },
    clock,
    log: ({ event }) => events.push(event),
    onTransaction: () => {},
  });
  const waiting = [watch.store.durable(), watch.store.durable()];
  expect(waiting).toEqual([failed, failed]);
  expect(await Promise.allSettled(waiting)).toMatchObject([{ status: "rejected" }, { status: "rejected" }]);
  expect([watch.isUp, watch.recentFailure?.reason, events]).toEqual([false, "no power", ["store_down"]]);
  await store.close();
});

test("while requests find it down and up again, the log has one line a second", async () => {
  const clock = new ManualClock();
  const store = await openMemoryStore();
  await addKey(store, "k");
  const events: string[] = [];
  let count = 0;
  const watch = new StoreWatch({
    store: {
      ...store,
      transact: (demand) =>
        count++ % 2 === 0
          ? Promise.reject(unavailable(new Error("database or disk is full")))
          : store.transact(demand),
    },
    clock,
    log: ({ event }) => events.push(event),
    onTransaction: () => {},
  });
  for (let at = 0; at < 100; at++) {
    await give(watch.store, "default", 1).catch(() => null);
    await clock.move(20);
  }
  expect(events.filter((event) => event === "store_down")).toHaveLength(2);
  expect(events.filter((event) => event === "store_up")).toHaveLength(2);
  await store.close();
});
