// Budgets over the price of every request: opening, reservations, warnings, and what they refuse.
import { describe, expect, test } from "bun:test";
import type { Demand } from "../../../src/core/demand.ts";
import {
  costing,
  DAY,
  expectGrant,
  give,
  HOUR,
  ledgerOn,
  makeOffer,
  makeOutcome,
  NOON,
} from "../../harness/samples.ts";
import { catchThrown, readCode } from "../../harness/thrown.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { budget, budgetBench } from "../budget-bench.ts";

const bench = budgetBench();
const { clock, addKey, ask, hold, end, spend, refusal } = bench;

describe("a budget", () => {
  test("counts what nobody pays: unlimited keys, free requests, and the balance's too", async () => {
    await give(bench.store, "default", 10_000);
    for (const requestsPerDay of [null, 5, 0]) {
      const key = await addKey([budget(1000)], { requestsPerDay });
      await spend(key, 700);
      expect((await refusal(key, 301)).code).toBe("budget_exceeded");
      await spend(key, 300);
    }
  });

  test("is reserved by requests in flight, which isn't used up", async () => {
    const key = await addKey([budget(1000)]);
    const flying = [await hold(key, 400), await hold(key, 400)];
    const { code, retryAfterMs = 0, limit } = await refusal(key, 400);
    expect([code, limit?.used, limit?.reserved, limit?.limit]).toEqual(["budget_reserved", 0, 8e-7, 1e-6]);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
    expect((await refusal(key, 1001)).code).toBe("budget_exceeded");
    for (const ticket of flying) await end(ticket, 100);
    await spend(key, 400);
  });

  test("settles at the truth, which may exceed the reservation of requests in flight", async () => {
    const key = await addKey([budget(1000)]);
    await end(await hold(key, 400), 1500);
    const fault = await refusal(key, 1);
    expect([fault.code, fault.resetAtMs, fault.retryAfterMs]).toEqual([
      "budget_exceeded",
      NOON + DAY / 2,
      undefined,
    ]);
    expect(fault.limit).toEqual({
      scope: "key",
      name: key.name,
      kind: "budget",
      per: "day",
      limit: 1e-6,
      used: 1.5e-6,
      reserved: 0,
      resetsAtMs: NOON + DAY / 2,
    });
  });

  test("gives back what a lost request had reserved", async () => {
    const key = await addKey([budget(1000)]);
    const ticket = await hold(key, 900);
    const outcome = makeOutcome(ticket, { ended: "lost", usageSource: "none", costNanoUsd: 0 }, false);
    await bench.ledger.settle(ticket, outcome);
    await spend(key, 900);
    // It was alive after all: what it cost counts.
    await end(ticket, 200);
    expect((await refusal(key, 1)).limit?.used).toBe(1.1e-6);
  });

  test("lets free models pass when it is used up, and none without a price", async () => {
    const key = await addKey([budget(0)]);
    expect((await refusal(key, 1)).code).toBe("budget_exceeded");
    await hold(key, 0);
    const unpriced = await catchThrown(bench.ledger.admit(ask(key, [makeOffer({ isPriced: false })])));
    expect(readCode(unpriced)).toBe("model_not_priced");
    const other = await addKey([budget(0, { models: ["Other#*"] })]);
    await expectGrant(bench.ledger, ask(other, [makeOffer({ isPriced: false })]));
  });

  test("of some models takes them from the plan, and the others go on", async () => {
    const key = await addKey([budget(1000, { models: ["Dear#*"] })]);
    const dear = { ...costing(900), card: "Dear#opus" };
    const plan = [dear, { ...costing(5000), card: "Cheap#mini" }];
    const first = ask(key, plan);
    const both = await expectGrant(bench.ledger, first);
    expect(Object.keys(both.outputTokens ?? {})).toEqual(["Dear#opus", "Cheap#mini"]);
    await bench.ledger.settle(first, makeOutcome(first, { costNanoUsd: 900, modelUsed: "Dear#opus" }));
    const next = await expectGrant(bench.ledger, ask(key, plan));
    expect(Object.keys(next.outputTokens ?? {})).toEqual(["Cheap#mini"]);
    expect(readCode(await catchThrown(bench.ledger.admit(ask(key, [dear]))))).toBe("budget_exceeded");
  });

  test("counts only answers of its models", async () => {
    const key = await addKey([budget(1000, { models: ["Dear#*"] })]);
    const plan = [{ ...costing(900), card: "Dear#opus" }];
    const ticket = ask(key, plan);
    await expectGrant(bench.ledger, ticket);
    await bench.ledger.settle(ticket, makeOutcome(ticket, { costNanoUsd: 900, modelUsed: "Cheap#mini" }));
    await expectGrant(bench.ledger, ask(key, plan));
  });

  test("reserves the cached prefix of a conversation at its own rate", async () => {
    const key = await addKey([budget(1000)]);
    const [line] = costing(900).lines;
    if (!line) throw new Error("The offer has no line.");
    const offer = { ...costing(5000), reservedLines: [line] };
    await expectGrant(bench.ledger, ask(key, [offer]));
    expect((await bench.ledger.limits(key))[0]?.reserved).toBe(9e-7);
  });
});

