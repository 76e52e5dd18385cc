// Settlements of requests that another process had given up as lost, on every store.

import { beforeEach, describe, expect, test } from "bun:test";
import type { GatewayKey } from "../../../src/core/keys/key.ts";
import type { Store } from "../../../src/core/store.ts";
import { makeLostOutcome } from "../../../src/ledger/outcome.ts";
import {
  expectGrant,
  give,
  ledgerOn,
  makeKey,
  makeOutcome,
  makeRecord,
  NOON,
} from "../../harness/samples.ts";
import { catchThrown, readCode } from "../../harness/thrown.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { findErrors, inLine, openPayments, readJournal } from "../../ledger/payments.ts";
import { type MakeBench, type TwoStores, twoStores } from "../two-stores.ts";

/** One request a day is free. */
const key: GatewayKey = makeKey("key_a", { requestsPerDay: 1 });
const LOST = { ended: "lost", usageSource: "none", costNanoUsd: 0 } as const;

export function lateSuite(name: string, makeBench: MakeBench): void {
  describe(`${name}: late settlements`, () => {
    const opened = twoStores(makeBench);
    beforeEach(async () => {
      await unrecorded(opened().store).addKey(key, "digest");
      await give(opened().store, "default", 10_000);
    });
    settledLate(opened);
    settledWithoutRoom(opened);
    describe("with an Idempotency-Key", () => repeatedMeanwhile(opened));
  });
}

async function moneyIn(store: Store): Promise<readonly [balance: number, held: number]> {
  const account = await store.account("default");
  return [account?.balanceNanoUsd ?? Number.NaN, account?.heldNanoUsd ?? Number.NaN];
}

async function usedIn(store: Store): Promise<number> {
  return (await ledgerOn(store).allowance(key)).used;
}

function settledLate(opened: () => TwoStores): void {
  test("a request that was never admitted is settled without a trace", async () => {
    const { store, other } = opened();
    const payments = openPayments(store);
    const settled = await payments.post(payments.ticket("1", key, 3_000), 3_000);
    expect(settled).toMatchObject({ chargedNanoUsd: 0, holdNanoUsd: 0, writtenOffNanoUsd: 0, late: false });
    expect(await other.request("1")).toBeNull();
    expect([await moneyIn(other), await usedIn(other)]).toEqual([[10_000, 0], 0]);
    expect((await readJournal(other)).map(inLine)).toEqual(["topup: balance +10000, funding -10000 → 10000"]);
    expect(await other.usage({ fromMs: 0, toMs: NOON + 1, groupBy: ["model"] })).toEqual([]);
  });

  test("a settlement of a hold resolved as lost makes the row what it was, once", async () => {
    const { store, other, bench } = opened();
    const payments = openPayments(store);
    const ticket = await payments.hold("1", key, 3_000);
    await bench.forsake(store);
    expect(await ledgerOn(other).resolveLost()).toBe(1);
    const settled = { chargedNanoUsd: 1_200, holdNanoUsd: 3_000, writtenOffNanoUsd: 0 };
    expect(await payments.post(ticket, 1_200)).toMatchObject({ ...settled, late: true });
    for (const again of [payments, openPayments(other)])
      expect(await again.post(ticket, 1_200)).toMatchObject({ ...settled, late: false });
    expect(await moneyIn(other)).toEqual([8_800, 0]);
    const row = {
      ended: "done",
      isLate: true,
      costNanoUsd: 1_200,
      chargedNanoUsd: 1_200,
      holdNanoUsd: 3_000,
    };
    expect(await other.request("1")).toMatchObject(row);
    expect((await other.spentSince(key, 0)).chargedNanoUsd).toBe(1_200);
    const [sum] = await other.usage({ fromMs: 0, toMs: NOON + 1, groupBy: [] });
    expect(sum).toMatchObject({ requests: 1, errors: 0, costNanoUsd: 1_200, chargedNanoUsd: 1_200 });
    expect(sum?.amounts).toEqual(makeRecord("1").amounts);
    expect((await readJournal(other)).map(inLine).slice(2)).toEqual([
      "void: balance +3000, held -3000 → 10000",
      "overrun: balance -1200, revenue +1200 → 8800",
    ]);
    expect(findErrors(await store.audit())).toEqual([]);
  });
}

