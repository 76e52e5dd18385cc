// Limits and budgets on every store.
import { expect, test } from "bun:test";
import { type Budget, makeBudget } from "../../../src/core/limits/budget.ts";
import {
  addKey,
  costing,
  give,
  ledgerOn,
  MINUTE,
  makeKey,
  NOON,
  standingClock,
} from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { ALWAYS, findErrors, openPayments } from "../../ledger/payments.ts";
import { tried } from "../../ledger/tried.ts";
import { makeMember } from "../../people/samples.ts";
import { makeSuite, type TwoStores } from "../two-stores.ts";
import { ACCOUNT_LIMITS } from "./account-limits.suite.ts";
import { SHARES } from "./shares.suite.ts";

type Opened = () => TwoStores;

export const limitsSuite = makeSuite({
  "spend limits": spendLimits,
  "limits of members": memberLimits,
  "a member's use": memberUse,
  "limits on some models": modelLimits,
  ...SHARES,
  ...ACCOUNT_LIMITS,
});

function modelLimits(opened: Opened): void {
  test("bind on every node, leave the plan, and give back what wasn't needed", async () => {
    const { store, other } = opened();
    const limit = { models: ["Acme#a"], requestsPerMinute: 10, tokensPerMinute: 1000 };
    const key = makeKey("key_a", { requestsPerDay: null, modelLimits: [limit] });
    await unrecorded(store).addKey(key, "digest");
    const ledgers = [ledgerOn(store), ledgerOn(other)] as const;
    const first = { ...costing(1), card: "Acme#a" };
    const second = { ...costing(1), card: "Acme#b" };
    const ask = (at: number) => tried(ledgers[at % 2 === 0 ? 0 : 1], key, [first]);
    const answers = await Promise.all(Array.from({ length: 30 }, (_, at) => ask(at)));
    expect(answers.filter((answer) => answer !== "requests_per_minute_exceeded")).toHaveLength(10);
    // Another card of the plan goes on, and only that one may be called.
    expect(await tried(ledgers[1], key, [first, second])).not.toContain("exceeded");
    const limits = await ledgers[1].limits(key);
    expect(limits.map(({ kind, models, used }) => [kind, models, used])).toEqual([
      ["requests_per_minute", ["Acme#a"], 10],
      ["tokens_per_minute", ["Acme#a"], expect.any(Number)],
    ]);
    expect(findErrors(await store.audit())).toEqual([]);
  });
}

function spendLimits(opened: Opened): void {
  test("bound a key's lifetime holds and costs, on every node", async () => {
    const { store, other } = opened();
    const key = makeKey("key_a", { spendLimitNanoUsd: 10_000 });
    await unrecorded(store).addKey(key, "digest");
    await give(store, "default", 1_000_000);
    const both = [openPayments(store), openPayments(other)] as const;
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => both[index % 2 === 0 ? 0 : 1].hold(`${index}`, key, 3_000)),
    );
    const held = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    expect(held.length).toBe(3);
    const [first, second] = held;
    if (!first || !second) throw new Error("Nothing is held.");
    await both[1].post(first, 1_000);
    await both[0].release(second);
    const nextYear = NOON + 365 * 24 * 60 * MINUTE;
    const ledger = ledgerOn(other, { ...ALWAYS, clock: standingClock(nextYear) });
    expect(await tried(ledger, key, [costing(6_001)], nextYear)).toBe("budget_reserved");
    expect(await tried(ledger, key, [costing(6_000)], nextYear)).toBe("balance 6000");
    expect(await tried(ledger, key, [costing(1)], nextYear)).toBe("budget_reserved");
    expect(await tried(ledger, key, [costing(9_001)], nextYear)).toBe("budget_exceeded");
    const another = await addKey(store, "key_b");
    expect(await tried(ledger, another, [costing(500_000)], nextYear)).toBe("balance 500000");
    expect(findErrors(await store.audit())).toEqual([]);
  });

  test("include costs above the hold, and bind free requests and unlimited keys too", async () => {
    const { store } = opened();
    const key = makeKey("key_a", { spendLimitNanoUsd: 1_000, requestsPerDay: 0 });
    await unrecorded(store).addKey(key, "digest");
    await give(store, "default", 1_000_000);
    const payments = openPayments(store, {});
    expect((await payments.post(await payments.hold("1", key, 900), 1_500)).chargedNanoUsd).toBe(1_500);
    expect(await tried(payments.ledger, key, [costing(1)])).toBe("budget_exceeded");
    expect(await tried(payments.ledger, key, [costing(0)])).toBe("balance 0");
    await unrecorded(store).changeKey(key.id, { spendLimitNanoUsd: 1_501 });
    expect(await tried(payments.ledger, key, [costing(2)])).toBe("budget_exceeded");
    expect(await tried(payments.ledger, key, [costing(1)])).toBe("balance 1");
    await unrecorded(store).changeKey(key.id, { spendLimitNanoUsd: null });
    expect(await tried(payments.ledger, key, [costing(9_000)])).toBe("balance 9000");
    await unrecorded(store).changeKey(key.id, { spendLimitNanoUsd: 1_000, requestsPerDay: null });
    expect(await tried(payments.ledger, key, [costing(1)])).toBe("budget_exceeded");
  });

  test("that are set later begin with what was charged so far", async () => {
    const { store, other } = opened();
    const key = makeKey("key_a", { requestsPerDay: 0 });
    await unrecorded(store).addKey(key, "digest");
    await give(store, "default", 1_000_000);
    const payments = openPayments(store, {});
    await payments.post(await payments.hold("1", key, 900), 900);
    await unrecorded(other).changeKey(key.id, { spendLimitNanoUsd: 1_000 });
    expect(await tried(payments.ledger, key, [costing(101)])).toBe("budget_exceeded");
    expect(await tried(payments.ledger, key, [costing(100)])).toBe("balance 100");
  });
}

