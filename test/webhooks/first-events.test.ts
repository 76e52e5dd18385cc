// The first changes after the first start: they are delivered, however late the first look at the audit log comes.
import { expect, test } from "bun:test";
import { makeEntry } from "../../src/admin/audit/audit-trail.ts";
import { startUpkeep } from "../../src/app/upkeep/upkeep.ts";
import { asObject, parseJson } from "../../src/core/json/json.ts";
import { decide } from "../../src/ledger/decide.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { TESTER } from "../harness/acting.ts";
import { DAY, ledgerOn } from "../harness/samples.ts";
import { DeliveringNode, startClock } from "./node.ts";
import { SECRET, startReceiver } from "./receiver.ts";

test("a key that is made once the gateway serves is told, even if that is before anybody has looked", async () => {
  const receiver = startReceiver();
  const store = await openSqliteStore({ path: ":memory:", decide });
  const clock = await startClock();
  const node = new DeliveringNode(store, clock, [
    { url: receiver.url, secret: SECRET, events: ["key.created"] },
  ]);
  const end = await startUpkeep({
    store,
    clock,
    // On a busy machine the first look may come after the first request.
    delivering: { begin: () => node.delivering.begin(), tick: async () => {} },
    ledger: ledgerOn(store),
    learning: { refresh: async () => {} },
    log: () => {},
    random: node.random,
    responsesKeepMs: () => 0,
    keepMs: () => DAY,
    auditKeepMs: () => DAY,
  });
  const target = { type: "key", id: "key_1", name: "ci" } as const;
  await store.auditLog.add([
    makeEntry(node, TESTER, { action: "key.created", target, accountId: "default" }),
  ]);
  await store.auditLog.chain(10);
  await node.live();
  expect(receiver.received.map(({ text }) => asObject(parseJson(text)).type)).toEqual(["key.created"]);
  end();
  await store.close();
  await receiver.stop();
});
