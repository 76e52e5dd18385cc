// Lines of batches in the one decision: what they leave for single requests, and the ceiling of their batch.
import { expect, test } from "bun:test";
import type { LineTerms } from "../../../src/core/demand.ts";
import { Fault } from "../../../src/core/faults/fault.ts";
import type { GatewayKey } from "../../../src/core/keys/key.ts";
import { LIMIT_RULES } from "../../../src/core/settings.ts";
import type { Store } from "../../../src/core/store.ts";
import type { Ledger, Ticket } from "../../../src/ledger/ledger.ts";
import {
  costing,
  expectGrant,
  give,
  ledgerOn,
  makeAsk,
  makeKey,
  makeOutcome,
  openMemoryStore,
  type RulesChanged,
} from "../../harness/samples.ts";
import { catchThrown } from "../../harness/thrown.ts";

const USD = 1_000_000_000;
const TERMS: LineTerms = { batchId: "batch_1", parallelMax: 100, ceilingNanoUsd: null };
const PAID: RulesChanged = { billing: { charge: "always" }, ownerLimits: LIMIT_RULES };

class Bench {
  readonly store: Store;
  readonly ledger: Ledger;
  readonly #key: GatewayKey;
  #asked = 0;

  constructor(store: Store, key: GatewayKey, rules: RulesChanged) {
    this.store = store;
    this.ledger = ledgerOn(store, rules);
    this.#key = key;
  }

  ticket(nanoUsd: number, line: LineTerms | null): Ticket {
    const load = { prompt: nanoUsd, output: 0 };
    const ask = makeAsk(`c${++this.#asked}`, this.#key, {
      offers: () => [costing(nanoUsd)],
      load: () => load,
    });
    return this.ledger.ticket({ ...ask, line });
  }

  async line(nanoUsd = 10, terms: Partial<LineTerms> = {}): Promise<Ticket> {
    const ticket = this.ticket(nanoUsd, { ...TERMS, ...terms });
    await expectGrant(this.ledger, ticket);
    return ticket;
  }

  async single(nanoUsd = 10): Promise<Ticket> {
    const ticket = this.ticket(nanoUsd, null);
    await expectGrant(this.ledger, ticket);
    return ticket;
  }

  async refuse(nanoUsd = 10, terms: Partial<LineTerms> = {}): Promise<Fault> {
    const thrown = await catchThrown(this.ledger.admit(this.ticket(nanoUsd, { ...TERMS, ...terms })));
    if (thrown instanceof Fault) return thrown;
    throw new Error("It was let in.");
  }

  settle(ticket: Ticket, costNanoUsd = 10) {
    return this.ledger.settle(ticket, makeOutcome(ticket, { costNanoUsd }));
  }

  /** The limits' counts agree with the open holds. */
  async checkCounts(): Promise<void> {
    expect((await this.store.audit()).limits).toEqual([]);
  }
}

async function openBench(
  fields: Partial<GatewayKey>,
  rules: RulesChanged = { quota: { requestsPerDay: null } },
) {
  const key = makeKey("key_a", fields);
  return new Bench(await openMemoryStore(key), key, { ownerLimits: LIMIT_RULES, ...rules });
}

test("a line leaves a quarter of the parallel requests, and one may always run", async () => {
  const bench = await openBench({ parallel: 4 });
  const lines = [await bench.line(), await bench.line(), await bench.line()];
  expect((await bench.refuse()).code).toBe("too_many_parallel_requests");
  await bench.single();
  expect((await bench.refuse()).code).toBe("too_many_parallel_requests");
  await bench.checkCounts();
  for (const line of lines) await bench.settle(line);
  await bench.checkCounts();
  await bench.line();
  await (await openBench({ parallel: 1 })).line();
});

test("a line leaves a quarter of the minute's requests and tokens", async () => {
  const byRequests = await openBench({ requestsPerMinute: 8 });
  for (let line = 0; line < 6; line++) await byRequests.settle(await byRequests.line());
  expect((await byRequests.refuse()).code).toBe("requests_per_minute_exceeded");
  await byRequests.single();
  await byRequests.single();
  const byTokens = await openBench({ tokensPerMinute: 100 });
  await byTokens.line(70);
  expect((await byTokens.refuse(10)).code).toBe("tokens_per_minute_exceeded");
  await byTokens.single(30);
  // One that is larger than the share passes where it is alone.
  await (await openBench({ tokensPerMinute: 100 })).line(95);
});

