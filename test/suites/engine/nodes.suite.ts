// Repeated ids, dead nodes and lost requests, on every store.

import { beforeEach, describe, expect, test } from "bun:test";
import type { GatewayKey } from "../../../src/core/keys/key.ts";
import { NO_AMOUNTS } from "../../../src/core/money/units.ts";
import type { Store } from "../../../src/core/store.ts";
import { decide } from "../../../src/ledger/decide.ts";
import { expectGrant, give, ledgerOn, MINUTE, makeKey, makeRecord, NOON } from "../../harness/samples.ts";
import { catchThrown, readCode } from "../../harness/thrown.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { findErrors, inLine, openPayments, readJournal } from "../../ledger/payments.ts";
import { type MakeBench, type TwoStores, twoStores } from "../two-stores.ts";

type Opened = () => TwoStores;

/** One request a day is free. */
const key: GatewayKey = makeKey("key_a", { requestsPerDay: 1 });
const FREE = {};
const LATER = { nowMs: NOON + 10 * MINUTE };
const NOTHING_LATE = { writtenOffNanoUsd: 0, late: false };

export function nodesSuite(name: string, makeBench: MakeBench): void {
  describe(name, () => {
    const opened = twoStores(makeBench);
    beforeEach(async () => {
      await unrecorded(opened().store).addKey(key, "digest");
      await give(opened().store, "default", 10_000);
    });
    describe("a look", () => looks(opened));
    describe("repeated admissions", () => saidTwice(opened));
    describe("repeated settlements", () => endedTwice(opened));
    describe("holds of dead nodes", () => orphans(opened));
    describe("a node's own holds", () => stranded(opened));
    describe("holds of live nodes", () => livingNodes(opened));
  });
}

async function moneyIn(store: Store): Promise<readonly [balance: number, held: number]> {
  const account = await store.account("default");
  return [account?.balanceNanoUsd ?? Number.NaN, account?.heldNanoUsd ?? Number.NaN];
}

async function usedIn(store: Store): Promise<number> {
  return (await ledgerOn(store).allowance(key)).used;
}

function looks(opened: Opened): void {
  test("decides on what every node has written, and takes nothing", async () => {
    const { store, other } = opened();
    const payments = openPayments(store);
    const look = (id: string) => payments.ledger.look(payments.ticket(id, key, 6_000));
    expect([await look("1"), await look("2")]).toEqual([null, null]);
    expect([await usedIn(other), await moneyIn(other)]).toEqual([0, [10_000, 0]]);
    await expectGrant(openPayments(other).ledger, openPayments(other).ticket("3", key, 6_000));
    expect(readCode(await catchThrown(look("4")))).toBe("insufficient_balance");
    await unrecorded(other).changeKey(key.id, { isPaused: true });
    expect(readCode(await catchThrown(look("5")))).toBe("key_paused");
    await unrecorded(store).changeKey(key.id, { isPaused: false });
    await give(store, "default", 10_000);
    expect(await look("6")).toBeNull();
  });
}

