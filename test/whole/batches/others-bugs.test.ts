// The bugs of batches elsewhere, by the numbers of LiteLLM's issues: money that is booked late, twice, at the wrong price, for
// nobody or not at all.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import {
  type BatchBench,
  chatLine,
  createBatch,
  makeClients,
  startBatches,
  until,
  waitForEnd,
} from "./batch-bench.ts";

/** Prices by the simulated server's models: one with a tier for long prompts, one that thinks. */
const CONFIGURATION = (url: string) => `  Acme:
    dialect: openai
    keys: [k]
    base_url: "${url}/openai/v1"
    models:
      - { name: sim-mini, context: 900000, output: 500, price: { input: 1, output: 2, tiers: [{ above_tokens: 2000, input: 10, output: 20 }] } }
      - { name: sim-think, context: 9000, output: 500, price: { input: 1, output: 4, reasoning: 8 } }
billing: { charge: always }`;
const LONG = `say: long ${"word ".repeat(4000)}`;
const LINES: readonly (readonly [id: string, text: string, model: string])[] = [
  ["plain", "say: one", "Acme#sim-mini"],
  ["long", LONG, "Acme#sim-mini"],
  ["thinking", "say: two", "Acme#sim-think"],
  ["anthropic", "say: three", "Anthropic#claude-haiku-4-5"],
  ["google", "say: four", "Google#gemini-3.5-flash"],
];

let bench: BatchBench;
beforeAll(async () => {
  bench = await startBatches({ more: CONFIGURATION });
});
afterAll(() => bench.under.stop());

async function askAdmin(path: string, init: RequestInit = {}): Promise<JsonObject> {
  const headers = { authorization: `Bearer ${bench.under.adminToken}`, "content-type": "application/json" };
  const response = await fetch(`${bench.under.url}/admin/v1${path}`, { ...init, headers });
  return asObject(await response.json());
}

async function openAccount(usd = 10, fields: Record<string, unknown> = {}) {
  const { under } = bench;
  const accountId = await under.newAccount();
  if (usd > 0) await under.topUp(accountId, usd);
  const { id, secret } = await under.newKey({ account_id: accountId, requests_per_day: null, ...fields });
  const readSpent = async () => usd - Number((await askAdmin(`/accounts/${accountId}`)).balance_usd);
  return { accountId, keyId: id, secret, readSpent, ...makeClients(under.url, secret) };
}

const listRows = async (id: string) =>
  asArray((await askAdmin(`/requests?batch=${id}&limit=100`)).data).map(asObject);

/** Sends the same bodies as single requests, by another key, and returns their costs. */
async function priceSingles(): Promise<ReadonlyMap<string, number>> {
  const { secret } = await openAccount();
  const costs = new Map<string, number>();
  for (const [id, text, model] of LINES) {
    const answer = await bench.under.chat({ model, messages: [{ role: "user", content: text }] }, { secret });
    expect(answer.status).toBe(200);
    costs.set(id, Number(answer.headers.get("x-poundkey-cost")));
  }
  return costs;
}

test("each line is booked at its own request's price, for its owner, once, and without anybody's asking", async () => {
  const costs = await priceSingles();
  const { openai, accountId, keyId, readSpent } = await openAccount();
  const lines = LINES.map(([id, text, model]) => chatLine(id, text, model));
  const made = await createBatch(openai, [...lines, chatLine("wrong", "x", "no-such-model")]);
  // Only the books are looked at: no poller and no retrieval (10011), and one bad line starves none (36640).
  const total = costs.values().reduce((sum, cost) => sum + cost, 0);
  await until(readSpent, (spent) => Math.abs(spent - total) < 1e-9);
  const rows = await listRows(made.id);
  // The key has no member and its account no team (35468, 36468), on every provider (19925).
  const owners = rows.map(({ key_id, account_id, batch_id }) => [key_id, account_id, batch_id]);
  expect(new Set(owners.map(String))).toEqual(new Set([String([keyId, accountId, made.id])]));
  // Each line has its own prompt's tier (39861), and its own route's price (32307).
  for (const [id, cost] of costs) {
    const [row, ...others] = rows.filter((one) => one.custom_id === id);
    expect([id, others.length, row?.cost_usd, row?.charged_usd]).toEqual([id, 0, cost, cost]);
  }
  const tiers = [costs.get("plain") ?? 0, costs.get("long") ?? 0];
  expect((tiers[1] ?? 0) / (tiers[0] ?? 1)).toBeGreaterThan(100);
  const ended = await waitForEnd(openai, made);
  expect(ended.request_counts).toEqual({ total: 6, completed: 5, failed: 1 });
  // Reasoning tokens are in the sums (37208).
  const reasoning = rows.reduce(
    (sum, row) => sum + Number(asObject(row.tokens ?? row).reasoning ?? row.reasoning_tokens ?? 0),
    0,
  );
  expect(ended.usage?.output_tokens_details.reasoning_tokens).toBe(reasoning);
  expect(reasoning).toBeGreaterThan(0);
  // Retrieving it twice costs nothing (39980).
  for (let times = 0; times < 2; times++)
    for (const id of [ended.output_file_id, ended.error_file_id])
      await (await openai.files.content(id ?? "")).text();
  expect(await readSpent()).toBeCloseTo(total, 9);
});

test("a message of Anthropic's form is priced as a single one is (32307)", async () => {
  const { anthropic, readSpent, secret } = await openAccount();
  const params = {
    model: "Acme#sim-mini",
    max_tokens: 100,
    messages: [{ role: "user" as const, content: LONG }],
  };
  const single = await fetch(`${bench.under.url}/v1/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify(params),
  });
  const cost = Number(single.headers.get("x-poundkey-cost"));
  await anthropic.messages.batches.create({ requests: [{ custom_id: "a", params }] });
  expect(cost).toBeGreaterThan(0);
  await until(readSpent, (spent) => Math.abs(spent - 2 * cost) < 1e-9);
});

test("a budget that is used up lets nothing run (12794)", async () => {
  const { openai, readSpent } = await openAccount(10, { budgets: [{ usd: 0.000_000_1, per: "month" }] });
  const made = await createBatch(openai, [chatLine("a", LONG, "Acme#sim-mini")]);
  const waiting = await until(
    () => openai.batches.retrieve(made.id),
    (batch) => asObject(batch).waiting !== null,
  );
  const { code, limit, resets_at } = asObject(asObject(waiting).waiting);
  expect(code).toBe("budget_exceeded");
  expect(limit).toEqual({
    scope: "key",
    name: expect.any(String),
    kind: "budget",
    per: "month",
    limit: 0.000_000_1,
    used: 0,
    reserved: 0,
    resets_at,
  });
  expect([await readSpent(), (await listRows(made.id)).length]).toEqual([0, 0]);
  await openai.batches.cancel(made.id);
  expect((await waitForEnd(openai, made)).status).toBe("cancelled");
});
