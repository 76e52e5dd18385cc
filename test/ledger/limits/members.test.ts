// Limits and budgets of a member within an account: over all of their personal keys there, those that are gone too.
import { describe, expect, test } from "bun:test";
import type { GatewayKey } from "../../../src/core/keys/key.ts";
import {
  findMemberModels,
  type GivenLimits,
  type MemberDefaults,
} from "../../../src/core/limits/member-limits.ts";
import type { LimitRequest } from "../../../src/core/people/limit-request.ts";
import { LIMIT_RULES } from "../../../src/core/settings.ts";
import type { Store } from "../../../src/core/store.ts";
import {
  costing,
  expectGrant,
  ledgerOn,
  makeAccount,
  makeAsk,
  makeOutcome,
  NOON,
} from "../../harness/samples.ts";
import { catchThrown, readCode } from "../../harness/thrown.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { makeMember } from "../../people/samples.ts";
import { budget, budgetBench } from "../budget-bench.ts";

const bench = budgetBench();
const GRANTED_UNTIL = NOON + 5 * 60_000;

let granted = 0;
async function grantRequest(store: Store, fields: Partial<LimitRequest>): Promise<void> {
  const request: LimitRequest = {
    id: `lrq_${granted++}`,
    accountId: "default",
    memberId: "mem_ann",
    kind: "budget",
    per: null,
    models: null,
    amount: 1,
    reason: "x",
    createdAtMs: NOON,
    untilMs: GRANTED_UNTIL,
    state: "granted",
    decidedAtMs: NOON,
    deciderKind: "admin",
    deciderId: "admin",
    note: null,
    ...fields,
  };
  const event = {
    id: `evt_${request.id}`,
    accountId: "default",
    atMs: NOON,
    type: "limit_request.made" as const,
    data: {},
  };
  await store.changes(() => []).addLimitRequest({ request, event }, NOON, () => {});
}

const defaults = (fields: Partial<MemberDefaults>): MemberDefaults => ({
  requestsPerMinute: null,
  tokensPerMinute: null,
  parallel: null,
  budgets: [],
  allowedModels: null,
  allowedTools: null,
  keys: null,
  ...fields,
});
const rule = (fields: Partial<GivenLimits>): GivenLimits => ({
  requestsPerMinute: null,
  tokensPerMinute: null,
  parallel: null,
  budgets: null,
  allowedModels: null,
  allowedTools: null,
  accountIds: null,
  ...fields,
});

const give = (fields: Partial<MemberDefaults>, accountId = "default") =>
  unrecorded(bench.store).changeAccount(accountId, { memberDefaults: defaults(fields) });
const addKey = (memberId: string | null, fields: Partial<GatewayKey> = {}) =>
  bench.addKey([], { memberId, ...fields });

