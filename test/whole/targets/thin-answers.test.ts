// Answers that don't say how they ended, or leave out what their text stands in: clients get what they can rely on.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { askSurface } from "../world/surface-asking.ts";
import { GAPS, startThinAnswers } from "./thin-answers.ts";

let server: Bun.Server<undefined>;
let world: UnderTest;
beforeAll(async () => {
  server = startThinAnswers();
  const row = (name: string, dialect: string) =>
    `  ${name}: { dialect: ${dialect}, base_url: "${server.url.origin}/v1", unlisted_models: true, keys: [k] }`;
  world = await startUnderTest({ more: `${row("Cut", "openai")}\n${row("Gaps", "responses")}` });
});
afterAll(async () => {
  await world.stop();
  await server.stop(true);
});

function listEvents(text: string): readonly JsonObject[] {
  return [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = ""]) => asObject(parseJson(data)));
}

const messages = [{ role: "user", content: "Remove it." }];
const parameters = { type: "object", properties: { path: { type: "string" } } };
const offered = { name: "rm", parameters };
const BODIES: Readonly<Record<string, JsonObject>> = {
  tools: { messages, tools: [{ type: "function", function: offered }] },
  functions: { messages, functions: [offered] },
  "the Responses API's form": { input: messages, tools: [{ type: "function", ...offered }] },
};

describe.each([false, true])("chat, streamed: %p", (stream) => {
  test.each(Object.keys(BODIES))("a call that the limit cut ends as cut: %s", async (form) => {
    const read = async (model: string) => {
      const body = BODIES[form] ?? {};
      const { status, text } = await askSurface(world, { surface: "chat", model, body, stream });
      expect(status).toBe(200);
      const answers = stream ? listEvents(text) : [asObject(parseJson(text))];
      const choices = answers.flatMap((one) => asArray(one.choices).map(asObject));
      return choices.findLast(({ finish_reason }) => finish_reason !== null) ?? {};
    };
    const native = "tool_calls";
    expect(await read("Cut#cut")).toMatchObject({ finish_reason: "length", native_finish_reason: native });
    const usual = form === "functions" ? "function_call" : "tool_calls";
    expect((await read("Cut#whole")).finish_reason).toBe(usual);
  });
});

describe.each(Object.keys(GAPS))("text outside an item: %s", (name) => {
  const model = `Gaps#${name}`;

  test("comes in one that begins and ends", async () => {
    const body = { input: "say: hi", tools: BODIES["the Responses API's form"]?.tools };
    const { text } = await askSurface(world, { surface: "responses", model, body, stream: true });
    const events = listEvents(text);
    expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, at) => at));
    const items = events.filter(({ type }) => type === "response.output_item.added");
    const places = items.map(({ output_index: place }) => place);
    expect(places).toEqual(items.map((_, at) => at));
    for (const place of places) {
      const own = events.filter(({ output_index }) => output_index === place);
      const types = own.map(({ type }) => String(type).replace(/^response\./, ""));
      expect([types[0], types.at(-1)]).toEqual(["output_item.added", "output_item.done"]);
      if (asObject(own[0]?.item).type === "function_call") continue;
      expect(new Set(own.flatMap(({ item_id }) => item_id ?? [])).size).toBe(1);
      const steps = types.filter((type) => type !== "output_item.added" && type !== "output_item.done");
      const parts = steps.filter((type) => !type.endsWith(".delta"));
      expect([steps[0], parts[0]]).toEqual(["content_part.added", "content_part.added"]);
    }
    const ended = events.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item);
    const said = ended.map(asObject).find(({ type }) => type === "message");
    expect(said).toMatchObject({ content: [{ type: "output_text", text: "Hello there." }] });
  });

  test("is read by OpenAI's helper, and by clients of chat", async () => {
    const client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: world.secret, maxRetries: 0 });
    const stream = client.responses.stream({ model, input: "say: hi" });
    const added = await Array.fromAsync(stream);
    expect(added.length).toBeGreaterThan(3);
    const chat = await client.chat.completions
      .stream({ model, messages: [{ role: "user", content: "say: hi" }] })
      .finalChatCompletion();
    expect(chat.choices[0]?.message.content).toBe("Hello there.");
  });
});

test("the last event has the items that its server doesn't list", async () => {
  const client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: world.secret, maxRetries: 0 });
  const stream = client.responses.stream({ model: "Gaps#bare", input: "say: hi" });
  expect((await stream.finalResponse()).output_text).toBe("Hello there.");
});
