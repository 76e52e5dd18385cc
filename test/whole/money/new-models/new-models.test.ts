// The models of November 2026 on every platform, asked on every surface: what is sent, held and charged, against a table that was
// computed by hand, on the last day of a price and on the day after.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { offsetWorld } from "../../../../src/app/world.ts";
import { asArray, asObject, type JsonObject } from "../../../../src/core/json/json.ts";
import { BINARY, startUnderTest, type UnderTest } from "../../../harness/harness.ts";
import { sampleRows } from "../../../harness/long.ts";
import { createOperator, type Operator } from "../../world/operator.ts";
import { type AskedSurface, askSurface } from "../../world/surface-asking.ts";
import { makeRecorder, type ReportedUsage } from "./recorder.ts";
import table from "./table.data.json";

type Model = (typeof table.models)[number];

const SURFACES = ["chat", "responses", "messages", "gemini"] as const satisfies readonly AskedSurface[];
const SMALL = { prompt: 100_000, cached: 40_000, written: 20_000, writtenLong: 0, output: 1000 };
const LARGE = { prompt: 300_000, cached: 100_000, written: 0, writtenLong: 50_000, output: 2000 };
const DAYS = { november: "2026-11-30T12:00:00Z", december: "2026-12-01T12:00:00Z" } as const;
type Day = keyof typeof DAYS;
/** About 290,000 tokens at worst, and more than 272,000 at least. */
const LONG_TEXT = "word ".repeat(290_000);

/** Rows are listed by their times, so a day goes on where it was left. */
const STARTED_MS = Date.now();

const recorder = makeRecorder();
let under: UnderTest;
let operator: Operator;
let payer = "";
/** Held for `LONG_TEXT`. */
let worstTokens = 0;
let restore = () => {};

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const account = JSON.stringify({
  type: "service_account",
  client_email: "gateway@p.iam.gserviceaccount.com",
  private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
  token_uri: "https://oauth2.googleapis.com/token",
  project_id: "p",
});

beforeAll(async () => {
  moveTo("november");
  under = await startUnderTest({
    fetch: recorder.fetch,
    more: `  Azure: { resource: r, keys: [k] }
  Vertex: { project: p, location: global, service_account: '${account}' }
billing: { charge: always }`,
  });
  operator = createOperator(under);
  const id = await under.newAccount();
  await under.topUp(id, 10_000);
  payer = (await under.newKey({ account_id: id })).secret;
  worstTokens = ((await hold("Google#gemini-4-neon", LONG_TEXT, 1000)) / 1000 - 1000 * 15) / 3;
});
afterAll(async () => {
  restore();
  await under.stop();
});

function moveTo(day: Day): void {
  restore();
  restore = offsetWorld(Date.parse(DAYS[day]) - STARTED_MS);
}

function findPrice({ price, december = price }: Model, day: Day) {
  const name = day === "november" ? price : december;
  const found = new Map(Object.entries(table.prices)).get(name);
  if (found === undefined) throw new Error(`${name} has no price.`);
  return { writeAbove: found.write, outputAbove: found.output, ...found };
}

const toNano = (usd: unknown) => Math.round(Number(usd) * 1e9);

function write(surface: AskedSurface, text: string, limit: number): JsonObject {
  switch (surface) {
    case "responses":
      return { input: text, max_output_tokens: limit };
    case "gemini":
      return {
        contents: [{ role: "user", parts: [{ text }] }],
        generationConfig: { maxOutputTokens: limit },
      };
    default:
      return { messages: [{ role: "user", content: text }], max_tokens: limit };
  }
}

interface Ask {
  readonly surface?: AskedSurface;
  readonly usage?: ReportedUsage;
  readonly service?: string;
  readonly text?: string;
  readonly limit?: number;
  readonly more?: JsonObject;
}

async function ask(model: string, given: Ask): Promise<JsonObject> {
  const { surface = "chat", usage = SMALL, service = "", text = "hi", limit = 3000, more } = given;
  Object.assign(recorder, { usage, service });
  const body = { ...write(surface, text, limit), ...more };
  const answered = await askSurface({ ...under, secret: payer }, { surface, model, body, stream: false });
  expect([model, surface, answered.text, answered.status]).toEqual([model, surface, answered.text, 200]);
  return asObject(asArray((await operator.get("/requests?limit=1")).body.data)[0]);
}

const hold = async (model: string, text: string, limit: number) =>
  toNano((await ask(model, { text, limit })).hold_usd);

/** The models whose price changes between the two days are in the short form, too. */
const MOVING = table.models.filter(({ december }) => december !== undefined);
const OTHERS = table.models.filter(({ december }) => december === undefined);
const ASKED = OTHERS.flatMap((model) => SURFACES.map((surface) => ({ model, surface })));