test("no more lines of an account are in flight than may be, whatever their batch", async () => {
  const bench = await openBench({});
  const first = await bench.line(10, { parallelMax: 2 });
  await bench.line(10, { parallelMax: 2, batchId: "batch_2" });
  expect((await bench.refuse(10, { parallelMax: 2 })).code).toBe("too_many_parallel_requests");
  await bench.single();
  await bench.settle(first);
  await bench.line(10, { parallelMax: 2 });
});

test("lines in flight hold at most half of the balance, but one alone all of it", async () => {
  const bench = await openBench({}, PAID);
  await give(bench.store, "default", 100 * USD);
  const first = await bench.line(30 * USD);
  expect((await bench.refuse(30 * USD)).code).toBe("too_many_parallel_requests");
  await bench.line(20 * USD);
  await bench.single(50 * USD);
  expect((await bench.refuse(USD)).code).toBe("insufficient_balance");
  await bench.settle(first, 30 * USD);
  await bench.checkCounts();
  const alone = await openBench({}, PAID);
  await give(alone.store, "default", 100 * USD);
  await alone.line(100 * USD);
});

test("lines in flight reserve at most half of what is left of a budget", async () => {
  const budgets = [{ nanoUsd: 100, per: "day", models: null, warn: [], isHard: true, extra: null }] as const;
  const bench = await openBench({ budgets });
  const first = await bench.line(40);
  expect((await bench.refuse(20)).code).toBe("too_many_parallel_requests");
  await bench.single(60);
  await bench.settle(first, 40);
  expect((await bench.refuse(70)).code).toBe("budget_exceeded");
  await bench.checkCounts();
});

test("a ceiling binds what ended lines cost, what others hold and the next one", async () => {
  const bench = await openBench({});
  const terms = { ceilingNanoUsd: 100 };
  const first = await bench.line(60, terms);
  const reserved = await bench.refuse(60, terms);
  expect(reserved.code).toBe("budget_reserved");
  await bench.settle(first, 50);
  await bench.settle(await bench.line(50, terms), 45);
  const over = await bench.refuse(6, terms);
  expect(over.code).toBe("budget_exceeded");
  expect(over.details.limit?.name).toBe("batch_1");
  await bench.settle(await bench.line(5, terms), 5);
  // Another batch has a ceiling of its own, and single requests have none. No event tells of it.
  await bench.line(90, { ...terms, batchId: "batch_2" });
  await bench.single(500);
  await bench.checkCounts();
});

test("lines take half of the allowance's places that are left, one its last, and never the throttle's slot", async () => {
  const bench = await openBench({}, { quota: { requestsPerDay: 4 } });
  const lines = [await bench.line(), await bench.line()];
  expect((await bench.refuse()).code).toBe("too_many_parallel_requests");
  await bench.single();
  for (const line of lines) await bench.settle(line);
  await bench.settle(await bench.line());
  const usedUp = await bench.refuse();
  expect(usedUp.code).toBe("rate_limit_exceeded");
  // Only the next day helps, though a single request gets the throttle's slot before.
  expect(usedUp.details.resetAtMs).toBe(Date.UTC(2026, 10, 21));
});

test("what a lost line held is given back", async () => {
  const bench = await openBench({}, PAID);
  await give(bench.store, "default", 100 * USD);
  const lost = await bench.line(40 * USD, { ceilingNanoUsd: 100 * USD });
  const [hold] = [await bench.store.audit()];
  expect(hold.held).toBe(BigInt(40 * USD));
  await bench.ledger.settle(lost, {
    ...makeOutcome(lost, { ended: "lost", costNanoUsd: 0 }, false),
    note: null,
  });
  await bench.line(50 * USD, { ceilingNanoUsd: 50 * USD });
  await bench.checkCounts();
});
