// Deliveries to real receivers on every store, on a simulated clock: whatever a receiver or a node does, nothing is lost.
import { expect, test } from "bun:test";
import { makeEntry } from "../../src/admin/audit/audit-trail.ts";
import { type EventData, makeEvent } from "../../src/core/events/events.ts";
import { asObject, parseJson } from "../../src/core/json/json.ts";
import type { Store } from "../../src/core/store.ts";
import { TESTER } from "../harness/acting.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { makeMember } from "../people/samples.ts";
import { makeSuite, type TwoStores } from "../suites/two-stores.ts";
import { type Given, DeliveringNode as Node, startClock } from "./node.ts";
import { type Receiver, SECRET, startReceiver, verify } from "./receiver.ts";

export const EVERYONE = { scope: { accountIds: null, personal: null } };
export const FIRST = { limit: 200, after: null };
const MINUTE = 60_000;
const HOUR = 3_600_000;

const opened: Receiver[] = [];

export async function stopReceivers(): Promise<void> {
  for (const receiver of opened.splice(0)) await receiver.stop();
}

export function open(): Receiver {
  const receiver = startReceiver();
  opened.push(receiver);
  return receiver;
}

export function happen(store: Store, subject: string, data: EventData = {}): Promise<void> {
  const about = { accountId: "default", atMs: Date.now(), data: { key_id: subject, name: subject, ...data } };
  return store.addEvents([makeEvent("key.expiring", subject, about)]);
}

export const standard = ({ url }: Receiver, fields: Partial<Given> = {}): Given => ({
  url,
  secret: SECRET,
  ...fields,
});
const idsOf = ({ received }: Receiver) => received.map(({ id }) => id);

function sending(stores: () => TwoStores): void {
  test("an event comes once, signed, with its subject's names", async () => {
    const receiver = open();
    const node = new Node(stores().store, await startClock(), [standard(receiver)]);
    await happen(node.store, "key_1", { until: "2026-12-01T00:00:00Z" });
    await node.live(3);
    expect(receiver.received).toHaveLength(1);
    const [one] = receiver.received;
    if (!one) throw new Error("Nothing came.");
    expect(verify(one)).toMatchObject({
      type: "key.expiring",
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: { id: "key_1", name: "key_1", key_id: "key_1", account_id: "default", account: "default" },
    });
    expect(() => verify({ ...one, text: one.text.replace("key_1", "key_2") })).toThrow();
    expect(() => verify(one, `whsec_${Buffer.alloc(32, 1).toString("base64")}`)).toThrow();
    expect(await node.store.webhooks.list(EVERYONE, FIRST)).toEqual([]);
    expect(JSON.stringify(node.logged)).not.toContain("hush");
  });

  test("an endpoint gets the types and accounts that it names", async () => {
    const all = open();
    const others = open();
    const audit = open();
    const node = new Node(stores().store, await startClock(), [
      standard(all, { events: ["key.*"], accounts: ["default"] }),
      standard(others, { accounts: ["Elsewhere"] }),
      standard(audit, { events: ["audit.*"] }),
    ]);
    await node.live();
    await happen(node.store, "key_1");
    const target = { type: "key", id: "key_2", name: "=ci" } as const;
    const entry = makeEntry(node, TESTER, { action: "key.created", target, accountId: "default" });
    const failed = { ...entry, id: "aud_failed", outcome: "failed" } as const;
    await node.store.auditLog.add([entry, failed]);
    await node.store.auditLog.chain(10);
    await node.live(2);
    const types = ({ received }: Receiver) =>
      received.map(({ text }) => asObject(parseJson(text)).type).toSorted();
    expect(types(all)).toEqual(["key.created", "key.expiring"]);
    expect(types(others)).toEqual([]);
    expect(types(audit)).toEqual(["audit.key.created", "audit.key.created"]);
  });
}

