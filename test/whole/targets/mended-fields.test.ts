// Servers that refuse a field, in each family of sentences, on every surface and in every dialect: the request is answered
// without it. A field that must not be left out is refused once, in the server's own words.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { FIELD_SENTENCES } from "../../../src/core/models/words/field-refusal.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { askSurface } from "../world/surface-asking.ts";
import { makeRefusing, writeProviders } from "./refusing.ts";

const server = makeRefusing();

let gateway: UnderTest;
beforeAll(async () => {
  gateway = await startUnderTest({ fetch: server.fetch, more: writeProviders });
});
afterAll(() => gateway.stop());
beforeEach(() => {
  server.refused = 0;
  server.status = 400;
});

const HI = [{ role: "user", content: "say: hi" }];
const ASKED = {
  chat: { messages: HI, top_p: 0.5 },
  messages: { messages: HI, top_p: 0.5 },
  responses: { input: HI, top_p: 0.5 },
  gemini: { contents: [{ role: "user", parts: [{ text: "say: hi" }] }], generationConfig: { topP: 0.5 } },
} as const;
const SURFACES = ["chat", "messages", "responses", "gemini"] as const;

const SENTENCES = FIELD_SENTENCES.filter(({ field }) => !field.includes("[]")).map(({ example, field }) =>
  example.replaceAll(field, "top_p"),
);
const PROVIDERS = ["Plain", "Claude", "Answers"];
let asked = 0;
/** A name that nothing was learned of. */
const nameModel = (provider: string) => `${provider}#m-${++asked}`;

describe.each(SENTENCES)("%s", (sentence) => {
  test.each(SURFACES)("%s", async (surface) => {
    server.refuse = (body) => ("top_p" in body ? sentence : null);
    for (const provider of PROVIDERS)
      for (const stream of [false, true]) {
        server.refused = 0;
        const model = nameModel(provider);
        const answer = await askSurface(gateway, { surface, model, body: ASKED[surface], stream });
        const { status, text } = answer;
        expect({ model, stream, status, text, refused: server.refused }).toMatchObject({
          status: 200,
          refused: 1,
        });
        expect(answer.sent).not.toHaveProperty("top_p");
        expect(answer.dropped).toMatch(/top_?p/i);
      }
  });
});

const chat = (body: JsonObject) =>
  askSurface(gateway, {
    surface: "chat",
    model: nameModel("Plain"),
    body: { messages: HI, ...body },
    stream: false,
  });

test("as many fields as 16 are left out one by one", async () => {
  const fields = Array.from({ length: 17 }, (_, at) => `x_${at}`);
  const ask = (names: readonly string[]) => {
    server.refuse = (body) => {
      const found = names.find((name) => name in body);
      return found === undefined ? null : `Unknown parameter: '${found}'.`;
    };
    return chat(Object.fromEntries(names.map((name) => [name, 1])));
  };
  expect((await ask(fields.slice(1))).status).toBe(200);
  expect(server.refused).toBe(16);
  server.refused = 0;
  expect(await ask(fields)).toMatchObject({ status: 400, text: expect.stringContaining("'x_16'") });
  expect(server.refused).toBe(17);
});

test("a named tool is required alone", async () => {
  const tool = (name: string) => ({ type: "function", function: { name, parameters: { type: "object" } } });
  const says = "Invalid tool_choice type: 'object'. Supported string values: none, auto, required";
  server.refuse = ({ tool_choice: choice }) => (typeof choice === "object" ? says : null);
  const body = {
    tools: [tool("a"), tool("b")],
    tool_choice: { type: "function", function: { name: "b" } },
  };
  const { status, sent } = await chat(body);
  expect({ status, refused: server.refused }).toEqual({ status: 200, refused: 1 });
  expect(sent).toMatchObject({ tool_choice: "required", tools: [{ function: { name: "b" } }] });
});

test("JSON without a schema is asked for by the schema of any object", async () => {
  const says = "'response_format.type' must be 'json_schema' or 'text'";
  server.refuse = ({ response_format: format }) => (asObject(format).type === "json_object" ? says : null);
  const { status, sent } = await chat({ response_format: { type: "json_object" } });
  expect({ status, refused: server.refused }).toEqual({ status: 200, refused: 1 });
  expect(sent).toMatchObject({ response_format: { json_schema: { schema: { type: "object" } } } });
});

test("arguments that aren't JSON are put into an object, though the server takes them for its own failure", async () => {
  server.status = 500;
  server.refuse = (body) =>
    JSON.stringify(body).includes('"arguments":"{"')
      ? "Failed to parse tool call arguments as JSON: parse error at line 1, column 2"
      : null;
  const call = { id: "c1", type: "function", function: { name: "f", arguments: "{" } };
  const messages = [
    ...HI,
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "c1", content: "done" },
    ...HI,
  ];
  const { status, sent } = await chat({ messages });
  expect({ status, refused: server.refused }).toEqual({ status: 200, refused: 1 });
  expect(JSON.stringify(sent)).toContain(JSON.stringify('{"arguments":"{"}'));
});

test.each(["response_format", "store", "max_tokens_x", "seed"])(
  "%s is refused once, in the server's words",
  async (field) => {
    const says = `Unknown parameter: '${field}'.`;
    // A field that the call doesn't have, or that is never left out.
    server.refuse = () => says;
    const answer = await chat({ response_format: { type: "json_object" }, store: true });
    expect(answer).toMatchObject({ status: 400, text: expect.stringContaining(says) });
    expect(server.refused).toBe(1);
  },
);

test("a native request isn't mended if the operator says so, and a translated one is", async () => {
  const strict = await startUnderTest({ fetch: server.fetch, more: "native: { mend: never }" });
  server.refuse = (body) => ("top_p" in body ? "Unknown parameter: 'top_p'." : null);
  const ask = (surface: "chat" | "messages") =>
    askSurface(strict, {
      surface,
      model: "Anthropic#claude-sonnet-5-own",
      body: ASKED[surface],
      stream: false,
    });
  expect((await ask("messages")).status).toBe(400);
  expect(server.refused).toBe(1);
  expect((await ask("chat")).status).toBe(200);
  server.refused = 0;
  server.refuse = ({ tools }) => (tools === undefined ? null : "tools.0.name: String should match pattern");
  const body = { messages: HI, tools: [{ name: "1st", input_schema: { type: "object" } }] };
  const asking = {
    surface: "messages",
    model: "Anthropic#claude-sonnet-5-own",
    body,
    stream: false,
  } as const;
  expect((await askSurface(strict, asking)).status).toBe(400);
  expect(server.refused).toBe(1);
  await strict.stop();
});

test("a prompt that the server quotes teaches nothing", async () => {
  server.refuse = () => "The prompt was refused: Unknown parameter: 'seed'.";
  expect((await chat({ seed: 1 })).status).toBe(400);
  expect(server.refused).toBe(1);
});
