// The nodes that may note requests: each is registered before it does.
import { expect, test } from "bun:test";
import { NOTING_NODES } from "../../src/core/store.ts";
import { NotingNodes } from "../../src/ledger/noting-nodes.ts";
import { MINUTE, NOON, openMemoryStore } from "../harness/samples.ts";
import { until } from "../whole/world/until.ts";

test("a node notes nothing before it is registered, nor a minute later, when others may have struck it off", async () => {
  const store = await openMemoryStore();
  const nodes = new NotingNodes(store);
  expect(nodes.mayNote(NOON)).toBe(false);
  await until("registered", () => nodes.mayNote(NOON));
  expect(await store.setting(NOTING_NODES)).toBe(store.node);
  expect(nodes.mayNote(NOON + MINUTE)).toBe(false);
  await until("registered again", () => nodes.mayNote(NOON + MINUTE));
  // As after a clock that was set back by hours.
  expect(nodes.mayNote(NOON - 60 * MINUTE)).toBe(false);
  await store.close();
});

test("a node that was struck off registers again", async () => {
  const store = await openMemoryStore();
  const nodes = new NotingNodes(store);
  await until("registered", () => nodes.mayNote(NOON));
  await store.setSetting(NOTING_NODES, "");
  expect(await nodes.listDead()).toEqual([]);
  expect(nodes.mayNote(NOON)).toBe(false);
  await until("registered again", () => nodes.mayNote(NOON));
  expect(await store.setting(NOTING_NODES)).toContain(store.node);
  await store.close();
});

test("the upkeep registers a node again as long as it notes requests", async () => {
  const store = await openMemoryStore();
  const nodes = new NotingNodes(store);
  await nodes.renew(NOON);
  expect(await store.setting(NOTING_NODES)).toBeNull();
  await until("registered", () => nodes.mayNote(NOON));
  await nodes.renew(NOON + MINUTE / 2);
  expect(nodes.mayNote(NOON + MINUTE)).toBe(true);
  await nodes.renew(NOON + MINUTE);
  // No request was to be noted since.
  await nodes.renew(NOON + 3 * MINUTE);
  expect(nodes.mayNote(NOON + 3 * MINUTE)).toBe(false);
  await store.close();
});
