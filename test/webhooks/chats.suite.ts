// The order of deliveries on every store: chats hear first of what somebody has to act on, and of what is alike at once.
import { expect, test } from "bun:test";
import { makeEvent } from "../../src/core/events/events.ts";
import { asObject, parseJson } from "../../src/core/json/json.ts";
import { makeSuite, type TwoStores } from "../suites/two-stores.ts";
import { EVERYONE, FIRST, happen, open, standard, stopReceivers } from "./delivery.suite.ts";
import { DeliveringNode as Node, startClock } from "./node.ts";
import type { Receiver } from "./receiver.ts";

function sorting(stores: () => TwoStores): void {
  const textsOf = ({ received }: Receiver) =>
    received.map(({ text }) => String(asObject(parseJson(text)).text));

  test("a chat hears of a budget within 5 s, however much waits, and of what is alike at once", async () => {
    const chat = open();
    const clock = await startClock();
    const node = new Node(stores().store, clock, [{ url: chat.url, form: "slack" }]);
    const noise = Array.from({ length: 600 }, (_, at) => {
      const data = { key_id: `key_${at}`, name: `key ${at}`, until: "now" };
      return makeEvent("key.expiring", `key_${at}`, {
        accountId: `acct_${at % 300}`,
        atMs: clock.nowMs(),
        data,
      });
    });
    await node.store.addEvents(noise);
    await node.live(2);
    const data = { key_id: "key_b", name: "bot", per: "month", used: 9, limit: 10 };
    const about = { accountId: "default", atMs: clock.nowMs(), data };
    await node.store.addEvents([makeEvent("budget.warned", "key_b", about)]);
    await node.live(5);
    expect(textsOf(chat).some((text) => text.startsWith("budget.warned: "))).toBe(true);
    const [first = ""] = textsOf(chat);
    expect(first).toStartWith("key.expiring, 2 times");
  });

  test("a message for many names ten of them, and is kept whole if it fails", async () => {
    const chat = open();
    chat.answer = () => new Response(null, { status: 500 });
    const node = new Node(stores().store, await startClock(), [{ url: chat.url, form: "slack" }]);
    for (let at = 0; at < 30; at++) await happen(node.store, `key_${at}`, { until: "now" });
    await node.live();
    expect(chat.received).toHaveLength(1);
    expect(await node.store.webhooks.list(EVERYONE, FIRST)).toHaveLength(30);
    chat.answer = () => new Response("ok");
    await node.live(12);
    const text = textsOf(chat).at(-1) ?? "";
    expect(text).toContain("key.expiring, 30 times (account default), the first 10 of which are: ");
    expect(text.match(/The key key_\d+ ends/g)).toHaveLength(10);
    expect(await node.store.webhooks.list(EVERYONE, FIRST)).toEqual([]);
  });

  test("what is sent again by hand goes at once, whatever time the receiver asked for", async () => {
    const receiver = open();
    receiver.answer = () => new Response(null, { status: 429, headers: { "retry-after": "3600" } });
    const node = new Node(stores().store, await startClock(), [standard(receiver)]);
    await happen(node.store, "key_1");
    await happen(node.store, "key_2");
    await node.live();
    const before = receiver.received.length;
    receiver.answer = () => new Response("ok");
    await happen(node.store, "key_3");
    const [one] = await node.store.webhooks.list(EVERYONE, FIRST);
    await node.store.webhooks.sendAgain(one?.id ?? "", node.clock.nowMs(), EVERYONE.scope);
    await node.live(3);
    expect(receiver.received.slice(before).map(({ id }) => id)).toEqual([String(one?.webhookId)]);
  });
}

export const chatsSuite = makeSuite({ "the order of deliveries": sorting }, stopReceivers);
