// Blocks that the operator lets pass (native.known.blocks), where another family's model is asked: they are named, and a
// message of nothing else is neither sent empty nor, if it is the newest, answered.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";

let world: UnderTest;
beforeAll(async () => {
  world = await startUnderTest({
    more: [
      "native: { known: { blocks: [hologram] } }",
      'aliases: { "both": [{ model: "Local#sim" }, { model: "Cohere#sim" }] }',
    ].join("\n"),
  });
});
afterAll(() => world.stop());

const holo = { type: "hologram", data: "x" };
const says = (role: string, content: unknown) => ({ role, content });
const user = (content: unknown) => says("user", content);
const contents = (...parts: readonly unknown[]) => ({ role: "user", parts });

interface Got {
  readonly status: number;
  readonly dropped: string | null;
  readonly error: JsonObject;
  /** The messages that the provider got. Null if it wasn't called. */
  readonly sent: readonly unknown[] | null;
}

async function ask(path: string, body: JsonObject, allow = "*"): Promise<Got> {
  world.simulator.reset();
  const response = await fetch(world.url + path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-api-key": world.secret,
      ...(allow === "*" ? {} : { "x-poundkey-allow": allow }),
    },
    body: JSON.stringify(body),
  });
  const error = asObject(asObject(await response.json()).error);
  const sent = asObject(world.simulator.calls.last()?.body);
  return {
    status: response.status,
    dropped: response.headers.get("x-poundkey-dropped"),
    error,
    sent: world.simulator.calls.total === 0 ? null : asArray(sent.messages ?? sent.contents ?? sent.input),
  };
}

const messages = (model: string, ...turns: readonly unknown[]) =>
  ask("/v1/messages", { model, max_tokens: 100, messages: turns });
const responses = (model: string, ...input: readonly unknown[]) => ask("/v1/responses", { model, input });
const gemini = (provider: string, ...turns: readonly unknown[]) =>
  ask(`/v1beta/models/${provider}%23sim:generateContent`, { contents: turns });

describe("the newest message, if it is nothing else, is refused", () => {
  const ROWS: readonly (readonly [string, () => Promise<Got>, string])[] = [
    ["Messages", () => messages("Local#sim", user([holo])), "messages[0].content"],
    [
      "Messages, after a turn",
      () => messages("Google#sim", user("a"), says("assistant", "b"), user([holo])),
      "messages[2].content",
    ],
    ["Messages, a group", () => messages("both", user([holo])), "messages[0].content"],
    ["Responses", () => responses("Local#sim", user([holo])), "input[0].content"],
    ["Responses, as an item", () => responses("Local#sim", holo), "input[0]"],
    ["Gemini", () => gemini("Local", contents({ hologram: { a: 1 } })), "contents[0].parts"],
  ];
  test.each(ROWS)("%s", async (_, send, param) => {
    const { status, error, sent } = await send();
    expect([status, error.param, sent]).toEqual([400, param, null]);
    expect(error.message).toContain(`'${param}'`);
  });

  test("by a selector too, which has no model for it", async () => {
    const { status, error, sent } = await ask(
      "/v1/messages",
      { model: "Router#fair", max_tokens: 100, messages: [user([holo])] },
      "OpenAI#*, Mistral#*",
    );
    expect([status, sent]).toEqual([400, null]);
    expect(error.message).toContain("blocks (");
  });
});

describe("what is left out elsewhere is named", () => {
  const GONE = "[content left out: this model can't read it]";
  const ROWS: readonly (readonly [string, () => Promise<Got>, string])[] = [
    [
      "an earlier message",
      () => messages("Cohere#sim", user([holo]), says("assistant", "b"), user("say: hi")),
      "messages[0].content[0]",
    ],
    [
      "an earlier Responses message",
      () => responses("Local#sim", user([holo]), says("assistant", "b"), user("say: hi")),
      "input[0].content[0]",
    ],
    [
      "an earlier content",
      () =>
        gemini(
          "Cohere",
          contents({ hologram: {} }),
          { role: "model", parts: [{ text: "b" }] },
          contents({ text: "say: hi" }),
        ),
      "contents[0].parts[0]",
    ],
  ];
  test.each(ROWS)("%s has a line in its place", async (_, send, path) => {
    const { status, dropped, sent } = await send();
    expect([status, dropped]).toEqual([200, path]);
    expect(JSON.stringify(sent?.[0])).toContain(GONE);
  });

  test.each([
    [
      "beside a text",
      () => messages("Local#sim", user([{ type: "text", text: "say: hi" }, holo])),
      "messages[0].content[1]",
    ],
    [
      "beside a text of Responses",
      () => responses("Local#sim", user([{ type: "input_text", text: "say: hi" }, holo])),
      "input[0].content[1]",
    ],
    [
      "a turn of the model",
      () => responses("Local#sim", user("a"), says("assistant", [holo]), user("say: hi")),
      "input[1].content[0]",
    ],
    [
      "a tool's result",
      () =>
        responses(
          "Local#sim",
          user("a"),
          { type: "function_call", call_id: "t", name: "f", arguments: "{}" },
          { type: "function_call_output", call_id: "t", output: [holo] },
        ),
      "input[2].output[0]",
    ],
  ] as const)("%s", async (_, send, path) => {
    const { status, dropped, sent } = await send();
    expect([status, dropped]).toEqual([200, path]);
    expect(JSON.stringify(sent)).not.toContain("hologram");
  });

  test("in the system prompt", async () => {
    const system = [holo, { type: "text", text: "Be brief." }];
    const body = { model: "Local#sim", max_tokens: 9, system, messages: [user("say: hi")] };
    const { status, dropped, sent } = await ask("/v1/messages", body);
    expect([status, dropped]).toEqual([200, "system[0]"]);
    expect(sent?.[0]).toEqual({ role: "system", content: [{ type: "text", text: "Be brief." }] });
  });
});

describe("its own family's model gets it", () => {
  test.each([
    ["Messages", () => messages("Anthropic#sim", user([holo]))],
    ["Responses", () => responses("Responses#sim", user([holo]))],
    ["Responses, as an item", () => responses("Responses#sim", holo)],
  ] as const)("%s", async (_, send) => {
    expect(JSON.stringify((await send()).sent)).toContain("hologram");
  });
});
