// Rules of named vendors that once ended sessions of agents, on every surface, whole and streamed: tools beside an effort and
// files without a name at OpenAI's chat, system messages and thinking at MiniMax's.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { SURFACE_KEYS } from "../../surfaces/crossing/crossing.ts";
import { type AskedSurface, askSurface } from "../world/surface-asking.ts";
import { makeVendors } from "../world/vendor-rules.ts";

const SAY = "say: good day";
const SURFACES: readonly AskedSurface[] = [...SURFACE_KEYS, "interactions"];
const WAYS = SURFACES.flatMap((surface) => [
  { surface, stream: false },
  { surface, stream: true },
]);
/** A client of Responses is answered there by OpenAI itself. */
const TRANSLATED = WAYS.filter(({ surface }) => surface !== "responses");

type SurfaceBodies = Readonly<Record<AskedSurface, JsonObject>>;

const vendors = makeVendors();
let gateway: UnderTest;
beforeAll(async () => {
  gateway = await startUnderTest({
    fetch: vendors.fetch,
    more: (url) =>
      [
        `  Azure: { base_url: "${url}/openai/v1", keys: [sim-key], unlisted_models: true, models: [{ name: gpt-5.2-late-taken }] }`,
        `  MiniMax: { base_url: "${url}/openai/v1", keys: [sim-key], unlisted_models: true }`,
        "models:",
        '  "Azure#gpt-5.2-late-taken": { refuses: [-tools_with_effort] }',
        '  "OpenAI#gpt-5.1": { refuses: [tools_with_effort] }',
        "aliases:",
        '  both: [{ model: "OpenAI#gpt-5.5", weight: 1000 }, { model: "Azure#gpt-5.4", weight: 0.001 }]',
      ].join("\n"),
  });
});
afterAll(() => gateway.stop());
beforeEach(() => {
  vendors.calls.length = 0;
});

/** Returns the answer, and the paths and bodies of the calls for it. */
async function ask(surface: AskedSurface, model: string, body: JsonObject, stream: boolean) {
  const before = vendors.calls.length;
  const { status, text, dropped } = await askSurface(gateway, { surface, model, body, stream });
  const calls = vendors.calls.slice(before);
  const paths = calls.map(({ path }) => path.slice("/openai/v1".length));
  return { status, text, dropped, paths, sent: calls.at(-1)?.body ?? {} };
}

const CHAT = "/chat/completions";
const RESPONSES = "/responses";

