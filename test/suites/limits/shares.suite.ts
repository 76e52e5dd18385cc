// The allowance that an account's people share, by each kind of key, on every store and two nodes.
import { expect, test } from "bun:test";
import type { GatewayKey } from "../../../src/core/keys/key.ts";
import type { QuotaRules } from "../../../src/core/settings.ts";
import type { Store } from "../../../src/core/store.ts";
import { carryCounts } from "../../../src/ledger/key-move.ts";
import { costing, MINUTE, makeAccount, makeKey, NOON } from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { findErrors, openPayments } from "../../ledger/payments.ts";
import { tried } from "../../ledger/tried.ts";
import type { TwoStores } from "../two-stores.ts";

type Opened = () => TwoStores;

export const SHARES = {
  "the allowance of people": allowances,
  "the allowances of an account's keys": owners,
  "people's budget for free requests": freeBudgets,
  "places from before they were shared": earlierPlaces,
  "a person's key that moves": moves,
};

const USED_UP = "rate_limit_exceeded";
const FREE = "allowance 0";
const ANN = { memberId: "mem_ann" };
const BOB = { memberId: "mem_bob" };

let count = 0;
async function addKey(store: Store, fields: Partial<GatewayKey> = {}): Promise<GatewayKey> {
  const key = makeKey(`key_${count++}`, fields);
  await unrecorded(store).addKey(key, `digest of ${key.id}`);
  return key;
}

/** Both nodes under the same rules. */
function openBoth({ store, other }: TwoStores, quota: Partial<QuotaRules>) {
  const rules = { quota: { throttleMs: 0, ...quota } };
  return [openPayments(store, rules), openPayments(other, rules)] as const;
}

const USD = 1_000_000_000;
const freeBudget = (usd: number) => ({ free: { models: ["*"], budgetNanoUsd: usd * USD } });

function allowances(opened: Opened): void {
  test("is one for all of their keys, over nodes, and a revoked key's places stay used", async () => {
    const { store, other } = opened();
    const [here, there] = openBoth(opened(), { requestsPerDay: 4 });
    const first = await addKey(store, ANN);
    for (let at = 0; at < 3; at++) expect(await tried(here.ledger, first, [])).toBe(FREE);
    await unrecorded(store).revokeKey(first.id, NOON);
    const next = await addKey(other, ANN);
    expect(await there.ledger.allowance(next)).toMatchObject({ limit: 4, used: 3, remaining: 1 });
    expect(await tried(there.ledger, next, [])).toBe(FREE);
    for (const fields of [ANN, BOB]) {
      const another = await addKey(other, fields);
      expect(await tried(here.ledger, another, [])).toBe(USED_UP);
      expect(await tried(there.ledger, another, [])).toBe(USED_UP);
    }
    expect((await store.audit()).limits).toEqual([]);
  });

  test("lets exactly as many of parallel calls pass, whatever keys and nodes they come by", async () => {
    const { store } = opened();
    const both = openBoth(opened(), { requestsPerDay: 5 });
    const keys = await Promise.all([ANN, ANN, BOB].map((fields) => addKey(store, fields)));
    const told = await Promise.all(
      Array.from({ length: 30 }, (_, at) => {
        const payments = both[at % 2 === 0 ? 0 : 1];
        const key = keys[at % 3];
        return key ? tried(payments.ledger, key, []) : "no key";
      }),
    );
    expect(told.filter((one) => one === FREE).length).toBe(5);
    expect(told.filter((one) => one === USED_UP).length).toBe(25);
  });

  test("has one throttle, whose slot a new key doesn't begin again", async () => {
    const { store, other } = opened();
    const [here, there] = openBoth(opened(), { requestsPerDay: 1, throttleMs: 10 * MINUTE });
    const key = await addKey(store, ANN);
    expect(await tried(here.ledger, key, [])).toBe(FREE);
    const later = NOON + 10 * MINUTE;
    expect(await tried(here.ledger, key, [], later)).toBe("throttle 0");
    const next = await addKey(other, ANN);
    expect(await tried(there.ledger, next, [], later + 9 * MINUTE)).toBe(USED_UP);
    expect(await tried(there.ledger, next, [], later + 10 * MINUTE)).toBe("throttle 0");
  });

  test("gets a place back that a provider failed to serve", async () => {
    const { store } = opened();
    const [here, there] = openBoth(opened(), { requestsPerDay: 1 });
    const key = await addKey(store, ANN);
    const held = await here.hold("failed", key, 0);
    expect(await tried(there.ledger, await addKey(store, BOB), [])).toBe(USED_UP);
    await unrecorded(store).revokeKey(key.id, NOON);
    await there.release(held);
    expect(await tried(here.ledger, await addKey(store, BOB), [])).toBe(FREE);
  });
}