function saidTwice(opened: Opened): void {
  test("a repeated admission holds once", async () => {
    const { store, other } = opened();
    const payments = openPayments(store);
    const ticket = payments.ticket("1", key, 6_000);
    const again = () => expectGrant(payments.ledger, ticket);
    // Twice that exceeds the balance. The last two are one batch.
    for (const granted of [await again(), await again(), ...(await Promise.all([again(), again()]))]) {
      expect(granted.holdNanoUsd).toBe(6_000);
    }
    expect(await moneyIn(other)).toEqual([4_000, 6_000]);
    await payments.post(ticket, 2_000);
    expect(await moneyIn(other)).toEqual([8_000, 0]);
    const journal = await readJournal(store);
    const kinds = journal.map(({ kind }) => kind).join(" ");
    expect(kinds).toBe("topup hold void hold void hold void hold post");
    const notes = journal.filter(({ note }) => note !== null).map(({ kind, note }) => [kind, note]);
    expect(notes).toEqual(Array.from({ length: 3 }, () => ["void", "commit unknown"]));
    expect(findErrors(await other.audit())).toEqual([]);
  });

  test("a repeated admission takes one place and one slot", async () => {
    const { store } = opened();
    const payments = openPayments(store, FREE);
    const again = (ticket: Parameters<typeof payments.post>[0]) => expectGrant(payments.ledger, ticket);
    const first = payments.ticket("1", key, 99_999);
    await Promise.all([again(first), again(first)]);
    expect((await again(first)).place.kind).toBe("allowance");
    expect(await usedIn(store)).toBe(1);
    const second = payments.ticket("2", key, 99_999, LATER);
    const third = payments.ticket("3", key, 99_999, LATER);
    await Promise.all([again(second), again(second)]);
    expect((await again(second)).place.kind).toBe("throttle");
    expect(readCode(await catchThrown(again(third)))).toBe("rate_limit_exceeded");
    // Giving it back restores the slot from before the first time.
    await payments.release(second);
    expect((await again(third)).place.kind).toBe("throttle");
  });

  test("a repeated admission may be refused, and then holds nothing", async () => {
    const { store, other } = opened();
    const payments = openPayments(store);
    const ticket = payments.ticket("1", key, 6_000);
    await expectGrant(payments.ledger, ticket);
    await unrecorded(other).changeKey(key.id, { spendLimitNanoUsd: 5_000 });
    expect(readCode(await catchThrown(payments.ledger.admit(ticket)))).toBe("budget_exceeded");
    expect(await moneyIn(other)).toEqual([10_000, 0]);
  });
}

function endedTwice(opened: Opened): void {
  test("a repeated settlement moves nothing and gets the same answer", async () => {
    const { store, other } = opened();
    const mine = openPayments(store);
    const theirs = openPayments(other);
    const ticket = await mine.hold("1", key, 3_000);
    const repeats = [mine, theirs, mine, mine, theirs].map((payments) => payments.post(ticket, 1_200));
    const settled = { chargedNanoUsd: 1_200, holdNanoUsd: 3_000, ...NOTHING_LATE };
    for (const answer of await Promise.all(repeats)) expect(answer).toMatchObject(settled);
    // A later report of its outcome changes nothing.
    expect(await theirs.post(ticket, 2_999)).toMatchObject(settled);
    expect(await mine.release(ticket)).toMatchObject(settled);
    expect(await moneyIn(store)).toEqual([8_800, 0]);
    expect(await other.request("1")).toMatchObject({ chargedNanoUsd: 1_200, ended: "done" });
    expect((await store.spentSince(key, 0)).chargedNanoUsd).toBe(1_200);
    expect((await readJournal(store)).length).toBe(3);
  });

  test("a place is given back once", async () => {
    const { store, other } = opened();
    const mine = openPayments(store, FREE);
    const theirs = openPayments(other, FREE);
    const ticket = await mine.hold("1", key, 99_999);
    await Promise.all([mine.release(ticket), theirs.release(ticket), mine.release(ticket)]);
    expect(await usedIn(store)).toBe(0);
    await mine.hold("2", key, 99_999);
    await theirs.release(ticket);
    expect(await usedIn(store)).toBe(1);
  });
}