describe("changes", () => {
  test("a budget that is set in the middle of its window begins with what was used of it", async () => {
    const key = await addKey([]);
    clock.atMs = NOON - DAY;
    await spend(key, 5000);
    clock.atMs = NOON;
    await spend(key, 700);
    await unrecorded(bench.store).changeKey(key.id, {
      budgets: [budget(1000), budget(9000, { per: "month" })],
    });
    const limits = await bench.ledger.limits({
      ...key,
      budgets: [budget(1000), budget(9000, { per: "month" })],
    });
    expect(limits.map(({ used }) => used)).toEqual([7e-7, 5.7e-6]);
    expect((await refusal(key, 301)).code).toBe("budget_exceeded");
    await spend(key, 300);
  });

  test("one that opens in the transaction in which other requests are settled counts them", async () => {
    const key = await addKey([]);
    const flying = await Promise.all([hold(key, 100), hold(key, 100), hold(key, 100)]);
    const budgets = [budget(1_000_000)];
    await unrecorded(bench.store).changeKey(key.id, { budgets });
    const ends: Promise<unknown>[] = [];
    const settlingFirst = Object.create(bench.store, {
      transact: {
        value: (demand: Demand) => {
          // The sums are read once the admission has asked for them.
          if (demand.reads.openings?.length && ends.length === 0)
            ends.push(...flying.map((ticket) => end(ticket, 100)));
          return bench.store.transact(demand);
        },
      },
    });
    await ledgerOn(settlingFirst, { clock }).admit(ask({ ...key, budgets }, [costing(10)]));
    await Promise.all(ends);
    const [limit] = await bench.ledger.limits({ ...key, budgets });
    expect(limit?.used).toBe(3e-7);
  });

  test("one that begins within an hour counts from its minute on", async () => {
    await unrecorded(bench.store).changeAccount("default", { timeZone: "Asia/Kolkata" });
    const key = await addKey([]);
    const midnight = NOON + 6.5 * HOUR;
    clock.atMs = midnight - 1;
    await spend(key, 400);
    clock.atMs = midnight;
    await spend(key, 500);
    await unrecorded(bench.store).changeKey(key.id, { budgets: [budget(1000)] });
    await spend(key, 500);
    expect((await refusal(key, 1)).limit?.used).toBe(1e-6);
  });

  test("an account's budget counts all of its keys", async () => {
    const one = await addKey([]);
    const other = await addKey([]);
    await spend(one, 600);
    await unrecorded(bench.store).changeAccount("default", { budgets: [budget(1000)] });
    await spend(other, 300);
    const { code, limit } = await refusal(one, 200);
    expect([code, limit?.scope]).toEqual(["budget_exceeded", "account"]);
    expect((await bench.ledger.accountLimits({ id: "default" }))[0]?.used).toBe(9e-7);
  });

  test("a budget that gets another amount keeps what was used of it", async () => {
    const key = await addKey([budget(1000)]);
    await spend(key, 900);
    await unrecorded(bench.store).changeKey(key.id, { budgets: [budget(2000)] });
    expect((await refusal(key, 1101)).limit?.used).toBe(9e-7);
    await spend(key, 1100);
  });

  test("extra money is given once, after the window's own", async () => {
    const extra = { nanoUsd: 500, untilMs: NOON + 10 * DAY };
    const key = await addKey([budget(1000, { extra })]);
    await spend(key, 1300);
    clock.atMs += DAY;
    expect((await refusal(key, 1201)).limit?.limit).toBe(1.2e-6);
    await spend(key, 1200);
    clock.atMs += DAY;
    await spend(key, 1000);
    expect((await refusal(key, 1)).limit?.limit).toBe(1e-6);
  });

  test("a reset sets the windows to 0, on record", async () => {
    const key = await addKey([budget(1000)], { spendLimitNanoUsd: 5000 });
    await spend(key, 1000);
    const order = {
      accountId: "default",
      keyId: key.id,
      memberId: null,
      id: "event_1",
      by: "admin",
      reason: "a wrong price",
      entry: null,
    };
    expect(await bench.ledger.resetBudgets(order)).toEqual(["day", "spend_limit"]);
    await spend(key, 1000);
    const [event] = await bench.store.takeEvents(NOON, 10);
    expect(event).toMatchObject({ type: "budget.reset", data: { key_id: key.id, reason: "a wrong price" } });
  });
});

