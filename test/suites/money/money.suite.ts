// Money on every store: top-ups, holds, posts, journals, and books that balance.
import { expect, test } from "bun:test";
import { type Entry, makeEntryId } from "../../../src/core/books/journal.ts";
import type { Page } from "../../../src/core/world/page.ts";
import { addKey, give, makeAccount, makeKey, NOON } from "../../harness/samples.ts";
import { catchThrown, readCode } from "../../harness/thrown.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { findErrors, inLine, openPayments, readJournal } from "../../ledger/payments.ts";
import { topUp } from "../../ledger/top-up.ts";
import { makeSuite, type TwoStores } from "../two-stores.ts";

type Opened = () => TwoStores;

export const moneySuite = makeSuite({
  "top-ups": topUps,
  "holds and posts": holdsAndPosts,
  "costs above the hold": overruns,
  "the database": database,
  journals: journals,
  audit: audits,
});

function order(id: string, nanoUsd: number, accountId = "default") {
  return { id, nanoUsd, accountId, note: "paid in cash", entry: null, nowMs: NOON } as const;
}

function topUps(opened: Opened): void {
  repeatedTopUps(opened);
  largeTopUps(opened);
}

function repeatedTopUps(opened: Opened): void {
  test("a top-up is made once, however often and wherever it is requested", async () => {
    const { store, other } = opened();
    const asked = Array.from({ length: 20 }, (_, index) =>
      topUp(index % 2 === 0 ? store : other, order("a", 5_000_000_001)),
    );
    for (const account of await Promise.all(asked)) expect(account.balanceNanoUsd).toBe(5_000_000_001);
    expect(await readJournal(other)).toEqual([
      {
        accountId: "default",
        seq: 1,
        atMs: NOON,
        kind: "topup",
        balanceNanoUsd: 5_000_000_001,
        heldNanoUsd: 0,
        fundingNanoUsd: -5_000_000_001,
        revenueNanoUsd: 0,
        overrunNanoUsd: 0,
        balanceAfterNanoUsd: 5_000_000_001,
        heldAfterNanoUsd: 0,
        requestId: null,
        usageSource: null,
        ended: null,
        note: "paid in cash",
      },
    ]);
    expect((await topUp(other, order("b", 1))).balanceNanoUsd).toBe(5_000_000_002);
  });

  test("the same id is refused with another amount, and separate on another account", async () => {
    const { store, other } = opened();
    await unrecorded(store).addAccount(makeAccount("acct"));
    const made = await Promise.all([topUp(store, order("a", 500)), topUp(store, order("a", 700, "acct"))]);
    expect(made.map(({ id, balanceNanoUsd }) => `${id} ${balanceNanoUsd}`)).toEqual([
      "default 500",
      "acct 700",
    ]);
    expect(readCode(await catchThrown(topUp(other, order("a", 501))))).toBe("idempotency_mismatch");
    expect((await topUp(other, order("a", 700, "acct"))).balanceNanoUsd).toBe(700);
    expect((await store.account("default"))?.balanceNanoUsd).toBe(500);
  });
}

function largeTopUps(opened: Opened): void {
  test("a top-up of an unknown account or beyond the maximum is refused", async () => {
    const { store } = opened();
    expect(readCode(await catchThrown(topUp(store, order("a", 1, "none"))))).toBe("not_found");
    const key = await addKey(store, "key_a");
    await topUp(store, order("b", Number.MAX_SAFE_INTEGER - 1));
    await openPayments(store).hold("1", key, 1_000_000);
    expect(readCode(await catchThrown(topUp(store, order("c", 2))))).toBe("invalid_value");
    expect((await topUp(store, order("d", 1))).balanceNanoUsd).toBe(Number.MAX_SAFE_INTEGER - 1_000_000);
  });

  test("sums beyond the range of exact numbers are exact", async () => {
    const { store, other } = opened();
    for (const id of ["acct_1", "acct_2", "acct_3"]) {
      await unrecorded(store).addAccount(makeAccount(id));
      await topUp(store, order("a", Number.MAX_SAFE_INTEGER, id));
    }
    const audit = await other.audit();
    expect([audit.balances, audit.system.funding]).toEqual([
      27_021_597_764_222_973n,
      -27_021_597_764_222_973n,
    ]);
    expect(findErrors(audit)).toEqual([]);
  });
}

