// Requests for more on every store: what they add to a member's limits, until when, and who sees them.
import { expect, test } from "bun:test";
import type { LimitRequestStep } from "../../../src/core/changes.ts";
import { makeBudget } from "../../../src/core/limits/budget.ts";
import type { LimitRequest } from "../../../src/core/people/limit-request.ts";
import type { Store } from "../../../src/core/store.ts";
import { costing, makeAccount, makeKey, NOON } from "../../harness/samples.ts";
import { catchThrown } from "../../harness/thrown.ts";
import { openPayments } from "../../ledger/payments.ts";
import { tried } from "../../ledger/tried.ts";
import { makeMember } from "../../people/samples.ts";
import { makeSuite, type TwoStores } from "../two-stores.ts";

type Opened = () => TwoStores;

export const limitRequestsSuite = makeSuite({
  "requests for more": added,
  "lists of them": listed,
});

const LATER = Date.UTC(2200, 0);
const EVERYTHING = { accountIds: null, personal: null };

function makeRequest(id: string, fields: Partial<LimitRequest> = {}): LimitRequest {
  return {
    id,
    accountId: "default",
    memberId: "mem_ann",
    kind: "budget",
    per: "day",
    models: null,
    amount: 50,
    reason: "a deadline",
    createdAtMs: NOON,
    untilMs: LATER,
    state: "open",
    decidedAtMs: null,
    deciderKind: null,
    deciderId: null,
    note: null,
    ...fields,
  };
}

function step(request: LimitRequest): LimitRequestStep {
  const { accountId, id, state } = request;
  const event = { id: `evt_${id}_${state}`, accountId, atMs: NOON, data: { id } };
  return { request, event: { ...event, type: "limit_request.made" } };
}

const unrecorded = (store: Store) => store.changes(() => []);
const ask = (store: Store, request: LimitRequest) =>
  unrecorded(store).addLimitRequest(step(request), NOON - 1, () => {});
const grant = (store: Store, { accountId, id }: LimitRequest) =>
  unrecorded(store).decideLimitRequest({ accountId, id }, (before) =>
    step({ ...before, state: "granted", decidedAtMs: NOON, deciderKind: "person", deciderId: "mem_bea" }),
  );

async function addPeople({ store }: TwoStores): Promise<void> {
  for (const id of ["mem_ann", "mem_bob"]) await unrecorded(store).changeMember(id, () => makeMember(id));
  await unrecorded(store).changeMember("mem_bea", () => makeMember("mem_bea", { name: "Bea" }));
}

/** Two accounts whose members have a budget of 100 and one request at a time, and three personal keys. */
async function addTeams(opened: TwoStores) {
  const { store } = opened;
  await addPeople(opened);
  const budgets = [makeBudget({ nanoUsd: 100, per: "day" })];
  const none = {
    requestsPerMinute: null,
    tokensPerMinute: null,
    allowedModels: null,
    allowedTools: null,
    keys: null,
  };
  const memberDefaults = { ...none, parallel: 1, budgets };
  await unrecorded(store).addAccount(makeAccount("other"));
  for (const id of ["default", "other"]) await unrecorded(store).changeAccount(id, { memberDefaults });
  const personal = { requestsPerDay: null } as const;
  const keys = {
    own: makeKey("own", { ...personal, memberId: "mem_ann" }),
    foreign: makeKey("foreign", { ...personal, memberId: "mem_bob" }),
    elsewhere: makeKey("elsewhere", { ...personal, memberId: "mem_ann", accountId: "other" }),
  };
  for (const key of Object.values(keys)) await unrecorded(store).addKey(key, `digest of ${key.id}`);
  return { ...keys, memberDefaults };
}

