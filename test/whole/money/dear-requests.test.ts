// Requests that providers bill at more than usual: held and charged as they do, so that they pass no budget and no balance.
import { afterAll, describe, expect, test } from "bun:test";
import { DAYS } from "../../../src/catalogue/hours.ts";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest } from "../../harness/harness.ts";

const TOKENS = 100_000;
const USAGE = {
  input_tokens: TOKENS,
  input_tokens_details: {
    cached_tokens: 0,
    cache_write_tokens: TOKENS,
    cache_write_tokens_details: { ttl_30m_tokens: 0, ttl_12h_tokens: TOKENS },
  },
  output_tokens: 1,
  total_tokens: TOKENS + 1,
};
const ITEM = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "hi", annotations: [] }],
};
/** Output tokens of a square picture by OpenAI's calculator. */
const PICTURE_TOKENS = new Map([
  ["low", 196],
  ["medium", 1756],
  ["high", 7024],
]);

/** Answers as OpenAI does. */
function answer(url: string, body: JsonObject): object {
  if (url.includes("/responses")) {
    const head = { id: "resp_1", object: "response", created_at: 1, status: "completed", model: "gpt-6-sol" };
    return { ...head, output: [ITEM], usage: USAGE };
  }
  if (url.includes("/chat/completions")) {
    const { input_tokens: prompt_tokens, input_tokens_details: prompt_tokens_details } = USAGE;
    const message = { role: "assistant", content: "hi" };
    return {
      id: "c",
      object: "chat.completion",
      created: 1,
      model: "gpt-6-sol",
      choices: [{ index: 0, message, finish_reason: "stop" }],
      usage: { prompt_tokens, prompt_tokens_details, completion_tokens: 1, total_tokens: TOKENS + 1 },
    };
  }
  const pictures = Number(body.n ?? 1);
  const frames = body.output_format === "gif" ? Number(body.frame_count ?? 9) : 1;
  const tokens = pictures * frames * (PICTURE_TOKENS.get(String(body.quality)) ?? 7024);
  const data = Array.from({ length: pictures }, () => ({ b64_json: "aGVsbG8=" }));
  const details = { image_tokens: 0, text_tokens: 7 };
  return {
    created: 1,
    data,
    usage: {
      input_tokens: 7,
      input_tokens_details: details,
      output_tokens: tokens,
      total_tokens: tokens + 10,
    },
  };
}

const DAY_MS = 86_400_000;
/** A day of the week that no call of these tests meets. */
const OTHER_DAY = DAYS[new Date(Date.now() + 3 * DAY_MS).getUTCDay()];

const under = await startUnderTest({
  more: (upstream) => `  Clocked:
    dialect: openai
    base_url: "${upstream}/v1"
    keys: [k]
    models:
      - { name: busy, output: 10, price: { input: 1, output: 4, hours: [{ from: "00:00", to: "24:00", input: 2, output: 8 }] } }
      - { name: quiet, output: 10, price: { input: 1, output: 4, hours: [{ days: [${OTHER_DAY}], from: "00:00", to: "24:00", input: 2, output: 8 }] } }
billing: { charge: always }`,
  fetch: async (url, { body }) => Response.json(answer(url, asObject(await new Response(body).json()))),
});
afterAll(() => under.stop());

async function admin(path: string): Promise<JsonObject> {
  const headers = { authorization: `Bearer ${under.adminToken}` };
  return asObject(await (await fetch(`${under.url}/admin/v1${path}`, { headers })).json());
}

async function readLastRow(): Promise<JsonObject> {
  return asObject(asArray((await admin("/requests?limit=1")).data)[0]);
}

