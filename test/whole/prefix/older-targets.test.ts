// Servers of Claude that refuse a system message between turns, or one that removes tools: asked once more in the older way,
// and from then on at once.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import type { Fetch } from "../../../src/core/world/world.ts";
import { signText } from "../../../src/simulator/responder.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { SURFACES } from "./conversations.ts";

/** Clouds that the simulator doesn't have. */
const CLOUDS = /\/(vertex|azure)\//;
const ANSWER = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-opus-5-5",
  content: [{ type: "text", text: "one" }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 9, output_tokens: 9 },
};

let refuse: (body: JsonObject) => string | null;
const sent: JsonObject[] = [];
const refusing: Fetch = async (url, init) => {
  const request = new Request(url, init);
  const body = asObject(parseJson(await request.clone().text()));
  sent.push(body);
  const message = refuse(body);
  if (message === null) return CLOUDS.test(url) ? Response.json(ANSWER) : fetch(request);
  if (message.startsWith("{")) return new Response(message, { status: 400 });
  const error = { type: "invalid_request_error", message };
  return Response.json({ type: "error", error }, { status: 400 });
};

let world: UnderTest;
beforeAll(async () => {
  world = await startUnderTest({
    fetch: refusing,
    more: (url) =>
      [
        ["Vertex", "vertex"],
        ["Azure", "azure"],
      ]
        .map(
          ([name, path]) =>
            `  ${name}: { keys: [sim-key], base_url: "${url}/${path}", unlisted_models: true }`,
        )
        .join("\n"),
  });
});
afterAll(() => world.stop());

const listRoles = (body: JsonObject) => asArray(body.messages).map((message) => asObject(message).role);
const hasRemoval = (body: JsonObject) => JSON.stringify(body.messages).includes("tool_removal");
const ALLOWED = SURFACES.chat.stated.tool_choice[4];

const ROWS: readonly (readonly [string, string, unknown, (body: JsonObject) => string | null])[] = [
  [
    "a system message",
    "Anthropic#claude-opus-5-5",
    "required",
    (body) =>
      listRoles(body).includes("system") ? "messages.3: role 'system' is not supported on this model" : null,
  ],
  [
    "a block that isn't known",
    "Anthropic#claude-sonnet-5-5",
    ALLOWED,
    (body) =>
      hasRemoval(body)
        ? "messages.3.content.0: Input tag 'tool_removal' found using 'type' does not match any of the expected tags: 'text'"
        : null,
  ],
  [
    "a beta that isn't known",
    "Anthropic#claude-fable-5-2",
    ALLOWED,
    (body) =>
      hasRemoval(body)
        ? "Unexpected value(s) `mid-conversation-tool-changes-2026-07-01` for the `anthropic-beta` header. Please consult our documentation at docs.anthropic.com or try again without the header."
        : null,
  ],
];

test.each(ROWS)("%s", async (_name, model, choice, refusal) => {
  refuse = refusal;
  const ask = async () => {
    sent.length = 0;
    const answer = await world.chat({ ...SURFACES.chat.body, model, tool_choice: choice });
    return [answer.status, sent.length];
  };
  expect(await ask()).toEqual([200, 2]);
  expect(refusal(sent[1] ?? {})).toBeNull();
  // Of several allowed tools, the list that is sent has those alone, as before.
  if (choice === ALLOWED) expect(asArray(sent[1]?.tools)).toHaveLength(1);
  else expect(JSON.stringify(asArray(sent[1]?.messages).at(-1))).toContain("<system_message>");
  expect(await ask()).toEqual([200, 1]);
});

const SYSTEM_REFUSED = "messages.3: role 'system' is not supported on this model";

test.each([
  ["Bedrock#us.anthropic.claude-opus-5-5", JSON.stringify({ message: SYSTEM_REFUSED })],
  ["Vertex#claude-opus-5-5", SYSTEM_REFUSED],
  ["Azure#claude-opus-5-5", SYSTEM_REFUSED],
])("%s refuses a system message", async (model, refusal) => {
  refuse = (body) => (listRoles(body).includes("system") ? refusal : null);
  const ask = async () => {
    sent.length = 0;
    const answer = await world.chat({ ...SURFACES.chat.body, model, tool_choice: "required" });
    return [answer.status, sent.map((body) => JSON.stringify(body.messages).includes("<system_message>"))];
  };
  expect(await ask()).toEqual([200, [false, true]]);
  expect(await ask()).toEqual([200, [true]]);
});

const THOUGHT = {
  type: "reasoning.text",
  text: "Hm.",
  signature: signText("Hm."),
  format: "anthropic-claude-v1",
  index: 0,
};

