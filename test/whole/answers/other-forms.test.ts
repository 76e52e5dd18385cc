// Requests in the forms that Cursor sends to chat completions, on every dialect, whole and streamed: they say the same as in
// chat's own form, and are answered in it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";

/** A model of each dialect that chats with tools. */
const MODELS = [
  "OpenAI#gpt-4.1",
  "Responses#gpt-4.1",
  "Local#some-model",
  "Anthropic#claude-sonnet-4-6",
  "Google#gemini-3.6-flash",
  "Mistral#mistral-large-latest",
  "Bedrock#amazon.nova-pro-v1:0",
];

let gateway: UnderTest;
beforeAll(async () => {
  gateway = await startUnderTest();
});
afterAll(() => gateway.stop());

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PARAMETERS = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
const ABOUT = "Reads a file.";
const SAY = "say: good day";

/** The same conversation in each form: instructions, a call with its result, and a question. */
const OWN: JsonObject = {
  messages: [
    { role: "system", content: [{ type: "text", text: "Be brief." }] },
    { role: "user", content: [{ type: "text", text: "Read it." }] },
    {
      role: "assistant",
      content: "I will.",
      tool_calls: [
        { id: "call_1", type: "function", function: { name: "read", arguments: '{"path":"a.txt"}' } },
      ],
    },
    { role: "tool", tool_call_id: "call_1", content: "seen" },
    { role: "user", content: [{ type: "text", text: SAY }] },
  ],
  tools: [{ type: "function", function: { name: "read", description: ABOUT, parameters: PARAMETERS } }],
  tool_choice: "auto",
};

const FORMS: Readonly<Record<string, JsonObject>> = {
  "the Responses API's": {
    instructions: "Be brief.",
    input: [
      { role: "user", content: [{ type: "input_text", text: "Read it." }] },
      { role: "assistant", content: [{ type: "output_text", text: "I will." }] },
      { type: "function_call", call_id: "call_1", name: "read", arguments: '{"path":"a.txt"}' },
      { type: "function_call_output", call_id: "call_1", output: "seen" },
      { role: "user", content: [{ type: "input_text", text: SAY }] },
    ],
    tools: [{ type: "function", name: "read", description: ABOUT, parameters: PARAMETERS }],
    tool_choice: "auto",
    store: false,
  },
  Anthropic: {
    system: [{ type: "text", text: "Be brief." }],
    messages: [
      { role: "user", content: [{ type: "text", text: "Read it." }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "I will." },
          { type: "tool_use", id: "call_1", name: "read", input: { path: "a.txt" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "call_1", content: "seen" },
          { type: "text", text: SAY },
        ],
      },
    ],
    tools: [{ name: "read", description: ABOUT, input_schema: PARAMETERS }],
    tool_choice: { type: "auto" },
  },
  "chat's with Anthropic's blocks and tools": {
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Read it." },
      {
        role: "assistant",
        content: [
          { type: "text", text: "I will." },
          { type: "tool_use", id: "call_1", name: "read", input: { path: "a.txt" } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "seen" }] },
      { role: "user", content: SAY },
    ],
    tools: [{ name: "read", description: ABOUT, input_schema: PARAMETERS }],
    tool_choice: { type: "auto" },
  },
  "chat's with flat tools and input_text": {
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "input_text", text: "Read it." }] },
      {
        role: "assistant",
        content: [{ type: "output_text", text: "I will.", annotations: [] }],
        tool_calls: [
          { id: "call_1", type: "function", function: { name: "read", arguments: '{"path":"a.txt"}' } },
        ],
      },
      { role: "tool", tool_call_id: "call_1", content: [{ type: "input_text", text: "seen" }] },
      { role: "user", content: [{ type: "input_text", text: SAY }] },
    ],
    tools: [{ type: "function", name: "read", description: ABOUT, parameters: PARAMETERS }],
    tool_choice: "auto",
  },
};

