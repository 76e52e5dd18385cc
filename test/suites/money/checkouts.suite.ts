// Card payments on every store: credited once, taken back by refunds and disputes, in seeded orders of their events.
import { expect, test } from "bun:test";
import { makeEntry } from "../../../src/admin/audit/audit-trail.ts";
import { listProblems } from "../../../src/admin/money/verify.ts";
import type { Checkout, CheckoutStep } from "../../../src/core/books/checkout.ts";
import { findAccountState } from "../../../src/core/keys/key.ts";
import type { Store } from "../../../src/core/store.ts";
import { recordCheckoutStep } from "../../../src/ledger/money/checkouts.ts";
import { closeAccount } from "../../../src/ledger/money/fund.ts";
import { TESTER } from "../../harness/acting.ts";
import { addKey, countingRandom, give, makeAccount, NOON, standingClock } from "../../harness/samples.ts";
import { catchThrown, readCode } from "../../harness/thrown.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { inLine, openPayments, readJournal } from "../../ledger/payments.ts";
import { runOrder } from "../../payments/order.ts";
import { makeSuite, type TwoStores } from "../two-stores.ts";

type Opened = () => TwoStores;

export const checkoutsSuite = makeSuite({
  payments: payments,
  "refunds and disputes": takings,
  "refunds and disputes together": bounds,
  "what stands in the store": rows,
  "orders of events": orders,
});

const CLOSE = { accountId: "acct", timeZone: "UTC", nowMs: NOON, by: null, note: "left", entry: null };
const parts = { clock: standingClock(NOON), random: countingRandom() };

function makeRow(id: string, nanoUsd: number, fields: Partial<Checkout> = {}): Checkout {
  return {
    id,
    accountId: "acct",
    createdAtMs: NOON,
    nanoUsd,
    by: { kind: "person", id: "mem_ann" },
    page: null,
    state: "open",
    paymentId: null,
    paidNanoUsd: 0,
    takings: [],
    ...fields,
  };
}

async function addRow(store: Store, id: string, nanoUsd: number): Promise<void> {
  if ((await store.account("acct")) === null) await unrecorded(store).addAccount(makeAccount("acct"));
  await store.changes(() => []).addCheckout(makeRow(id, nanoUsd), 0, () => {});
}

function take(store: Store, checkoutId: string, step: CheckoutStep) {
  const target = { type: "account", id: "acct", name: "" } as const;
  const entry = makeEntry(parts, TESTER, { action: "topup.made", target });
  return recordCheckoutStep(store, {
    accountId: "acct",
    checkoutId,
    step,
    entry,
    nowMs: NOON,
    timeZone: "UTC",
  });
}

const paid = (nanoUsd: number, paymentId = "pi_1"): CheckoutStep => ({ kind: "paid", nanoUsd, paymentId });
const refund = (nanoUsd: number, state: "taken" | "returned" = "taken", id = "re_1"): CheckoutStep => ({
  kind: "refund",
  id,
  state,
  nanoUsd,
});
const dispute = (nanoUsd: number, state: "warning" | "taken" | "returned" = "taken"): CheckoutStep => ({
  kind: "dispute",
  id: "du_1",
  state,
  nanoUsd,
});

const journalOf = async (store: Store) => (await readJournal(store, "acct")).map(inLine);

