// Servers that refuse a form of a request, or a field in an API of other names: each request is answered after one refusal, and
// the next one is right at first. So are those of a batch and of a socket.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { sampleRows } from "../../harness/long.ts";
import { SocketClient } from "../../http/sockets/client.ts";
import { chatLine, createBatch, makeClients, waitForEnd } from "../batches/batch-bench.ts";
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
  server.param = null;
});

const SURFACES = ["chat", "messages", "responses", "gemini"] as const;
type Surface = (typeof SURFACES)[number];

const SCHEMA = {
  type: "object",
  properties: { at: { $ref: "#/$defs/Spot", description: "The spot." }, way: { enum: ["in", "out"] } },
  required: ["at"],
  $defs: { Spot: { type: "object", properties: { row: { type: "integer" } } } },
};

/** Returns a request that asks for a call, and that forces one if `isForced`. */
function ask(surface: Surface, words: string, name: string, isForced = false): JsonObject {
  const said = [{ role: "user", content: words }];
  const tool = { name, description: "Looks." };
  switch (surface) {
    case "chat":
      return {
        messages: said,
        tools: [{ type: "function", function: { ...tool, parameters: SCHEMA } }],
        ...(isForced ? { tool_choice: "required", reasoning_effort: "high" } : {}),
      };
    case "messages":
      return {
        messages: said,
        tools: [{ ...tool, input_schema: SCHEMA }],
        ...(isForced ? { tool_choice: { type: "any" }, thinking: { type: "adaptive" } } : {}),
      };
    case "responses":
      return {
        input: said,
        tools: [{ type: "function", ...tool, parameters: SCHEMA, strict: false }],
        ...(isForced ? { tool_choice: "required", reasoning: { effort: "high" } } : {}),
      };
    case "gemini":
      return {
        contents: [{ role: "user", parts: [{ text: words }] }],
        tools: [{ functionDeclarations: [{ ...tool, parametersJsonSchema: SCHEMA }] }],
        ...(isForced
          ? {
              toolConfig: { functionCallingConfig: { mode: "ANY" } },
              generationConfig: { thinkingConfig: { thinkingLevel: "high" } },
            }
          : {}),
      };
  }
}

let asked = 0;
/** A name that nothing was learned of. */
const nameModel = (provider: string) => `${provider}#m-${++asked}`;

/** Asks whole and streamed, and again: each is refused the first time at most. Returns the last two answers. */
async function askTwice(surface: Surface, model: string, body: JsonObject) {
  server.refused = 0;
  const askBoth = async () => {
    const whole = await askSurface(gateway, { surface, model, body, stream: false });
    const streamed = await askSurface(gateway, { surface, model, body, stream: true });
    for (const { status, text } of [whole, streamed])
      expect({ surface, model, status, text }).toMatchObject({ status: 200 });
    return [whole, streamed] as const;
  };
  await askBoth();
  expect([surface, model, 0 < server.refused && server.refused <= 2]).toEqual([surface, model, true]);
  server.refused = 0;
  const both = await askBoth();
  expect([surface, model, server.refused]).toEqual([surface, model, 0]);
  return both;
}

const tell = (value: unknown) => JSON.stringify(value) ?? "";

const SENT = "tool_21st_look_ed4ef02dc7cc031e";

