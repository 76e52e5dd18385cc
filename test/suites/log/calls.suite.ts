// Calls to providers on every store: a day of every kind adds up, outlives the log, and goes after its time; sums stay.
import { expect, test } from "bun:test";
import { readReconciliation, sumReconciliation } from "../../../src/admin/money/reconciliation.ts";
import { asNumber, asObject } from "../../../src/core/json/json.ts";
import { SAMPLING_KEY } from "../../../src/core/keys/key.ts";
import { CALL_KINDS, type ProviderCall } from "../../../src/core/log/provider-call.ts";
import type { RequestRecord } from "../../../src/core/log/record.ts";
import type { Trace, TracedAttempt } from "../../../src/core/log/trace.ts";
import { NO_AMOUNTS } from "../../../src/core/money/units.ts";
import { EVERYTHING } from "../../../src/core/people/people.ts";
import type { Store } from "../../../src/core/store.ts";
import { DAY, HOUR, makeRecord, NOON, writeRecord } from "../../harness/samples.ts";
import { makeSuite, type TwoStores } from "../two-stores.ts";

export const callsSuite = makeSuite({ "calls to providers": calls, "kept calls": kept });

const USED = { ...NO_AMOUNTS, prompt: 100, cached: 40, completion: 20, reasoning: 5 };
const CLAIMED = { prompt: 900, completion: 20 };
const REPORTED = { ...CLAIMED, costNanoUsd: 900_000 };

function makeAttempt(fields: Partial<TracedAttempt> = {}): TracedAttempt {
  return {
    model: "Acme#cheap",
    last4: "k3y1",
    startMs: 0,
    firstTokenMs: 5,
    endMs: 9,
    outcome: "answered",
    faultCode: null,
    upstreamStatus: null,
    calls: 1,
    ...fields,
  };
}

function makeTrace(attempts: readonly TracedAttempt[], counted?: number): string {
  const trace: Trace = {
    admittedMs: 0,
    attempts,
    bill: [],
    markup: 1,
    usageImplausible: null,
    message: null,
    ...(counted === undefined ? {} : { counted }),
  };
  return JSON.stringify(trace);
}

const settle = (store: Store, id: string, fields: Partial<RequestRecord>) =>
  writeRecord(store, makeRecord(id, fields));

const PROBE: ProviderCall = {
  accountId: "",
  id: "probe_1",
  atMs: NOON + 1,
  kind: "probe",
  model: "Acme#cheap",
  credential: "…k3y2",
  upstreamRequestIds: ["up_probe"],
  completionId: null,
  outcome: "answered",
  faultCode: null,
  calls: 1,
  claimed: USED,
  charged: USED,
  usageSource: "provider",
  costNanoUsd: 7,
};

/** One of every kind; the first has two answers by two calls, the last rests on an estimate. */
async function makeDay(store: Store): Promise<void> {
  const answered = { amounts: USED, costNanoUsd: 1_000_000, usageSource: "provider" } as const;
  await settle(store, "chatcmpl-1", {
    ...answered,
    trace: makeTrace([makeAttempt({ calls: 2, requestIds: ["up_1", "up_2"], claimed: REPORTED })], 0),
  });
  const failed = makeAttempt({ outcome: "failed", faultCode: "provider_error", last4: "k3y0" });
  const outrun = makeAttempt({ outcome: "outrun", claimed: REPORTED });
  const unsent = makeAttempt({ outcome: "failed", faultCode: "upstream_unreachable", calls: 0 });
  await settle(store, "chatcmpl-2", {
    ...answered,
    trace: makeTrace([failed, unsent, outrun, makeAttempt()], 3),
  });
  await settle(store, "chatcmpl-3", {
    ...answered,
    keyId: SAMPLING_KEY,
    trace: makeTrace([makeAttempt()], 0),
  });
  const estimated = { amounts: USED, costNanoUsd: 500_000, usageSource: "estimate" } as const;
  await settle(store, "chatcmpl-4", {
    ...estimated,
    trace: makeTrace([makeAttempt({ outcome: "left" })], 0),
  });
  await settle(store, "chatcmpl-5", { status: 502, costNanoUsd: 0, trace: makeTrace([failed]) });
  const { calls: _calls, ...before } = makeAttempt();
  await settle(store, "chatcmpl-6", { trace: makeTrace([before], 0), costNanoUsd: 0 });
  await store.providerCalls.add([PROBE, { ...PROBE, id: "hook_1", kind: "hook" }]);
}

const partsOf = (store: Store, nowMs = NOON + HOUR) => ({ store, clock: { nowMs: () => nowMs } });

async function listRows(store: Store, nowMs = NOON + HOUR) {
  const rows: Record<string, unknown>[] = [];
  for await (const page of readReconciliation(partsOf(store, nowMs), {
    from: "2026-11-20",
    to: "2026-11-20",
  }))
    for (const row of page) rows.push({ ...row });
  return rows;
}

const listSums = async (store: Store, nowMs = NOON + HOUR) =>
  (await sumReconciliation(partsOf(store, nowMs), { from: "2026-11-20", to: "2026-11-20" }, EVERYTHING)).data;

const add = (values: readonly unknown[]) =>
  values.reduce<number>((sum, value) => sum + (asNumber(value) ?? 0), 0);