async function post(path: string, body: object, secret: string): Promise<Response> {
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const response = await fetch(`${under.url}/v1${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  await response.clone().arrayBuffer();
  return response;
}

async function makePayer(usd: number, limits: object = {}) {
  const id = await under.newAccount();
  await under.topUp(id, usd);
  const { secret } = await under.newKey({ account_id: id, ...limits });
  return { secret, balance: async () => Number((await admin(`/accounts/${id}`)).balance_usd) };
}

describe("a prompt cached for twelve hours", () => {
  /** As many bytes as such a prompt has at least. */
  const text = "word ".repeat(86_000);
  const model = "OpenAI#gpt-6-sol";
  const options = { prompt_cache_options: { ttl: "12h" } };
  const mark = { prompt_cache_breakpoint: { mode: "explicit", ttl: "12h" } };
  const said = { type: "input_text", text: "Hello", ...mark };
  const user = { role: "user", content: text };
  const asked: readonly (readonly [name: string, path: string, body: object])[] = [
    ["on Responses", "/responses", { input: text, ...options }],
    ["in a part on Responses", "/responses", { input: [user, { role: "user", content: [said] }] }],
    ["in a part of the model's own", "/responses", { input: [user, { role: "assistant", content: [said] }] }],
    ["on chat completions", "/chat/completions", { messages: [user], ...options }],
    [
      "in a part on chat completions",
      "/chat/completions",
      { messages: [user, { role: "user", content: [{ type: "text", text: "Hello", ...mark }] }] },
    ],
  ];
  test.each(asked)("%s is held and charged at its rate", async (_name, path, body) => {
    const payer = await makePayer(20);
    expect((await post(path, { model, ...body }, payer.secret)).status).toBe(200);
    const { cost_usd, hold_usd } = await readLastRow();
    // USD per million tokens: 5 for writing, 10 for the answer.
    expect(cost_usd).toBeCloseTo((TOKENS * 5 + 10) / 1e6, 9);
    expect(Number(hold_usd)).toBeGreaterThan(Number(cost_usd));
    expect(await payer.balance()).toBeCloseTo(20 - Number(cost_usd), 9);
  });
});

describe("pictures of gpt-image-2", () => {
  const square = { model: "OpenAI#gpt-image-2", prompt: "x", size: "1024x1024" };

  test("pass no budget", async () => {
    const { secret } = await makePayer(10, { budgets: [{ usd: 1.3, per: "total" }] });
    const ten = await post("/images/generations", { ...square, quality: "high", n: 10 }, secret);
    expect([ten.status, asObject(asObject(await ten.json()).error).code]).toEqual([429, "budget_exceeded"]);
    // Each costs 0.21072 USD, and a few tokens of text.
    expect((await post("/images/generations", { ...square, quality: "high", n: 6 }, secret)).status).toBe(
      200,
    );
    expect(Number((await readLastRow()).cost_usd)).toBeWithin(1.264, 1.3);
  });

  test("pass no balance", async () => {
    const poor = await makePayer(0.13);
    expect((await post("/images/generations", { ...square, quality: "high" }, poor.secret)).status).toBe(402);
    for (const quality of ["low", "medium", "high", "auto"]) {
      const payer = await makePayer(0.25);
      expect((await post("/images/generations", { ...square, quality }, payer.secret)).status).toBe(200);
      const { cost_usd, hold_usd } = await readLastRow();
      expect(Number(hold_usd)).toBeGreaterThanOrEqual(Number(cost_usd));
      expect(await payer.balance()).toBeCloseTo(0.25 - Number(cost_usd), 9);
    }
  });
});

describe("pictures of its successors", () => {
  const moving = { model: "OpenAI#gpt-image-2.6-flare", prompt: "x", size: "1024x1024", quality: "high" };

  test("are held for each frame of an animation", async () => {
    const { secret } = await makePayer(10);
    for (const frames of [{}, { frame_count: 16 }]) {
      const body = { ...moving, output_format: "gif", ...frames };
      expect((await post("/images/generations", body, secret)).status).toBe(200);
      const { cost_usd, hold_usd } = await readLastRow();
      expect(Number(cost_usd)).toBeGreaterThan(((frames.frame_count ?? 9) * 7024 * 30) / 1e6);
      expect(Number(hold_usd)).toBeGreaterThanOrEqual(Number(cost_usd));
    }
  });

  test("aren't drawn as SVG, which a second model would write and bill", async () => {
    const { secret } = await makePayer(10);
    const refused = await post("/images/generations", { ...moving, output_format: "svg" }, secret);
    expect(refused.status).toBe(400);
    expect(asObject(asObject(await refused.json()).error)).toMatchObject({ param: "output_format" });
  });
});

test("at hours that cost double a prompt is held and charged at twice the price", async () => {
  const payer = await makePayer(20);
  const messages = [{ role: "user", content: "word ".repeat(86_000) }];
  const ask = async (name: string) => {
    const body = { model: `Clocked#${name}`, messages };
    expect((await post("/chat/completions", body, payer.secret)).status).toBe(200);
    const { cost_usd, hold_usd } = await readLastRow();
    return { cost: Number(cost_usd), hold: Number(hold_usd) };
  };
  const usual = await ask("quiet");
  const double = await ask("busy");
  expect(usual.cost).toBeCloseTo((TOKENS + 4) / 1e6, 9);
  expect(double.cost).toBeCloseTo(2 * usual.cost, 9);
  expect(double.hold).toBeCloseTo(2 * usual.hold, 6);
  expect(await payer.balance()).toBeCloseTo(20 - 3 * usual.cost, 9);
});
