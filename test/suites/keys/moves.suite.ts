// Keys by name and keys that move between accounts, on every store: made once, counted once, nothing left behind.
import { beforeEach, expect, test } from "bun:test";
import type { GatewayKey } from "../../../src/core/keys/key.ts";
import type { Budget } from "../../../src/core/limits/budget.ts";
import type { LimitState } from "../../../src/core/limits/limit.ts";
import type { Store } from "../../../src/core/store.ts";
import { carryCounts } from "../../../src/ledger/key-move.ts";
import type { Ticket } from "../../../src/ledger/ledger.ts";
import {
  costing,
  give,
  ledgerOn,
  makeAccount,
  makeAsk,
  makeKey,
  makeOutcome,
  NOON,
} from "../../harness/samples.ts";
import { catchThrown } from "../../harness/thrown.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { findErrors } from "../../ledger/payments.ts";
import { until } from "../../whole/world/until.ts";
import { makeSuite, type TwoStores } from "../two-stores.ts";

export const movesSuite = makeSuite({
  "keys by name": names,
  "a key that moves": moves,
  "many moves": manyMoves,
});

type Opened = () => TwoStores;

const HOLD = 1000;
const AHEAD = 1_000_000;

const put = (store: Store, id: string) =>
  unrecorded(store).putKey({
    fresh: makeKey(id, { name: "bot" }),
    digest: `digest of ${id}`,
    choose: ([found = null]) => found,
    revise: () => ({ notes: id }),
  });

function names(opened: Opened): void {
  test("are made once by many at the same time, on both nodes", async () => {
    const { store, other } = opened();
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, at) => put(at % 2 === 0 ? store : other, `key_${at}`)),
    );
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect((await store.keys({ limit: 50, after: null })).length).toBe(1);
    const accounts = Array.from({ length: 20 }, (_, at) =>
      unrecorded(at % 2 === 0 ? store : other).putAccount({
        fresh: makeAccount(`acct_${at}`, { name: "Team" }),
        choose: ([found = null]) => found,
        revise: () => ({ timeZone: "UTC" }),
      }),
    );
    expect(new Set((await Promise.all(accounts)).map(({ id }) => id)).size).toBe(1);
    expect((await other.accountsNamed("Team")).length).toBe(1);
  });

  test("are changed under their own name only, and nothing is written if one is refused", async () => {
    const { store, other } = opened();
    await put(store, "key_a");
    expect(await put(other, "key_b")).toMatchObject({ id: "key_a", notes: "key_b" });
    await unrecorded(store).revokeKey("key_a", NOON);
    expect((await put(other, "key_c")).id).toBe("key_c");
    const refuse = () => {
      throw new Error("refused");
    };
    const refused = { fresh: makeKey("key_d", { name: "bot" }), digest: "d" };
    expect(
      await catchThrown(unrecorded(store).putKey({ ...refused, choose: refuse, revise: () => ({}) })),
    ).toBeInstanceOf(Error);
    expect((await store.key("key_c"))?.notes).toBeNull();
  });
}

const budget = (per: Budget["per"], nanoUsd = AHEAD): Budget => {
  return { nanoUsd, per, models: null, warn: [], isHard: true, extra: null };
};

const KEY = makeKey("key_a", {
  budgets: [budget("total"), budget("month")],
  parallel: 1000,
  requestsPerMinute: 1000,
  requestsPerDay: 1000,
  spendLimitNanoUsd: AHEAD,
});
const ACCOUNTS = ["one", "two"] as const;

let count = 0;

async function prepare({ store }: TwoStores): Promise<void> {
  for (const id of ACCOUNTS) {
    await unrecorded(store).addAccount(makeAccount(id, { budgets: [budget("total")], parallel: 1000 }));
    await give(store, id, AHEAD);
  }
  await unrecorded(store).addKey({ ...KEY, accountId: "one" }, "digest");
}

