// Money that moves without a request, on every store: adjustments, the closing of accounts, and people's journal.
import { expect, test } from "bun:test";
import { listJournal } from "../../../src/admin/money/journal.ts";
import type { Account } from "../../../src/core/keys/key.ts";
import type { Store } from "../../../src/core/store.ts";
import {
  type CloseOrder,
  closeAccount,
  type FundOrder,
  fundAccount,
} from "../../../src/ledger/money/fund.ts";
import { makeBatch } from "../../harness/batches.ts";
import { addKey, give, makeAccount, NOON } from "../../harness/samples.ts";
import { catchThrown, readCode } from "../../harness/thrown.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { findErrors, inLine, openPayments, readJournal } from "../../ledger/payments.ts";
import { makeSuite, type TwoStores } from "../two-stores.ts";

type Opened = () => TwoStores;

export const movementsSuite = makeSuite({
  adjustments,
  closing: closings,
  "what is kept": purges,
  "people's journal": journals,
});

const BY = { kind: "person", id: "mem_ann" } as const;

function adjust(store: Store, id: string, nanoUsd: number, fields: Partial<FundOrder> = {}) {
  const order = { accountId: "default", id, nanoUsd, note: "a wrong price", nowMs: NOON, entry: null };
  return fundAccount(store, { ...order, movement: "adjustment", by: BY, timeZone: "UTC", ...fields });
}

function adjustments(opened: Opened): void {
  test("add and take once per id, at most what is free", async () => {
    const { store, other } = opened();
    await give(store, "default", 1000);
    await openPayments(store).hold("open", await addKey(store, "key_a"), 300);
    const twice = await Promise.all([adjust(store, "a", -600), adjust(other, "a", -600)]);
    expect(twice.map(({ balanceNanoUsd }) => balanceNanoUsd)).toEqual([100, 100]);
    expect(readCode(await catchThrown(adjust(other, "b", -101)))).toBe("balance_too_low");
    expect(readCode(await catchThrown(adjust(other, "a", -599)))).toBe("idempotency_mismatch");
    const topUp = adjust(other, "a", 600, { movement: "topup" });
    expect(readCode(await catchThrown(topUp))).toBe("idempotency_mismatch");
    expect((await adjust(store, "c", 50)).balanceNanoUsd).toBe(150);
    expect((await readJournal(other)).map(inLine)).toEqual([
      "topup: balance +1000, funding -1000 → 1000",
      "hold: balance -300, held +300 → 700",
      "adjustment: balance -600, funding +600 → 100",
      "adjustment: balance +50, funding -50 → 150",
    ]);
    expect(findErrors(await store.audit())).toEqual([]);
  });
}

function close(store: Store, payOut: boolean | null, fields: Partial<CloseOrder> = {}): Promise<Account> {
  const order = {
    accountId: "acct",
    payOut,
    nowMs: NOON,
    timeZone: "UTC",
    by: BY,
    note: "left",
    entry: null,
  };
  return closeAccount(store, { ...order, ...fields });
}

function closings(opened: Opened): void {
  test("an account with a balance is only closed with a pay-out, once nothing of it is held", async () => {
    const { store, other } = opened();
    await unrecorded(store).addAccount(makeAccount("acct"));
    await give(store, "acct", 1000);
    const payments = openPayments(store);
    const key = await addKey(store, "key_a", "acct");
    const held = await payments.hold("open", key, 300);
    expect(readCode(await catchThrown(close(store, false)))).toBe("balance_left");
    expect(await close(other, true)).toMatchObject({ closingAtMs: NOON, closedAtMs: null });
    expect(readCode(await catchThrown(payments.hold("later", key, 1)))).toBe("invalid_api_key");
    expect(readCode(await catchThrown(give(other, "acct", 5)))).toBe("account_closed");
    await payments.post(held, 100);
    expect(await other.account("acct")).toMatchObject({ balanceNanoUsd: 0, heldNanoUsd: 0 });
    expect((await other.account("acct"))?.closedAtMs).not.toBeNull();
    expect((await readJournal(store, "acct")).map(inLine)).toEqual([
      "topup: balance +1000, funding -1000 → 1000",
      "hold: balance -300, held +300 → 700",
      "post: balance +200, held -300, revenue +100 → 900",
      "payout: balance -900, funding +900 → 0",
    ]);
    expect((await close(store, true, { nowMs: NOON + 9 })).closingAtMs).toBe(NOON);
    expect(await close(store, null)).toMatchObject({ closingAtMs: null, closedAtMs: null });
    await payments.hold("again", await addKey(other, "key_b", "acct"), 0);
    expect(findErrors(await store.audit())).toEqual([]);
  });
}

