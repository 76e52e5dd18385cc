// Answers that say something about their own price: the service and region that they came from, and what they cost.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { readCsv } from "../../harness/csv.ts";
import { BINARY, startUnderTest } from "../../harness/harness.ts";
import { until } from "../world/until.ts";

/** The next answer's usage, and what stands beside it. */
const next: { usage: JsonObject; beside: JsonObject } = { usage: {}, beside: {} };
const sent: JsonObject[] = [];

const TOKENS = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 };

function answerChat(body: JsonObject): Response {
  const head = { id: "c", created: 1, model: "m", ...next.beside };
  const finish = { index: 0, finish_reason: "stop" };
  if (body.stream !== true) {
    const choices = [{ ...finish, message: { role: "assistant", content: "hi" } }];
    return Response.json({ ...head, object: "chat.completion", choices, usage: next.usage });
  }
  const chunks = [
    { choices: [{ ...finish, finish_reason: null, delta: { role: "assistant", content: "hi" } }] },
    { choices: [{ ...finish, delta: {} }] },
    { choices: [], usage: next.usage },
  ];
  const events = chunks.map((chunk) =>
    JSON.stringify({ ...head, object: "chat.completion.chunk", ...chunk }),
  );
  return writeEvents([...events, "[DONE]"].map((data) => ({ data })));
}

function writeEvents(events: readonly { readonly event?: string; readonly data: string }[]): Response {
  const lines = events.map(({ event, data }) => `${event ? `event: ${event}\n` : ""}data: ${data}\n\n`);
  return new Response(lines.join(""), { headers: { "content-type": "text/event-stream" } });
}