describe("budgets of a member", () => {
  test("count all of the member's keys in the account, and nobody else's", async () => {
    await give({ budgets: [budget(1000)] });
    await unrecorded(bench.store).addAccount(makeAccount("other"));
    await give({ budgets: [budget(1000)] }, "other");
    const one = await addKey("mem_ann");
    const two = await addKey("mem_ann");
    const elsewhere = await addKey("mem_ann", { accountId: "other" });
    const others = await addKey("mem_bob");
    const service = await addKey(null);
    await bench.spend(one, 600);
    expect(await bench.refusal(two, 401)).toMatchObject({
      code: "budget_exceeded",
      limit: { scope: "member", name: "mem_ann", kind: "budget", per: "day", limit: 1e-6, used: 6e-7 },
    });
    await bench.spend(two, 400);
    expect((await bench.refusal(one, 1)).code).toBe("budget_exceeded");
    for (const free of [elsewhere, others, service]) await bench.spend(free, 1000);
    expect((await bench.store.audit()).limits).toEqual([]);
  });

  test("are not begun again by a new key once one is revoked", async () => {
    await give({ budgets: [budget(1000)] });
    const old = await addKey("mem_ann");
    await bench.spend(old, 900);
    await unrecorded(bench.store).revokeKey(old.id, NOON);
    const next = await addKey("mem_ann");
    expect((await bench.refusal(next, 101)).code).toBe("budget_exceeded");
    await bench.spend(next, 100);
  });

  test("that are set later begin with what all of the member's keys used", async () => {
    const old = await addKey("mem_ann");
    const key = await addKey("mem_ann");
    const others = await addKey("mem_bob");
    await bench.spend(old, 900);
    await bench.spend(others, 5000);
    await unrecorded(bench.store).revokeKey(old.id, NOON);
    await give({ budgets: [budget(1000)] });
    expect((await bench.refusal(key, 101)).code).toBe("budget_exceeded");
    await bench.spend(key, 100);
    expect((await bench.refusal(others, 1)).code).toBe("budget_exceeded");
  });

  test("that are the most of a personal key begin empty, and bind from then on whatever keys are made", async () => {
    const old = await addKey("mem_ann");
    await bench.spend(old, 5000);
    const keyDefaults = { ...LIMIT_RULES.keyDefaults, budgets: [budget(1000)] };
    const ledger = ledgerOn(bench.store, {
      clock: bench.clock,
      ownerLimits: { ...LIMIT_RULES, keyDefaults },
    });
    const spend = async (key: GatewayKey, nanoUsd: number) => {
      const offers = () => [costing(nanoUsd)];
      const ticket = ledger.ticket(makeAsk(`of ${key.id} ${nanoUsd}`, key, { offers, nowMs: NOON }));
      await expectGrant(ledger, ticket);
      await ledger.settle(ticket, makeOutcome(ticket, { costNanoUsd: nanoUsd }));
    };
    const shown = async () => (await ledger.memberLimits({ accountId: "default", memberId: "mem_ann" }))[0];
    await spend(await addKey("mem_ann"), 900);
    expect((await shown())?.used).toBe(9e-7);
    const next = await addKey("mem_ann");
    expect(readCode(await catchThrown(spend(next, 101)))).toBe("budget_exceeded");
    await spend(next, 100);
  });

  test("hold what is in flight on other keys, and give it back", async () => {
    await give({ budgets: [budget(1000)] });
    const one = await addKey("mem_ann");
    const two = await addKey("mem_ann");
    const held = await bench.hold(one, 1000);
    expect((await bench.refusal(two, 1)).code).toBe("budget_reserved");
    await bench.end(held, 0);
    await bench.spend(two, 1000);
    expect((await bench.store.audit()).limits).toEqual([]);
  });

  test("are the largest of alike rules, before the account's, and a rule for another account is none", async () => {
    await give({ budgets: [budget(5000), budget(700, { per: "month" })] });
    const rules = [
      rule({ budgets: [budget(100)], accountIds: ["default"] }),
      rule({ budgets: [budget(300)] }),
      rule({ budgets: [budget(9000)], accountIds: ["other"] }),
    ];
    await unrecorded(bench.store).changeMember("mem_ann", () =>
      makeMember("mem_ann", { ruleLimits: JSON.stringify(rules) }),
    );
    const key = await addKey("mem_ann");
    expect((await bench.refusal(key, 301)).limit).toMatchObject({ scope: "member", per: "day", limit: 3e-7 });
    await bench.spend(key, 300);
    await unrecorded(bench.store).changeMember(
      "mem_ann",
      (before) => before && { ...before, ruleLimits: null },
    );
    expect((await bench.refusal(key, 401)).limit).toMatchObject({ per: "month", limit: 7e-7 });
    await bench.spend(key, 400);
  });

  test("bind beside those of the key and the account", async () => {
    await give({ budgets: [budget(500)] });
    await unrecorded(bench.store).changeAccount("default", { budgets: [budget(800)] });
    const key = await bench.addKey([budget(300)], { memberId: "mem_ann" });
    expect((await bench.refusal(key, 301)).limit?.scope).toBe("key");
    await bench.spend(key, 300);
    const another = await addKey("mem_ann");
    expect((await bench.refusal(another, 201)).limit?.scope).toBe("member");
    await bench.spend(await addKey("mem_bob"), 500);
    expect((await bench.refusal(another, 1)).limit?.scope).toBe("account");
  });

  test("warn once, under the member's id", async () => {
    await give({ budgets: [budget(1000, { warn: [0.5] })] });
    const one = await addKey("mem_ann");
    const two = await addKey("mem_ann");
    for (const key of [one, two, one]) await bench.spend(key, 300);
    const events = await bench.store.takeEvents(NOON, 10);
    expect(events.map(({ type, data }) => [type, data.member_id, data.name])).toEqual([
      ["budget.warned", "mem_ann", "mem_ann"],
    ]);
  });

  test("are set back by an order, on record", async () => {
    await give({ budgets: [budget(1000)] });
    const key = await addKey("mem_ann");
    await bench.spend(key, 1000);
    const order = {
      accountId: "default",
      keyId: null,
      memberId: "mem_ann",
      by: "admin",
      reason: "a mistake",
      entry: null,
    };
    expect(await bench.ledger.resetBudgets({ ...order, id: "event_1" })).toEqual(["day"]);
    await bench.spend(key, 1000);
    const [event] = await bench.store.takeEvents(NOON, 10);
    expect(event?.data).toMatchObject({ member_id: "mem_ann", reason: "a mistake" });
  });
});

