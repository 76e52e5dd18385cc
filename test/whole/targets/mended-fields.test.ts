// Servers that refuse a field, in each family of sentences, on every surface and in every dialect: the request is answered
// without it. A field that must not be left out is refused once, in the server's own words.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
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