const round = (usd: number) => Math.round(usd * 1e9);

function calls(opened: () => TwoStores): void {
  test("a day of every kind adds up to its sums and to the books", async () => {
    const { store, other } = opened();
    await makeDay(store);
    const rows = await listRows(other);
    expect([...new Set(rows.map(({ kind }) => kind))].toSorted()).toEqual([...CALL_KINDS].toSorted());
    expect(rows).toHaveLength(9);
    const sums = await listSums(other);
    expect(sums.map(({ credential, calls }) => [credential, calls])).toEqual([
      ["…k3y0", 2],
      ["…k3y1", 6],
      ["…k3y2", 2],
    ]);
    for (const name of ["prompt_tokens", "cached_tokens", "completion_tokens", "reasoning_tokens"] as const)
      expect([name, add(sums.map((one) => one[name]))]).toEqual([
        name,
        add(rows.map((row) => asObject(row.charged)[name])),
      ]);
    expect(add(sums.map((one) => one.calls))).toBe(add(rows.map((row) => row.calls)));
    expect(round(add(sums.map((one) => one.provider_cost_usd)))).toBe(
      round(add(rows.map((row) => row.provider_cost_usd))),
    );
    const claimed = round(add(sums.map((one) => one.claimed_cost_usd)));
    expect([claimed, claimed]).toEqual([2 * 900_000, round(add(rows.map((row) => row.claimed_cost_usd)))]);
    const { costNanoUsd } = (await other.usage({ fromMs: 0, toMs: NOON + DAY, groupBy: [] }))[0] ?? {};
    const ofRequests = rows.filter(({ completion_id }) => completion_id !== null);
    expect(round(add(ofRequests.map((row) => row.provider_cost_usd)))).toBe(costNanoUsd ?? Number.NaN);
    expect(sums[1]).toMatchObject({ estimated_usd: 0.0005, estimated_share: 500_000 / 3_500_000 });
  });

  test("what a provider claimed stands beside what was counted", async () => {
    const { store } = opened();
    await makeDay(store);
    const rows = await listRows(store);
    const find = (id: string, kind: string) =>
      rows.find((row) => row.completion_id === id && row.kind === kind);
    const split = find("chatcmpl-1", "request");
    expect(split).toMatchObject({ upstream_request_id: "up_1 up_2", calls: 2, usage_source: "provider" });
    expect(split).toMatchObject({ claimed: { prompt_tokens: 900 }, charged: { prompt_tokens: 100 } });
    expect(find("chatcmpl-2", "hedge")).toMatchObject({
      claimed: { prompt_tokens: 900 },
      charged: { prompt_tokens: 0 },
      provider_cost_usd: 0,
      usage_source: "none",
    });
    expect(find("chatcmpl-2", "request")).toMatchObject({ claimed: { prompt_tokens: 100 } });
    expect(find("chatcmpl-4", "request")).toMatchObject({ claimed: null, charged: { prompt_tokens: 100 } });
    expect(find("chatcmpl-5", "failed")).toMatchObject({ error_code: "provider_error", credential: "…k3y0" });
  });
}

function kept(opened: () => TwoStores): void {
  test("rows outlive the log for their time, and sums for good", async () => {
    const { store, other } = opened();
    await makeDay(store);
    const sorted = async (one: Store) => (await listRows(one)).map((row) => JSON.stringify(row)).toSorted();
    const rows = await sorted(store);
    const sums = await listSums(store);
    const before = { requestsMs: NOON + 1, metersMs: 0, repliesMs: 0, callsMs: NOON - DAY };
    expect(await store.prune(before, 3)).toBe(3);
    expect(await sorted(other)).toEqual(rows);
    while ((await other.prune(before, 3)) > 0);
    expect(await other.requests({}, { limit: 10, after: null })).toEqual([]);
    expect(await sorted(store)).toEqual(rows);
    expect(await store.providerCalls.prune(NOON + 1, 100)).toBe(7);
    expect(await store.providerCalls.prune(NOON + 2, 100)).toBe(2);
    expect(await sorted(other)).toEqual([]);
    expect(await listSums(other)).toEqual(sums);
  });

  test("requests that are older than the calls kept leave none behind", async () => {
    const { store } = opened();
    await makeDay(store);
    const before = { requestsMs: NOON + 1, metersMs: 0, repliesMs: 0, callsMs: NOON + 1 };
    expect(await store.prune(before, 100)).toBe(6);
    expect((await listRows(store)).map(({ kind }) => kind).toSorted()).toEqual(["hook", "probe"]);
  });

  test("a call that is added again counts once", async () => {
    const { store, other } = opened();
    await store.providerCalls.add([PROBE]);
    await other.providerCalls.add([PROBE]);
    expect(await listSums(store)).toMatchObject([{ calls: 1, provider_cost_usd: 7e-9 }]);
  });

  test("calls that two nodes add at once count once each", async () => {
    const { store, other } = opened();
    const calls = Array.from({ length: 20 }, (_, at) => ({ ...PROBE, id: `probe_${at}` }));
    await Promise.all([store, store, other, other].map((node) => node.providerCalls.add(calls)));
    expect(await listSums(store)).toMatchObject([{ calls: 20, provider_cost_usd: 140e-9 }]);
  });
}