describe("tools beside an effort", () => {
  const PARAMETERS = { type: "object", properties: {} };
  const user = (content: string) => ({ role: "user", content });
  const BODIES: SurfaceBodies = {
    chat: {
      messages: [user(SAY)],
      tools: [{ type: "function", function: { name: "look", parameters: PARAMETERS } }],
      reasoning_effort: "high",
    },
    messages: {
      messages: [user(SAY)],
      tools: [{ name: "look", input_schema: PARAMETERS }],
      thinking: { type: "adaptive" },
      output_config: { effort: "high" },
    },
    responses: {
      input: SAY,
      tools: [{ type: "function", name: "look", parameters: PARAMETERS }],
      reasoning: { effort: "high" },
    },
    gemini: {
      contents: [{ role: "user", parts: [{ text: SAY }] }],
      tools: [{ functionDeclarations: [{ name: "look", parametersJsonSchema: PARAMETERS }] }],
      generationConfig: { thinkingConfig: { thinkingLevel: "HIGH" } },
    },
    interactions: {
      input: SAY,
      tools: [{ type: "function", name: "look", parameters: PARAMETERS }],
      generation_config: { thinking_level: "high" },
    },
  };
  /** Refuses them by the operator's word. */
  const TOLD = "OpenAI#gpt-5.1";
  const ANSWERED = { status: 200, text: expect.stringContaining("good"), dropped: null };
  const KNOWN = ["gpt-5.4", "gpt-5.4-mini", "gpt-5.4-nano", "gpt-5.5"].flatMap((name) => [
    `OpenAI#${name}`,
    `Azure#${name}`,
  ]);

  describe.each(WAYS)("$surface, streamed: $stream", ({ surface, stream }) => {
    const body = BODIES[surface];
    test("go to /responses at once from gpt-5.4 on, and nothing is stored there", async () => {
      for (const model of [...KNOWN, "both", TOLD]) {
        const answer = await ask(surface, model, body, stream);
        expect([model, answer]).toMatchObject([model, { ...ANSWERED, paths: [RESPONSES] }]);
        expect(answer.sent).toMatchObject({ store: false, reasoning: { effort: "high" } });
      }
    });
  });

  describe.each(TRANSLATED)("$surface, streamed: $stream", ({ surface, stream }) => {
    const body = BODIES[surface];
    const name = `late-${surface}-${stream}`;

    test("go there once a model has refused them in OpenAI's words", async () => {
      for (const provider of ["OpenAI", "Azure"]) {
        const model = `${provider}#gpt-5.2-${name}`;
        const first = await ask(surface, model, body, stream);
        expect(first).toMatchObject({ ...ANSWERED, paths: [CHAT, RESPONSES] });
        expect(first.sent).toMatchObject({ store: false, reasoning: { effort: "high" } });
        const next = await ask(surface, model, body, stream);
        expect(next).toMatchObject({ ...ANSWERED, paths: [RESPONSES] });
      }
    });
  });

  describe.each(WAYS)("$surface, streamed: $stream", ({ surface, stream }) => {
    const body = BODIES[surface];
    test.each(["gpt-5.4", "gpt-5.5", "gpt-5.6-sol"])(
      "are sent without the effort to a server that has no /responses: %s",
      async (name) => {
        const model = `Local#${name}-own-${surface}-${stream}`;
        const first = await ask(surface, model, body, stream);
        expect(first).toMatchObject({ status: 200, paths: [CHAT, CHAT], sent: { reasoning_effort: "none" } });
        expect(first.dropped).toMatch(/effort|thinking/i);
        const next = await ask(surface, model, body, stream);
        expect(next).toMatchObject({ status: 200, paths: [CHAT], dropped: first.dropped });
      },
    );
  });

  test("go without the effort if several answers are asked for, which /responses doesn't give", async () => {
    const body = { ...BODIES.chat, n: 2 };
    const answer = await ask("chat", "OpenAI#gpt-5.2-late-several", body, false);
    expect(answer).toMatchObject({ status: 200, paths: [CHAT, CHAT], dropped: "reasoning_effort" });
    expect(answer.sent.reasoning_effort).toBeUndefined();
  });

  test("are asked of a chosen model at /responses", async () => {
    const allowed = ["Router#best", "OpenAI#gpt-5.5"];
    const { secret } = await gateway.newKey({ allowed_models: allowed, requests_per_day: null });
    for (const stream of [false, true]) {
      const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
      const asked = { model: "Router#best", max_tokens: 500, stream, ...BODIES.messages };
      const init = { method: "POST", headers, body: JSON.stringify(asked) };
      const answered = await fetch(`${gateway.url}/v1/messages`, init);
      expect([answered.status, await answered.text()]).toEqual([200, expect.stringContaining("good")]);
      expect(vendors.calls.at(-1)?.path).toEndWith(RESPONSES);
    }
  });

  test("are refused in the server's words where the operator says that it takes them", async () => {
    const model = "Azure#gpt-5.2-late-taken";
    const answer = await ask("chat", model, BODIES.chat, false);
    expect(answer).toMatchObject({ status: 400, paths: [CHAT] });
    expect(answer.text).toContain("Please use /v1/responses instead.");
  });
});

