// Costs that answers report: xAI's in its unit, whole and streamed, an own provider's in a field or a header, and what isn't a report.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { asArray, asNumber, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { readCsv } from "../../harness/csv.ts";
import { startUnderTest } from "../../harness/harness.ts";
import { poundkey } from "../../harness/poundkey.ts";
import { createOperator } from "../world/operator.ts";

const MARKUP = 2;
const TOKENS = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 };
/** docs.x.ai, "Cost Tracking": the two examples, a chat and an image, with what they cost in nano-dollars. */
const CHAT_TICKS = 37_756_000;
const CHAT_NANO = 3_775_600;
const IMAGE_TICKS = 400_000_000;
const IMAGE_NANO = 40_000_000;

/** The next answer's own words: in its usage, at its top, and in its headers. */
const next: { usage: JsonObject; top: JsonObject; headers: Record<string, string> } = {
  usage: {},
  top: {},
  headers: {},
};

function writeEvents(events: readonly (JsonObject | "[DONE]")[]): Response {
  const lines = events.map((data) => {
    const event = data !== "[DONE]" && typeof data.type === "string" ? `event: ${data.type}\n` : "";
    return `${event}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
  });
  return new Response(lines.join(""), { headers: { "content-type": "text/event-stream", ...next.headers } });
}

const answerJson = (body: JsonObject) => Response.json(body, { headers: next.headers });

function answerChat({ stream }: JsonObject): Response {
  const head = { id: "c", created: 1, model: "m" };
  const usage = { ...TOKENS, ...next.usage };
  const done = { index: 0, finish_reason: "stop" };
  if (stream !== true) {
    const choices = [{ ...done, message: { role: "assistant", content: "hi" } }];
    return answerJson({ ...head, object: "chat.completion", choices, usage, ...next.top });
  }
  const chunk = { ...head, object: "chat.completion.chunk" };
  return writeEvents([
    { ...chunk, choices: [{ ...done, finish_reason: null, delta: { role: "assistant", content: "hi" } }] },
    { ...chunk, choices: [{ ...done, delta: {} }] },
    { ...chunk, choices: [], usage },
    ...(Object.keys(next.top).length > 0 ? [{ ...chunk, choices: [], ...next.top }] : []),
    "[DONE]",
  ]);
}

function answerResponses({ stream }: JsonObject): Response {
  const text = { type: "output_text", text: "hi", annotations: [] };
  const item = { id: "m", type: "message", role: "assistant", status: "completed", content: [text] };
  const usage = { input_tokens: 1000, output_tokens: 100, total_tokens: 1100, ...next.usage };
  const head = { id: "resp_1", object: "response", created_at: 1, model: "m" };
  const whole = { ...head, status: "completed", output: [item], usage };
  if (stream !== true) return answerJson(whole);
  const begun = { ...head, status: "in_progress", output: [], usage: null };
  return writeEvents([
    { type: "response.created", sequence_number: 0, response: begun },
    {
      type: "response.output_item.added",
      sequence_number: 1,
      output_index: 0,
      item: { ...item, content: [] },
    },
    {
      type: "response.output_text.delta",
      sequence_number: 2,
      item_id: "m",
      output_index: 0,
      content_index: 0,
      delta: "hi",
    },
    { type: "response.output_item.done", sequence_number: 3, output_index: 0, item },
    { type: "response.completed", sequence_number: 4, response: whole },
  ]);
}

function answerMessages({ stream }: JsonObject): Response {
  const head = { id: "msg_1", type: "message", role: "assistant", model: "m", stop_sequence: null };
  const usage = { input_tokens: 1000, output_tokens: 100, ...next.usage };
  const content = [{ type: "text", text: "hi" }];
  if (stream !== true) return answerJson({ ...head, content, stop_reason: "end_turn", usage });
  return writeEvents([
    { type: "message_start", message: { ...head, content: [], stop_reason: null, usage } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hi" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 100 } },
    { type: "message_stop" },
  ]);
}

const CARD = "output: 2000, context: 9000, price: { input: 1, output: 4 }";
const CARDS = `models: [{ name: m, ${CARD} }]`;

const under = await startUnderTest({
  more: (
    url,
  ) => `  xAI: { keys: [k], base_url: "${url}/xai/v1", price_factor: 3, unlisted_models: { hold_usd: 0.5 } }
  Silent: { dialect: openai, base_url: "${url}/v1", keys: [k], reports_cost: false, ${CARDS} }
  Cents: { dialect: openai, base_url: "${url}/v1", keys: [k], reports_cost: { field: x_bill.total.cents, per_usd: 100 }, ${CARDS} }
  Claude: { dialect: anthropic, base_url: "${url}/v1", keys: [k], reports_cost: true, ${CARDS} }
  Chained:
    dialect: openai
    base_url: "${url}/v1"
    keys: [k]
    reports_cost: { header: x-litellm-response-cost }
    ${CARDS}
  Both: { dialect: openai, base_url: "${url}/v1", keys: [k], reports_cost: { header: x-cost, field: usage.cost }, ${CARDS} }
  Tierless: { dialect: mistral, base_url: "${url}/v1", keys: [k], models: [{ name: m, output: 2000, context: 9000, price: { input: 1, output: 4, service: { priority: { input: 2, output: 8 } } } }] }
billing: { charge: always, markup: ${MARKUP} }`,
  fetch: async (url, { body }) => {
    const asked = asObject(await new Response(body).json());
    if (url.includes("/images/"))
      return answerJson({ created: 1, data: [{ b64_json: "aGk=" }], usage: next.usage });
    if (url.includes("/responses")) return answerResponses(asked);
    return url.includes("/messages") ? answerMessages(asked) : answerChat(asked);
  },
});
const operator = createOperator(under);
afterAll(() => under.stop());
beforeEach(() => Object.assign(next, { usage: {}, top: {}, headers: {} }));

async function post(path: string, body: JsonObject): Promise<string> {
  const id = await under.newAccount();
  await under.topUp(id, 20);
  const { secret } = await under.newKey({ account_id: id });
  const response = await fetch(`${under.url}/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  expect([text, response.status]).toEqual([text, 200]);
  return text;
}

async function readRow(): Promise<JsonObject> {
  return asObject(asArray((await operator.get("/requests?limit=1")).body.data)[0]);
}

const toNano = (usd: unknown) => Math.round((asNumber(usd) ?? Number.NaN) * 1e9);

const MESSAGES = [{ role: "user", content: "word ".repeat(800) }];

/** The same question on each surface. */
const SURFACES: Readonly<Record<string, (model: string, more: JsonObject) => Promise<string>>> = {
  chat: (model, more) => post("/chat/completions", { model, messages: MESSAGES, max_tokens: 1000, ...more }),
  responses: (model, more) =>
    post("/responses", { model, input: "word ".repeat(800), max_output_tokens: 1000, ...more }),
  messages: (model, more) => post("/messages", { model, messages: MESSAGES, max_tokens: 1000, ...more }),
};
const ROWS = Object.keys(SURFACES).flatMap((surface) => [
  [surface, false] as const,
  [surface, true] as const,
]);

async function ask(model: string, surface = "chat", stream = false): Promise<JsonObject> {
  const text = await SURFACES[surface]?.(model, { stream });
  expect(text).not.toContain('"terms"');
  return readRow();
}

/** The cost of 1,000 and 100 tokens by a card of `CARD`. */
const BY_CARD = 1_400_000;
const GROK = "xAI#grok-4.7";

describe("xAI's", () => {
  test.each(ROWS)("is charged to the nano-dollar, %s, streamed %p", async (surface, stream) => {
    next.usage = { cost_in_usd_ticks: CHAT_TICKS };
    for (const model of [GROK, "xAI#grok-not-listed"]) {
      const row = await ask(model, surface, stream);
      expect([toNano(row.cost_usd), toNano(row.charged_usd)]).toEqual([
        CHAT_NANO * MARKUP,
        CHAT_NANO * MARKUP,
      ]);
      expect([toNano(row.provider_cost_usd), toNano(row.claimed_cost_usd)]).toEqual([CHAT_NANO, CHAT_NANO]);
      expect(row.usage_source).toBe("provider");
    }
  });

  test("of an image is charged to the nano-dollar", async () => {
    next.usage = { cost_in_usd_ticks: IMAGE_TICKS };
    await post("/images/generations", { model: "xAI#grok-imagine-not-listed", prompt: "A cat." });
    const row = await readRow();
    expect([toNano(row.cost_usd), toNano(row.claimed_cost_usd)]).toEqual([IMAGE_NANO * MARKUP, IMAGE_NANO]);
    expect(row.units).toMatchObject({ images: 1 });
  });
});

describe("a report that isn't one", () => {
  const usual = 3 * (1000 * 2 + 100 * 6) * 1000;
  test.each<[string, unknown]>([
    ["0", 0],
    ["a negative number", -CHAT_TICKS],
    ["a string", String(CHAT_TICKS)],
    ["null", null],
    ["absent", undefined],
  ])("leaves the card's price: %s", async (_, ticks) => {
    next.usage = { cost_in_usd_ticks: ticks };
    for (const stream of [false, true]) {
      const row = await ask(GROK, "chat", stream);
      expect([toNano(row.provider_cost_usd), row.claimed_cost_usd]).toEqual([usual, null]);
      expect(row.usage_source).toBe("provider");
    }
  });

  test.each([
    ["above the hold", 1e13],
    ["beyond all numbers of money", 1e308],
  ])("%s leaves the card's price, and is kept as claimed", async (_, ticks) => {
    next.usage = { cost_in_usd_ticks: ticks };
    const row = await ask(GROK);
    expect(toNano(row.provider_cost_usd)).toBe(usual);
    expect(row.claimed_cost_usd).toBe(Math.min(1_000_000, ticks / 1e10));
    const detail = (await operator.get(`/requests/${row.id}`)).body;
    expect(detail).toMatchObject({ claimed_cost_usd: row.claimed_cost_usd });
    expect(detail.usage_implausible).not.toBeNull();
  });

  test("leaves what was held for a name without a card, as an estimate", async () => {
    for (const usage of [{}, { cost_in_usd_ticks: 1e13 }]) {
      next.usage = usage;
      const row = await ask("xAI#grok-not-listed");
      expect([toNano(row.cost_usd), row.usage_source]).toEqual([0.5e9 * MARKUP, "estimate"]);
    }
  });

  test("is a cost of a provider that isn't believed", async () => {
    next.usage = { cost: 0.0031 };
    const row = await ask("Silent#m");
    expect([toNano(row.provider_cost_usd), row.claimed_cost_usd]).toEqual([BY_CARD, null]);
  });
});

describe("an own provider's", () => {
  test.each([false, true])("is read in a field of any depth and unit, streamed %p", async (stream) => {
    next.top = { x_bill: { total: { cents: 0.25 } } };
    expect(toNano((await ask("Cents#m", "chat", stream)).claimed_cost_usd)).toBe(2_500_000);
  });

  test.each(ROWS)("is read of Messages, asked by %s, streamed %p", async (surface, stream) => {
    next.usage = { cost: 0.0021 };
    expect(toNano((await ask("Claude#m", surface, stream)).provider_cost_usd)).toBe(2_100_000);
  });

  test("is read in a header of whole answers", async () => {
    for (const [given, nano] of [
      ["0.0021", 2_100_000],
      ["2.1e-05", 21_000],
    ] as const) {
      next.headers = { "x-litellm-response-cost": given };
      expect(toNano((await ask("Chained#m")).claimed_cost_usd)).toBe(nano);
    }
  });

  test("isn't read in a header of streams, nor if that isn't a number", async () => {
    next.headers = { "x-litellm-response-cost": "0.0021" };
    expect((await ask("Chained#m", "chat", true)).claimed_cost_usd).toBeNull();
    for (const given of ["", "None", "-0.1", "0x10", "1e999"]) {
      next.headers = { "x-litellm-response-cost": given };
      expect((await ask("Chained#m")).claimed_cost_usd).toBeNull();
    }
  });

  test("is read in the field where the header is missing", async () => {
    next.usage = { cost: 0.001 };
    expect(toNano((await ask("Both#m", "chat", true)).claimed_cost_usd)).toBe(1_000_000);
    next.headers = { "x-cost": "0.002" };
    expect(toNano((await ask("Both#m")).claimed_cost_usd)).toBe(2_000_000);
  });
});

test("the sums of reconciliation and the exports have what was claimed", async () => {
  const read = async () => {
    const { data } = (await operator.get("/reconciliation")).body;
    const sum = asArray(data)
      .map(asObject)
      .find(({ provider }) => provider === "Both");
    return toNano(sum?.claimed_cost_usd ?? 0);
  };
  const before = await read();
  next.usage = { cost: 0.001_234_567 };
  await ask("Both#m");
  await ask("Both#m", "chat", true);
  expect((await read()) - before).toBe(2 * 1_234_567);
  const headers = { authorization: `Bearer ${under.adminToken}` };
  for (const name of ["export/requests", "reconciliation"]) {
    const csv = await (await fetch(`${under.url}/admin/v1/${name}.csv`, { headers })).text();
    const found = readCsv(csv).filter((row) => row.claimed_cost_usd === "0.001234567");
    expect([name, found.length]).toEqual([name, 2]);
  }
});

test("the hold covers the priority tier's price if the dialect has no field that rules the tier out", async () => {
  const row = await ask("Tierless#m");
  expect(toNano(row.hold_usd)).toBeGreaterThan(1000 * 8 * 1000 * MARKUP);
  const usual = await ask("Silent#m");
  expect(toNano(row.hold_usd)).toBe(2 * toNano(usual.hold_usd));
});

test("the books stay exact", async () => {
  const ran = await poundkey(under.directory, ["ledger", "verify"]);
  expect([ran.code, ran.out + ran.err]).toEqual([0, expect.any(String)]);
});