/** Admits as the gateway does: where the key is, even if it was looked up elsewhere. */
async function hold(store: Store, known: GatewayKey, id = `request ${count++}`): Promise<Ticket> {
  const ledger = ledgerOn(store);
  let key = known;
  for (;;) {
    const fields = { offers: () => [costing(HOLD)], load: () => ({ prompt: 1, output: 1 }) };
    const ticket = ledger.ticket(makeAsk(id, key, fields));
    const admitted = await ledger.admit(ticket);
    if (admitted.kind === "granted") return ticket;
    if (admitted.kind !== "moved") throw new Error(admitted.kind);
    key = { ...key, accountId: admitted.accountId };
  }
}

const end = (store: Store, ticket: Ticket, costNanoUsd: number) =>
  ledgerOn(store).settle(ticket, makeOutcome(ticket, { accountId: ticket.ask.key.accountId, costNanoUsd }));

const fail = (store: Store, ticket: Ticket) =>
  ledgerOn(store).settle(
    ticket,
    makeOutcome(ticket, { accountId: ticket.ask.key.accountId, usageSource: "none", costNanoUsd: 0 }, false),
  );

async function move(store: Store, accountId: string): Promise<GatewayKey> {
  const key = await unrecorded(store).moveKey("key_a", { accountId, revision: {}, carry: carryCounts });
  if (key === null) throw new Error("The key is gone.");
  return key;
}

/** Amounts are shown in whole nano-dollars, since fractions of a dollar aren't exact. */
const showUse = (limits: readonly LimitState[]) =>
  limits.map(({ scope, kind, per, used, reserved }) => [
    scope,
    per ?? kind,
    ...[used, reserved].map((usd) => Math.round(usd * 1e9)),
  ]);

const usesOf = async (store: Store, key: GatewayKey) =>
  showUse((await ledgerOn(store).limits(key)).filter(({ kind }) => kind === "budget"));

function moves(opened: Opened): void {
  beforeEach(() => prepare(opened()));

  test("takes its own use along; the old account's stays there, the new one's begins without it", async () => {
    const { store, other } = opened();
    const key = { ...KEY, accountId: "one" };
    await end(store, await hold(store, key), 400);
    const answered = await hold(store, key);
    const failed = await hold(store, key);
    const moved = await move(other, "two");
    expect(moved.accountId).toBe("two");
    expect(await other.key("key_a")).toEqual(moved);
    expect(await usesOf(store, moved)).toEqual([
      ["key", "total", 400, 0],
      ["key", "month", 400, 0],
      ["key", "total", 400, 0],
      ["account", "total", 0, 0],
    ]);
    // The places of requests in flight may still come back.
    expect((await ledgerOn(store).allowance(moved)).used).toBe(1);
    expect(findErrors(await store.audit())).toEqual([]);
    // Requests in flight are settled where they were admitted.
    await end(store, answered, 700);
    await fail(other, failed);
    expect(await store.carryHome(carryCounts, 10)).toBe(0);
    expect(await store.carryHome(carryCounts, 10)).toBe(0);
    expect((await usesOf(store, moved)).map(([, , used]) => used)).toEqual([1100, 1100, 1100, 0]);
    // The key's own cost is that of all its requests, wherever it was.
    expect((await store.spentSince(moved, 0)).costNanoUsd).toBe(1100);
    const left = showUse(await ledgerOn(store).accountLimits({ id: "one" }));
    expect(left.at(-1)).toEqual(["account", "total", 1100, 0]);
    expect((await ledgerOn(store).allowance(moved)).used).toBe(2);
    expect(findErrors(await store.audit())).toEqual([]);
  });

  test("is admitted where it is, whoever looked it up before, and nowhere else", async () => {
    const { store, other } = opened();
    const stale = { ...KEY, accountId: "one" };
    await end(store, await hold(store, stale), 1);
    await move(other, "two");
    const ticket = await hold(store, stale);
    expect(ticket.ask.key.accountId).toBe("two");
    expect((await end(store, ticket, 5)).holdNanoUsd).toBe(0);
    expect((await usesOf(store, ticket.ask.key)).map(([, , used]) => used)).toEqual([6, 6, 6, 5]);
    const [row] = await store.requests({ accountId: "two" }, { limit: 1, after: null });
    expect(row?.id).toBe(ticket.ask.id);
  });

  test("changes with it what else is asked for, and only if the account exists and the key does", async () => {
    const { store } = opened();
    const change = { accountId: "two", revision: { notes: "moved" }, carry: carryCounts };
    const { moveKey } = unrecorded(store);
    expect(await moveKey("key_a", change)).toMatchObject({ accountId: "two", notes: "moved" });
    const same = await moveKey("key_a", { ...change, revision: { notes: "same" } });
    expect(same).toMatchObject({ notes: "same" });
    expect(await moveKey("none", change)).toBeNull();
  });
}