/** The journal after one request on an account with these funds. */
async function afterOne({ store, other }: TwoStores, funds: number, held: number, cost: number | null) {
  const key = await addKey(store, "key_a");
  await give(store, "default", funds);
  const payments = openPayments(store);
  const ticket = await payments.hold("1", key, held);
  expect(ticket.granted).toMatchObject({ place: { kind: "balance" }, holdNanoUsd: held, limits: null });
  expect(await other.account("default")).toMatchObject({ balanceNanoUsd: funds - held, heldNanoUsd: held });
  const settled = await (cost === null ? payments.release(ticket) : payments.post(ticket, cost));
  const { balanceNanoUsd, heldNanoUsd } = (await other.account("default")) ?? makeAccount("none");
  expect([heldNanoUsd, findErrors(await other.audit())]).toEqual([0, []]);
  const row = await other.request("1");
  expect([row?.chargedNanoUsd, row?.holdNanoUsd]).toEqual([settled.chargedNanoUsd, held]);
  const [, ...entries] = await readJournal(other);
  expect((await other.spentSince(makeKey("key_a"), 0)).chargedNanoUsd).toBe(settled.chargedNanoUsd);
  return { settled, entries, lines: entries.map(inLine), balanceNanoUsd };
}

function holdsAndPosts(opened: Opened): void {
  test("the cost is charged, and the rest of the hold is returned", async () => {
    const { settled, entries, lines, balanceNanoUsd } = await afterOne(opened(), 10_000, 4_000, 1_501);
    expect(settled).toMatchObject({
      chargedNanoUsd: 1_501,
      holdNanoUsd: 4_000,
      writtenOffNanoUsd: 0,
      late: false,
    });
    expect(lines).toEqual([
      "hold: balance -4000, held +4000 → 6000",
      "post: balance +2499, held -4000, revenue +1501 → 8499",
    ]);
    expect(balanceNanoUsd).toBe(8_499);
    const about = ({ requestId, usageSource, ended }: Entry) => [requestId, usageSource, ended];
    expect(entries.map(about)).toEqual([
      ["1", null, null],
      ["1", "provider", "done"],
    ]);
  });

  test("an unanswered request costs nothing", async () => {
    const { settled, entries, lines, balanceNanoUsd } = await afterOne(opened(), 10_000, 4_000, null);
    expect(settled).toMatchObject({ chargedNanoUsd: 0, holdNanoUsd: 4_000, writtenOffNanoUsd: 0 });
    expect(lines.at(-1)).toBe("void: balance +4000, held -4000 → 10000");
    expect(entries.at(-1)).toMatchObject({ usageSource: "none", ended: "upstream_failed", seq: 3 });
    expect(balanceNanoUsd).toBe(10_000);
  });
}