function naming(stores: () => TwoStores): void {
  test("what concerns a person is told with the person's name, or the id once nothing is kept of them", async () => {
    const receiver = open();
    const chat = open();
    const given: readonly Given[] = [standard(receiver), { url: chat.url, form: "slack" }];
    const node = new Node(stores().store, await startClock(), given);
    const name = async (name: string) =>
      unrecorded(node.store).changeMember("mem_ann", () => makeMember("mem_ann", { name }));
    const warn = async (subject: string) => {
      const data = { member_id: "mem_ann", name: "mem_ann", per: "day", used: 4, limit: 5 };
      await node.store.addEvents([
        makeEvent("budget.warned", subject, { accountId: "default", atMs: Date.now(), data }),
      ]);
      await node.live(2);
    };
    await name("Ann Example");
    await warn("first");
    const about = { accountId: "default", atMs: Date.now(), data: { member_id: "mem_ann", kind: "budget" } };
    await node.store.addEvents([makeEvent("limit_request.made", "asked", about)]);
    await node.live();
    await name("");
    await warn("second");
    const told = receiver.received.map(({ text }) => asObject(asObject(parseJson(text)).data));
    expect(told.map(({ id, name, member_id }) => [id, name, member_id])).toEqual([
      ["mem_ann", "Ann Example", "mem_ann"],
      ["mem_ann", "Ann Example", "mem_ann"],
      ["mem_ann", "mem_ann", "mem_ann"],
    ]);
    expect(asObject(parseJson(chat.received[0]?.text ?? "")).text).toBe(
      "budget.warned: A budget of Ann Example (per day) has used 4 of 5 USD. (account default)",
    );
  });
}

function chatting(stores: () => TwoStores): void {
  test("a chat gets a sentence in which nobody's text is markup", async () => {
    const chats = { slack: open(), discord: open(), teams: open() };
    const given = (["slack", "discord", "teams"] as const).map((form) => ({ url: chats[form].url, form }));
    const node = new Node(stores().store, await startClock(), given);
    const name = "<!channel> @everyone **ci** [a](http://b)\n&";
    await happen(node.store, "key_1", { name, until: "now" });
    await node.live(2);
    const body = (receiver: Receiver) => asObject(parseJson(receiver.received[0]?.text ?? ""));
    expect(body(chats.slack).text).toBe(
      "key.expiring: The key &lt;!channel&gt; @\u200beveryone **ci** [a](http://b) &amp; ends at now. (account default)",
    );
    expect(body(chats.slack).mrkdwn).toBe(false);
    expect(body(chats.discord)).toEqual({
      allowed_mentions: { parse: [] },
      content:
        "key.expiring: The key \\<!channel\\> @\u200beveryone \\*\\*ci\\*\\* \\[a\\]\\(http\\://b\\) & ends at now. (account default)",
    });
    expect(chats.teams.received[0]?.text).toContain("&lt;!channel&gt; @\u200beveryone \\\\*\\\\*ci");
    expect(chats.teams.received[0]?.headers["webhook-signature"]).toBeUndefined();
  });
}

function failing(stores: () => TwoStores): void {
  test("a receiver that is down for an hour gets everything afterwards, under the same ids", async () => {
    const receiver = open();
    const node = new Node(stores().store, await startClock(), [standard(receiver)]);
    await receiver.stop();
    for (let minute = 0; minute < 60; minute += 10) {
      await happen(node.store, `key_${minute}`);
      await node.after(10 * MINUTE);
    }
    const waiting = await node.store.webhooks.list(EVERYONE, FIRST);
    expect(waiting).toHaveLength(6);
    expect(waiting.every(({ attempts, reason }) => attempts > 0 && reason?.startsWith("no connection"))).toBe(
      true,
    );
    receiver.start();
    await node.after(3 * HOUR);
    expect(idsOf(receiver).toSorted()).toEqual(waiting.map(({ webhookId }) => webhookId).toSorted());
    expect(await node.store.webhooks.list(EVERYONE, FIRST)).toEqual([]);
  });

  test("a slow receiver delays nobody else, and is asked again", async () => {
    const slow = open();
    const quick = open();
    slow.answer = () => new Promise(() => {});
    const clock = await startClock();
    const node = new Node(stores().store, clock, [standard(slow), standard(quick)]);
    await happen(node.store, "key_1");
    await node.delivering.tick();
    while (quick.received.length + slow.received.length < 2) await Bun.sleep(1);
    await happen(node.store, "key_2");
    await clock.move(1000);
    // A tick starts nothing while the delivery before is still being written down.
    while (quick.received.length < 2) await node.delivering.tick().then(() => Bun.sleep(1));
    await clock.move(15_000);
    await node.delivering.settle();
    const [first] = await node.store.webhooks.list({ ...EVERYONE }, FIRST);
    expect(first?.reason ?? "").toMatch(/no answer within 15 s|^$/);
    slow.answer = () => new Response("ok");
    await node.after(10 * MINUTE);
    expect(new Set(idsOf(slow)).size).toBe(2);
    expect(await node.store.webhooks.list(EVERYONE, FIRST)).toEqual([]);
  });
}

