// Digests on every store: once per account and week, however many nodes there are and however often they start.
import { expect, test } from "bun:test";
import { type RecordingParts, recordDigests } from "../../src/app/upkeep/digests.ts";
import { asObject, parseJson } from "../../src/core/json/json.ts";
import { NO_MEMBER_LIMITS } from "../../src/core/limits/member-limits.ts";
import type { Store } from "../../src/core/store.ts";
import { ManualClock } from "../harness/manual-clock.ts";
import {
  DAY,
  HOUR,
  ledgerOn,
  MINUTE,
  makeAccount,
  makeKey,
  makeRecord,
  writeRecord,
} from "../harness/samples.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { budget } from "../ledger/budget-bench.ts";
import { makeMember } from "../people/samples.ts";
import { makeSuite, type TwoStores } from "../suites/two-stores.ts";
import { open, standard, stopReceivers } from "./delivery.suite.ts";
import { DeliveringNode, type Given } from "./node.ts";
import type { Receiver } from "./receiver.ts";

const USD = 1_000_000_000;
/** The Friday of the digest's week. */
const FRIDAY = Date.UTC(2026, 10, 20, 12);
/** In Berlin it is 07:00, and some seconds: the clock of a database's server may be a little behind. */
const MONDAY = Date.UTC(2026, 10, 23, 6, 0, 10);
const EVENTS = ["account.digest"];

/** Moves on as tests want, and knows no other time. */
async function startAt(atMs: number): Promise<ManualClock> {
  const clock = new ManualClock();
  await clock.move(atMs);
  return clock;
}

/** A node that records digests and delivers them. */
function startNode(store: Store, clock: ManualClock, given: readonly Given[]) {
  const node = new DeliveringNode(store, clock, given);
  const parts: RecordingParts = {
    store,
    clock,
    ledger: ledgerOn(store, { clock }),
    endpoints: () => node.endpoints,
    isDelivering: () => node.delivering.isDelivering,
    timeZone: () => "Europe/Berlin",
  };
  return {
    logged: node.logged,
    async live() {
      await node.delivering.tick();
      await recordDigests(parts);
      await node.delivering.tick();
      await node.delivering.settle();
    },
  };
}

async function spend(store: Store, id: string, fields: Parameters<typeof makeRecord>[1]): Promise<void> {
  await writeRecord(
    store,
    makeRecord(id, { accountId: "acct_search", modelUsed: "OpenAI#large", ...fields }),
  );
}

/** An account with a key of its own and one of Ann's. */
async function fill(store: Store): Promise<void> {
  const account = makeAccount("acct_search", {
    name: "Search",
    budgets: [budget(16 * USD, { per: "month" })],
    memberDefaults: { ...NO_MEMBER_LIMITS, budgets: [budget(5 * USD, { per: "month" })] },
  });
  await unrecorded(store).addAccount(account);
  await unrecorded(store).changeMember("mem_ann", () => makeMember("mem_ann", { name: "Ann" }));
  const of = { accountId: "acct_search" };
  await unrecorded(store).addKey(makeKey("key_ci", { ...of, name: "ci" }), "digest 1");
  await unrecorded(store).addKey(
    makeKey("key_ann", { ...of, name: "laptop", memberId: "mem_ann" }),
    "digest 2",
  );
  await spend(store, "before", { keyId: "key_ci", atMs: FRIDAY - 7 * DAY, chargedNanoUsd: 5 * USD });
  await spend(store, "one", { keyId: "key_ci", atMs: FRIDAY, chargedNanoUsd: 6 * USD });
  const anns = { keyId: "key_ann", memberId: "mem_ann", modelUsed: "OpenAI#small" };
  await spend(store, "two", { ...anns, atMs: FRIDAY + HOUR, chargedNanoUsd: 4 * USD });
}

const dataOf = ({ received }: Receiver) =>
  received.map(({ text }) => asObject(asObject(parseJson(text)).data));

function weekly(stores: () => TwoStores): void {
  test("one comes on Monday at 07:00 from two nodes, and none after restarts, until the next Monday", async () => {
    const { store, other } = stores();
    await fill(store);
    const receiver = open();
    const wild = open();
    const given = [standard(receiver, { events: EVENTS }), standard(wild, { events: ["*"] })];
    const clock = await startAt(MONDAY - DAY);
    const start = () => [store, other].map((one) => startNode(one, clock, given));
    let nodes = start();
    const live = async () => {
      for (const node of nodes) await node.live();
    };
    await live();
    await clock.move(DAY - MINUTE);
    await live();
    expect(receiver.received).toEqual([]);
    await clock.move(MINUTE);
    await live();
    await live();
    expect(dataOf(receiver).map(({ week }) => week)).toEqual(["2026-11-16"]);
    // The lease is over, so that either node may take it.
    await clock.move(MINUTE);
    nodes = start().toReversed();
    await live();
    await clock.move(DAY);
    await live();
    expect(receiver.received).toHaveLength(1);
    await spend(store, "later", { keyId: "key_ci", atMs: MONDAY + DAY, chargedNanoUsd: USD / 2 });
    await clock.move(6 * DAY);
    await live();
    expect(dataOf(receiver).map(({ week, cost_usd }) => [week, cost_usd])).toEqual([
      ["2026-11-16", 10],
      ["2026-11-23", 0.5],
    ]);
    expect(wild.received).toEqual([]);
  });

  test("a gateway that didn't run on Monday sends it later, but a new receiver waits for the next one", async () => {
    const { store, other } = stores();
    await fill(store);
    const receiver = open();
    const given = [standard(receiver, { events: EVENTS })];
    const clock = await startAt(MONDAY + 2 * DAY);
    await startNode(store, clock, given).live();
    expect(receiver.received).toEqual([]);
    await spend(store, "later", { keyId: "key_ci", atMs: MONDAY + DAY, chargedNanoUsd: USD / 2 });
    await clock.move(8 * DAY);
    await startNode(other, clock, given).live();
    expect(dataOf(receiver).map(({ week }) => week)).toEqual(["2026-11-23"]);
  });
}