function overruns(opened: Opened): void {
  test("the cost above the hold is taken from the free balance", async () => {
    const { settled, lines, balanceNanoUsd } = await afterOne(opened(), 10_000, 4_000, 5_000);
    expect(settled).toMatchObject({ chargedNanoUsd: 5_000, writtenOffNanoUsd: 0 });
    expect(lines.slice(1)).toEqual([
      "post: held -4000, revenue +4000 → 6000",
      "overrun: balance -1000, revenue +1000 → 5000",
    ]);
    expect(balanceNanoUsd).toBe(5_000);
  });

  test("the part that the free balance doesn't cover is written off, and the balance stays at zero", async () => {
    const { store } = opened();
    const { settled, lines, balanceNanoUsd } = await afterOne(opened(), 4_500, 4_000, 6_000);
    expect(settled).toMatchObject({ chargedNanoUsd: 4_500, writtenOffNanoUsd: 1_500 });
    expect(lines.at(-1)).toBe("overrun: balance -500, revenue +2000, overrun -1500 → 0");
    expect(balanceNanoUsd).toBe(0);
    const sides = (["funding", "revenue", "overrun"] as const).map((side) =>
      store.journals.systemBalance(side),
    );
    expect(await Promise.all(sides)).toEqual([-4_500, 6_000, -1_500]);
  });

  test("an empty hold leaves no entry, but a cost does", async () => {
    expect((await afterOne(opened(), 100, 0, 0)).lines).toEqual([]);
    const { store } = opened();
    const key = await addKey(store, "key_a");
    const payments = openPayments(store);
    const settled = await payments.post(await payments.hold("2", key, 0), 130);
    expect(settled).toMatchObject({ chargedNanoUsd: 100, writtenOffNanoUsd: 30 });
    expect((await readJournal(store)).slice(1).map(inLine)).toEqual([
      "overrun: balance -100, revenue +130, overrun -30 → 0",
    ]);
  });
}

function database(opened: Opened): void {
  test("rejects negative balances, and entries that don't sum to zero", async () => {
    const { store, bench } = opened();
    const key = await addKey(store, "key_a");
    await give(store, "default", 10);
    await openPayments(store).hold("1", key, 5);
    for (const damage of [
      "UPDATE account SET balance_nano = -1",
      "UPDATE account SET held_nano = -1",
      "UPDATE entry SET balance_nano = balance_nano + 1",
      "UPDATE entry SET balance_after_nano = -1",
      "UPDATE spend SET held_nano = -1",
      "UPDATE spend SET spent_nano = -1",
      "UPDATE hold SET held_nano = -1",
    ]) {
      expect([damage, await catchThrown((async () => bench.raw(damage))())]).not.toEqual([damage, undefined]);
    }
    expect(findErrors(await store.audit())).toEqual([]);
  });
}

function journals(opened: Opened): void {
  const ids = (entries: readonly Entry[]) => entries.map(makeEntryId);
  const positionOf = (entry: Entry | undefined): Page["after"] =>
    entry === undefined ? null : { atMs: entry.atMs, id: makeEntryId(entry) };

  /** A whole list, read in pages of two. */
  async function paged(read: (page: Page) => Promise<readonly Entry[]>): Promise<readonly Entry[]> {
    const all: Entry[] = [];
    for (;;) {
      const page = await read({ limit: 2, after: positionOf(all.at(-1)) });
      if (page.length === 0) return all;
      all.push(...page);
      if (all.length > 100) throw new Error("The list has no end.");
    }
  }

  test("are listed newest first, in pages, with the balance after each entry", async () => {
    const { store, other } = opened();
    const key = await addKey(store, "key_a");
    const another = await addKey(store, "key_b", "acct");
    await give(store, "default", 1_000);
    await give(store, "acct", 100);
    const mine = openPayments(store);
    const theirs = openPayments(other);
    for (const id of ["1", "2", "3"]) {
      const ticket = await mine.hold(id, key, 100);
      await theirs.post(await theirs.hold(`their ${id}`, another, 10), 30);
      await mine.post(ticket, 70);
    }
    const journal = await paged((page) => other.journals.entries("default", page));
    expect(journal.map((entry) => entry.seq)).toEqual([7, 6, 5, 4, 3, 2, 1]);
    const balances = [790, 760, 860, 830, 930, 900, 1_000];
    expect(journal.map((entry) => entry.balanceAfterNanoUsd)).toEqual(balances);
    expect(await other.journals.entries("none", { limit: 9, after: null })).toEqual([]);
  });

  test("of funding, revenue and overrun list the movements of all accounts once each", async () => {
    const { store, other } = opened();
    const payments = openPayments(other);
    const accounts = ["acct_1", "acct_2", "acct.3"];
    for (const account of accounts) {
      const key = await addKey(store, `key of ${account}`, account);
      await give(store, account, 100);
      await payments.post(await payments.hold(`${account} 1`, key, 60), 110);
      await give(store, account, 7);
    }
    const late = { accountId: "acct_1", id: "late", nanoUsd: 1, note: null, entry: null };
    await topUp(store, { ...late, nowMs: NOON + 1 });
    // The other entries have the same time, so the account and the number order them.
    const [latest, ...funding] = ids(await paged((page) => store.journals.systemEntries("funding", page)));
    expect(latest).toBe("acct_1.6");
    expect(funding.toSorted()).toEqual(accounts.flatMap((id) => [`${id}.1`, `${id}.5`]).toSorted());
    const revenue = ids(await paged((page) => store.journals.systemEntries("revenue", page)));
    expect(revenue.toSorted()).toEqual(accounts.flatMap((id) => [`${id}.3`, `${id}.4`]).toSorted());
    const overrun = await paged((page) => store.journals.systemEntries("overrun", page));
    expect(overrun.map(({ overrunNanoUsd }) => overrunNanoUsd)).toEqual([-10, -10, -10]);
    const sides = (["funding", "revenue", "overrun"] as const).map(store.journals.systemBalance);
    expect(await Promise.all(sides)).toEqual([-322, 330, -30]);
  });
}

