// Usage reports that say less than they should: later ones that lack what earlier ones had, zeros, and other gateways' names.
import { afterAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest } from "../../harness/harness.ts";

/** The usage of each chunk of the next answer. A whole answer has the last. */
let reports: readonly (JsonObject | null)[] = [];

function answer(body: JsonObject): Response {
  const head = { id: "c", created: 1, model: "m" };
  const finish = { index: 0, finish_reason: "stop" };
  if (body.stream !== true) {
    const choices = [{ ...finish, message: { role: "assistant", content: TEXT } }];
    return Response.json({ ...head, object: "chat.completion", choices, usage: reports.at(-1) });
  }
  const chunks = reports.map((usage, at) => {
    const choices =
      at === 0
        ? [{ ...finish, finish_reason: null, delta: { role: "assistant", content: TEXT } }]
        : [{ ...finish, delta: {} }];
    return JSON.stringify({ ...head, object: "chat.completion.chunk", choices, usage });
  });
  const text = [...chunks, "[DONE]"].map((data) => `data: ${data}\n\n`).join("");
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}

const TEXT = "good day, ".repeat(40);
const under = await startUnderTest({
  more: (upstream) =>
    `  Own: { dialect: openai, base_url: "${upstream}/v1", keys: [k], models: [{ name: m, output: 2000, context: 9000, price: { input: 1, output: 4, cached_input: 0.1, cache_write: 1.25 } }] }`,
  fetch: async (_url, { body }) => answer(asObject(await new Response(body).json())),
});
afterAll(() => under.stop());

const MESSAGES = [{ role: "user", content: "word ".repeat(800) }];

async function ask(stream: boolean): Promise<JsonObject> {
  const response = await under.chat({ model: "Own#m", messages: MESSAGES, max_tokens: 1000, stream });
  const text = await response.text();
  expect([text, response.status]).toEqual([text, 200]);
  const headers = { authorization: `Bearer ${under.adminToken}` };
  const rows = asObject(await (await fetch(`${under.url}/admin/v1/requests?limit=1`, { headers })).json());
  return asObject(asArray(rows.data)[0]);
}

const FULL = {
  prompt_tokens: 1000,
  completion_tokens: 100,
  total_tokens: 1100,
  prompt_tokens_details: { cached_tokens: 900 },
};
const BARE = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 };
const ZEROS = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
const COST = (100 + 900 * 0.1 + 100 * 4) / 1e6;

describe("a later report changes only what it says", () => {
  test.each([
    ["one without details", [null, FULL, BARE]],
    ["zeros", [null, FULL, ZEROS]],
    ["a detail of 0", [null, FULL, { ...BARE, prompt_tokens_details: { cached_tokens: 0 } }]],
    ["the same", [FULL, FULL, FULL]],
    ["a shorter answer's, before", [{ ...FULL, completion_tokens: 3 }, FULL]],
  ])("%s", async (_name, given) => {
    reports = given;
    expect((await ask(true)).cost_usd).toBeCloseTo(COST, 9);
  });

  test("a longer answer counts", async () => {
    reports = [null, FULL, { ...BARE, completion_tokens: 200, total_tokens: 1200 }];
    expect((await ask(true)).cost_usd).toBeCloseTo(COST + 400 / 1e6, 9);
  });
});

test.each([true, false])("zeros beside a text are no report, streamed %p", async (stream) => {
  reports = [ZEROS, ZEROS];
  const row = await ask(stream);
  expect(row.usage_source).toBe("estimate");
  expect(Number(row.cost_usd)).toBeGreaterThan(0.0005);
});

describe("what was written to a cache counts under the names that other gateways use", () => {
  const written = (1000 - 400) / 1e6 + (400 * 1.25 + 100 * 4) / 1e6;
  const beside = (1000 + 900 * 0.1 + 400 * 1.25 + 100 * 4) / 1e6;
  const BESIDE = { cache_read_input_tokens: 900, cache_creation_input_tokens: 400 };
  test.each([
    ["LiteLLM's", { ...BARE, prompt_tokens_details: { cache_creation_tokens: 400 } }, written],
    ["Anthropic's", { ...BARE, prompt_tokens_details: { cache_creation_input_tokens: 400 } }, written],
    ["Bedrock's", { ...BARE, prompt_tokens_details: { cache_write_input_tokens: 400 } }, written],
    ["ours", { ...BARE, prompt_tokens_details: { cache_write_tokens: 400 } }, written],
    ["Anthropic's beside the prompt", { ...BARE, ...BESIDE }, beside],
    [
      "both at once",
      {
        ...BARE,
        ...BESIDE,
        prompt_tokens: 2300,
        prompt_tokens_details: { cached_tokens: 900, cache_creation_tokens: 400 },
      },
      beside,
    ],
  ])("%s", async (_name, usage, usd) => {
    for (const stream of [true, false]) {
      reports = [null, usage];
      expect((await ask(stream)).cost_usd).toBeCloseTo(usd, 9);
    }
  });
});