function settledWithoutRoom(opened: () => TwoStores): void {
  test("a late settlement takes no more than the free balance, and the rest is written off", async () => {
    const { store, other, bench } = opened();
    const payments = openPayments(store);
    const ticket = await payments.hold("1", key, 3_000);
    await bench.forsake(store);
    await ledgerOn(other).resolveLost();
    await openPayments(other).hold("2", key, 9_500);
    const settled = { chargedNanoUsd: 500, writtenOffNanoUsd: 700, late: true };
    expect(await payments.post(ticket, 1_200)).toMatchObject(settled);
    expect(await moneyIn(other)).toEqual([0, 9_500]);
    expect(findErrors(await store.audit())).toEqual([]);
  });

  test("a late free answer takes no place again, and counts in the day's budget", async () => {
    const { store, other, bench } = opened();
    const free = openPayments(store, { quota: { free: { models: ["*"], budgetNanoUsd: 50_000 } } });
    const { granted, ...ticket } = await free.hold("1", key, 3_000);
    await bench.forsake(store);
    await ledgerOn(other).resolveLost();
    const outcome = makeOutcome(ticket, { costNanoUsd: 1_200 });
    const settle = () => free.ledger.settle(ticket, { ...outcome, place: granted.place });
    expect(await settle()).toMatchObject({ chargedNanoUsd: 0, late: true });
    expect(await settle()).toMatchObject({ chargedNanoUsd: 0, late: false });
    expect(await usedIn(other)).toBe(0);
    const { page } = await other.read(ticket.reads);
    const { owner, day } = granted.place;
    const meter = { used: 0, freeSpentNanoUsd: 1_200, freeHeldNanoUsd: 0 };
    expect(page(key.accountId, owner).meter(day).row).toMatchObject(meter);
    expect(await moneyIn(other)).toEqual([10_000, 0]);
  });

  test("a late settlement and the resolution before it may share a batch", async () => {
    const { store, other, bench } = opened();
    const payments = openPayments(store);
    const ticket = await payments.hold("1", key, 3_000);
    await bench.forsake(store);
    const theirs = openPayments(other);
    const resolved = theirs.ledger.settle(ticket, makeLostOutcome(makeOutcome(ticket, LOST).record, 1));
    const late = theirs.post(ticket, 1_200);
    expect([await resolved, await late]).toMatchObject([
      { late: false },
      { chargedNanoUsd: 1_200, late: true },
    ]);
    expect(await other.request("1")).toMatchObject({ ended: "done", chargedNanoUsd: 1_200 });
    expect(findErrors(await store.audit())).toEqual([]);
  });

  test("a request resolved as lost can't be admitted again, because it could not be settled", async () => {
    const { store, other, bench } = opened();
    const payments = openPayments(store);
    const ticket = await payments.hold("1", key, 3_000);
    await bench.forsake(store);
    await ledgerOn(other).resolveLost();
    expect(readCode(await catchThrown(payments.ledger.admit(ticket)))).toBe("store_unavailable");
    expect(await moneyIn(other)).toEqual([10_000, 0]);
    expect((await payments.post(ticket, 1_200)).late).toBe(true);
  });
}

function repeatedMeanwhile(opened: () => TwoStores): void {
  const idempotency = { replyId: "reply", bodyDigest: "body" };

  async function loseOne() {
    const { store, other, bench } = opened();
    const payments = openPayments(store);
    const ticket = payments.ticket("1", key, 3_000, { idempotency });
    await expectGrant(payments.ledger, ticket);
    await bench.forsake(store);
    await ledgerOn(other).resolveLost();
    const settle = (ledger = payments.ledger, asked = ticket) =>
      ledger.settle(asked, {
        ...makeOutcome(asked, { costNanoUsd: 1_200 }),
        sealedReply: `of ${asked.ask.id}`,
      });
    const theirs = openPayments(other);
    const again = theirs.ticket("2", key, 3_000, { idempotency });
    return { other, theirs, again, settle };
  }

  test("its answer is repeated afterwards, and charged once", async () => {
    const { other, theirs, again, settle } = await loseOne();
    expect(await settle()).toMatchObject({ chargedNanoUsd: 1_200, late: true });
    expect(await theirs.ledger.admit(again)).toEqual({ kind: "replayed", sealed: "of 1" });
    expect(await moneyIn(other)).toEqual([8_800, 0]);
  });

  test.each(["answered", "is answering"] as const)(
    "it is given for free if another completion %s",
    async (state) => {
      const { other, theirs, again, settle } = await loseOne();
      await expectGrant(theirs.ledger, again);
      if (state === "answered") await settle(theirs.ledger, again);
      const free = { chargedNanoUsd: 0, writtenOffNanoUsd: 1_200, late: true };
      expect(await settle()).toMatchObject(free);
      if (state === "is answering") await settle(theirs.ledger, again);
      expect(await moneyIn(other)).toEqual([8_800, 0]);
      const third = theirs.ticket("3", key, 3_000, { idempotency });
      expect(await theirs.ledger.admit(third)).toEqual({ kind: "replayed", sealed: "of 2" });
      expect(await other.request("1")).toMatchObject({ ended: "done", isLate: true, chargedNanoUsd: 0 });
      expect(findErrors(await other.audit())).toEqual([]);
    },
  );
}