function added(opened: Opened): void {
  test("raise the member's limits once they are granted, on every node, until they end", async () => {
    const { store, other, bench } = opened();
    const { own, foreign, elsewhere, memberDefaults } = await addTeams(opened());
    const { ledger } = openPayments(store, {});
    const { ledger: others } = openPayments(other, {});
    const both = async (key: typeof own, nanoUsd: number) => [
      await tried(ledger, key, [costing(nanoUsd)]),
      await tried(others, key, [costing(nanoUsd)]),
    ];
    const refused = ["budget_exceeded", "budget_exceeded"];
    const money = makeRequest("lrq_money");
    const slots = makeRequest("lrq_slots", { kind: "parallel", per: null, amount: 2 });
    for (const request of [money, slots]) await ask(store, request);
    expect(await both(own, 101)).toEqual(refused);
    await grant(other, money);
    expect(await both(own, 151)).toEqual(refused);
    for (const key of [foreign, elsewhere]) expect(await both(key, 101)).toEqual(refused);
    expect(await tried(ledger, own, [costing(101)])).toBe("unlimited 0");
    expect(await tried(others, own, [costing(1)])).toBe("too_many_parallel_requests");
    await grant(store, slots);
    expect(await both(own, 1)).toEqual(["unlimited 0", "unlimited 0"]);
    expect(await both(own, 1)).toEqual(["too_many_parallel_requests", "too_many_parallel_requests"]);
    await unrecorded(store).changeAccount("default", {
      memberDefaults: { ...memberDefaults, parallel: null },
    });
    const reserved = ["budget_reserved", "budget_reserved"];
    expect(await both(own, 47)).toEqual(["unlimited 0", "budget_reserved"]);
    expect(await both(own, 101)).toEqual(reserved);
    await bench.raw("UPDATE limit_request SET until_ms = 1, raised_until_ms = 1");
    expect(await both(own, 101)).toEqual(refused);
  });

  test("of one person are made one after the other, on two nodes too", async () => {
    const { store, other } = opened();
    await addPeople(opened());
    const made = await Promise.allSettled(
      [store, other, store, other].map((one, at) =>
        unrecorded(one).addLimitRequest(step(makeRequest(`lrq_${at}`)), NOON - 1, (others) => {
          if (others.length > 0) throw new Error("open");
        }),
      ),
    );
    expect(made.filter(({ status }) => status === "fulfilled").length).toBe(1);
    const listed = await store.limitRequests.list({ scope: EVERYTHING }, { limit: 9, after: null });
    expect(listed.length).toBe(1);
    const error = await catchThrown(
      unrecorded(store).addLimitRequest(step(makeRequest("lrq_5")), LATER, (others) => {
        throw new Error(`${others.length} open`);
      }),
    );
    expect(String(error)).toBe("Error: 1 open");
  });
}

function listed(opened: Opened): void {
  test("are narrowed to what one sees and asks for, and are on record with their event", async () => {
    const { store } = opened();
    await addPeople(opened());
    await unrecorded(store).addAccount(makeAccount("other"));
    const mine = makeRequest("lrq_a", { models: ["Acme#*"], reason: "mine" });
    const theirs = makeRequest("lrq_b", { memberId: "mem_bob", createdAtMs: NOON + 1 });
    const away = makeRequest("lrq_c", { accountId: "other", createdAtMs: NOON + 2, untilMs: NOON + 3 });
    for (const request of [mine, theirs, away]) await ask(store, request);
    await grant(store, mine);
    const ids = async (filter: Partial<Parameters<typeof store.limitRequests.list>[0]>, limit = 9) =>
      (await store.limitRequests.list({ scope: EVERYTHING, ...filter }, { limit, after: null })).map(
        ({ request: { id } }) => id.slice(4),
      );
    const own = { accountIds: [], personal: { memberId: "mem_ann", accountIds: ["default"] } };
    expect(await ids({})).toEqual(["c", "b", "a"]);
    expect(await ids({}, 2)).toEqual(["c", "b"]);
    expect(await ids({ scope: { accountIds: ["default"], personal: null } })).toEqual(["b", "a"]);
    expect(await ids({ scope: own })).toEqual(["a"]);
    expect(await ids({ states: ["open"], endsAfterMs: NOON + 3 })).toEqual(["b"]);
    expect(await ids({ states: ["open", "granted"], endsByMs: NOON + 3 })).toEqual(["c"]);
    expect(await ids({ accountId: "default", memberId: "mem_bob" })).toEqual(["b"]);
    const after = { atMs: NOON + 1, id: "lrq_b" };
    const rest = await store.limitRequests.list({ scope: EVERYTHING }, { limit: 9, after });
    const decision = { decidedAtMs: NOON, deciderKind: "person", deciderId: "mem_bea" } as const;
    const granted = { ...mine, ...decision, state: "granted" as const };
    expect(rest).toEqual([{ request: granted, memberName: "mem_ann", deciderName: "Bea" }]);
    expect(await store.limitRequests.find("lrq_b", own)).toBe(null);
    expect((await store.limitRequests.find("lrq_a", own))?.request).toEqual(granted);
    await store.limitRequests.forgetTexts("mem_ann");
    expect((await store.limitRequests.find("lrq_a", own))?.request.reason).toBe("");
    expect((await store.limitRequests.find("lrq_b", EVERYTHING))?.request.reason).toBe("a deadline");
    expect((await store.takeEvents(NOON, 9)).map(({ id }) => id).toSorted()).toEqual([
      "evt_lrq_a_granted",
      "evt_lrq_a_open",
      "evt_lrq_b_open",
      "evt_lrq_c_open",
    ]);
  });
}
