// Cached tokens beyond the prompt's, as Azure reports them for Grok: every API shows the same usage, and the price is of it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";

const MODEL = "Grok#sim~tokens=203:15:314";
/** 203 tokens at 1 USD per million, 314 at 0.1, and 15 at 10. */
const COST = 0.000_384_4;

let under: UnderTest;
beforeAll(async () => {
  under = await startUnderTest({
    more: (url) =>
      `  Grok: { dialect: openai, base_url: "${url}/openai/v1", keys: [k], models: [{ name: "sim~tokens=203:15:314", context: 100000, output: 1000, price: { input: 1, cached_input: 0.1, output: 10 } }] }`,
  });
});
afterAll(() => under.stop());

async function ask(path: string, body: JsonObject): Promise<JsonObject> {
  const response = await fetch(under.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${under.secret}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return asObject(await response.json());
}

const messages = [{ role: "user", content: "hi" }];

test("chat completions", async () => {
  const { usage } = await ask("/v1/chat/completions", { model: MODEL, messages });
  expect(usage).toMatchObject({
    prompt_tokens: 517,
    completion_tokens: 15,
    total_tokens: 532,
    cost: COST,
    prompt_tokens_details: { cached_tokens: 314 },
  });
});

test("Messages", async () => {
  const { usage } = await ask("/v1/messages", { model: MODEL, max_tokens: 100, messages });
  expect(usage).toMatchObject({
    input_tokens: 203,
    cache_read_input_tokens: 314,
    output_tokens: 15,
    cost: COST,
  });
});

test("Responses", async () => {
  const { usage } = await ask("/v1/responses", { model: MODEL, input: "hi" });
  expect(usage).toMatchObject({
    input_tokens: 517,
    output_tokens: 15,
    total_tokens: 532,
    cost: COST,
    input_tokens_details: { cached_tokens: 314 },
  });
});

test("Gemini's API", async () => {
  const path = `/v1beta/models/${encodeURIComponent(MODEL)}:generateContent`;
  const { usageMetadata } = await ask(path, { contents: [{ role: "user", parts: [{ text: "hi" }] }] });
  expect(usageMetadata).toMatchObject({
    promptTokenCount: 517,
    cachedContentTokenCount: 314,
    candidatesTokenCount: 15,
    cost: COST,
  });
});

test("the request's row", async () => {
  await ask("/v1/chat/completions", { model: MODEL, messages });
  const headers = { authorization: `Bearer ${under.adminToken}` };
  const rows = asObject(await (await fetch(`${under.url}/admin/v1/requests?limit=1`, { headers })).json());
  expect(asArray(rows.data)[0]).toMatchObject({ cost_usd: COST });
});