function audits(opened: Opened): void {
  const damages: readonly [sql: string, found: readonly string[]][] = [
    ["UPDATE account SET balance_nano = balance_nano + 1 WHERE id = 'default'", ["default: balance", "sum"]],
    [
      "UPDATE account SET balance_nano = balance_nano - 1, held_nano = held_nano + 1 WHERE id = 'default'",
      ["default: balance", "default: held", "default: open holds"],
    ],
    ["UPDATE account SET entries = entries + 1 WHERE id = 'acct'", ["acct: entries"]],
    [
      "UPDATE entry SET balance_nano = balance_nano + 1, revenue_nano = revenue_nano - 1 WHERE account_id = 'default' AND seq = 3",
      ["default: balance", "default: broken entries", "sum"],
    ],
    ["UPDATE entry SET balance_after_nano = 3 WHERE account_id = 'acct'", ["acct: broken entries"]],
    [
      "DELETE FROM entry WHERE account_id = 'default' AND seq = 2",
      ["default: balance", "default: held", "default: entries", "default: broken entries"],
    ],
    ["UPDATE entry SET seq = 9 WHERE account_id = 'default' AND seq = 4", ["default: broken entries"]],
    ["DELETE FROM hold", ["default: open holds"]],
    ["UPDATE hold SET held_nano = held_nano + 1", ["default: open holds"]],
  ];

  for (const [damage, found] of damages) {
    test(`detects ${damage}`, async () => {
      const { store, other, bench } = opened();
      const [key] = [await addKey(store, "key_a"), await addKey(store, "key_b", "acct")];
      await give(store, "default", 1_000);
      await give(store, "acct", 1_000);
      const payments = openPayments(store);
      await payments.post(await payments.hold("1", key, 100), 70);
      await payments.hold("2", key, 100);
      expect(findErrors(await other.audit())).toEqual([]);
      await bench.raw(damage);
      expect(findErrors(await other.audit())).toEqual([...found]);
    });
  }

  test("detects entries without an account, if the database allows them", async () => {
    const { store, bench } = opened();
    await give(store, "default", 1_000);
    const damage = "UPDATE entry SET account_id = 'nobody'";
    const refused = await catchThrown((async () => bench.raw(damage))());
    if (refused === undefined) expect(findErrors(await store.audit())).toContain("stray entries");
    else expect(findErrors(await store.audit())).toEqual([]);
  });
}
