// Stored responses read as streams, as OpenAI's SDK asks for them.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { asObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { splitEvents } from "../../recorded/events.ts";

let under: UnderTest;
let client: OpenAI;
beforeAll(async () => {
  under = await startUnderTest({ more: "responses: { keep: 1d }" });
  client = new OpenAI({ baseURL: `${under.url}/v1`, apiKey: under.secret, maxRetries: 0 });
});
afterAll(() => under.stop());

const TOOL = {
  type: "function" as const,
  name: "look",
  parameters: { type: "object", properties: {}, required: [], additionalProperties: false },
  strict: true,
};
const MODELS = ["Responses#gpt-5.4", "Anthropic#claude-opus-5-5", "Google#gemini-3.5-flash", "Local#sim"];

async function read(path: string): Promise<Response> {
  return fetch(`${under.url}/v1/responses${path}`, { headers: { authorization: `Bearer ${under.secret}` } });
}

describe.each(MODELS)("%s", (model) => {
  test.each(["say: one two three", 'call look({"a":1})'])("%s", async (input) => {
    const made = await client.responses.create({ model, input, tools: [TOOL] });
    const response = await read(`/${made.id}?stream=true`);
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      "text/event-stream; charset=utf-8",
    ]);
    const events = splitEvents(await response.text()).map(({ json }) => asObject(json));
    expect(events.map((event) => event.sequence_number)).toEqual([...events.keys()]);
    expect(events.at(-1)).toMatchObject({ type: "response.completed", response: { id: made.id } });
    expect(asObject(events.at(-1)?.response)).toEqual(await (await read(`/${made.id}`)).json());
    const pieces = events.filter(({ type }) => String(type).endsWith(".delta")).map(({ delta }) => delta);
    expect(pieces).toContain(input.startsWith("say") ? "one two three" : '{"a":1}');

    const stream = await client.responses.retrieve(made.id, { stream: true, starting_after: 2 });
    const numbers = (await Array.fromAsync(stream)).map((event) => event.sequence_number);
    expect(numbers).toEqual([...events.keys()].slice(3));
    const helped = await client.responses.stream({ response_id: made.id, starting_after: 1 }).finalResponse();
    expect([helped.id, helped.output_text]).toEqual([made.id, made.output_text]);
    expect(helped.output).toMatchObject(made.output.map((item) => asObject(item)));
  });
});

test("a long response comes as a stream, too", async () => {
  const model = "Local#sim~trouble=huge~size=400";
  const { id, output_text: text } = await client.responses.create({ model, input: "say: a b" });
  expect(text.length).toBeGreaterThan(300_000);
  const helped = await client.responses.stream({ response_id: id }).finalResponse();
  expect(helped.output_text === text).toBe(true);
});

test("without stream=true it is JSON", async () => {
  const { id } = await client.responses.create({ model: "Local#sim", input: "a" });
  for (const query of ["", "?stream=false", "?starting_after=3"]) {
    const response = await read(`/${id}${query}`);
    expect([response.headers.get("content-type"), asObject(await response.json()).id]).toEqual([
      "application/json",
      id,
    ]);
  }
});

test.each([
  ["stream=yes", "stream"],
  ["stream=true&starting_after=-1", "starting_after"],
  ["stream=true&starting_after=two", "starting_after"],
  ["stream=true&starting_after=", "starting_after"],
])("%s is refused by name", async (query, param) => {
  const { id } = await client.responses.create({ model: "Local#sim", input: "a" });
  const response = await read(`/${id}?${query}`);
  expect([response.status, (await response.json()).error]).toMatchObject([
    400,
    { code: "invalid_value", param },
  ]);
});

test("a response that isn't there is 404 as JSON", async () => {
  const response = await read("/resp_gone?stream=true");
  expect([response.status, (await response.json()).error.param]).toEqual([404, "id"]);
});