function memberLimits(opened: Opened): void {
  const NONE = {
    requestsPerMinute: null,
    tokensPerMinute: null,
    parallel: null,
    allowedModels: null,
    allowedTools: null,
  } as const;
  const perDay = (nanoUsd: number) => makeBudget({ nanoUsd, per: "day" });
  const giving = (budgets: readonly Budget[]) => ({ memberDefaults: { ...NONE, budgets, keys: null } });

  test("bound a member's requests over all keys and nodes, and open with what all keys used", async () => {
    const { store, other } = opened();
    const keys = ["one", "two", "old"].map((id) =>
      makeKey(id, { memberId: "mem_ann", requestsPerDay: null }),
    );
    for (const key of keys) await unrecorded(store).addKey(key, `digest of ${key.id}`);
    const [one, two, old] = keys;
    if (!one || !two || !old) throw new Error("There are no keys.");
    const both = [openPayments(store, {}), openPayments(other, {})] as const;
    await both[0].post(await both[0].hold("before", old, 400), 400);
    await unrecorded(store).revokeKey(old.id, NOON);
    await unrecorded(other).changeAccount("default", giving([perDay(1000)]));
    const results = await Promise.allSettled(
      Array.from({ length: 12 }, (_, at) =>
        both[at % 2 === 0 ? 0 : 1].hold(`${at}`, at % 3 ? one : two, 200),
      ),
    );
    const held = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    expect(held.length).toBe(3);
    for (const ticket of held) await both[1].post(ticket, 100);
    expect(await tried(both[0].ledger, two, [costing(301)])).toBe("budget_exceeded");
    expect(await tried(both[0].ledger, two, [costing(300)])).toBe("unlimited 0");
    expect(findErrors(await store.audit())).toEqual([]);
  });

  test("follow a change of the account's defaults and of the person's rules, on every node", async () => {
    const { store, other } = opened();
    const key = makeKey("one", { memberId: "mem_ann", requestsPerDay: null });
    await unrecorded(store).addKey(key, "digest");
    const ledger = openPayments(store, {}).ledger;
    await unrecorded(store).changeAccount("default", giving([perDay(100)]));
    expect(await tried(ledger, key, [costing(101)])).toBe("budget_exceeded");
    const limits = { ...NONE, accountIds: ["default"], budgets: [perDay(300)] };
    await unrecorded(other).changeMember("mem_ann", () =>
      makeMember("mem_ann", { ruleLimits: JSON.stringify([limits]) }),
    );
    expect(await tried(ledger, key, [costing(301)])).toBe("budget_exceeded");
    expect(await tried(ledger, key, [costing(300)])).toBe("unlimited 0");
    await unrecorded(store).changeMember("mem_ann", (before) => before && { ...before, ruleLimits: null });
    await unrecorded(store).changeAccount("default", { memberDefaults: null });
    expect((await store.account("default"))?.memberDefaults).toBe(null);
    expect(await tried(ledger, key, [costing(5000)])).toBe("unlimited 0");
  });
}

function memberUse(opened: Opened): void {
  test("goes with each request and its sums, by member", async () => {
    const { store } = opened();
    const payments = openPayments(store, {});
    for (const [id, memberId] of [
      ["own", "mem_ann"],
      ["service", null],
    ] as const) {
      const key = makeKey(id, { memberId, requestsPerDay: null });
      await unrecorded(store).addKey(key, `digest of ${id}`);
      const fields = { firstTokenMs: 20, stream: true };
      await payments.post(await payments.hold(`of ${id}`, key, 100), 100, fields);
    }
    const members = await Promise.all(["of own", "of service"].map((id) => store.request(id)));
    expect(members.map((row) => row?.memberId)).toEqual(["mem_ann", null]);
    const span = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
    const shown = async (only?: { readonly memberId: string }) => {
      const query = { ...span, groupBy: ["member"] as const, ...(only ? { only } : {}) };
      const found = [await store.usage(query), await store.firstTokens(query)];
      return found.map((rows) => rows.map(({ member, requests }) => `${member} ${requests}`).toSorted());
    };
    expect(await shown()).toEqual([
      [" 1", "mem_ann 1"],
      [" 1", "mem_ann 1"],
    ]);
    expect(await shown({ memberId: "mem_ann" })).toEqual([["mem_ann 1"], ["mem_ann 1"]]);
  });
}
