// Webhooks of a running gateway: events of what operators do, and the deliveries that failed, sent again.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject, parseJson } from "../../../src/core/json/json.ts";
import { SECRET, startReceiver, verify } from "../../webhooks/receiver.ts";
import { createOperator } from "../world/operator.ts";
import { until } from "../world/until.ts";
import { type HttpWorld, startHttpWorld } from "../world/world.ts";

const receiver = startReceiver();
const chat = startReceiver();
let world: HttpWorld;
let operator: ReturnType<typeof createOperator>;
beforeAll(async () => {
  const standard = `{ url: "${receiver.url}", secret: "${SECRET}", events: ["key.*", "budget.raised"] }`;
  const slack = `{ url: "${chat.url}", form: slack, events: [audit.key.created] }`;
  world = await startHttpWorld({ more: `webhooks: [${standard}, ${slack}]` });
  operator = createOperator(world);
  // Entries that are older than the gateway's first look at the audit log make no events.
  await until("the log is looked at", async () => {
    await world.newKey();
    return receiver.received.length > 0;
  });
});
afterAll(async () => {
  await world.stop();
  await Promise.all([receiver.stop(), chat.stop()]);
});

/** The events about a key. */
const typesOf = (id: string) =>
  receiver.received.filter(({ text }) => text.includes(id)).map(({ text }) => asObject(parseJson(text)).type);

test("what operators do is told, signed and without the secret", async () => {
  const { id, secret } = await world.newKey();
  await operator.patch(`/keys/${id}`, { budgets: [{ usd: 1, per: "day" }] });
  await operator.patch(`/keys/${id}`, { budgets: [{ usd: 2, per: "day" }] });
  await operator.delete(`/keys/${id}`);
  const types = ["budget.raised", "key.created", "key.revoked"];
  // Deliveries that are due at the same time arrive in any order.
  await until("all is told", () => typesOf(id).length >= types.length && chat.received.length > 0);
  expect(typesOf(id).toSorted()).toEqual(types);
  const told = receiver.received.map((one) => asObject(verify(one)));
  expect(told.map(({ data }) => asObject(data).key_id)).toContain(id);
  expect(JSON.stringify([told, chat.received])).not.toContain(secret);
  expect(chat.received[0]?.text).toContain("audit.key.created");
});

test("a delivery that failed is listed, and sent again when asked", async () => {
  receiver.answer = () => new Response(null, { status: 500 });
  receiver.received.length = 0;
  await world.newKey();
  const list = async () =>
    asArray((await operator.get("/webhooks/deliveries?type=key.created")).body.data).map(asObject);
  await until("the failure is listed", async () =>
    (await list()).some(({ attempts }) => Number(attempts) > 0),
  );
  const [waiting = {}] = await list();
  expect(waiting).toMatchObject({
    type: "key.created",
    state: "waiting",
    status: 500,
    reason: "status 500",
    account_id: "default",
    host: new URL(receiver.url).host,
  });
  expect(JSON.stringify(waiting)).not.toContain("hush");
  receiver.answer = () => new Response("ok");
  expect((await operator.post("/webhooks/deliveries", { id: "whd_none" })).status).toBe(404);
  const again = await operator.post("/webhooks/deliveries", { id: waiting.id });
  expect([again.status, asObject(again.body).id]).toEqual([201, waiting.id]);
  await until("it has arrived", () => receiver.received.length >= 2);
  expect(new Set(receiver.received.map(({ id }) => id))).toEqual(new Set([String(waiting.webhook_id)]));
  await until("nothing waits", async () => (await list()).length === 0);
});

test("a receiver gets a test event whatever its events are, and its answer is told at once", async () => {
  receiver.answer = () => new Response("ok");
  receiver.received.length = 0;
  const { body } = await operator.get("/webhooks");
  const receivers = asArray(body.data).map(asObject);
  expect(receivers.map(({ form, signed, events }) => [form, signed, events])).toEqual([
    ["standard", true, ["key.*", "budget.raised"]],
    ["slack", false, ["audit.key.created"]],
  ]);
  expect(JSON.stringify(receivers)).not.toContain("hush");
  const test = (id: unknown) => operator.post("/webhooks/test", { id });
  expect(await test(receivers[0]?.id)).toMatchObject({
    status: 200,
    body: { accepted: true, status: 200, reason: null },
  });
  const [sent] = receiver.received;
  if (sent === undefined) throw new Error("Nothing was received.");
  expect(asObject(verify(sent))).toMatchObject({ type: "webhook.test" });
  chat.received.length = 0;
  await test(receivers[1]?.id);
  expect(chat.received[0]?.text).toContain("webhook.test: ");
  receiver.answer = () => new Response(null, { status: 503 });
  const refused = { accepted: false, status: 503, reason: "status 503" };
  expect((await test(receivers[0]?.id)).body).toEqual(refused);
  expect((await test("none")).status).toBe(404);
  await until("the tests are on record", async () => {
    const entries = asArray((await operator.get("/audit?action=webhook.tested")).body.data).map(asObject);
    const done = entries.filter(({ outcome }) => outcome === "success");
    return done.length === 3 && JSON.stringify(done).includes(new URL(receiver.url).host);
  });
  // It isn't sent again, and what waits isn't held up by its answer.
  const { data } = (await operator.get("/webhooks/deliveries?type=webhook.test")).body;
  expect(data).toEqual([]);
});