function owners(opened: Opened): void {
  test("are the account's own where it has one, and are apart in each account", async () => {
    const { store } = opened();
    const [here] = openBoth(opened(), { requestsPerDay: 5 });
    await unrecorded(store).addAccount(makeAccount("narrow", { requestsPerDay: 1 }));
    await unrecorded(store).addAccount(makeAccount("open", { requestsPerDay: null }));
    const keyIn = (accountId: string) => addKey(store, { ...ANN, accountId });
    expect(await tried(here.ledger, await keyIn("narrow"), [])).toBe(FREE);
    expect(await tried(here.ledger, await keyIn("narrow"), [])).toBe(USED_UP);
    expect(await tried(here.ledger, await keyIn("open"), [])).toBe("unlimited 0");
    expect(await tried(here.ledger, await keyIn("default"), [])).toBe(FREE);
  });

  test("are apart for people, for each service key, and for each key with a number of its own", async () => {
    const { store, other } = opened();
    const [here, there] = openBoth(opened(), { requestsPerDay: 1 });
    const own = await addKey(store, { ...ANN, requestsPerDay: 2 });
    const service = await addKey(store, { contact: "mem_ann" });
    expect(await tried(here.ledger, await addKey(store, ANN), [])).toBe(FREE);
    expect(await tried(there.ledger, await addKey(other, ANN), [])).toBe(USED_UP);
    for (const [key, places] of [
      [own, 2],
      [service, 1],
    ] as const) {
      for (let at = 0; at < places; at++) expect(await tried(there.ledger, key, [])).toBe(FREE);
      expect(await tried(here.ledger, key, [])).toBe(USED_UP);
    }
  });
}

function freeBudgets(opened: Opened): void {
  test("is one for all of their keys, also of those that are revoked", async () => {
    const { store, other } = opened();
    const [here, there] = openBoth(opened(), freeBudget(3));
    let spent = 0;
    for (let at = 0; at < 6; at++) {
      const [payments, node] = at % 2 === 0 ? [here, store] : [there, other];
      const key = await addKey(node, ANN);
      const told = await tried(payments.ledger, key, [costing(USD)]);
      expect(told).toBe(at < 3 ? FREE : "budget_reserved");
      if (told === FREE) spent++;
      await unrecorded(node).revokeKey(key.id, NOON);
    }
    expect(spent).toBe(3);
    const service = await addKey(store);
    expect(await tried(there.ledger, service, [costing(3 * USD)])).toBe(FREE);
    expect(findErrors(await store.audit())).toEqual([]);
  });
}

/** Takes places as every key did before people shared theirs: a service key that becomes a person's has done the same. */
async function addUsed(opened: Opened, quota: Partial<QuotaRules>, costs: readonly number[]) {
  const { store } = opened();
  const [here] = openBoth(opened(), quota);
  const before = await addKey(store);
  for (const [at, usd] of costs.entries()) {
    const id = `before ${before.id} ${at}`;
    await here.post(await here.hold(id, before, usd * USD), usd * USD);
  }
  await opened().bench.raw(`UPDATE gateway_key SET member_id = 'mem_ann' WHERE id = '${before.id}'`);
  const key = await store.key(before.id);
  if (key === null) throw new Error("The key is gone.");
  return key;
}

function earlierPlaces(opened: Opened): void {
  test("stay used by their key that day, and are nobody else's", async () => {
    const quota = { requestsPerDay: 4 };
    const key = await addUsed(opened, quota, [0, 0, 0]);
    const [here, there] = openBoth(opened(), quota);
    expect(await here.ledger.allowance(key)).toMatchObject({ used: 3, remaining: 1 });
    expect(await tried(there.ledger, key, [])).toBe(FREE);
    expect(await tried(here.ledger, key, [])).toBe(USED_UP);
    const another = await addKey(opened().store, ANN);
    expect(await here.ledger.allowance(another)).toMatchObject({ used: 1, remaining: 3 });
    const tomorrow = NOON + 24 * 60 * MINUTE;
    for (let at = 0; at < 4; at++) expect(await tried(here.ledger, key, [], tomorrow)).toBe(FREE);
    expect(await tried(here.ledger, key, [], tomorrow)).toBe(USED_UP);
  });

  test("stay paid from the day's budget for free requests, and keep the throttle's slot", async () => {
    const quota = { requestsPerDay: 2, throttleMs: 10 * MINUTE, ...freeBudget(5) };
    const key = await addUsed(opened, quota, [2, 2]);
    const [here, there] = openBoth(opened(), quota);
    expect(await tried(here.ledger, key, [costing(0)], NOON + 9 * MINUTE)).toBe(USED_UP);
    const atSlot = NOON + 10 * MINUTE;
    expect(await tried(here.ledger, key, [costing(2 * USD)], atSlot)).toBe("budget_exceeded");
    expect(await tried(there.ledger, key, [costing(USD)], atSlot)).toBe("throttle 0");
  });
}

function moves(opened: Opened): void {
  test("leaves the places that it took with the account", async () => {
    const { store, other } = opened();
    const [here, there] = openBoth(opened(), { requestsPerDay: 2 });
    await unrecorded(store).addAccount(makeAccount("there"));
    const key = await addKey(store, ANN);
    const held = await here.hold("under way", key, 0);
    expect(await tried(here.ledger, key, [])).toBe(FREE);
    await unrecorded(store).moveKey(key.id, { accountId: "there", revision: {}, carry: carryCounts });
    const moved = { ...key, accountId: "there" };
    expect(await there.ledger.allowance(moved)).toMatchObject({ used: 0 });
    expect(await tried(here.ledger, await addKey(other, BOB), [])).toBe(USED_UP);
    // It failed after the move, so the place is the first account's again.
    await there.release(held);
    expect(await tried(here.ledger, await addKey(other, BOB), [])).toBe(FREE);
    for (let at = 0; at < 2; at++) expect(await tried(here.ledger, moved, [])).toBe(FREE);
    expect(await tried(there.ledger, moved, [])).toBe(USED_UP);
  });
}