describe.skipIf(BINARY !== undefined).each([
  ["november", 0],
  ["december", 1],
] as const)("in %s", (day, first) => {
  beforeAll(() => moveTo(day));

  const charged = [
    ...MOVING.flatMap((model) => SURFACES.map((surface) => ({ model, surface }))),
    ...sampleRows(ASKED, 3, first),
  ];
  test.each(charged.map(({ model, surface }) => [model.id, surface, model] as const))(
    "%s is charged by the table on %s, below and above 272,000 tokens",
    async (id, surface, model) => {
      const { small, large } = findPrice(model, day);
      expect(toNano((await ask(id, { surface })).cost_usd)).toBe(toNano(small));
      expect(toNano((await ask(id, { surface, usage: LARGE })).cost_usd)).toBe(toNano(large));
    },
  );

  const held = [...MOVING.slice(0, 1), ...sampleRows(OTHERS, 3, first)];
  test.each(held.map((model) => [model.id, model] as const))(
    "%s is held for by the table, below and above 272,000 tokens",
    async (id, model) => {
      const { write: rate, output, writeAbove, outputAbove } = findPrice(model, day);
      const { held: factor = 1 } = model;
      const [least, more] = [await hold(id, "hi", 1000), await hold(id, "hi", 3000)];
      expect(more - least).toBe(Math.round(2000 * output * factor * 1000));
      expect(least).toBeGreaterThan(1000 * output * factor * 1000 + rate * 1000);
      const long = await hold(id, LONG_TEXT, 1000);
      const tokens = (long / 1000 / factor - 1000 * outputAbove) / writeAbove;
      // The same estimate of the text for all, which isn't below its true length.
      expect(Math.round(tokens)).toBe(worstTokens);
      expect(worstTokens).toBeGreaterThan(290_000);
    },
  );
});

/** A hundred tokens each way, at prices of which a service has a multiple. */
const FEW = { prompt: 100, cached: 0, written: 0, writtenLong: 0, output: 100 };

test.skipIf(BINARY !== undefined).each([
  ["OpenAI#gpt-6.2-sol", "priority", 0.0024],
  ["OpenAI#gpt-6.2-astra", "priority", 0.0096],
  ["OpenAI#gpt-6.2-sol", "ultrafast", 0.0036],
  ["OpenAI#gpt-6.2-astra", "ultrafast", 0.0144],
  ["Google#gemini-4-neon", "ON_DEMAND_PRIORITY", 0.00324],
  ["Vertex#gemini-4-neon", "ON_DEMAND_FLEX", 0.0009],
])("%s served as %s costs %d", async (id, service, usd) => {
  const row = await ask(id, { usage: FEW, service });
  expect(toNano(row.cost_usd)).toBe(toNano(usd));
  expect((await operator.get(`/requests/${row.id}`)).body.unpriced).toEqual([]);
});

test.skipIf(BINARY !== undefined)("gpt-6.2 has no price for flex", async () => {
  const row = await ask("OpenAI#gpt-6.2-sol", { usage: FEW, service: "flex" });
  expect((await operator.get(`/requests/${row.id}`)).body.unpriced).toEqual(["service_tier=flex"]);
});

const FUNCTION = { name: "look", parameters: { type: "object", properties: {} } };
/** All that a surface can ask of a model and that some refuse: sampling, the least effort, and a call that must come. */
const WISHES: Readonly<Record<AskedSurface, JsonObject>> = {
  chat: {
    temperature: 0.5,
    top_p: 0.5,
    reasoning_effort: "none",
    tools: [{ type: "function", function: FUNCTION }],
    tool_choice: "required",
  },
  responses: {
    temperature: 0.5,
    top_p: 0.5,
    reasoning: { effort: "none" },
    tools: [{ type: "function", ...FUNCTION, strict: false }],
    tool_choice: "required",
  },
  messages: {
    temperature: 0.5,
    thinking: { type: "disabled" },
    tools: [{ name: "look", input_schema: FUNCTION.parameters }],
    tool_choice: { type: "any" },
  },
  gemini: {
    tools: [{ functionDeclarations: [FUNCTION] }],
    toolConfig: { functionCallingConfig: { mode: "ANY" } },
    generationConfig: { temperature: 0.5, thinkingConfig: { thinkingBudget: 0 } },
  },
  interactions: {},
};

/** Clients' own requests in the vendor's form are sent as they came, but for what is surely refused. */
const NATIVE: Readonly<Record<string, AskedSurface>> = { Claude: "messages", Gemini: "gemini" };

function findVendor(id: string): "Claude" | "GPT" | "Gemini" {
  if (id.includes("claude")) return "Claude";
  return id.includes("gpt") ? "GPT" : "Gemini";
}

test.skipIf(BINARY !== undefined).each(table.models.map(({ id }) => id))(
  "%s is sent nothing that it refuses, from any surface",
  async (id) => {
    const vendor = findVendor(id);
    for (const surface of SURFACES) {
      await ask(id, { surface, more: WISHES[surface] });
      const { url, body } = recorder.sent;
      const { temperature, top_p, thinking, tool_choice, reasoning, output_config } = body;
      if (vendor === "GPT") {
        expect([surface, new URL(url).pathname]).toEqual([surface, expect.stringMatching(/\/responses$/)]);
        expect([temperature, top_p, reasoning]).toEqual([undefined, undefined, { effort: "low" }]);
      }
      if (vendor === "Claude") {
        expect([surface, temperature, top_p]).toEqual([surface, undefined, undefined]);
        expect([thinking, output_config]).toEqual([undefined, { effort: "low" }]);
        if (surface !== NATIVE[vendor]) expect([surface, tool_choice]).toEqual([surface, undefined]);
      }
      if (vendor === "Gemini" && surface !== NATIVE[vendor])
        expect(body.generationConfig).toMatchObject({ thinkingConfig: { thinkingLevel: "LOW" } });
    }
  },
);