describe("a member's limits of the minute", () => {
  test("count all of the member's keys together, and the refusal says whose they are", async () => {
    await give({ requestsPerMinute: 2 });
    const one = await addKey("mem_ann");
    const two = await addKey("mem_ann");
    const others = await addKey("mem_bob");
    await bench.spend(one, 0);
    await bench.spend(two, 0);
    const thrown = await catchThrown(bench.hold(one, 0));
    expect(String(thrown)).toContain("your limit in this account is 2 requests per minute");
    expect(String(thrown)).not.toContain("mem_ann");
    await bench.spend(others, 0);
  });

  test("in parallel come back in the settlement", async () => {
    await give({ parallel: 1 });
    const one = await addKey("mem_ann");
    const two = await addKey("mem_ann");
    const held = await bench.hold(one, 0);
    expect(await bench.refusal(two, 0)).toMatchObject({
      code: "too_many_parallel_requests",
      limit: { scope: "member" },
    });
    await bench.end(held, 0);
    await expectGrant(bench.ledger, bench.ask(two, []));
  });

  test("are shown with the key's, in order of scope", async () => {
    await give({ requestsPerMinute: 5, budgets: [budget(1000)] });
    await unrecorded(bench.store).changeAccount("default", { parallel: 3 });
    const key = await bench.addKey([budget(50)], { memberId: "mem_ann" });
    await bench.spend(key, 40);
    const shown = await bench.ledger.limits(key);
    expect(shown.map(({ scope, kind, used }) => `${scope} ${kind} ${used}`)).toEqual([
      "key budget 4e-8",
      "member requests_per_minute 1",
      "member budget 4e-8",
      "account parallel 0",
    ]);
    const ofMember = await bench.ledger.memberLimits({ accountId: "default", memberId: "mem_ann" });
    expect(ofMember.map(({ scope, kind }) => `${scope} ${kind}`)).toEqual([
      "member requests_per_minute",
      "member budget",
    ]);
  });
});

test("what was granted is added until its end, to the limits that are set", async () => {
  await give({ requestsPerMinute: 1, budgets: [budget(100), budget(100, { models: ["Acme#*"] })] });
  await unrecorded(bench.store).changeMember("mem_ann", () => makeMember("mem_ann"));
  const key = await addKey("mem_ann");
  const grant = (fields: Partial<LimitRequest>) => grantRequest(bench.store, fields);
  await grant({ kind: "budget", per: "day", amount: 30 });
  await grant({ kind: "budget", per: "day", amount: 5 });
  await grant({ kind: "budget", per: "day", models: ["B#*"], amount: 500 });
  await grant({ kind: "requests_per_minute", amount: 3 });
  await grant({ kind: "tokens_per_minute", amount: 3 });
  const limits = async () =>
    (await bench.ledger.memberLimits({ accountId: "default", memberId: "mem_ann" })).map(
      ({ kind, models, limit }) =>
        [kind, ...(models ?? []), kind === "budget" ? limit * 1e9 : limit].join(" "),
    );
  expect(await limits()).toEqual(["requests_per_minute 4", "budget 135", "budget Acme#* 100"]);
  expect((await bench.refusal(key, 136)).code).toBe("budget_exceeded");
  bench.clock.atMs = GRANTED_UNTIL - 1;
  const tickets = [await bench.hold(key, 40), await bench.hold(key, 50)];
  bench.clock.atMs = GRANTED_UNTIL;
  expect((await bench.refusal(key, 1)).code).toBe("requests_per_minute_exceeded");
  expect(await limits()).toEqual(["requests_per_minute 1", "budget 100", "budget Acme#* 100"]);
  for (const ticket of tickets) await bench.end(ticket, 60);
  bench.clock.atMs += 60_000;
  expect((await bench.refusal(key, 1)).code).toBe("budget_exceeded");
  expect((await bench.store.audit()).limits).toEqual([]);
});

test("models are the union of the rules that name some, else the account's", () => {
  const account = { id: "a", memberDefaults: defaults({ allowedModels: ["Acme#*"] }) };
  const find = (...rules: readonly GivenLimits[]) =>
    findMemberModels(account, { rules }, { allowedModels: ["Z#*"] });
  expect(find()).toEqual(["Acme#*"]);
  expect(find(rule({ accountIds: ["a"] }), rule({ allowedModels: ["B#*"], accountIds: ["b"] }))).toEqual([
    "Acme#*",
  ]);
  expect(find(rule({ allowedModels: ["B#*"] }), rule({ allowedModels: ["C#*", "B#*"] }))).toEqual([
    "B#*",
    "C#*",
  ]);
});
