// Findings of the guard where they are seen: rows, filters, sums, exports, batches' lines, metrics, spans. A step finds
// made-up values, so that every action is seen, at both places.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { GuardFinding } from "../../../src/core/models/guard.ts";
import type { Step } from "../../../src/gateway/step.ts";
import { readCsv } from "../../harness/csv.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { type Collector, startCollector } from "../../telemetry/collector.ts";
import { sendTraced, type Traced } from "../../telemetry/traced.ts";
import { chatLine, createBatch, makeClients, waitForEnd } from "../batches/batch-bench.ts";
import { createOperator, type Operator } from "../world/operator.ts";
import { until } from "../world/until.ts";
import { asking } from "../world/world.ts";

const EMAIL = { detector: "email", action: "report", at: "request", count: 2, rule: "personal" } as const;
const IBAN = { detector: "iban", action: "mask", at: "request", count: 1, rule: "money" } as const;
const WORDS = { detector: "words:email", action: "report", at: "answer", count: 3, rule: "email" } as const;
const CARD = { ...IBAN, detector: "card", action: "report" } as const;

/** By a word of the prompt. */
const FOUND: readonly (readonly [string, readonly GuardFinding[]])[] = [
  ["two kinds", [EMAIL, IBAN]],
  ["in both", [CARD, WORDS]],
  ["searched", []],
];

const guard: Step = {
  before(call) {
    const prompt = JSON.stringify(call.ask);
    const [, found] = FOUND.find(([words]) => prompt.includes(words)) ?? [];
    if (found === undefined) return null;
    call.guardMs = { request: 3, answer: found.includes(WORDS) ? 40 : 0 };
    if (found.length > 0) call.guard = [...found];
    return null;
  },
  around: () => null,
};

let collector: Collector;
let world: UnderTest;
let operator: Operator;
const traced: Traced[] = [];
const MODEL = "OpenAI#sim";
const PROMPTS = [
  "say: two kinds",
  "say: in both",
  "say: two kinds again",
  "say: searched alone",
  "say: nothing",
];
beforeAll(async () => {
  collector = startCollector();
  const more = `telemetry: { otlp: { endpoint: "${collector.url}" } }`;
  world = await startUnderTest({ steps: [guard], more });
  operator = createOperator(world);
  for (const prompt of PROMPTS)
    traced.push(
      await sendTraced({ gateway: world, collector }, "/v1/chat/completions", asking(MODEL, prompt)),
    );
});
afterAll(async () => {
  await world.stop();
  await collector.stop();
});

async function list(path: string): Promise<readonly JsonObject[]> {
  return asArray((await operator.get(path)).body.data).map(asObject);
}

/** The oldest first, as they were asked. */
const readGuards = async (filter: string) =>
  (await list(`/requests?operation=chat&to=2100-01-01${filter}`)).map((row) => row.guard).toReversed();

test("a row has its findings, and a list those of a detector alone", async () => {
  const all = [[EMAIL, IBAN], [CARD, WORDS], [EMAIL, IBAN], [], []];
  expect((await readGuards("")).slice(0, PROMPTS.length)).toEqual(all);
  expect(await readGuards("&finding=iban")).toEqual([all[0], all[2]]);
  expect(await readGuards("&finding=words:email")).toEqual([all[1]]);
  expect(await readGuards("&finding=email")).toEqual([all[0], all[2]]);
  expect(await readGuards("&finding=phone")).toEqual([]);
  const { status, error } = await operator.get("/requests?finding=a%20b");
  expect([status, error?.param]).toEqual([400, "finding"]);
  const [row] = await list("/requests?finding=words:email");
  expect((await operator.get(`/requests/${row?.id}`)).body.guard).toEqual(all[1]);
});