describe("a name that doesn't begin with a letter", () => {
  test.each([...SURFACES])("%s: is sent by another, and comes back as it was", async (surface) => {
    const says =
      "function name is invalid, must start with a letter and can contain letters, numbers, underscores, and dashes";
    server.refuse = (body) => (/"name":"2/.test(tell(body)) ? says : null);
    // Gemini's models are never sent one in a translated request.
    const own = surface === "gemini" ? ["Googles"] : [];
    for (const provider of sampleRows(
      ["Plain", ...own, "Claude", "Answers", "Converse"],
      2,
      SURFACES.indexOf(surface),
    )) {
      const body = ask(surface, `call ${SENT}({"at":{"row":3}})`, "21st_look");
      for (const { text, sent } of await askTwice(surface, nameModel(provider), body)) {
        expect(tell(sent)).toContain(`"name":"${SENT}"`);
        expect(text).toMatch(/"name": ?"21st_look"/);
        expect(text).not.toContain(SENT);
      }
    }
  });

  test("a server that refuses every name is passed on in its words", async () => {
    const says = "function name is invalid, must start with a letter";
    server.refuse = () => says;
    const body = ask("messages", "say: hi", "look");
    const asking = { surface: "messages", model: nameModel("Claude"), body, stream: false } as const;
    expect(await askSurface(gateway, asking)).toMatchObject({
      status: 400,
      text: expect.stringContaining(says),
    });
    expect(server.refused).toBe(1);
  });
});

test.each([...SURFACES])("%s: a schema is written out, and nothing of it is lost", async (surface) => {
  const says =
    "Invalid request: tools.function.parameters is not a valid moonshot flavored json schema, details: <At path 'properties.way': type is not defined>";
  server.refuse = ({ tools }) => (/\$ref|\{"enum"/.test(tell(tools)) ? says : null);
  for (const provider of ["Plain", "Claude", "Answers"]) {
    const body = ask(surface, "say: hi", "look");
    for (const { sent } of await askTwice(surface, nameModel(provider), body)) {
      const [tool] = asArray(sent.tools).map(asObject);
      const { parameters, input_schema = parameters } = asObject(tool?.function ?? tool);
      expect(input_schema).toEqual({
        type: "object",
        properties: {
          at: { type: "object", properties: { row: { type: "integer" } }, description: "The spot." },
          way: { type: "string", enum: ["in", "out"] },
        },
        required: ["at"],
      });
    }
  }
});

test.each([...SURFACES])("%s: thinking is off where a call is forced", async (surface) => {
  const isForced = ({ tool_choice: choice }: JsonObject) => choice !== undefined && tell(choice) !== '"auto"';
  const isOff = ({ thinking, enable_thinking: isOn }: JsonObject) =>
    isOn === false || asObject(thinking).type === "disabled";
  // Claude's models are never sent both in a translated request.
  const claude = [["Claude", "Thinking may not be enabled when tool_choice forces tool use."]] as const;
  const rows = [
    ...(surface === "messages" ? claude : []),
    ["Plain", "tool_choice specified is incompatible with thinking enabled"],
    ["Plain", "The tool_choice parameter does not support being set to required or object in thinking mode"],
  ] as const;
  for (const [provider, says] of rows) {
    server.refuse = (body) => (isForced(body) && !isOff(body) ? says : null);
    const body = ask(surface, 'call look({"at":{"row":3}})', "look", true);
    for (const { sent, text } of await askTwice(surface, nameModel(provider), body)) {
      expect(isForced(sent)).toBe(true);
      expect(sent).not.toHaveProperty("reasoning_effort");
      expect(text).toContain("look");
    }
  }
});

test.each([...SURFACES])("%s: a level of effort is moved to the nearest that is listed", async (surface) => {
  const says =
    "Unsupported value: 'high' is not supported with the 'm' model. Supported values are: 'low' and 'medium'.";
  server.param = "reasoning.effort";
  server.refuse = ({ reasoning, reasoning_effort: level = asObject(reasoning).effort }) =>
    level === "high" ? says : null;
  const EFFORTS = {
    chat: { reasoning_effort: "high" },
    messages: { thinking: { type: "adaptive" }, output_config: { effort: "high" } },
    responses: { reasoning: { effort: "high" } },
    gemini: { generationConfig: { thinkingConfig: { thinkingLevel: "high" } } },
  };
  for (const provider of ["Plain", "Answers"]) {
    const plain =
      surface === "gemini"
        ? { contents: GEMINI_HI }
        : { [surface === "responses" ? "input" : "messages"]: HI };
    const body = { ...plain, ...EFFORTS[surface] };
    for (const { sent, dropped } of await askTwice(surface, nameModel(provider), body)) {
      expect(sent.reasoning_effort ?? asObject(sent.reasoning).effort).toBe("medium");
      expect(dropped).toMatch(/effort|thinking/);
    }
  }
});

const HI = [{ role: "user", content: "say: hi" }];
const GEMINI_HI = [{ role: "user", parts: [{ text: "say: hi" }] }];
const WARM = {
  chat: { messages: HI, top_p: 0.5 },
  messages: { messages: HI, top_p: 0.5 },
  responses: { input: HI, top_p: 0.5 },
  gemini: { contents: GEMINI_HI, generationConfig: { topP: 0.5 } },
};

describe.each([
  [
    "Googles",
    "generationConfig",
    `Invalid JSON payload received. Unknown name "topP" at 'generation_config': Cannot find field.`,
  ],
  ["Googles", "generationConfig", 'Invalid JSON payload received. Unknown name "topP": Cannot find field.'],
  [
    "Converse",
    "inferenceConfig",
    "The model returned the following errors: top_p: Extra inputs are not permitted",
  ],
] as const)("%s: a field within %s", (provider, holder, says) => {
  test.each([...SURFACES])("%s: is left out", async (surface) => {
    server.refuse = (body) => ("topP" in asObject(body[holder]) ? says : null);
    for (const { sent, dropped } of await askTwice(surface, nameModel(provider), WARM[surface])) {
      expect(asObject(sent[holder])).not.toHaveProperty("topP");
      expect(dropped).toMatch(/top_?p/i);
    }
  });
});

const SEED = "Unknown parameter: 'seed'.";

test("the lines of a batch are mended", async () => {
  const { openai } = makeClients(gateway.url, gateway.secret);
  const model = nameModel("Plain");
  server.refuse = (body) => ("seed" in body ? SEED : null);
  const lines = ["one", "two", "three"].map((word) => chatLine(word, `say: ${word}`, model, { seed: 7 }));
  const ended = await waitForEnd(openai, await createBatch(openai, lines));
  expect(ended.request_counts).toEqual({ total: 3, completed: 3, failed: 0 });
  expect(server.refused).toBeGreaterThan(0);
  expect(asObject(gateway.simulator.calls.last()?.body)).not.toHaveProperty("seed");
});

test("the turns of a socket are mended", async () => {
  const socket = await new SocketClient(gateway.url, gateway.secret).open();
  const model = nameModel("Answers");
  server.refuse = (body) => ("top_p" in body ? "Unknown parameter: 'top_p'." : null);
  for (const _turn of [1, 2]) {
    const frames = await socket.create({ model, input: HI, top_p: 0.5, store: false });
    expect(frames.at(-1)).toMatchObject({ type: "response.completed" });
  }
  expect(server.refused).toBe(1);
  socket.close();
});