function orphans(opened: Opened): void {
  test("of a closed store are resolved by another: nothing is charged, and places are given back", async () => {
    const { store, other } = opened();
    const free = openPayments(store, FREE);
    await free.hold("by allowance", key, 99_999);
    await expectGrant(free.ledger, free.ticket("by slot", key, 99_999, LATER));
    await openPayments(store).hold("by balance", key, 4_000);
    await store.close();
    const theirs = ledgerOn(other);
    expect((await other.orphans(9)).map(({ id }) => id).toSorted()).toEqual([
      "by allowance",
      "by balance",
      "by slot",
    ]);
    expect(await theirs.resolveLost()).toBe(3);
    expect([await theirs.resolveLost(), await other.orphans(9)]).toEqual([0, []]);
    expect([await moneyIn(other), await usedIn(other)]).toEqual([[10_000, 0], 0]);
    const again = openPayments(other, FREE);
    await again.hold("2", key, 99_999);
    const atSlot = again.ticket("3", key, 99_999, LATER);
    expect((await expectGrant(again.ledger, atSlot)).place.kind).toBe("throttle");
    expect((await readJournal(other)).map(inLine).slice(1)).toEqual([
      "hold: balance -4000, held +4000 → 6000",
      "void: balance +4000, held -4000 → 10000",
    ]);
    const lost = makeRecord("by balance", {
      modelTried: null,
      modelUsed: null,
      attempts: 0,
      status: 500,
      faultCode: "internal_error",
      amounts: NO_AMOUNTS,
      usageSource: "none",
      ended: "lost",
      costNanoUsd: 0,
      holdNanoUsd: 4_000,
      totalMs: 0,
      firstTokenMs: null,
    });
    expect(await other.request("by balance")).toEqual(lost);
  });

  test("are resolved once, even if several nodes try at the same time", async () => {
    const { store, other, bench } = opened();
    const payments = openPayments(store);
    for (const id of ["1", "2", "3"]) await payments.hold(id, key, 1_000);
    await bench.forsake(store);
    const third = await bench.open(decide);
    await third.beat();
    const theirs = ledgerOn(other);
    const more = ledgerOn(third);
    await Promise.all([theirs.resolveLost(), more.resolveLost(), theirs.resolveLost()]);
    await third.close();
    expect(await moneyIn(other)).toEqual([10_000, 0]);
    expect((await readJournal(other)).filter(({ kind }) => kind === "void").length).toBe(3);
    expect(findErrors(await other.audit())).toEqual([]);
  });
}

function stranded(opened: Opened): void {
  /** As after a failover to a server without the last transactions: the settlements are gone, their holds are back. */
  test("for which nothing runs are resolved by that node, and those that run stay", async () => {
    const { store, other } = opened();
    const payments = openPayments(store);
    const running = await payments.hold("running", key, 1_000);
    await payments.hold("stranded", key, 2_000);
    await openPayments(other).hold("of another", key, 3_000);
    const ledger = ledgerOn(store, { clock: { nowMs: () => Date.now() + MINUTE } });
    expect(await ledger.resolveLost()).toBe(0);
    expect(await ledger.resolveLost(() => ["running"])).toBe(1);
    expect(await ledger.resolveLost(() => ["running"])).toBe(0);
    expect(await store.request("stranded")).toMatchObject({ ended: "lost", chargedNanoUsd: 0 });
    expect(await moneyIn(store)).toEqual([6_000, 4_000]);
    expect(await payments.post(running, 700)).toMatchObject({ chargedNanoUsd: 700, late: false });
    expect(findErrors(await store.audit())).toEqual([]);
  });

  test("stay for a while after they were made", async () => {
    const { store } = opened();
    await openPayments(store).hold("new", key, 1_000);
    expect(await ledgerOn(store).resolveLost(() => [])).toBe(0);
  });
}

function livingNodes(opened: Opened): void {
  test("are never touched, nor are the node's own", async () => {
    const { store, other } = opened();
    await openPayments(store).hold("1", key, 1_000);
    await store.beat();
    for (const one of [store, other]) {
      expect(await one.orphans(9)).toEqual([]);
      expect(await ledgerOn(one).resolveLost()).toBe(0);
    }
    expect(await moneyIn(other)).toEqual([9_000, 1_000]);
  });

  test("stay while those of dead nodes are resolved in batches", async () => {
    const { store, other, bench } = opened();
    const third = await bench.open(decide);
    await third.beat();
    for (const id of ["1", "2", "3"]) await openPayments(store).hold(id, key, 1_000);
    for (const id of ["4", "5"]) await openPayments(third).hold(id, key, 1_000);
    await openPayments(other).hold("living", key, 1_000);
    await bench.forsake(store);
    await third.close();
    expect([(await other.orphans(2)).length, (await other.orphans(4)).length]).toEqual([2, 4]);
    expect(await ledgerOn(other).resolveLost()).toBe(5);
    expect(await moneyIn(other)).toEqual([9_000, 1_000]);
  });
}