interface Spent {
  one: number;
  two: number;
  answered: number;
  moves: number;
}

/** Moves the key to and fro until the work is done. */
async function moveUntil({ store, other }: TwoStores, spent: Spent, work: Promise<unknown>): Promise<void> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  work.then(end, end);
  for (let at = 0; !isOver; at++) {
    await move(at % 2 === 0 ? store : other, ACCOUNTS[(at + 1) % 2] ?? "one");
    spent.moves++;
    await store.carryHome(carryCounts, 10);
    await Bun.sleep(15);
  }
  await work;
}

async function request(stores: TwoStores, at: number, spent: Spent): Promise<void> {
  const node = at % 3 === 0 ? stores.store : stores.other;
  await until("the key has moved", () => spent.moves >= at % 6);
  const ticket = await hold(node, { ...KEY, accountId: ACCOUNTS[at % 2] ?? "one" });
  await answer(node, ticket, at, spent);
}

/** Every tenth request fails. */
async function answer(node: Store, ticket: Ticket, at: number, spent: Spent): Promise<void> {
  await Bun.sleep((at * 7) % 30);
  if (at % 10 === 0) return void (await fail(node, ticket));
  const cost = 100 + (at % 50);
  await end(node, ticket, cost);
  spent[ticket.ask.key.accountId === "one" ? "one" : "two"] += cost;
  spent.answered++;
}

function manyMoves(opened: Opened): void {
  beforeEach(() => prepare(opened()));

  test("to and fro while 200 requests run are counted exactly once", async () => {
    const { store, other } = opened();
    const spent: Spent = { one: 0, two: 0, answered: 0, moves: 0 };
    // Some are in flight from before the first move, and one comes after the last.
    const early = await Promise.all(
      Array.from({ length: 9 }, () => hold(store, { ...KEY, accountId: "one" })),
    );
    const requests = Array.from({ length: 190 }, (_, at) => request(opened(), at, spent));
    const inFlight = early.map((ticket, at) => answer(other, ticket, at + 1, spent));
    await moveUntil(opened(), spent, Promise.all([...requests, ...inFlight]));
    const key = await move(store, "two");
    await answer(store, await hold(store, key), 1, spent);
    expect(Math.min(spent.one, spent.two)).toBeGreaterThan(0);
    expect(await store.carryHome(carryCounts, 10)).toBe(0);
    expect(await usesOf(other, key)).toEqual([
      ["key", "total", spent.one + spent.two, 0],
      ["key", "month", spent.one + spent.two, 0],
      ["key", "total", spent.one + spent.two, 0],
      ["account", "total", spent.two, 0],
    ]);
    const counted = await ledgerOn(other).limits(key);
    expect(counted.find(({ kind, scope }) => kind === "parallel" && scope === "key")?.used).toBe(0);
    expect(counted.find(({ kind }) => kind === "requests_per_minute")?.used).toBe(200);
    const left = await ledgerOn(other).accountLimits({ id: "one" });
    expect(left.map(({ kind, used }) => [kind, Math.round(used * (kind === "budget" ? 1e9 : 1))])).toEqual([
      ["parallel", 0],
      ["budget", spent.one],
    ]);
    expect((await ledgerOn(other).allowance(key)).used).toBe(spent.answered);
    expect(findErrors(await store.audit())).toEqual([]);
  });
}