/** The part of the first week's digest that every receiver gets. */
const SHARED = {
  id: "acct_search",
  account: "Search",
  from: "2026-11-15T23:00:00.000Z",
  to: "2026-11-22T23:00:00.000Z",
  requests: 2,
  cost_usd: 10,
  before_usd: 5,
  change: 1,
  models: [
    { model: "OpenAI#large", cost_usd: 6, requests: 1 },
    { model: "OpenAI#small", cost_usd: 4, requests: 1 },
  ],
  keys: [{ key_id: "key_ci", name: "ci", cost_usd: 6, requests: 1 }],
  personal_keys_usd: 4,
  near: [{ scope: "account", name: "Search", per: "month", used: 15, limit: 16 }],
  month: "2026-11",
  month_usd: 15,
};

function said(stores: () => TwoStores): void {
  test("has the week's cost, change, models, keys, budgets and forecast, and people only where they are wanted", async () => {
    const { store } = stores();
    await fill(store);
    const [plain, people, chat, elsewhere] = [open(), open(), open(), open()];
    const node = startNode(store, await startAt(MONDAY), [
      standard(plain, { events: EVENTS }),
      standard(people, { events: ["budget.*", ...EVENTS], people: true }),
      { url: chat.url, form: "slack", events: EVENTS },
      standard(elsewhere, { events: EVENTS, accounts: ["Other"] }),
    ]);
    await node.live();
    expect(elsewhere.received).toEqual([]);
    const [told] = dataOf(plain);
    expect(told).toMatchObject(SHARED);
    expect(Number(told?.forecast_usd)).toBeCloseTo((15 * 30) / (22 + 7 / 24), 2);
    const names = /Ann|mem_ann|laptop|people/;
    expect(plain.received[0]?.text).not.toMatch(names);
    expect(JSON.stringify(node.logged)).not.toMatch(/Ann|mem_ann|laptop|cost_usd/);
    expect(dataOf(people)).toMatchObject([
      {
        ...SHARED,
        people: [{ member_id: "mem_ann", name: "Ann", cost_usd: 4, requests: 1 }],
        people_near: [{ scope: "member", id: "mem_ann", name: "Ann", per: "month", used: 4, limit: 5 }],
      },
    ]);
    const text = String(asObject(parseJson(chat.received[0]?.text ?? "")).text);
    expect(text.split("\n")).toEqual([
      "account.digest: Search cost 10.00 USD in the week of 2026-11-16, 100 % more than the 5.00 USD of the week before, with 2 requests.",
      expect.stringMatching(/^2026-11 so far: 15\.00 USD, about 20\.\d\d USD by its end\.$/),
      "Models: OpenAI#large 6.00 USD, OpenAI#small 4.00 USD",
      "Keys: ci 6.00 USD",
      "Near the end of a budget: Search (per month) 15.00 USD of 16.00 USD",
    ]);
    expect(text).not.toMatch(names);
  });
}

function naming(stores: () => TwoStores): void {
  test("names nobody in a chat, whatever they are called", async () => {
    const { store } = stores();
    await fill(store);
    await unrecorded(store).changeMember("mem_ann", () =>
      makeMember("mem_ann", { name: "<!channel>\n@here" }),
    );
    const chat = open();
    const node = startNode(store, await startAt(MONDAY), [
      { url: chat.url, form: "slack", events: EVENTS, people: true },
    ]);
    await node.live();
    const text = String(asObject(parseJson(chat.received[0]?.text ?? "")).text);
    const lines = text.split("\n").filter((line) => line.startsWith("People"));
    expect(lines).toEqual([
      "People: &lt;!channel&gt; @\u200bhere 4.00 USD",
      "People near the end of a budget: &lt;!channel&gt; @\u200bhere (per month) 4.00 USD of 5.00 USD",
    ]);
  });
}

export const digestsSuite = makeSuite(
  { "a week": weekly, "what it says": said, names: naming },
  stopReceivers,
);
