// Conversations stored by the gateway (`responses.keep`): OpenAI's SDK and the AI SDK continue them on every provider.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, isStepCount, streamText, tool } from "ai";
import OpenAI from "openai";
import { z } from "zod";
import { asObject } from "../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { ASK_ONE, failure, PLAIN, THINKING, WEATHER_FUNCTION } from "./setting.ts";

/** The native lane, and three translations. */
const MODELS = ["Responses#gpt-6.1-sol", "Anthropic#claude-opus-5-5", "Google#gemini-3.5-flash", THINKING];

let under: UnderTest;
let client: OpenAI;
let colleague: OpenAI;
let stranger: OpenAI;

beforeAll(async () => {
  under = await startUnderTest({ more: "responses: { keep: 30d, max_bytes: 1MB }" });
  const connect = (apiKey: string) => new OpenAI({ baseURL: `${under.url}/v1`, apiKey, maxRetries: 0 });
  client = connect(under.secret);
  colleague = connect((await under.newKey({ requests_per_day: null })).secret);
  const account = await createAccount("another");
  stranger = connect((await under.newKey({ account_id: account, requests_per_day: null })).secret);
});
afterAll(() => under.stop());

async function createAccount(name: string): Promise<unknown> {
  const response = await fetch(`${under.url}/admin/v1/accounts`, {
    method: "POST",
    headers: { authorization: `Bearer ${under.adminToken}`, "content-type": "application/json" },
    body: JSON.stringify({ name }),
  });
  return asObject(await response.json()).id;
}

function create(model: string, input: string, more: Partial<OpenAI.Responses.ResponseCreateParams> = {}) {
  return client.responses.create({ model, input, ...more, stream: false });
}

describe.each(MODELS)("%s", (model) => {
  test("continues from a response of its own or of any other model", async () => {
    for (const other of MODELS) {
      const first = await create(other, "say: one");
      expect(first).toMatchObject({ store: true, previous_response_id: null });
      const second = await create(model, "count my words", { previous_response_id: first.id });
      expect(second.previous_response_id).toBe(first.id);
      const { data } = await client.responses.inputItems.list(second.id, { order: "asc" });
      const roles = data.flatMap((item) => ("role" in item ? [item.role] : []));
      expect(roles).toEqual(["user", "assistant", "user"]);
      const prompts = under.simulator.calls.last()?.body;
      expect(JSON.stringify(prompts)).toContain("say: one");
    }
  });

  test("only needs a call's result in the next request, whole and streamed", async () => {
    const asked = { model, input: ASK_ONE, tools: [WEATHER_FUNCTION] };
    const streamed = await client.responses.stream({ ...asked, stream: true }).finalResponse();
    for (const first of [await client.responses.create(asked), streamed]) {
      const call = first.output.find((item) => item.type === "function_call");
      if (call?.type !== "function_call") throw new Error("no call");
      const second = await client.responses.create({
        model,
        tools: [WEATHER_FUNCTION],
        previous_response_id: first.id,
        input: [{ type: "function_call_output", call_id: call.call_id, output: "7 degrees, rain" }],
      });
      expect(second.output_text).toContain("7 degrees, rain");
    }
  });
});

test("a stored response can be fetched as it was given, with its input items, until it is deleted", async () => {
  const first = await create(PLAIN, "say: hi");
  const { output_text: _text, ...given } = await client.responses.retrieve(first.id);
  const { output_text: _first, _request_id, ...own } = { ...first, _request_id: undefined };
  expect(given).toMatchObject(JSON.parse(JSON.stringify(own)));
  const page = await client.responses.inputItems.list(first.id);
  const content = [{ type: "input_text", text: "say: hi" }];
  expect(page.data).toMatchObject([{ type: "message", role: "user", content }]);
  await client.responses.delete(first.id);
  const calls = [
    client.responses.retrieve(first.id),
    client.responses.delete(first.id),
    client.responses.inputItems.list(first.id),
    create(PLAIN, "say: ho", { previous_response_id: first.id }),
  ];
  for (const call of calls) expect((await failure(OpenAI.NotFoundError, call)).message).toContain(first.id);
});

test("another account can't find it, and `store: false` stores nothing", async () => {
  const { id } = await create(PLAIN, "say: hi");
  const unstored = await create(PLAIN, "say: hi", { store: false });
  expect(unstored).toMatchObject({ store: false });
  await failure(OpenAI.NotFoundError, stranger.responses.retrieve(id));
  await failure(OpenAI.NotFoundError, stranger.responses.delete(id));
  const request = { model: PLAIN, input: "say: ho", previous_response_id: id };
  await failure(OpenAI.NotFoundError, stranger.responses.create(request));
  await failure(OpenAI.NotFoundError, client.responses.retrieve(unstored.id));
  expect((await client.responses.retrieve(id)).id).toBe(id);
});

test("another key of the same account continues, reads and deletes it", async () => {
  const { id } = await create(PLAIN, "say: hi");
  const request = { model: PLAIN, input: "count my words", previous_response_id: id };
  expect((await colleague.responses.create(request)).previous_response_id).toBe(id);
  expect((await colleague.responses.retrieve(id)).id).toBe(id);
  await colleague.responses.delete(id);
  await failure(OpenAI.NotFoundError, client.responses.retrieve(id));
});

/** Repeats the request until an answer reports the expected `store`. */
async function poll(ask: () => Promise<OpenAI.Responses.Response>, store: boolean) {
  for (let asked = 0; asked < 200; asked++) {
    const response = await ask();
    if ("store" in response && response.store === store) return response;
    await Bun.sleep(5);
  }
  throw new Error("the change of the key never showed");
}

