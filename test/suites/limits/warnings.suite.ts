// Warnings on every store: a balance that falls low, and keys that end soon, each one once over all nodes.
import { expect, test } from "bun:test";
import { warnOfEnds } from "../../../src/app/upkeep/ending-models.ts";
import { warnOfExpiry } from "../../../src/app/upkeep/expiring-keys.ts";
import { buildCatalogue } from "../../../src/catalogue/catalogue.ts";
import { asObject } from "../../../src/core/json/json.ts";
import type { Store } from "../../../src/core/store.ts";
import { fundAccount } from "../../../src/ledger/money/fund.ts";
import {
  DAY,
  give,
  HOUR,
  makeAccount,
  makeKey,
  makeRecord,
  NOON,
  standingClock,
  writeRecord,
} from "../../harness/samples.ts";
import { readSettings } from "../../harness/settings.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { budget } from "../../ledger/budget-bench.ts";
import { openPayments } from "../../ledger/payments.ts";
import { DeliveringNode, startClock } from "../../webhooks/node.ts";
import { SECRET, startReceiver, verify } from "../../webhooks/receiver.ts";
import { makeSuite, type TwoStores } from "../two-stores.ts";

export const warningsSuite = makeSuite({
  "a low balance": lowBalance,
  "a budget": crossedBudget,
  "a key that ends": endingKeys,
  "a model that ends": endingModels,
});

const LOW = 1_000_000;

async function listEvents(store: Store, type: string) {
  return (await store.takeEvents(NOON, 100)).filter((event) => event.type === type);
}

/** A request that costs the amount; what it holds is topped up first. */
async function charge(store: Store, id: string, nanoUsd: number, at: number) {
  const record = makeRecord(id, {
    accountId: "team",
    keyId: "key_team",
    chargedNanoUsd: nanoUsd,
    atMs: NOON + at,
  });
  await writeRecord(store, record);
}

async function adjust(store: Store, id: string, nanoUsd: number) {
  const order = { accountId: "team", id, nanoUsd, note: "a test", entry: null, nowMs: NOON, by: null };
  await fundAccount(store, { ...order, movement: "adjustment", timeZone: "UTC" });
}

function lowBalance(opened: () => TwoStores): void {
  test("is told once when it is taken below, and again only after it was above", async () => {
    const { store, other } = opened();
    await unrecorded(store).addAccount(makeAccount("team", { name: "Team", balanceLowNanoUsd: LOW }));
    await give(store, "team", LOW);
    expect(await listEvents(store, "balance.low")).toEqual([]);
    await adjust(store, "a", 5);
    await adjust(store, "b", -4);
    expect(await listEvents(store, "balance.low")).toEqual([]);
    await adjust(store, "c", -2);
    const [first, ...others] = await listEvents(other, "balance.low");
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      accountId: "team",
      data: { account_id: "team", name: "Team", limit: 0.001 },
    });
    expect(first?.data.balance).toBe((LOW - 1) / 1e9);
    await adjust(store, "d", -1);
    expect(await listEvents(store, "balance.low")).toEqual([]);
  });

  test("is told by a charge, not by what is held", async () => {
    const { store } = opened();
    await unrecorded(store).addAccount(makeAccount("team", { balanceLowNanoUsd: LOW }));
    await give(store, "team", LOW);
    await charge(store, "chatcmpl-1", 10, 1);
    expect(await listEvents(store, "balance.low")).toEqual([]);
    await unrecorded(store).changeAccount("team", { balanceLowNanoUsd: LOW + 10 });
    await charge(store, "chatcmpl-2", 10, 2);
    expect((await listEvents(store, "balance.low")).map(({ data }) => data.balance)).toEqual([LOW / 1e9]);
    await unrecorded(store).changeAccount("team", { balanceLowNanoUsd: null });
    await charge(store, "chatcmpl-3", 10, 3);
    expect(await listEvents(store, "balance.low")).toEqual([]);
  });
}