function answerMessages(body: JsonObject): Response {
  const content = [{ type: "text", text: "hi" }];
  const head = { id: "msg_1", type: "message", role: "assistant", model: "m", stop_sequence: null };
  const whole = { ...head, content, stop_reason: "end_turn", usage: next.usage };
  if (body.stream !== true) return Response.json(whole);
  const events: readonly JsonObject[] = [
    { type: "message_start", message: { ...whole, content: [], stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hi" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 100 } },
    { type: "message_stop" },
  ];
  return writeEvents(events.map((event) => ({ event: String(event.type), data: JSON.stringify(event) })));
}

function answerGemini(): Response {
  const content = { role: "model", parts: [{ text: "hi" }] };
  return Response.json({ candidates: [{ content, finishReason: "STOP" }], usageMetadata: next.usage });
}

function answerResponses(): Response {
  const text = { type: "output_text", text: "hi", annotations: [] };
  const item = { id: "m", type: "message", role: "assistant", status: "completed", content: [text] };
  const head = { id: "resp_1", object: "response", created_at: 1, status: "completed", model: "m" };
  return Response.json({ ...head, ...next.beside, output: [item], usage: next.usage });
}

const PRICE = "input: 1, output: 4";
const SERVICE =
  "priority: { input: 2, output: 8 }, flex: { input: 0.5, output: 2 }, fast: { input: 900, output: 900 }";
const under = await startUnderTest({
  more: (upstream) => `  Own:
    dialect: openai
    base_url: "${upstream}/v1"
    keys: [k]
    models:
      - { name: plain, output: 2000, context: 9000, price: { ${PRICE} } }
      - { name: served, output: 2000, context: 9000, price: { ${PRICE}, service: { ${SERVICE} } } }
  Split:
    dialect: openai
    base_url: "${upstream}/v1"
    keys: [{ key: key-cheap, price_factor: 0.5 }]
    price_factor: 2
    models: [{ name: m, output: 2000, context: 9000, price: { ${PRICE} } }]
  Region: { dialect: openai, base_url: "https://eu.api.openai.com/v1", keys: [k], models: [{ name: gpt-5.5, like: "OpenAI#gpt-5.5" }] }
  OpenRouter: { keys: [k], base_url: "${upstream}/or/v1", unlisted_models: { hold_usd: 0.5 } }
billing: { charge: always, markup: 2 }`,
  fetch: async (url, { body }) => {
    const asked = asObject(await new Response(body).json());
    sent.push(asked);
    if (url.includes("/messages")) return answerMessages(asked);
    if (url.includes("/responses")) return answerResponses();
    return url.includes("/gemini/") ? answerGemini() : answerChat(asked);
  },
});
afterAll(() => under.stop());
beforeEach(() => {
  Object.assign(next, { usage: TOKENS, beside: {} });
  sent.length = 0;
});

async function admin(path: string): Promise<JsonObject> {
  const headers = { authorization: `Bearer ${under.adminToken}` };
  return asObject(await (await fetch(`${under.url}/admin/v1${path}`, { headers })).json());
}

async function readLast(): Promise<JsonObject> {
  const { id } = asObject(asArray((await admin("/requests?limit=1")).data)[0]);
  return admin(`/requests/${id}`);
}

async function makePayer(usd = 20, limits: object = {}): Promise<string> {
  const id = await under.newAccount();
  await under.topUp(id, usd);
  return (await under.newKey({ account_id: id, ...limits })).secret;
}

async function post(path: string, body: object, secret?: string) {
  const authorization = `Bearer ${secret ?? (await makePayer())}`;
  const headers = { authorization, "content-type": "application/json" };
  const response = await fetch(`${under.url}${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

const MESSAGES = [{ role: "user", content: "word ".repeat(800) }];

/** Asks, and returns the cost without the markup of 2. */
async function ask(model: string, more: object = {}, secret?: string): Promise<number> {
  const { status, text } = await post(
    "/v1/chat/completions",
    { model, messages: MESSAGES, max_tokens: 1000, ...more },
    secret,
  );
  expect([text, status]).toEqual([text, 200]);
  expect(text).not.toContain("terms");
  return Number((await readLast()).cost_usd) / 2;
}

/** USD of the usual usage at prices per million tokens. */
const cost = (input: number, output: number) => (1000 * input + 100 * output) / 1e6;

const WAYS = [{}, { stream: true }];

describe("the service that an answer came from", () => {
  test.each(WAYS)("is billed at the model's price for it, %o", async (way) => {
    for (const [tier, usd] of [
      ["priority", cost(2, 8)],
      ["flex", cost(0.5, 2)],
      ["default", cost(1, 4)],
    ] as const) {
      next.beside = { service_tier: tier };
      expect(await ask("Own#served", way)).toBeCloseTo(usd, 9);
      expect(await readLast()).toMatchObject({ unpriced: [], usage_implausible: null });
    }
  });

  test.each(WAYS)("is counted, logged and marked if the model has no price for it, %o", async (way) => {
    next.beside = { service_tier: "priority" };
    expect(await ask("Own#plain", way)).toBeCloseTo(cost(1, 4), 9);
    expect((await readLast()).unpriced).toEqual(["service_tier=priority"]);
    next.beside = { service_tier: "made-up" };
    await ask("Own#plain", way);
    expect((await readLast()).unpriced).toEqual(["service_tier=other"]);
    const metrics = await (await fetch(`${under.url}/metrics`)).text();
    expect(metrics).toMatch(
      /poundkey_unpriced_answers_total\{provider="Own",model="Own#plain",what="service_tier=priority"\} \d/,
    );
  });

  test("is billed at the hold where it costs more, and marked", async () => {
    next.beside = { service_tier: "fast" };
    await ask("Own#served");
    const { cost_usd, hold_usd, usage_implausible } = await readLast();
    expect(Number(cost_usd)).toBeWithin(0.001, 0.9);
    expect(cost_usd).toBe(Number(hold_usd));
    expect(usage_implausible).not.toBeNull();
  });

  test("isn't what a project's setting says: OpenAI is asked for the default one", async () => {
    await ask("OpenAI#gpt-4.1-mini");
    await ask("OpenAI#gpt-4.1-mini", { service_tier: "auto" });
    expect(sent.map((body) => body.service_tier)).toEqual(["default", "default"]);
    await ask("Own#plain");
    expect(sent.at(-1)).not.toHaveProperty("service_tier");
    next.usage = { input_tokens: 1000, output_tokens: 100, total_tokens: 1100 };
    const responses = { model: "OpenAI#gpt-5.4", input: "hi" };
    expect((await post("/v1/responses", responses)).status).toBe(200);
    expect(sent.at(-1)).toMatchObject({ service_tier: "default" });
  });

  test("is read on Responses", async () => {
    next.usage = { input_tokens: 1000, output_tokens: 100, total_tokens: 1100 };
    next.beside = { service_tier: "scale" };
    expect((await post("/v1/responses", { model: "OpenAI#gpt-5.4", input: "hi" })).status).toBe(200);
    expect((await readLast()).unpriced).toEqual(["service_tier=scale"]);
  });

  test.each(WAYS)("is read on Messages, with its region, %o", async (way) => {
    const body = { model: "Anthropic#claude-opus-4-8", max_tokens: 1000, messages: MESSAGES, ...way };
    const read = async (usage: JsonObject) => {
      next.usage = { input_tokens: 1000, output_tokens: 100, ...usage };
      expect((await post("/v1/messages", body)).status).toBe(200);
      const { cost_usd, unpriced, hold_usd } = await readLast();
      expect(Number(hold_usd)).toBeGreaterThan(Number(cost_usd));
      return { usd: Number(cost_usd) / 2, unpriced };
    };
    const usual = await read({ service_tier: "standard", inference_geo: "global", speed: "standard" });
    expect(usual).toEqual({ usd: cost(5, 25), unpriced: [] });
    const us = await read({ inference_geo: "us" });
    expect(us.usd).toBeCloseTo(1.1 * cost(5, 25), 9);
    expect(us.unpriced).toEqual([]);
    const other = await read({ service_tier: "priority", inference_geo: "eu", speed: "fast" });
    expect(other.unpriced).toEqual(["service_tier=priority", "inference_geo=eu"]);
  });

  test("is read on Gemini", async () => {
    next.usage = { promptTokenCount: 1000, candidatesTokenCount: 100, trafficType: "PROVISIONED_THROUGHPUT" };
    await ask("Google#gemini-3.5-flash");
    expect((await readLast()).unpriced).toEqual(["trafficType=PROVISIONED_THROUGHPUT"]);
    next.usage = { promptTokenCount: 1000, candidatesTokenCount: 100, trafficType: "ON_DEMAND" };
    await ask("Google#gemini-3.5-flash");
    expect((await readLast()).unpriced).toEqual([]);
  });
});

test("a provider's price factor is charged", async () => {
  expect(await ask("Split#m")).toBeCloseTo(cost(1, 4), 9);
});

test.each(WAYS)(
  "a row says which price it used, which is shown with its tiers and services, %o",
  async (way) => {
    await ask("Own#served", way);
    const shown = await until("the price is kept", async () => {
      const row = await readLast();
      return row.price === null ? null : row;
    });
    expect(shown.price_id).toMatch(/^[0-9a-f]{16}$/);
    expect(shown.price).toMatchObject({
      input: 1,
      output: 4,
      service: { priority: { input: 2, output: 8 } },
    });
    await ask("Own#plain", way);
    expect((await readLast()).price_id).not.toBe(shown.price_id);
  },
);

// The binary would ask the region's own address.
test.skipIf(BINARY !== undefined)("a region is held and charged", async () => {
  expect(await ask("Region#gpt-5.5")).toBeCloseTo(cost(5.5, 33), 9);
  const { hold_usd, cost_usd } = await readLast();
  expect(Number(hold_usd)).toBeGreaterThan(Number(cost_usd));
});

describe("the cost that OpenRouter reports", () => {
  const LISTED = "OpenRouter#anthropic/claude-haiku-4.5";
  const UNLISTED = "OpenRouter#vendor/new-model";

  test.each(WAYS)("is what is charged, %o", async (way) => {
    for (const model of [LISTED, UNLISTED]) {
      next.usage = { ...TOKENS, cost: 0.0031 };
      expect(await ask(model, way)).toBeCloseTo(0.0031, 9);
      next.usage = {
        ...TOKENS,
        cost: 0.0001,
        is_byok: true,
        cost_details: { upstream_inference_cost: 0.002 },
      };
      expect(await ask(model, way)).toBeCloseTo(0.0021, 9);
    }
  });

  test("stands beside ours in reconciliation", async () => {
    next.usage = { ...TOKENS, cost: 0.004_321 };
    await ask(LISTED);
    const headers = { authorization: `Bearer ${under.adminToken}` };
    const csv = await (await fetch(`${under.url}/admin/v1/reconciliation.csv`, { headers })).text();
    const row = readCsv(csv).find(({ claimed_cost_usd }) => claimed_cost_usd === "0.004321");
    expect(row).toMatchObject({ provider_cost_usd: "0.004321", model: LISTED });
  });

  test("isn't taken above the hold, nor if it is nothing", async () => {
    next.usage = { ...TOKENS, cost: 5 };
    expect(await ask(LISTED)).toBeCloseTo(cost(1, 5), 9);
    expect((await readLast()).usage_implausible).not.toBeNull();
    expect(await ask(UNLISTED)).toBeCloseTo(0.5, 9);
    for (const none of [0, -1]) {
      next.usage = { ...TOKENS, cost: none };
      expect(await ask(LISTED)).toBeCloseTo(cost(1, 5), 9);
    }
  });

  test("isn't read of providers that aren't known to bill it", async () => {
    next.usage = { ...TOKENS, cost: 0.0031 };
    expect(await ask("Own#plain")).toBeCloseTo(cost(1, 4), 9);
  });

  test("lets names that no list has pass balances and budgets, up to what is held for them", async () => {
    next.usage = { ...TOKENS, cost: 0.0031 };
    const secret = await makePayer(3, { budgets: [{ usd: 1.5, per: "total" }] });
    await ask(UNLISTED, {}, secret);
    next.usage = TOKENS;
    expect(await ask(UNLISTED, {}, secret)).toBe(0.5);
    const body = { model: UNLISTED, messages: MESSAGES };
    expect((await post("/v1/chat/completions", body, secret)).status).toBe(429);
    const poor = await makePayer(0.9);
    expect((await post("/v1/chat/completions", body, poor)).status).toBe(402);
  });
});