test("a key with `keep_responses: false` stores nothing, and what it had stored is deleted", async () => {
  const key = await under.newKey({ requests_per_day: null });
  const own = new OpenAI({ baseURL: `${under.url}/v1`, apiKey: key.secret, maxRetries: 0 });
  const ask = (more: object = {}) => own.responses.create({ model: PLAIN, input: "say: hi", ...more });
  const before = await ask();
  const change = (keep_responses: boolean) =>
    fetch(`${under.url}/admin/v1/keys/${key.id}`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${under.adminToken}`, "content-type": "application/json" },
      body: JSON.stringify({ keep_responses }),
    });
  expect((await change(false)).status).toBe(200);
  // A change to a key takes effect within half a second.
  const after = await poll(() => ask({ store: true }), false);
  const refused = await failure(OpenAI.BadRequestError, ask({ previous_response_id: before.id }));
  expect(refused).toMatchObject({ code: "unsupported_parameter", param: "previous_response_id" });
  const reference = { type: "item_reference" as const, id: before.output[0]?.id ?? "" };
  await failure(OpenAI.BadRequestError, ask({ input: [reference, { role: "user", content: "say: ho" }] }));
  for (const { id } of [before, after]) await failure(OpenAI.NotFoundError, own.responses.retrieve(id));
  await change(true);
  await poll(ask, true);
  for (const { id } of [before, after]) await failure(OpenAI.NotFoundError, own.responses.retrieve(id));
});

test("what a key had stored is deleted from the account that it leaves with that change, too", async () => {
  const key = await under.newKey({ requests_per_day: null });
  const own = new OpenAI({ baseURL: `${under.url}/v1`, apiKey: key.secret, maxRetries: 0 });
  const { id } = await own.responses.create({ model: PLAIN, input: "say: hi" });
  expect((await colleague.responses.retrieve(id)).id).toBe(id);
  const changed = await fetch(`${under.url}/admin/v1/keys/${key.id}`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${under.adminToken}`, "content-type": "application/json" },
    body: JSON.stringify({ account_id: await createAccount("its next one"), keep_responses: false }),
  });
  expect(changed.status).toBe(200);
  await failure(OpenAI.NotFoundError, colleague.responses.retrieve(id));
});

test("the store holds no plain text of it and limits the bytes per account", async () => {
  const marked = await create(PLAIN, "say: marmalade");
  for (let at = 0; at < 6; at++) await create(PLAIN, `say: ${"x".repeat(200_000)}`);
  const database = new Database(join(under.directory, "poundkey.db"), { readonly: true });
  const rows = database.query<{ bytes: number }, []>("SELECT bytes FROM stored_response").all();
  const size = rows.reduce((sum, { bytes }) => sum + bytes, 0);
  expect(size).toBeWithin(500_000, 1_000_001);
  const plain = database
    .query("SELECT 1 FROM stored_response WHERE sealed LIKE '%marmalade%' OR items LIKE '%marmalade%'")
    .all();
  database.close();
  expect(plain).toEqual([]);
  await failure(OpenAI.NotFoundError, client.responses.retrieve(marked.id));
});

test.each(MODELS)("the AI SDK's references to earlier items are resolved: %s", async (model) => {
  const openai = createOpenAI({ baseURL: `${under.url}/v1`, apiKey: under.secret });
  const first = await generateText({ model: openai(model), prompt: "say: hi" });
  const messages = [
    { role: "user" as const, content: "say: hi" },
    ...first.response.messages,
    { role: "user" as const, content: "say: ho" },
  ];
  expect((await generateText({ model: openai(model), messages, maxRetries: 0 })).text).toBe("ho");
  const streamed = streamText({ model: openai(model), messages, maxRetries: 0 });
  expect(await streamed.text).toBe("ho");
});

test("an item can be referred to once in a request, however many of its answers are kept", async () => {
  const { output } = await create(PLAIN, "say: hi");
  const reference = { type: "item_reference" as const, id: output[0]?.id ?? "" };
  const ask = { role: "user" as const, content: "say: ho" };
  const again = { model: PLAIN, input: [reference, ask, reference] };
  const refused = await failure(OpenAI.BadRequestError, client.responses.create(again));
  expect(refused).toMatchObject({ param: "input[2]", code: "invalid_value" });
  expect((await client.responses.create({ ...again, input: [reference, ask] })).output_text).toBe("ho");
});

test("the AI SDK's references to thinking between a call and its result reach the model", async () => {
  const openai = createOpenAI({ baseURL: `${under.url}/v1`, apiKey: under.secret });
  const inputSchema = z.object({ city: z.string() });
  const get_weather = tool({ inputSchema, execute: async ({ city }) => `${city} is blue` });
  for (const [model, thought] of [
    [THINKING, "Thinking about: call"],
    ["Anthropic#claude-opus-5-5", '"type":"thinking"'],
    ["Responses#gpt-6.1-sol", '"type":"reasoning"'],
    ["Google#gemini-3.5-flash", '"thoughtSignature":"c2lt'],
  ] as const) {
    const request = { prompt: ASK_ONE, tools: { get_weather }, stopWhen: isStepCount(2) };
    const { text } = await generateText({ model: openai(model), ...request });
    expect(text).toContain("blue");
    expect(JSON.stringify(under.simulator.calls.last()?.body)).toContain(thought);
  }
});
