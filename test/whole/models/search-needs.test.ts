// Web searches that not every model has: who is chosen, what is refused, left out and named, and what it costs.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";

const PRICED = "price: { input: 1, output: 2, per_search: 0.01 }";
const LIMITS = "context: 128000, output: 4096";
/** Providers of each dialect whose models have a price for searches, one whose model has none, and one that can't search. */
function providers(url: string): string {
  const row = (name: string, dialect: string, path: string, models: readonly string[]) =>
    [
      `  ${name}: { dialect: ${dialect}, keys: ["k"], base_url: "${url}${path}", models: [`,
      models.map((model) => `{ ${LIMITS}, ${model} }`).join(", "),
      "] }",
    ].join("");
  const tools = "capabilities: [tools, structured]";
  return [
    row("Messages", "anthropic", "/anthropic/v1", [
      `name: "claude-sonnet-5~tokens=1000:500", ${tools}, ${PRICED}`,
      `name: "claude-sonnet-5", ${tools}, price: { input: 1, output: 2 }`,
    ]),
    row("Items", "responses", "/openai/v1", [`name: "gpt-5.4~tokens=1000:500", ${tools}, ${PRICED}`]),
    row("Gemini2", "gemini", "/gemini/v1beta", [
      `name: "gemini-2.5-flash~tokens=1000:500", ${tools}, ${PRICED}`,
    ]),
    row("Gemini3", "gemini", "/gemini/v1beta", [
      `name: "gemini-3.5-flash~tokens=1000:500", ${tools}, ${PRICED}`,
    ]),
    row("Plain", "openai", "/openai/v1", [
      `name: "sim~tokens=1000:500", ${tools}, price: { input: 1, output: 2 }`,
    ]),
  ].join("\n");
}

const MORE = [
  "billing: { charge: always }",
  "aliases:",
  '  "team": [{ model: "Plain#sim~tokens=1000:500", weight: 9 }, { model: "Gemini3#gemini-3.5-flash~tokens=1000:500" }]',
].join("\n");

const CLAUDE = "Messages#claude-sonnet-5~tokens=1000:500";
const GPT = "Items#gpt-5.4~tokens=1000:500";
const GEMINI_2 = "Gemini2#gemini-2.5-flash~tokens=1000:500";
const GEMINI_3 = "Gemini3#gemini-3.5-flash~tokens=1000:500";
const PLAIN = "Plain#sim~tokens=1000:500";
const NO_PRICE = "Messages#claude-sonnet-5";

let world: UnderTest;
beforeAll(async () => {
  world = await startUnderTest({ more: (url) => `${providers(url)}\n${MORE}` });
});
afterAll(() => world.stop());

interface Payer {
  readonly secret: string;
  readonly id: string;
}

async function makePayer(usd: number, fields: JsonObject = {}): Promise<Payer> {
  const account = await world.newAccount("payer");
  await world.topUp(account, usd);
  return await world.newKey({ account_id: account, ...fields });
}

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonObject;
}

async function post({ secret }: Payer, path: string, body: JsonObject): Promise<Answered> {
  const response = await fetch(`${world.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: asObject(await response.json()) };
}

const SEARCH = { type: "web_search_20250305", name: "web_search" };
const OWN = { name: "look_up", description: "d", input_schema: { type: "object", properties: {} } };
const FORCED = { tool_choice: { type: "tool", name: "web_search" } };
const asked = (model: string, more: JsonObject = {}): JsonObject => ({
  model,
  max_tokens: 1000,
  messages: [{ role: "user", content: "Please search for something." }],
  tools: [SEARCH],
  ...more,
});
const ask = (payer: Payer, model: string, more: JsonObject = {}) =>
  post(payer, "/v1/messages", asked(model, more));

describe("a forced search", () => {
  const refused: readonly (readonly [string, string, JsonObject])[] = [
    ["a model that can't search", PLAIN, {}],
    ["a card without a price for searches", NO_PRICE, {}],
    ["beside functions at Google before generation 3", GEMINI_2, { tools: [SEARCH, OWN] }],
    ["that is the only tool, and one must be called", PLAIN, { tool_choice: { type: "any" } }],
  ];
  test.each(refused)("is refused for %s, and others are named", async (_, model, more) => {
    const { status, body } = await ask(await makePayer(5), model, { ...FORCED, ...more });
    const { message } = asObject(body.error);
    expect({ status, message }).toEqual({ status: 400, message: expect.stringContaining(model) });
    expect(String(message)).toMatch(/can't search the web .*Models that accept it: '/);
  });

  test("is refused in the words of Responses", async () => {
    const payer = await makePayer(5);
    const tools = [{ type: "web_search" }];
    const body = { model: PLAIN, input: "search", tools, tool_choice: { type: "web_search" } };
    const { status, body: answer } = await post(payer, "/v1/responses", body);
    const error = { code: "unsupported_capability", param: "tool_choice" };
    expect([status, answer]).toEqual([400, { error: expect.objectContaining(error) }]);
  });

  test("passes over an alias's members that can't search", async () => {
    const payer = await makePayer(5);
    for (let time = 0; time < 4; time++) {
      const { status, headers } = await ask(payer, "team", FORCED);
      expect([status, headers.get("x-poundkey-model")]).toEqual([200, GEMINI_3]);
    }
  });

  test("takes a model from the selectors that can", async () => {
    const payer = await makePayer(5);
    for (const selector of ["best", "fair", "light"]) {
      const { status, body } = await ask(payer, `Router#${selector}`, FORCED);
      expect(status).toBe(200);
      expect(asArray(body.content).map((block) => asObject(block).type)).toContain("web_search_tool_result");
    }
  });
});

