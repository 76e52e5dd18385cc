// Requests that hold nothing are noted in their day's meter, on every store.
import { beforeEach, describe, expect, test } from "bun:test";
import type { GatewayKey } from "../../../src/core/keys/key.ts";
import { NOTING_NODES, type Store } from "../../../src/core/store.ts";
import { carryCounts } from "../../../src/ledger/key-move.ts";
import type { Ticket } from "../../../src/ledger/ledger.ts";
import {
  expectGrant,
  ledgerOn,
  MINUTE,
  makeAccount,
  makeAsk,
  makeKey,
  makeOutcome,
  makeRecord,
  NOON,
  type RulesChanged,
} from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { until } from "../../whole/world/until.ts";
import { type MakeBench, type TwoStores, twoStores } from "../two-stores.ts";

type Opened = () => TwoStores;

/** Nine requests a day are free. */
const key: GatewayKey = makeKey("key_a", { requestsPerDay: 9 });
const unlimited: GatewayKey = makeKey("key_b", { requestsPerDay: null });
const LOST = { ended: "lost", status: 500, holdNanoUsd: 0, isLate: false } as const;

export function notedSuite(name: string, makeBench: MakeBench): void {
  describe(`${name}: noted requests`, () => {
    const opened = twoStores(makeBench);
    beforeEach(async () => {
      await unrecorded(opened().store).addKey(key, "digest");
      await unrecorded(opened().store).addKey(unlimited, "digest of b");
    });
    describe("under way", () => underWay(opened));
    describe("of two nodes or accounts", () => ofSeveral(opened));
    describe("of a dead node", () => ofTheDead(opened));
    describe("that were given up", () => givenUp(opened));
    describe("after an unknown commit", () => afterUnknownCommit(opened));
    describe("that need a hold", () => withHold(opened));
  });
}

/** A node that notes its requests. */
interface NotingNode {
  readonly ledger: ReturnType<typeof ledgerOn>;
  admit(id: string, of?: GatewayKey): Promise<Ticket>;
  end(ticket: Ticket): Promise<void>;
}

async function startNode(store: Store, rules: RulesChanged = {}): Promise<NotingNode> {
  const ledger = ledgerOn(store, rules);
  const ticketOf = (id: string, of: GatewayKey) => ledger.ticket(makeAsk(id, of, { isNew: true }));
  const end = async (ticket: Ticket) => {
    await ledger.settle(ticket, makeOutcome(ticket));
  };
  let tries = 0;
  await until("a noted request", async () => {
    const ticket = ticketOf(`${store.node} ${tries++}`, unlimited);
    await ledger.admit(ticket);
    const isNoted = ticket.noted !== null;
    await end(ticket);
    return isNoted;
  });
  return {
    ledger,
    end,
    async admit(id, of = key) {
      const ticket = ticketOf(id, of);
      await expectGrant(ledger, ticket);
      return ticket;
    },
  };
}

async function usedIn(store: Store): Promise<number> {
  return (await ledgerOn(store).allowance(key)).used;
}

/** Returns the ids that the key's meters note. */
async function notedIn(store: Store, of: GatewayKey = key): Promise<readonly string[]> {
  const { reads } = ledgerOn(store).ticket(makeAsk("", of));
  const { page } = await store.read({ ...reads, requestId: null });
  return reads.days.flatMap((day) =>
    (page("default", of.id).meter(day).row?.noted ?? []).map(({ id }) => id),
  );
}

function underWay(opened: Opened): void {
  test("take their places and have no hold; the next admission forgets those that have ended", async () => {
    const { store, other } = opened();
    const node = await startNode(store);
    const [first, second] = [await node.admit("1"), await node.admit("2")];
    expect([first.noted?.kind, second.noted?.places]).toEqual(["allowance", 1]);
    expect([await usedIn(other), await notedIn(other)]).toEqual([2, ["1", "2"]]);
    await node.end(first);
    expect(await other.request("1")).toMatchObject({ ended: "done", isLate: false });
    expect(await notedIn(other)).toEqual(["1", "2"]);
    await node.admit("3");
    expect([await usedIn(other), await notedIn(other)]).toEqual([3, ["2", "3"]]);
  });

  test("are forgotten by the upkeep where no admission follows", async () => {
    const { store, other } = opened();
    let nowMs = NOON;
    const node = await startNode(store, { clock: { nowMs: () => nowMs } });
    await node.end(await node.admit("1"));
    await node.ledger.resolveLost();
    expect(await notedIn(other)).toEqual(["1"]);
    nowMs += MINUTE;
    expect(await node.ledger.resolveLost()).toBe(0);
    expect([await notedIn(other), await notedIn(other, unlimited), await usedIn(other)]).toEqual([[], [], 1]);
  });

  test("give back what was not served", async () => {
    const { store, other } = opened();
    const node = await startNode(store);
    const ticket = await node.admit("1");
    const failed = makeOutcome(ticket, { ended: "upstream_failed" }, false);
    await node.ledger.settle(ticket, failed);
    expect(await usedIn(other)).toBe(0);
  });
}

