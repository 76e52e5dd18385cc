// Deliveries on every store: one node at a time has the lease, what is due is found, and nothing is sent twice by design.
import { expect, test } from "bun:test";
import { makeEvent } from "../../../src/core/events/events.ts";
import { NOON } from "../../harness/samples.ts";
import { makeDelivery } from "../../webhooks/samples.ts";
import { makeSuite, type TwoStores } from "../two-stores.ts";

const EVERYONE = { scope: { accountIds: null, personal: null } };
const FIRST = { limit: 100, after: null };

function leasing(stores: () => TwoStores): void {
  test("one of several nodes has the lease, until it ends", async () => {
    const one = stores().store.webhooks;
    const other = stores().other.webhooks;
    const taken = await Promise.all([one.lease("a", NOON, NOON + 10), other.lease("b", NOON, NOON + 10)]);
    expect(taken.toSorted()).toEqual([false, true]);
    const [mine, others] = taken[0] ? ["a", "b"] : ["b", "a"];
    expect(await other.lease(mine, NOON + 9, NOON + 19)).toBe(true);
    expect(await one.lease(others, NOON + 18, NOON + 28)).toBe(false);
    expect(await one.lease(others, NOON + 19, NOON + 29)).toBe(true);
    expect(await other.lease(mine, NOON + 20, NOON + 30)).toBe(false);
  });
}

function delivering(stores: () => TwoStores): void {
  test("an event is taken once, in one transaction with its deliveries", async () => {
    const { store, other } = stores();
    const event = makeEvent("key.expiring", "key_1", { accountId: "default", atMs: NOON, data: {} });
    await store.addEvents([event]);
    const route = async () => [makeDelivery("d1"), makeDelivery("d2", { endpoint: "two" })];
    const taken = await Promise.all([store, other].map((one) => one.takeEvents(NOON, 10, route)));
    expect(taken.flat()).toEqual([event]);
    expect((await store.webhooks.list(EVERYONE, FIRST)).map(({ id }) => id)).toEqual(["d2", "d1"]);
  });

  test("what is due is found, in the order of time, and the result of an attempt counts once", async () => {
    const { webhooks } = stores().store;
    const first = makeDelivery("d1");
    const second = makeDelivery("d2", { dueAtMs: NOON - 5 });
    await webhooks.add([
      first,
      second,
      makeDelivery("d3", { dueAtMs: NOON + 1 }),
      makeDelivery("d4", { endpoint: "two" }),
    ]);
    await webhooks.add([makeDelivery("d1", { attempts: 7 })]);
    expect(await webhooks.due("one", NOON, 10)).toEqual([second, first]);
    expect((await webhooks.waitingEndpoints()).toSorted()).toEqual(["one", "two"]);
    const failed = { attempts: 1, status: 500, reason: "status 500" } as const;
    await webhooks.record("d1", { ...failed, state: "waiting", dueAtMs: NOON + 5000 });
    await webhooks.record("d1", { ...failed, state: "dead", dueAtMs: null });
    const [found] = (await webhooks.list(EVERYONE, FIRST)).filter(({ id }) => id === "d1");
    expect(found).toMatchObject({ ...failed, state: "waiting", dueAtMs: NOON + 5000 });
    await webhooks.remove("d2");
    expect(await webhooks.due("one", NOON, 10)).toEqual([]);
  });
}

function burying(stores: () => TwoStores): void {
  test("buried ones are sent again only if asked, and the oldest dead ones go", async () => {
    const { webhooks } = stores().store;
    await webhooks.add([1, 2, 3].map((at) => makeDelivery(`d${at}`, { atMs: NOON + at })));
    await webhooks.bury("one", "gone");
    expect(await webhooks.due("one", NOON + 9, 10)).toEqual([]);
    expect(await webhooks.sendAgain("d9", NOON, EVERYONE.scope)).toBeNull();
    const scope = { accountIds: ["elsewhere"], personal: null };
    expect(await webhooks.sendAgain("d1", NOON, scope)).toBeNull();
    expect(await webhooks.sendAgain("d1", NOON, EVERYONE.scope)).toMatchObject({
      state: "waiting",
      dueAtMs: NOON,
    });
    expect((await webhooks.due("one", NOON, 10)).map(({ id }) => id)).toEqual(["d1"]);
    expect(await webhooks.prune(NOON, 1)).toBe(1);
    const kept = await webhooks.list(EVERYONE, FIRST);
    expect(kept.map(({ id, state }) => [id, state])).toEqual([
      ["d3", "dead"],
      ["d1", "waiting"],
    ]);
    expect(await webhooks.list({ ...EVERYONE, state: "dead" }, FIRST)).toHaveLength(1);
    const after = { atMs: NOON + 3, id: "d3" };
    expect((await webhooks.list(EVERYONE, { limit: 9, after })).map(({ id }) => id)).toEqual(["d1"]);
    expect(await webhooks.list({ scope }, FIRST)).toEqual([]);
  });
}

function ending(stores: () => TwoStores): void {
  test("an endpoint is off until it is switched on, for all nodes", async () => {
    const { store, other } = stores();
    await store.webhooks.switchOff("one", NOON);
    await other.webhooks.switchOff("one", NOON + 1);
    expect(await other.webhooks.off()).toEqual(["one"]);
    await other.webhooks.switchOff("one", null);
    expect(await store.webhooks.off()).toEqual([]);
  });

  test("what waits of a person is not sent once the person is erased", async () => {
    const { store } = stores();
    const of = (id: string) => ({ data: { actor: { kind: "person", id, name: "Anna" } } });
    await store.webhooks.add([makeDelivery("d1", of("mem_anna")), makeDelivery("d2", of("mem_annabel"))]);
    await store.people.erase({ id: "mem_anna", email: null });
    expect((await store.webhooks.list(EVERYONE, FIRST)).map(({ id }) => id)).toEqual(["d2"]);
  });
}

function telling(stores: () => TwoStores): void {
  test("a change of state is told of once, whoever sees it", async () => {
    const { store, other } = stores();
    const tell = (one: typeof store, id: string) =>
      one.webhooks.tell((told) => {
        if (told === "down") return null;
        const event = makeEvent("key.expiring", id, { accountId: "", atMs: NOON, data: {} });
        return { told: "down", events: [event] };
      });
    await Promise.all(Array.from({ length: 6 }, (_, at) => tell(at % 2 === 0 ? store : other, `key_${at}`)));
    expect(await store.takeEvents(NOON, 10)).toHaveLength(1);
  });
}

export const webhooksSuite = makeSuite({ leasing, delivering, burying, ending, telling });