test("a forced search that no candidate of a selector can run is refused", async () => {
  const payer = await makePayer(5, { allowed_models: ["Plain#*"] });
  const { status, body } = await ask(payer, "Router#best", FORCED);
  expect([status, asObject(body.error).message]).toEqual([400, expect.stringContaining("search (1)")]);
});

describe("an offered search", () => {
  const dropped: readonly (readonly [string, string, JsonObject, string])[] = [
    ["a model that can't search", PLAIN, {}, "tools[0]"],
    ["a card without a price", NO_PRICE, {}, "tools"],
    ["beside functions at Google before generation 3", GEMINI_2, { tools: [SEARCH, OWN] }, "tools[0]"],
  ];
  test.each(dropped)("is left out and named for %s", async (_, model, more, named) => {
    const { status, headers, body } = await ask(await makePayer(5), model, more);
    expect([status, headers.get("x-poundkey-dropped")]).toEqual([200, named]);
    expect(JSON.stringify(body)).not.toContain('server_tool_use"');
  });

  test("stands beside functions at Gemini 3, as Codex needs it", async () => {
    const { status, headers, body } = await ask(await makePayer(5), GEMINI_3, { tools: [SEARCH, OWN] });
    expect([status, headers.get("x-poundkey-dropped") ?? ""]).toEqual([200, ""]);
    expect(asArray(body.content).map((block) => asObject(block).type)).toContain("web_search_tool_result");
    expect(world.simulator.calls.last()?.body).toMatchObject({
      tools: [{ googleSearch: {} }, { functionDeclarations: [{ name: "look_up" }] }],
      toolConfig: { includeServerSideToolInvocations: true },
    });
  });

  test("moves the selectors to models that search, also beside functions", async () => {
    const payer = await makePayer(5);
    for (const selector of ["best", "fair", "light"]) {
      const { headers } = await ask(payer, `Router#${selector}`, { tools: [SEARCH, OWN] });
      expect(headers.get("x-poundkey-model")).toMatch(
        /^(Anthropic|OpenAI|Messages|Items|Perplexity|Google|Gemini3)#/,
      );
      expect(headers.get("x-poundkey-dropped") ?? "").not.toContain("tools");
    }
    const body = {
      model: "Router#best",
      messages: [{ role: "user", content: "hi" }],
      web_search_options: {},
    };
    const { body: route } = await post(payer, "/v1/route", body);
    const candidates = asArray(route.candidates).map(asObject);
    const reasons = candidates.map(({ model, removed_by: reason }) => [String(model), reason]);
    expect(reasons).toContainEqual([PLAIN, "search"]);
    expect(reasons).toContainEqual([CLAUDE, null]);
  });

  test("is no reason against a model if none searches", async () => {
    const narrow = await makePayer(5, { allowed_models: ["Plain#*"] });
    const { status, headers } = await ask(narrow, "Router#best");
    expect([status, headers.get("x-poundkey-model")]).toEqual([200, PLAIN]);
  });
});

const NANO = 1e9;
/** 1,000 and 500 tokens, and a search. */
const COST_USD = 0.001 + 0.001 + 0.01;

describe.each([CLAUDE, GPT, GEMINI_2, GEMINI_3])("what a search costs over %s", (model) => {
  const surfaces: readonly (readonly [string, string, JsonObject])[] = [
    ["Messages", "/v1/messages", asked(model, { ...FORCED, tools: [{ ...SEARCH, max_uses: 3 }] })],
    [
      "Responses",
      "/v1/responses",
      { model, input: "search", tools: [{ type: "web_search" }], max_output_tokens: 1000, max_tool_calls: 3 },
    ],
    [
      "chat",
      "/v1/chat/completions",
      { model, messages: [{ role: "user", content: "search" }], max_tokens: 1000, web_search_options: {} },
    ],
  ];
  test.each(surfaces)("as asked on %s is held, and charged as it was", async (_, path, body) => {
    const payer = await makePayer(5);
    const { status, body: answer } = await post(payer, path, body);
    expect(status).toBe(200);
    expect(asObject(answer.usage).charged).toBeCloseTo(COST_USD, 9);
    const [row] = await readRows(payer);
    const held = Number(row?.hold_usd);
    expect({ held: held >= COST_USD, cost: Math.round(Number(row?.cost_usd) * NANO) }).toEqual({
      held: true,
      cost: Math.round(COST_USD * NANO),
    });
    // At most ten searches, which may read the prompt again each.
    expect(held).toBeLessThan(0.25);
  });
});

async function readRows({ id }: Payer): Promise<readonly JsonObject[]> {
  const response = await fetch(`${world.url}/admin/v1/requests?key_id=${id}`, {
    headers: { authorization: `Bearer ${world.adminToken}` },
  });
  return asArray(asObject(await response.json()).data).map(asObject);
}