test("sums by finding count requests by detector, action and place, under a filter too", async () => {
  const read = async (query: string) =>
    (await list(`/usage?group_by=finding${query}`)).map((row) => [
      row.detector,
      row.action,
      row.at,
      row.requests,
    ]);
  const sums = [
    ["card", "report", "request", 1],
    ["email", "report", "request", 2],
    ["iban", "mask", "request", 2],
    ["words:email", "report", "answer", 1],
  ];
  expect((await read("")).toSorted()).toEqual(sums);
  expect(await read("&model=None%23x")).toEqual([]);
  expect((await read("&finding=iban")).toSorted()).toEqual([
    ["email", "report", "request", 2],
    ["iban", "mask", "request", 2],
  ]);
  const { body } = await operator.get("/usage?group_by=day&finding=email");
  expect(asArray(body.data).map(asObject)).toMatchObject([{ requests: 2 }]);
  expect(body.rows_from).toBeString();
});

test("exports have them: rows a column, sums one for each part", async () => {
  const download = async (name: string) => {
    const headers = { authorization: `Bearer ${world.adminToken}` };
    return (await fetch(`${world.url}/admin/v1/export/${name}`, { headers })).text();
  };
  const rows = readCsv(await download("requests.csv?finding=iban"));
  expect(rows.map(({ guard: found }) => JSON.parse(found ?? ""))).toEqual([
    [EMAIL, IBAN],
    [EMAIL, IBAN],
  ]);
  const [first] = (await download("requests.jsonl?finding=words:email")).split("\n");
  expect(JSON.parse(first ?? "").guard).toEqual([CARD, WORDS]);
  const sums = readCsv(await download("usage.csv?group_by=finding"));
  expect(sums.find(({ detector }) => detector === "iban")).toMatchObject({
    action: "mask",
    at: "request",
    requests: "2",
  });
  expect(Object.keys(readCsv(await download("usage.csv"))[0] ?? {})).not.toContain("detector");
});

test("metrics count requests by finding, and the time of each place that was searched", async () => {
  const metrics = await (await fetch(`${world.url}/metrics`)).text();
  const lines = metrics
    .split("\n")
    .filter((line) => /^poundkey_(findings_total|guard_seconds_(count|sum))/.test(line));
  expect(lines.toSorted()).toEqual([
    'poundkey_findings_total{detector="card",action="report",at="request"} 1',
    'poundkey_findings_total{detector="email",action="report",at="request"} 2',
    'poundkey_findings_total{detector="iban",action="mask",at="request"} 2',
    'poundkey_findings_total{detector="words:email",action="report",at="answer"} 1',
    'poundkey_guard_seconds_count{at="answer"} 1',
    'poundkey_guard_seconds_count{at="request"} 4',
    'poundkey_guard_seconds_sum{at="answer"} 0.04',
    'poundkey_guard_seconds_sum{at="request"} 0.012',
  ]);
});

test("a span has the counts of each place", () => {
  const spans = traced.map(({ below }) => below.filter(({ name }) => name === "guard"));
  expect(spans.map((some) => some.map(({ attributes }) => attributes))).toEqual([
    [{ "poundkey.guard.request": "email=report:2,iban=mask:1" }],
    [{ "poundkey.guard.request": "card=report:1", "poundkey.guard.answer": "words:email=report:3" }],
    [{ "poundkey.guard.request": "email=report:2,iban=mask:1" }],
    [{}],
    [],
  ]);
});

test("lines of batches have theirs", async () => {
  const { openai } = makeClients(world.url, world.secret);
  const batch = await createBatch(openai, [chatLine("a", "say: two kinds"), chatLine("b", "say: nothing")]);
  await waitForEnd(openai, batch);
  const rows = await until("both are logged", async () => {
    const found = await list(`/requests?batch=${batch.id}`);
    return found.length === 2 ? found : null;
  });
  expect(rows.map(({ custom_id, guard: found }) => [custom_id, found]).toSorted()).toEqual([
    ["a", [EMAIL, IBAN]],
    ["b", []],
  ]);
  expect(await list(`/requests?batch=${batch.id}&finding=email`)).toHaveLength(1);
});