/** A text and the same text as one part are the same to every provider. */
function simplify(value: unknown): unknown {
  if (Array.isArray(value)) {
    const [only] = value;
    const { text, type, ...rest } = asObject(only);
    const isText = value.length === 1 && typeof text === "string" && Object.keys(rest).length === 0;
    return isText && String(type ?? "text").endsWith("text") ? text : value.map(simplify);
  }
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([field]) => !UNSAID.has(field));
  return Object.fromEntries(fields.map(([field, held]) => [field, simplify(held)]));
}

/** Fields that say nothing about the conversation. */
const UNSAID = new Set(["store", "include", "strict", "stream_options"]);

async function ask(model: string, form: JsonObject, stream: boolean) {
  const asked = { model, stream, ...(stream ? { stream_options: { include_usage: true } } : {}), ...form };
  const answered = await gateway.chat(asked);
  const text = await answered.text();
  return {
    status: answered.status,
    text,
    dropped: answered.headers.get("x-poundkey-dropped"),
    sent: simplify(gateway.simulator.calls.last()?.body),
  };
}

/** The chunks of a stream, and the text of their content. */
function readStream(text: string) {
  const lines = text.split("\n").filter((line) => line.startsWith("data: {"));
  const chunks = lines.map((line) => asObject(parseJson(line.slice("data: ".length))));
  const deltas = chunks.flatMap(({ choices }) =>
    asArray(choices).map((one) => asObject(asObject(one).delta)),
  );
  const content = deltas.map((delta) => delta.content ?? "").join("");
  return { chunks, content, isDone: text.trimEnd().endsWith("data: [DONE]") };
}

describe.each([false, true])("streamed: %p", (stream) => {
  describe.each(Object.entries(FORMS))("%s form", (_name, form) => {
    test.each(MODELS)("at %s says the same as chat's own", async (model) => {
      const own = await ask(model, OWN, stream);
      const other = await ask(model, form, stream);
      expect([own.status, other.status, other.dropped]).toEqual([200, 200, own.dropped]);
      expect(other.sent).toEqual(own.sent);
      if (!stream) {
        const { object, choices } = asObject(parseJson(other.text));
        expect(object).toBe("chat.completion");
        expect(asObject(asObject(asArray(choices)[0]).message).content).toBe("good day");
        return;
      }
      const { chunks, content, isDone } = readStream(other.text);
      expect([content, isDone]).toEqual(["good day", true]);
      expect(new Set(chunks.map(({ object }) => object))).toEqual(new Set(["chat.completion.chunk"]));
      expect(chunks.filter(({ usage }) => usage)).toHaveLength(1);
    });
  });
});

test("what Cursor sends for a model of OpenAI's: a grammar's tool, reasoning and options of the Responses API", async () => {
  const answered = await gateway.chat({
    model: "OpenAI#gpt-5.6-sol",
    input: [
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "input_text", text: `${SAY}\nstep 1: call ApplyPatch` }] },
    ],
    tools: [
      { type: "function", name: "Read", description: ABOUT, parameters: PARAMETERS, strict: false },
      {
        type: "custom",
        name: "ApplyPatch",
        description: "Changes files.",
        format: { type: "grammar", syntax: "lark", definition: 'start: "x"' },
      },
    ],
    reasoning: { effort: "medium", summary: "auto" },
    text: { verbosity: "low" },
    include: ["reasoning.encrypted_content"],
    metadata: { cursorConversationId: "c1" },
    prompt_cache_retention: "24h",
    store: false,
    user: "u1",
    stream: true,
  });
  expect(answered.status).toBe(200);
  expect(readStream(await answered.text()).isDone).toBe(true);
});