function ofSeveral(opened: Opened): void {
  test("of two nodes are noted in one meter", async () => {
    const { store, other } = opened();
    const [mine, theirs] = [await startNode(store), await startNode(other)];
    const [first, second] = [await mine.admit("1"), await theirs.admit("2")];
    expect([await notedIn(store), await usedIn(store)]).toEqual([["1", "2"], 2]);
    await theirs.end(second);
    await mine.end(first);
    await theirs.admit("3");
    expect(await notedIn(store)).toEqual(["1", "3"]);
  });

  test("stay in the account where they began when their key is moved, until they have ended", async () => {
    const { store, other } = opened();
    await unrecorded(store).addAccount(makeAccount("acc_b"));
    const node = await startNode(store);
    const [ended, running] = [await node.admit("1"), await node.admit("2")];
    await node.end(ended);
    await unrecorded(other).moveKey(key.id, { accountId: "acc_b", revision: {}, carry: carryCounts });
    const moved = { ...key, accountId: "acc_b" };
    const usedThere = async () => (await ledgerOn(other).allowance(moved)).used;
    expect([await usedIn(other), await usedThere()]).toEqual([1, 1]);
    await other.carryHome(carryCounts, 10);
    expect([await usedIn(other), await usedThere()]).toEqual([1, 1]);
    await node.end(running);
    await other.carryHome(carryCounts, 10);
    expect([await usedIn(other), await usedThere()]).toEqual([0, 2]);
  });
}

function ofTheDead(opened: Opened): void {
  test("each give their place back, and have a row that says so; those that had ended stay as they are", async () => {
    const { store, other, bench } = opened();
    const node = await startNode(store);
    const tickets = [];
    for (const id of ["1", "2", "3", "4", "5"]) tickets.push(await node.admit(id));
    const free = await node.admit("6", unlimited);
    for (const ticket of tickets.slice(3)) await node.end(ticket);
    expect(free.noted?.kind).toBe("unlimited");
    await bench.forsake(store);
    expect(await ledgerOn(other).resolveLost()).toBe(4);
    expect(await ledgerOn(other).resolveLost()).toBe(0);
    expect([await usedIn(other), await notedIn(other), await notedIn(other, unlimited)]).toEqual([2, [], []]);
    for (const id of ["1", "2", "3"])
      expect(await other.request(id)).toMatchObject({ ...LOST, keyId: "key_a", atMs: expect.any(Number) });
    expect(await other.request("6")).toMatchObject({ ...LOST, keyId: "key_b", accountId: "default" });
    for (const id of ["4", "5"]) expect(await other.request(id)).toMatchObject({ ended: "done" });
    const [sum] = await other.usage({
      fromMs: 0,
      toMs: Date.now() + MINUTE,
      groupBy: [],
      only: { keyId: "key_a" },
    });
    expect(sum).toMatchObject({ requests: 5, errors: 3 });
  });

  test("are given up once, even if several nodes try at the same time", async () => {
    const { store, other, bench } = opened();
    const node = await startNode(store);
    for (const id of ["1", "2", "3"]) await node.admit(id);
    await bench.forsake(store);
    await Promise.all([1, 2, 3].map(() => ledgerOn(other).resolveLost()));
    expect(await usedIn(other)).toBe(0);
  });

  test("that had other operations and surfaces say so, and nothing that only memory knew", async () => {
    const { store, other, bench } = opened();
    const node = await startNode(store);
    const head = { operation: "embeddings", surface: "openai-embeddings", modelAsked: "Sim#echo" };
    const ask = makeAsk("1", key, { isNew: true, ...head });
    await expectGrant(node.ledger, node.ledger.ticket(ask));
    await bench.forsake(store);
    expect(await ledgerOn(other).resolveLost()).toBe(1);
    const { operation, surface } = head;
    expect(await other.request("1")).toMatchObject({
      ...LOST,
      operation,
      surface,
      modelAsked: "",
      requestId: "",
    });
  });
}