function purges(opened: Opened): void {
  test("what is kept of an account is deleted, and counted no more", async () => {
    const { store, other } = opened();
    await unrecorded(store).addAccount(makeAccount("acct"));
    const kept = { atMs: NOON, bytes: 9, items: "[]", sealed: "s" };
    for (const accountId of ["acct", "default"]) {
      const keyId = `key of ${accountId}`;
      await addKey(store, keyId, accountId);
      for (const id of ["a", "b", "c"]) {
        await store.addContent({ accountId, id, atMs: NOON, sealed: "s" });
        await store.responses.add({ ...kept, accountId, keyId, id: `${accountId} ${id}` }, 1000);
      }
    }
    expect(await other.purgeAccount("acct", 2)).toBe(4);
    expect(await other.purgeAccount("acct", 2)).toBe(2);
    expect(await other.purgeAccount("acct", 2)).toBe(0);
    const response = (accountId: string, id: string) =>
      store.responses.find({ accountId, memberId: null }, id);
    expect([await store.content("acct", "a"), await response("acct", "acct a")]).toEqual([null, null]);
    expect(await store.content("default", "c")).toBe("s");
    expect(await response("default", "default c")).toMatchObject({ id: "default c" });
  });

  test("what is kept of a closed account waits for its batches, which write the answers that were paid", async () => {
    const { store, other } = opened();
    await unrecorded(store).addAccount(makeAccount("acct"));
    await store.addContent({ accountId: "acct", id: "a", atMs: NOON, sealed: "s" });
    const batch = makeBatch("batch_1", { accountId: "acct" });
    await store.batches.add(batch, 9);
    await close(store, false);
    expect([await other.purgeAccount("acct", 9), await other.journals.unfinishedClosings(9)]).toEqual([
      0,
      [],
    ]);
    expect(await store.content("acct", "a")).toBe("s");
    await store.batches.change(batch, { numbers: [] }, (found) =>
      found === null
        ? { result: null }
        : { batch: { ...found, status: "cancelled", endedAtMs: NOON }, result: null },
    );
    expect([await other.journals.unfinishedClosings(9), await other.purgeAccount("acct", 9)]).toEqual([
      ["acct"],
      1,
    ]);
  });
}

function journals(opened: Opened): void {
  test("leaves holds out, says who did it, and adds up, also in entries from before", async () => {
    const { bench, store, other } = opened();
    await give(store, "default", 1_000_000_000);
    const payments = openPayments(store);
    const key = await addKey(store, "key_a");
    const first = await payments.hold("one", key, 300_000_000);
    const second = await payments.hold("two", key, 300_000_000);
    await payments.post(first, 100_000_000, { requestId: "req_1" });
    await adjust(store, "a", -50_000_000);
    await payments.release(second);
    const read = async (query = {}) => {
      const { data, next } = await listJournal({ store: other }, "default", query);
      return { lines: data.map((row) => `${row.kind} ${row.amount_usd} → ${row.balance_usd}`), data, next };
    };
    const { lines, data } = await read();
    expect(lines).toEqual(["adjustment -0.05 → 0.85", "charge -0.1 → 0.9", "topup 1 → 1"]);
    expect(data[0]).toMatchObject({ by: BY, reason: "a wrong price" });
    expect(data[1]).toMatchObject({ completion_id: "one", request_id: "req_1", ended: "done" });
    expect(data[1]).not.toHaveProperty("by");
    await bench.raw("UPDATE entry SET held_after_nano = NULL");
    expect((await read()).lines).toEqual(lines);
    const page = await read({ limit: 2 });
    expect(page.lines).toEqual(lines.slice(0, 2));
    expect((await read({ after: page.next })).lines).toEqual(lines.slice(2));
  });
}