function refusing(stores: () => TwoStores): void {
  test("a redirect is a failure, and nothing goes where it points", async () => {
    const receiver = open();
    const target = open();
    receiver.answer = () => Response.redirect(target.url, 307);
    const node = new Node(stores().store, await startClock(), [standard(receiver)]);
    await happen(node.store, "key_1");
    await node.live();
    expect([receiver.received.length, target.received.length]).toEqual([1, 0]);
    const [waiting] = await node.store.webhooks.list(EVERYONE, FIRST);
    expect(waiting).toMatchObject({ status: 307, reason: "a redirect (307), which is never followed" });
  });

  test("a receiver that asks for fewer calls gets none until then", async () => {
    const receiver = open();
    receiver.answer = () => new Response(null, { status: 429, headers: { "retry-after": "120" } });
    const node = new Node(stores().store, await startClock(), [standard(receiver)]);
    await happen(node.store, "key_1");
    await node.live();
    await happen(node.store, "key_2");
    await node.after(MINUTE);
    expect(receiver.received).toHaveLength(1);
    await node.after(MINUTE);
    expect(receiver.received.length).toBeGreaterThan(1);
  });
}

function givingUp(stores: () => TwoStores): void {
  test("one that is gone is switched off, until something sent again arrives", async () => {
    const receiver = open();
    const node = new Node(stores().store, await startClock(), [standard(receiver)]);
    receiver.answer = () => new Response(null, { status: 410 });
    await happen(node.store, "key_1");
    await node.live();
    await happen(node.store, "key_2");
    await node.live(3);
    expect(receiver.received).toHaveLength(1);
    expect(node.logged.map(({ event }) => event)).toContain("webhook_off");
    const [dead] = await node.store.webhooks.list(EVERYONE, FIRST);
    expect(dead).toMatchObject({ state: "dead", status: 410, attempts: 1 });
    receiver.answer = () => new Response("ok");
    await node.store.webhooks.sendAgain(dead?.id ?? "", node.clock.nowMs(), EVERYONE.scope);
    await node.live(2);
    await happen(node.store, "key_3");
    await node.live(2);
    expect(receiver.received).toHaveLength(3);
    expect(receiver.received[1]?.id).toBe(dead?.webhookId ?? "");
  });

  test("one that never answers well is given up after three days, and can be asked once more", async () => {
    const receiver = open();
    receiver.answer = () => new Response(null, { status: 500 });
    const node = new Node(stores().store, await startClock(), [standard(receiver)]);
    await happen(node.store, "key_1");
    for (let hour = 0; hour < 90; hour++) await node.after(HOUR);
    expect(receiver.received).toHaveLength(10);
    expect(new Set(idsOf(receiver)).size).toBe(1);
    const [dead] = await node.store.webhooks.list(EVERYONE, FIRST);
    expect(dead).toMatchObject({ state: "dead", attempts: 10, status: 500, reason: "status 500" });
    await node.store.webhooks.sendAgain(dead?.id ?? "", node.clock.nowMs(), EVERYONE.scope);
    await node.live(2);
    expect((await node.store.webhooks.list(EVERYONE, FIRST))[0]).toMatchObject({
      state: "dead",
      attempts: 11,
    });
  });
}

function dying(stores: () => TwoStores): void {
  test("what a node was sending when it died is sent by another, under the same id", async () => {
    const { store, other } = stores();
    const receiver = open();
    // The clock of the dead stands still.
    const first = new Node(store, await startClock(), [standard(receiver)]);
    const second = new Node(other, await startClock(), [standard(receiver)]);
    receiver.answer = () => new Promise(() => {});
    await happen(store, "key_1");
    await first.delivering.tick();
    while (receiver.received.length === 0) await Bun.sleep(1);
    receiver.answer = () => new Response("ok");
    await second.live();
    expect(receiver.received).toHaveLength(1);
    await second.after(15_000);
    expect(receiver.received).toHaveLength(2);
    expect(new Set(idsOf(receiver)).size).toBe(1);
  });

  test("two nodes that live together send nothing twice", async () => {
    const { store, other } = stores();
    const receiver = open();
    const clock = await startClock();
    const nodes = [store, other].map((one) => new Node(one, clock, [standard(receiver)]));
    for (let at = 0; at < 10; at++) {
      await happen(at % 2 === 0 ? store : other, `key_${at}`);
      await Promise.all(nodes.map(({ delivering }) => delivering.tick()));
    }
    await Promise.all(nodes.map(({ delivering }) => delivering.settle()));
    await clock.move(1000);
    for (const node of nodes) await node.live();
    expect(receiver.received).toHaveLength(10);
    expect(new Set(idsOf(receiver)).size).toBe(10);
  });
}

export const deliverySuite = makeSuite(
  { sending, naming, chatting, failing, refusing, givingUp, dying },
  stopReceivers,
);