function givenUp(opened: Opened): void {
  test("are settled late by a node that comes back: the row is what it was, and no place is taken again", async () => {
    const { store, other, bench } = opened();
    const node = await startNode(store);
    const ticket = await node.admit("1");
    await bench.forsake(store);
    expect(await ledgerOn(other).resolveLost()).toBe(1);
    const late = await node.ledger.settle(ticket, makeOutcome(ticket));
    expect(late).toMatchObject({ late: true, chargedNanoUsd: 0 });
    expect(await other.request("1")).toMatchObject({ ended: "done", isLate: true });
    const again = await node.ledger.settle(ticket, makeOutcome(ticket));
    expect(again).toMatchObject({ late: false, chargedNanoUsd: 0 });
    expect([await usedIn(other), await notedIn(other)]).toEqual([0, []]);
  });

  test("are looked for until they are resolved, and then the node is struck off", async () => {
    const { store, other, bench } = opened();
    const node = await startNode(store);
    await node.admit("1");
    expect(await other.setting(NOTING_NODES)).toContain(store.node);
    await bench.forsake(store);
    let nowMs = NOON;
    const theirs = ledgerOn(other, { clock: { nowMs: () => nowMs } });
    await theirs.resolveLost();
    nowMs += 10 * MINUTE;
    await theirs.resolveLost();
    expect(await other.setting(NOTING_NODES)).not.toContain(store.node);
  });
}

function afterUnknownCommit(opened: Opened): void {
  test("an admission that is repeated takes one place", async () => {
    const { store, other } = opened();
    const node = await startNode(store);
    const ask = makeAsk("1", key);
    await Promise.all([1, 2].map(() => expectGrant(node.ledger, node.ledger.ticket(ask))));
    const ticket = node.ledger.ticket(ask);
    await expectGrant(node.ledger, ticket);
    expect([await usedIn(other), await notedIn(other)]).toEqual([1, ["1"]]);
    await node.end(ticket);
    expect(await usedIn(other)).toBe(1);
  });

  test("an admission without an answer is undone by its settlement, which knows no place", async () => {
    const { store, other } = opened();
    const node = await startNode(store);
    const ask = makeAsk("1", key);
    await expectGrant(node.ledger, node.ledger.ticket(ask));
    const unanswered = node.ledger.ticket(ask);
    const record = makeRecord("1", { keyId: key.id, ended: "refused" });
    const giveBack = { answers: 1, isBounded: false, beyond: null };
    const outcome = { record, produced: false, isDue: false, giveBack, sealedReply: null };
    await node.ledger.settle(unanswered, outcome);
    expect([await usedIn(other), await notedIn(other)]).toEqual([0, []]);
    await node.ledger.settle(unanswered, outcome);
    expect(await usedIn(other)).toBe(0);
  });

  test("a settlement that is repeated counts once", async () => {
    const { store, other } = opened();
    const node = await startNode(store);
    const ticket = await node.admit("1");
    const failed = makeOutcome(ticket, { ended: "upstream_failed" }, false);
    await node.admit("2");
    for (let times = 0; times < 3; times++) await node.ledger.settle(ticket, failed);
    expect([await usedIn(other), await notedIn(other)]).toEqual([1, ["2"]]);
    const [sum] = await other.usage({
      fromMs: 0,
      toMs: Date.now() + MINUTE,
      groupBy: [],
      only: { keyId: "key_a" },
    });
    expect(sum).toMatchObject({ requests: 1 });
  });

  test("a request whose settlement never came is given up by its own node", async () => {
    const { store, other } = opened();
    const node = await startNode(store, { clock: { nowMs: () => Date.now() + MINUTE } });
    const ticket = await node.admit("1");
    await node.admit("2");
    const broken = makeOutcome(ticket, { atMs: Number.NaN });
    await expect(node.ledger.settle(ticket, broken)).rejects.toThrow();
    expect(await node.ledger.resolveLost(() => ["2"])).toBe(1);
    expect([await usedIn(other), await notedIn(other)]).toEqual([1, ["2"]]);
    expect(await other.request("1")).toMatchObject(LOST);
  });
}

function withHold(opened: Opened): void {
  test("are those with a limit, an Idempotency-Key or a slot of the throttle", async () => {
    const { store } = opened();
    const limited = makeKey("key_c", { requestsPerDay: null, parallel: 5 });
    const once = makeKey("key_d", { requestsPerDay: 0 });
    await unrecorded(store).addKey(limited, "digest of c");
    await unrecorded(store).addKey(once, "digest of d");
    const node = await startNode(store);
    const { ledger } = node;
    const idempotency = { replyId: "reply", bodyDigest: "body" };
    const asks = [makeAsk("1", limited), makeAsk("2", once), makeAsk("3", key, { idempotency })];
    for (const ask of asks) {
      const ticket = ledger.ticket(ask);
      await expectGrant(ledger, ticket);
      expect([ask.id, ticket.noted]).toEqual([ask.id, null]);
    }
  });

  test("are those beyond what one row of a meter may note", async () => {
    const { store, other, bench } = opened();
    const node = await startNode(store);
    const tickets = [];
    for (let at = 0; at < 45; at++) tickets.push(await node.admit(`${at}`, unlimited));
    expect(tickets.filter(({ noted }) => noted === null).length).toBe(5);
    await bench.forsake(store);
    expect(await ledgerOn(other).resolveLost()).toBe(45);
  });
}
