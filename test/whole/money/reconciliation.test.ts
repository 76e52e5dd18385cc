// Reconciliation through a running gateway: what the providers were sent is listed, with their ids, and adds up.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { upstreamFetch } from "../../../src/app/world.ts";
import { asArray, asNumber, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { Fetch } from "../../../src/core/world/world.ts";
import { readCsv } from "../../harness/csv.ts";
import { BINARY, startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { createOperator, type Operator } from "../world/operator.ts";
import { until } from "../world/until.ts";
import { asking } from "../world/world.ts";

const BAD = "sim-mini~trouble=500";
const SLOW = "sim-mini~latency=2500";
const CARD = "context: 8192, output: 1024, price: { input: 1, output: 5 }, capabilities: [tools]";

function providers(url: string): string {
  const at = `dialect: openai, base_url: "${url}/openai/v1", keys: [sim-key]`;
  return `
  Down: { ${at}, models: [{ name: "${BAD}", ${CARD} }] }
  Slow: { ${at}, models: [{ name: "${SLOW}", ${CARD} }] }
  Sound: { ${at}, models: [{ name: sim-mini, ${CARD} }, { name: sim-fast, ${CARD} }] }
models:
  "Down#${BAD}": { fallbacks: ["Sound#sim-mini"] }
  "Slow#${SLOW}": { fallbacks: ["Sound#sim-fast"], hedge: { after: 50ms, at_most: 100% } }`;
}

let calls = 0;

/** Each answer bears an id of its own, as providers' do. */
const fetchNumbered: Fetch = async (url, init) => {
  const answer = await upstreamFetch(url, init);
  answer.headers.set("x-request-id", `up_${++calls}`);
  return answer;
};

type Rows = readonly Readonly<Record<string, string>>[];

let gateway: UnderTest;
let operator: Operator;
let rows: Rows = [];
let sums: readonly JsonObject[] = [];
beforeAll(async () => {
  gateway = await startUnderTest({ more: providers, fetch: fetchNumbered });
  operator = createOperator(gateway);
  for (const [model, stream] of [
    ["Sound#sim-mini", false],
    ["Sound#sim-mini", true],
    [`Down#${BAD}`, false],
    [`Slow#${SLOW}`, true],
  ] as const)
    await (await gateway.chat(asking(model, "say: good day", { stream }))).text();
  const sample = { messages: asking("", "say: hi").messages, models: ["Sound#sim-mini", "Sound#sim-fast"] };
  expect((await operator.post("/samples/ask", { ...sample, max_cost_usd: 1 })).status).toBe(201);
  expect((await operator.post("/providers/Sound/test", {})).body).toMatchObject({ ok: true });
  await until(
    "all are logged",
    async () => asArray((await operator.get("/requests")).body.data).length === 6,
  );
  rows = await download("/reconciliation.csv");
  sums = asArray((await operator.get("/reconciliation")).body.data).map(asObject);
});
afterAll(() => gateway.stop());

async function download(path: string): Promise<Rows> {
  const headers = { authorization: `Bearer ${gateway.adminToken}` };
  const answer = await fetch(`${gateway.url}/admin/v1${path}`, { headers });
  expect([path, answer.status, answer.headers.get("content-type")]).toEqual([
    path,
    200,
    "text/csv; charset=utf-8",
  ]);
  return readCsv(await answer.text());
}

const of = (kind: string, provider: string) =>
  rows.filter((row) => row.kind === kind && row.provider === provider);
const add = (values: readonly unknown[]) =>
  values.reduce<number>((sum, one) => sum + (asNumber(Number(one)) ?? 0), 0);

describe("a day's calls", () => {
  test("are listed by their kind, one row an attempt", () => {
    expect(of("request", "Sound")).toHaveLength(4);
    expect(of("failed", "Down")).toHaveLength(1);
    expect(of("hedge", "Slow")).toHaveLength(1);
    expect(of("sample", "Sound")).toHaveLength(2);
    expect(of("probe", "Sound")).toHaveLength(1);
    expect(rows).toHaveLength(9);
    expect(gateway.simulator.calls.total).toBe(rows.length);
  });

  // The ids are put into the answers in this process.
  test.skipIf(BINARY !== undefined)("bear the provider's own ids", () => {
    const ids = rows.flatMap((row) => (row.kind === "hedge" ? [] : [row.upstream_request_id]));
    expect(ids.filter((id) => !/^up_\d+$/.test(id ?? ""))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("have what was claimed and counted, and cost it where it was", () => {
    for (const row of [...of("request", "Sound"), ...of("sample", "Sound"), ...of("probe", "Sound")]) {
      expect(row).toMatchObject({
        usage_source: "provider",
        calls: "1",
        outcome: "answered",
        error_code: "",
      });
      expect(Number(row.charged_prompt_tokens)).toBeGreaterThan(0);
      expect(row.claimed_prompt_tokens).toBe(row.charged_prompt_tokens);
      expect(row.claimed_completion_tokens).toBe(row.charged_completion_tokens);
      const cost = Number(row.charged_prompt_tokens) + 5 * Number(row.charged_completion_tokens);
      expect(Number(row.provider_cost_usd)).toBeCloseTo(cost / 1e6, 12);
    }
    for (const row of [...of("failed", "Down"), ...of("hedge", "Slow")])
      expect(row).toMatchObject({ provider_cost_usd: "0", usage_source: "none", charged_prompt_tokens: "0" });
  });

  test("add up to the sums, and to the books but for the probe", async () => {
    expect(sums.map(({ provider, credential }) => [provider, credential])).toEqual(
      ["Down", "Slow", "Sound"].map((name) => [name, "key 1"]),
    );
    for (const name of ["calls", "provider_cost_usd"])
      expect(add(sums.map((one) => one[name]))).toBeCloseTo(add(rows.map((row) => row[name])), 12);
    for (const name of ["prompt_tokens", "completion_tokens"])
      expect(add(sums.map((one) => one[name]))).toBe(add(rows.map((row) => row[`charged_${name}`])));
    const [usage] = asArray((await operator.get("/usage?group_by=month")).body.data).map(asObject);
    const ofRequests = rows.filter(({ kind }) => kind !== "probe");
    expect(add(ofRequests.map((row) => row.provider_cost_usd))).toBeCloseTo(
      asNumber(usage?.cost_usd) ?? 0,
      12,
    );
  });

  test("are exported alike", async () => {
    expect(await download("/export/reconciliation.csv")).toEqual(
      rows.map((row) => expect.objectContaining({ ...row, account_name: expect.anything() })),
    );
  });
});