test.each([
  [
    "Bedrock#us.anthropic.claude-opus-5-5",
    { message: "The model returned the following errors: invalid beta flag" },
  ],
  [
    "Bedrock#us.anthropic.claude-sonnet-5-5",
    { message: "thinking.adaptive.block_binding: Extra inputs are not permitted" },
  ],
  [
    "Anthropic#claude-opus-5-5",
    {
      type: "error",
      error: {
        type: "invalid_request_error",
        message:
          "Unexpected value(s) `thinking-binding-controls-2026-08-01` for the `anthropic-beta` header.",
      },
    },
  ],
])("%s doesn't know how thinking is dropped", async (model, refusal) => {
  const isAsked = (body: JsonObject) => asObject(body.thinking).block_binding !== undefined;
  refuse = (body) => (isAsked(body) ? JSON.stringify(refusal) : null);
  const ask = async () => {
    sent.length = 0;
    const [first, ...later] = SURFACES.chat.body.messages.filter(({ role }) => role !== "system");
    const [, question] = later;
    const answer = { role: "assistant", content: "one", reasoning_details: [THOUGHT] };
    const { status, headers } = await world.chat({ model, messages: [first, answer, question] });
    return [
      status,
      sent.map(isAsked),
      sent.map(({ anthropic_beta: betas }) => betas),
      headers.get("x-poundkey-dropped"),
    ];
  };
  const betas = model.startsWith("Bedrock") ? ["thinking-binding-controls-2026-08-01"] : undefined;
  expect(await ask()).toEqual([200, [true, false], [betas, undefined], null]);
  expect(await ask()).toEqual([200, [false], [undefined], null]);
});

const TOOL = { type: "function", name: "look", parameters: { type: "object" } };

test.each([
  [
    "a block",
    "Anthropic#claude-opus-5",
    "messages.1.content.0: Input tag 'tool_addition' found using 'type' does not match any of the expected tags: 'text'",
  ],
  [
    "a beta",
    "Anthropic#claude-opus-4-8",
    "Unexpected value(s) `inline-tools-2026-09-15` for the `anthropic-beta` header. Please consult our documentation at docs.anthropic.com or try again without the header.",
  ],
])("tools that an item adds, where %s isn't known", async (_name, model, message) => {
  refuse = (body) => (JSON.stringify(body.messages).includes("tool_addition") ? message : null);
  const ask = async () => {
    sent.length = 0;
    const input = [
      { role: "user", content: "say: yes" },
      { type: "additional_tools", tools: [TOOL] },
    ];
    const response = await fetch(`${world.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${world.secret}`, "content-type": "application/json" },
      body: JSON.stringify({ model, input }),
    });
    await response.text();
    return [response.status, sent.length, asArray(sent.at(-1)?.tools).length];
  };
  expect(await ask()).toEqual([200, 2, 1]);
  expect(await ask()).toEqual([200, 1, 1]);
});

const OWN = [
  { role: "user", content: "Hello." },
  { role: "system", content: "The user is in a hurry." },
  { role: "assistant", content: "Yes?" },
  { role: "user", content: [{ type: "text", text: "say: noted" }] },
  { role: "system", content: [{ type: "text", text: "Be brief." }] },
];
const say = (text: string) => ({ type: "text", text });
const note = (text: string) => say(`<system_message>\n${text}\n</system_message>`);
const NOTED = [
  { role: "user", content: [say("Hello."), note("The user is in a hurry.")] },
  { role: "assistant", content: "Yes?" },
  { role: "user", content: [say("say: noted"), note("Be brief.")] },
];

describe("a client's own Messages request", () => {
  async function ask(model: string): Promise<readonly [number, unknown, number]> {
    sent.length = 0;
    const response = await fetch(`${world.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": world.secret, "content-type": "application/json" },
      body: JSON.stringify({ model, max_tokens: 50, messages: OWN }),
    });
    await response.text();
    return [response.status, sent.at(-1)?.messages, sent.length];
  }

  test("keeps its system messages between turns where the model takes them, and has notes elsewhere", async () => {
    refuse = () => null;
    expect(await ask("Anthropic#claude-opus-4-8")).toEqual([200, OWN, 1]);
    expect(await ask("Anthropic#claude-haiku-4-5")).toEqual([200, NOTED, 1]);
  });

  test("has notes once its server has refused them", async () => {
    refuse = (body) =>
      listRoles(body).includes("system") ? "messages.1: role 'system' is not supported on this model" : null;
    expect(await ask("Anthropic#claude-haiku-5-5")).toEqual([200, NOTED, 2]);
    expect(await ask("Anthropic#claude-haiku-5-5")).toEqual([200, NOTED, 1]);
  });
});
