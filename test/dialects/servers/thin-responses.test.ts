// A server of the Responses API that leaves out what the form requires: clients get all of it, whole and streamed.
import { afterAll, beforeAll, expect, test } from "bun:test";
import OpenAI from "openai";
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { startThinServer } from "../../harness/thin-responses.ts";

let thin: Bun.Server<undefined>;
let world: UnderTest;
beforeAll(async () => {
  thin = startThinServer();
  const models = "[{ name: llama, capabilities: [tools] }]";
  world = await startUnderTest({
    more: `  Thin: { dialect: responses, base_url: "${thin.url.origin}/v1", models: ${models} }`,
  });
});
afterAll(async () => {
  await world.stop();
  await thin.stop(true);
});

/** The fields that Open Responses requires. */
const REQUIRED = (
  "id object created_at completed_at status incomplete_details model previous_response_id instructions output error tools " +
  "tool_choice truncation parallel_tool_calls text top_p presence_penalty frequency_penalty top_logprobs temperature " +
  "reasoning usage max_output_tokens max_tool_calls store background service_tier metadata safety_identifier prompt_cache_key"
).split(" ");

async function post(body: JsonObject): Promise<string> {
  const response = await fetch(`${world.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${world.secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "Thin#llama", ...body }),
  });
  return await response.text();
}

function listMissing(response: JsonObject): readonly string[] {
  return REQUIRED.filter((field) => response[field] === undefined);
}

const tools = [{ type: "function", name: "find", parameters: { type: "object", properties: {} } }];
const INPUTS = ["say: hi", 'call find({"answer":"x"})'];

test.each(INPUTS)("a whole answer to %s has every field", async (input) => {
  const response = asObject(parseJson(await post({ input, tools, temperature: 0.5 })));
  expect(listMissing(response)).toEqual([]);
  expect(response).toMatchObject({
    temperature: 0.5,
    tools: [{ ...tools[0], description: null }],
    usage: { input_tokens: 4, input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 } },
  });
});

test.each(INPUTS)("each event of a streamed answer to %s has its number and place", async (input) => {
  const text = await post({ input, tools, stream: true });
  const events = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = ""]) => asObject(parseJson(data)));
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));
  for (const { type, response, output_index, content_index, logprobs } of events) {
    if (response !== undefined) expect([type, listMissing(asObject(response))]).toEqual([type, []]);
    else expect([type, output_index]).toEqual([type, 0]);
    if (/content_part|output_text/.test(String(type))) expect(content_index).toBe(0);
    if (/output_text/.test(String(type))) expect(asArray(logprobs)).toEqual([]);
  }
});

test("OpenAI's helper for streams reads it", async () => {
  const client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: world.secret, maxRetries: 0 });
  const stream = client.responses.stream({ model: "Thin#llama", input: "say: hi" });
  for await (const _ of stream);
  expect((await stream.finalResponse()).output_text).toBe("Hello there.");
});