describe("files without a name", () => {
  const PDF = Buffer.from("%PDF-1.4 a report").toString("base64");
  const ASK = "say: good day";
  const document = {
    type: "document",
    source: { type: "base64", media_type: "application/pdf", data: PDF },
  };
  const read = { id: "call_1", type: "function", function: { name: "read", arguments: "{}" } };
  const url = `data:application/pdf;base64,${PDF}`;
  const BODIES: Readonly<Record<string, readonly [AskedSurface, JsonObject]>> = {
    "a chat's part": [
      "chat",
      {
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: ASK },
              { type: "file", file: { file_data: url } },
            ],
          },
        ],
      },
    ],
    "a chat's result": [
      "chat",
      {
        messages: [
          { role: "user", content: "Read it." },
          { role: "assistant", content: null, tool_calls: [read] },
          { role: "tool", tool_call_id: "call_1", content: [{ type: "file", file: { file_data: url } }] },
          { role: "user", content: ASK },
        ],
      },
    ],
    "a document of Messages": [
      "messages",
      { messages: [{ role: "user", content: [document, { type: "text", text: ASK }] }] },
    ],
    "a document in a result of Messages": [
      "messages",
      {
        messages: [
          { role: "user", content: "Read it." },
          { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "read", input: {} }] },
          {
            role: "user",
            content: [
              { type: "tool_result", tool_use_id: "call_1", content: [document] },
              { type: "text", text: ASK },
            ],
          },
        ],
      },
    ],
    "a part of Gemini's": [
      "gemini",
      {
        contents: [
          {
            role: "user",
            parts: [{ text: ASK }, { inlineData: { mimeType: "application/pdf", data: PDF } }],
          },
        ],
      },
    ],
    "a part of Responses": [
      "responses",
      {
        input: [
          {
            role: "user",
            content: [
              { type: "input_text", text: ASK },
              { type: "input_file", file_data: url },
            ],
          },
        ],
      },
    ],
    "a document of Interactions": [
      "interactions",
      {
        input: [
          { type: "text", text: ASK },
          { type: "document", mime_type: "application/pdf", data: PDF },
        ],
      },
    ],
  };
  /** OpenAI and Azure answer Responses themselves. */
  const CELLS = Object.entries(BODIES).flatMap(([from, [surface, body]]) =>
    ["OpenAI#gpt-4.1", "Azure#gpt-4.1", "Local#gpt-4.1"]
      .filter((model) => surface !== "responses" || model.startsWith("Local#"))
      .map((model) => ({ from, surface, body, model })),
  );

  test.each(CELLS)("$from is named for $model", async ({ surface, body, model }) => {
    for (const stream of [false, true]) {
      const answer = await ask(surface, model, body, stream);
      expect(answer).toMatchObject({ status: 200, text: expect.stringContaining("good"), paths: [CHAT] });
      const parts = asArray(answer.sent.messages).flatMap((message) => asArray(asObject(message).content));
      const files = parts.map((part) => asObject(part).file).filter((file) => file !== undefined);
      expect(files).toEqual([{ file_data: url, filename: "file.pdf" }]);
    }
  });

  test("a name is after the file's type, and the client's own stays", async () => {
    const text = `data:text/csv;base64,${Buffer.from("a,b").toString("base64")}`;
    const parts = [
      { type: "text", text: ASK },
      { type: "file", file: { file_data: text } },
      { type: "file", file: { file_data: url, filename: "" } },
      { type: "file", file: { file_data: url, filename: "mine.pdf" } },
    ];
    const { sent } = await ask("chat", "OpenAI#gpt-4.1", { messages: [{ role: "user", content: parts }] }, false);
    const [message] = asArray(sent.messages);
    const names = asArray(asObject(message).content).map((part) => asObject(asObject(part).file).filename);
    expect(names).toEqual([undefined, "file.csv", "file.pdf", "mine.pdf"]);
  });
});