test("a picture as Anthropic's block, and the flat parts of the Responses API, reach the model as pictures", async () => {
  const url = `data:image/png;base64,${PIXEL}`;
  const parts = [
    { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
    { type: "input_image", image_url: url, detail: "low" },
  ];
  for (const part of parts) {
    const content = [part, { type: "text", text: SAY }];
    const answered = await gateway.chat({ model: "Local#m", messages: [{ role: "user", content }] });
    expect(answered.status).toBe(200);
    expect(JSON.stringify(gateway.simulator.calls.last()?.body)).toContain(`"image_url":{"url":"${url}"`);
  }
});

test.each([
  ["any", "required"],
  ["none", "none"],
  ["tool", { type: "function", function: { name: "read" } }],
] as const)("Anthropic's choice %s is chat's", async (type, choice) => {
  const { messages, tools } = FORMS.Anthropic ?? {};
  const tool_choice = { type, ...(type === "tool" ? { name: "read" } : {}) };
  const answered = await gateway.chat({ model: "Local#m", messages, tools, tool_choice });
  expect([answered.status, asObject(gateway.simulator.calls.last()?.body).tool_choice]).toEqual([
    200,
    choice,
  ]);
});

const GENERATE = "/v1beta/models/Local%2Fm:generateContent";

describe("a form that can't be what is meant is refused, with its place", () => {
  const messages = [{ role: "user", content: SAY }];
  const IMAGE_URL = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
  const showing = (part: JsonObject) => [{ role: "user", content: [part] }];
  const contents = [{ role: "user", parts: [{ text: SAY }] }];
  const FLAT = { type: "function", name: "read", parameters: PARAMETERS };
  const TOOL = { type: "function", function: { name: "read", parameters: PARAMETERS } };
  test.each([
    [
      "/v1/chat/completions",
      { instructions: "Be brief.", messages },
      "'instructions' belongs to the Responses",
    ],
    ["/v1/chat/completions", { systemInstruction: "Be brief.", messages }, "the first of 'messages'"],
    ["/v1/messages", { instructions: "Be brief.", messages, max_tokens: 9 }, "Send instructions in 'system'"],
    ["/v1/responses", { system: "Be brief.", input: SAY }, "Send instructions in 'instructions'"],
    [
      "/v1beta/interactions",
      { system: "Be brief.", input: SAY },
      "Send instructions in 'system_instruction'",
    ],
    [GENERATE, { system: "Be brief.", contents }, "Send instructions in 'systemInstruction'"],
    ["/v1/messages", { messages: showing(IMAGE_URL), max_tokens: 9 }, 'Here, send {\\"type\\": \\"image\\"'],
    ["/v1/responses", { input: showing(IMAGE_URL) }, 'Here, send {\\"type\\": \\"input_image\\"'],
    ["/v1/responses", { input: showing({ type: "tool_use" }) }, '\\"function_call\\"'],
    ["/v1/chat/completions", { system: "Be brief.", messages }, "'system' belongs to Anthropic's format"],
    [
      "/v1/chat/completions",
      { extra_body: { top_k: 3 }, messages },
      "'extra_body' is an option of OpenAI's SDK",
    ],
    ["/v1/messages", { tools: [TOOL], messages, max_tokens: 9 }, "'tools[0].function' is OpenAI's form"],
    [GENERATE, { tools: [TOOL], contents }, "'tools[0].function' is not supported here. Send functions as"],
    [GENERATE, { tools: [FLAT], contents }, "'tools[0].parameters' is not supported here. Send functions as"],
    [
      "/v1/chat/completions",
      { messages: [{ role: "user", content: [{ type: "tool_result" }] }] },
      "messages[0].content[0].tool_use_id",
    ],
    [
      "/v1/chat/completions",
      { messages: [{ role: "user", content: [{ type: "bogus" }] }] },
      "messages[0].content[0].type",
    ],
  ])("%s %j", async (path, body, says) => {
    const answered = await fetch(gateway.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.secret}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "Local#m", ...body }),
    });
    expect([answered.status, await answered.text()]).toEqual([400, expect.stringContaining(says)]);
  });
});