describe("warnings", () => {
  test("are written once in a window, and taken by one process", async () => {
    const key = await addKey([budget(1000, { warn: [0.5, 0.9] })]);
    for (let times = 0; times < 9; times++) await spend(key, 100);
    const events = await bench.store.takeEvents(NOON, 10);
    expect(events.map(({ type, data }) => [type, data.share])).toEqual([
      ["budget.warned", 0.5],
      ["budget.warned", 0.9],
    ]);
    expect(events[0]?.data).toMatchObject({ key_id: key.id, per: "day", used: 5e-7, limit: 1e-6 });
    expect(await bench.store.takeEvents(NOON, 10)).toEqual([]);
    clock.atMs += DAY;
    await spend(key, 600);
    expect((await bench.store.takeEvents(NOON, 10)).length).toBe(1);
  });

  test("and the first refusal are told of once, however many requests cross at once", async () => {
    const key = await addKey([budget(1000, { warn: [0.8] })]);
    const asked = Array.from({ length: 200 }, () => ask(key, [costing(10)]));
    const admitted = await Promise.allSettled(asked.map((one) => bench.ledger.admit(one)));
    const held = asked.filter((_, at) => admitted[at]?.status === "fulfilled");
    await Promise.all(held.map((one) => bench.ledger.settle(one, makeOutcome(one, { costNanoUsd: 10 }))));
    await Promise.allSettled(asked.map(() => spend(key, 10)));
    const types = (await bench.store.takeEvents(NOON, 500)).map(({ type }) => type).toSorted();
    expect([held.length, types]).toEqual([100, ["budget.exceeded", "budget.warned"]]);
    clock.atMs += DAY;
    await refusal(key, 1001);
    await spend(key, 700);
    for (let times = 0; times < 3; times++) await refusal(key, 1001);
    const [next, ...others] = await bench.store.takeEvents(NOON + DAY, 10);
    expect([next?.type, next?.data.key_id, others]).toEqual(["budget.exceeded", key.id, []]);
  });

  test("are all that a soft budget does", async () => {
    const key = await addKey([budget(1000, { isHard: false, warn: [1] })]);
    await spend(key, 1500);
    await spend(key, 1500);
    expect((await bench.store.takeEvents(NOON, 10)).length).toBe(1);
  });
});