describe("MiniMax", () => {
  const user = (content: string) => ({ role: "user", content });
  const noon = (role: string) => ({ role, content: "It is noon." });
  const turn = (text: string) => ({ role: "user", parts: [{ text }] });
  /** Each has several system messages, and a late one where its API has that. */
  const BODIES: SurfaceBodies = {
    chat: {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "developer", content: "Be kind." },
        user("Hello."),
        noon("system"),
        user(SAY),
      ],
    },
    messages: {
      system: [
        { type: "text", text: "Be brief." },
        { type: "text", text: "Be kind." },
      ],
      messages: [user("Hello."), noon("system"), user(SAY)],
    },
    responses: {
      instructions: "Be brief.",
      input: [
        { role: "developer", content: "Be kind." },
        user("Hello."),
        noon("developer"),
        user(SAY),
      ],
    },
    gemini: {
      systemInstruction: { parts: [{ text: "Be brief." }, { text: "Be kind." }] },
      contents: [turn("Hello."), turn(SAY)],
    },
    interactions: { system_instruction: "Be brief.", input: SAY },
  };

  describe.each(WAYS)("$surface, streamed: $stream", ({ surface, stream }) => {
    test("gets one system message from the start, and no thinking reaches the client as text", async () => {
      const answer = await ask(surface, "MiniMax#MiniMax-M3", BODIES[surface], stream);
      expect(answer.text).toContain("good");
      expect(answer.text).not.toContain("<think>");
      expect(answer).toMatchObject({ status: 200, paths: [CHAT], sent: { reasoning_split: true } });
      const roles = asArray(answer.sent.messages).map((message) => asObject(message).role);
      expect(roles.lastIndexOf("system")).toBe(0);
    });

    test.skipIf(surface === "gemini" || surface === "interactions")(
      "is known by its words behind an address of the operator's",
      async () => {
        const model = `Local#minimax-m3-${surface}-${stream}`;
        const first = await ask(surface, model, BODIES[surface], stream);
        expect(first).toMatchObject({ status: 200, paths: [CHAT, CHAT] });
        const next = await ask(surface, model, BODIES[surface], stream);
        expect(next).toMatchObject({ status: 200, paths: [CHAT] });
      },
    );
  });

  test("several system messages in a row are known by its other words", async () => {
    const messages = [{ role: "system", content: "Be brief." }, noon("system"), user(SAY)];
    const answer = await ask("chat", "Local#minimax-m2-several", { messages }, false);
    expect(answer).toMatchObject({ status: 200, paths: [CHAT, CHAT] });
  });

  const DETAIL = { type: "reasoning.text", id: "reasoning-text-1", format: "MiniMax-response-v1", index: 0 };

  test("gets its thinking back in the form in which it came", async () => {
    const first = await gateway.chat({ model: "MiniMax#MiniMax-M3", messages: [user(SAY)] });
    const { choices } = asObject(await first.json());
    const message = asObject(asObject(asArray(choices)[0]).message);
    await gateway.chat({ model: "MiniMax#MiniMax-M3", messages: [user(SAY), message, user(SAY)] });
    const sent = asArray(vendors.calls.at(-1)?.body.messages).map(asObject);
    const details = [{ ...DETAIL, text: message.reasoning_content }];
    expect(sent[1]).toEqual({ role: "assistant", content: "good day", reasoning_details: details });
  });

  test("gets another vendor's thinking as a text of the same form", async () => {
    const signed = { type: "reasoning.text", text: "Hm", signature: "s", format: "anthropic-claude-v1" };
    const said = { role: "assistant", content: "Yes.", reasoning_content: "Hm", reasoning_details: [signed] };
    await gateway.chat({ model: "MiniMax#MiniMax-M3", messages: [user(SAY), said, user(SAY)] });
    const sent = asArray(vendors.calls.at(-1)?.body.messages).map(asObject);
    expect(sent[1]?.reasoning_details).toEqual([{ ...DETAIL, text: "Hm" }]);
  });
});