function payments(opened: Opened): void {
  test("are credited once, whichever nodes hear of them at the same time", async () => {
    const { store, other } = opened();
    await addRow(store, "chk_1", 1000);
    const all = await Promise.all([store, other, store, other].map((one) => take(one, "chk_1", paid(1001))));
    expect(all.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(await take(other, "chk_1", paid(7))).toMatchObject({ isNew: false });
    expect(await take(other, "chk_1", { kind: "ended", state: "expired" })).toMatchObject({ isNew: false });
    expect(await journalOf(other)).toEqual(["topup: balance +1001, funding -1001 → 1001"]);
    expect(await other.checkouts.findByPayment("pi_1")).toEqual(
      makeRow("chk_1", 1000, { state: "paid", paymentId: "pi_1", paidNanoUsd: 1001 }),
    );
    const facts = await store.journals.findFacts("acct", await readJournal(store, "acct"));
    expect(facts.movements.get(1)?.by).toEqual({ kind: "person", id: "mem_ann" });
  });

  test("are credited after their page has expired, and to a closed account", async () => {
    const { store, other } = opened();
    await addRow(store, "chk_1", 1000);
    await take(store, "chk_1", { kind: "ended", state: "expired" });
    expect((await store.checkouts.find("chk_1"))?.state).toBe("expired");
    await closeAccount(other, { ...CLOSE, payOut: true });
    const { account } = await take(other, "chk_1", paid(1000));
    expect([account.balanceNanoUsd, findAccountState(account)]).toEqual([1000, "closed"]);
  });

  test("of an unknown checkout are refused", async () => {
    const { store } = opened();
    await addRow(store, "chk_1", 1000);
    expect(readCode(await catchThrown(take(store, "chk_2", paid(1))))).toBe("not_found");
    expect(readCode(await catchThrown(take(store, "chk_1", paid(Number.MAX_SAFE_INTEGER + 1))))).toBe(
      "invalid_value",
    );
  });
}

function takings(opened: Opened): void {
  test("take once what is left, and the rest is due until the next credit", async () => {
    const { store, other } = opened();
    await addRow(store, "chk_1", 1000);
    await take(store, "chk_1", paid(1000));
    const asked = openPayments(store);
    const held = await asked.hold("open", await addKey(store, "key_a", "acct"), 700);
    await Promise.all([store, other, other].map((one) => take(one, "chk_1", refund(900))));
    expect(await other.account("acct")).toMatchObject({ balanceNanoUsd: 0, receivableNanoUsd: 600 });
    expect((await other.account("acct"))?.isPaused).toBe(false);
    await asked.post(held, 100);
    await give(other, "acct", 50);
    expect(await other.account("acct")).toMatchObject({ balanceNanoUsd: 50, receivableNanoUsd: 0 });
    expect(await journalOf(store)).toEqual([
      "topup: balance +1000, funding -1000 → 1000",
      "hold: balance -700, held +700 → 300",
      "refund: balance -300, funding +900, overrun -600 → 0",
      "post: balance +600, held -700, revenue +100 → 600",
      "receivable: balance -600, overrun +600 → 0",
      "topup: balance +50, funding -50 → 50",
    ]);
    expect(listProblems(await other.audit())).toEqual([]);
  });

  test("with money due after a dispute pause the account, until it is won", async () => {
    const { store, other } = opened();
    await addRow(store, "chk_1", 1000);
    await take(store, "chk_1", paid(1000));
    await take(store, "chk_1", dispute(1000, "warning"));
    expect(await other.account("acct")).toMatchObject({ balanceNanoUsd: 1000, isPaused: false });
    const asked = openPayments(store);
    const key = await addKey(store, "key_a", "acct");
    await asked.post(await asked.hold("spent", key, 400), 400);
    await take(other, "chk_1", dispute(1000));
    const paused = { balanceNanoUsd: 0, receivableNanoUsd: 400, isPaused: true, pausedBy: ["dispute"] };
    expect(await store.account("acct")).toMatchObject(paused);
    expect(readCode(await catchThrown(asked.hold("refused", key, 1)))).toBe("account_paused");
    await take(store, "chk_1", dispute(1000, "returned"));
    await take(store, "chk_1", dispute(1000, "taken"));
    expect(await other.account("acct")).toMatchObject({
      balanceNanoUsd: 600,
      receivableNanoUsd: 0,
      isPaused: false,
      pausedBy: [],
    });
    expect(listProblems(await other.audit())).toEqual([]);
  });
}

function bounds(opened: Opened): void {
  test("never take more than the payment, and a refund that fails leaves the rest to the dispute", async () => {
    const { store } = opened();
    await addRow(store, "chk_1", 1000);
    await take(store, "chk_1", dispute(1000));
    await take(store, "chk_1", refund(1000));
    expect(await journalOf(store)).toEqual([]);
    await take(store, "chk_1", paid(1000));
    await give(store, "acct", 500);
    await take(store, "chk_1", dispute(1000, "returned"));
    expect(await journalOf(store)).toEqual([
      "topup: balance +1000, funding -1000 → 1000",
      "dispute: balance -1000, funding +1000 → 0",
      "topup: balance +500, funding -500 → 500",
      "dispute: balance +1000, funding -1000 → 1500",
      "refund: balance -1000, funding +1000 → 500",
    ]);
  });

  test("are told and put on record, in the transaction that moves the money", async () => {
    const { store } = opened();
    await addRow(store, "chk_1", 10_000_000_000);
    await take(store, "chk_1", dispute(4_000_000_000));
    await take(store, "chk_1", paid(10_000_000_000));
    await take(store, "chk_1", refund(1_000_000_000));
    await take(store, "chk_1", refund(1_000_000_000, "returned"));
    const told = await store.takeEvents(NOON, 20, async () => []);
    const shown = told.map(({ type, data }) => `${type} ${data.state ?? data.checkout_id} ${data.amount}`);
    expect(shown.toSorted()).toEqual([
      "topup.disputed taken 4",
      "topup.paid chk_1 10",
      "topup.refunded returned 1",
      "topup.refunded taken 1",
    ]);
    const rows = (await store.auditLog.chain(20)) ?? [];
    expect(rows.map(({ after }) => JSON.parse(after ?? "{}").amount_usd).toSorted()).toEqual([-1, 1, 6]);
  });
}

function rows(opened: Opened): void {
  test("a checkout is made once per id, with a bound on those that nobody pays", async () => {
    const { store, other } = opened();
    await unrecorded(store).addAccount(makeAccount("acct"));
    const add = (one: Store, row: Checkout, seen: number[] = []) =>
      one.changes(() => []).addCheckout(row, NOON - 1, ({ inAccount }) => void seen.push(inAccount));
    await Promise.all([add(store, makeRow("chk_1", 5)), add(other, makeRow("chk_1", 5))]);
    expect((await add(other, makeRow("chk_1", 6))).nanoUsd).toBe(5);
    await store.checkouts.setPage(
      { accountId: "acct", id: "chk_1" },
      { sessionId: "cs_1", url: "https://a" },
    );
    await take(other, "chk_1", refund(1));
    const page = { sessionId: "cs_1", url: "https://a" };
    expect(await other.checkouts.find("chk_1")).toMatchObject({ page, takings: [{ id: "re_1" }] });
    const seen: number[] = [];
    await add(store, makeRow("chk_2", 5), seen);
    await take(store, "chk_2", paid(5));
    await add(store, makeRow("chk_3", 5, { createdAtMs: NOON + 100 * 86_400_000 }), seen);
    expect(seen).toEqual([1, 1]);
    // Of the two that nobody can pay any more, the one with a refund stays.
    expect(await other.checkouts.find("chk_1")).not.toBeNull();
  });

  test("strays are kept by their payment, up to a time and a number", async () => {
    const { checkouts } = opened().store;
    const keep = (id: string, atMs: number, state: "taken" | "returned" = "taken") =>
      checkouts.keepStray(
        { id, kind: "refund", state, nanoUsd: 5, paymentId: "pi_1", atMs },
        { beforeMs: atMs - 100, most: 2 },
      );
    await keep("re_1", 1);
    await keep("re_1", 2);
    await keep("re_1", 3, "returned");
    expect((await checkouts.strays("pi_1")).map(({ state }) => state).toSorted()).toEqual([
      "returned",
      "taken",
    ]);
    await keep("re_2", 50);
    expect((await checkouts.strays("pi_1")).map(({ atMs }) => atMs).toSorted()).toEqual([3, 50]);
    await keep("re_3", 151);
    expect((await checkouts.strays("pi_1")).map(({ id }) => id)).toEqual(["re_3"]);
    expect(await checkouts.strays("pi_2")).toEqual([]);
  });
}

const SEEDS = 15;

function orders(opened: Opened): void {
  test("leave exact books, however they come and wherever the process dies", async () => {
    const { store, other } = opened();
    const problems: string[] = [];
    for (let seed = 1; seed <= SEEDS; seed++)
      problems.push(...(await runOrder(seed, [store, other])).problems);
    expect(problems).toEqual([]);
    expect(listProblems(await store.audit())).toEqual([]);
  }, 300_000);
}