function crossedBudget(opened: () => TwoStores): void {
  test("is told once by 200 requests that cross it in parallel on two nodes, and delivered once", async () => {
    const { store, other } = opened();
    const key = makeKey("key_a", { budgets: [budget(1000, { warn: [0.8] })], requestsPerDay: null });
    await unrecorded(store).addKey(key, "digest");
    const here = openPayments(store, {});
    const there = openPayments(other, {});
    const held = await Promise.allSettled(
      Array.from({ length: 200 }, (_, at) => (at % 2 === 0 ? here : there).hold(`${at}`, key, 10)),
    );
    const admitted = held.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    // Each is settled on the other node.
    await Promise.all(admitted.map((one) => (Number(one.ask.id) % 2 === 0 ? there : here).post(one, 10)));
    await Promise.allSettled(Array.from({ length: 20 }, (_, at) => there.hold(`late ${at}`, key, 10)));
    const receiver = startReceiver();
    const clock = await startClock();
    const nodes = [store, other].map(
      (one) => new DeliveringNode(one, clock, [{ url: receiver.url, secret: SECRET, events: ["budget.*"] }]),
    );
    for (let second = 0; second < 3; second++) await Promise.all(nodes.map((node) => node.live()));
    await receiver.stop();
    const types = receiver.received.map((one) => asObject(verify(one)).type);
    expect([admitted.length, types.toSorted()]).toEqual([100, ["budget.exceeded", "budget.warned"]]);
  });
}

function endingKeys(opened: () => TwoStores): void {
  test("is told a week before its end, once over all nodes", async () => {
    const { store, other } = opened();
    const clock = standingClock(NOON);
    const warn = async () => {
      await Promise.all([store, other].map((one) => warnOfExpiry({ store: one, clock })));
      return (await listEvents(store, "key.expiring")).map(({ data }) => data.key_id);
    };
    const add = (id: string, expiresAtMs: number | null) =>
      unrecorded(store).addKey(makeKey(id, { expiresAtMs }), `digest ${id}`);
    await add("soon", NOON + DAY);
    await add("later", NOON + 9 * DAY);
    await add("never", null);
    await add("over", NOON - HOUR);
    expect(await warn()).toEqual(["soon"]);
    expect(await warn()).toEqual([]);
    await add("short", NOON + HOUR);
    clock.atMs = NOON + 3 * DAY;
    expect(await warn()).toEqual(["later"]);
    clock.atMs = NOON + 8 * DAY;
    expect(await warn()).toEqual([]);
  });
}

function endingModels(opened: () => TwoStores): void {
  test("is told once over all nodes, with the names and keys that lead to it", async () => {
    const { store, other } = opened();
    const more = 'providers: { OpenAI: { keys: [k] } }\naliases: { old: "OpenAI#gpt-5-mini" }';
    const settings = () => readSettings(more);
    await unrecorded(store).addKey(makeKey("key_used"), "digest used");
    const naming = { name: "idle", allowedModels: ["openai#GPT-5-nano", "OpenAI#gpt-5.4"] };
    await unrecorded(store).addKey(makeKey("key_idle", naming), "digest idle");
    const broad = { allowedModels: ["OpenAI#*", "OpenAI#gpt-5-nano-2"] };
    await unrecorded(store).addKey(makeKey("key_broad", broad), "digest broad");
    const used = { keyId: "key_used", modelUsed: "OpenAI#gpt-5-nano", atMs: DECEMBER - HOUR };
    await writeRecord(store, makeRecord("used", used));
    const warn = async (nowMs: number) => {
      const cards = () => buildCatalogue({ ...settings(), nowMs }).listWithEnded();
      const models = { settings, cards };
      const clock = standingClock(nowMs);
      await Promise.all([store, other].map((one) => warnOfEnds({ store: one, clock, models })));
      const events = await listEvents(store, "model.ending");
      return events.map(({ data: { model, until, successor, names, keys } }) => [
        model,
        until,
        successor,
        names,
        keys,
      ]);
    };
    expect(await warn(DECEMBER - 25 * DAY)).toEqual([]);
    const keys = [
      { key_id: "key_used", name: "key_used", account_id: "default" },
      { key_id: "key_idle", name: "idle", account_id: "default" },
    ];
    const told = [
      ["OpenAI#gpt-5-mini", "2026-12-11", "OpenAI#gpt-5.6-luna", ["aliases.old"], []],
      ["OpenAI#gpt-5-nano", "2026-12-11", "OpenAI#gpt-6-luna", [], keys],
    ];
    expect((await warn(DECEMBER)).toSorted()).toEqual(told);
    expect(await warn(DECEMBER + HOUR)).toEqual([]);
  });
}
const DECEMBER = Date.parse("2026-12-01T12:30:00Z");
