// Small differences of other clients' forms: doubled names of models, identifiers on every operation, model lists.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject, parseJson } from "../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";

let world: UnderTest;
beforeAll(async () => {
  world = await startUnderTest({});
});
afterAll(() => world.stop());

async function send(path: string, body: JsonObject | null, headers: Record<string, string> = {}) {
  const response = await fetch(world.url + path, {
    method: body === null ? "GET" : "POST",
    headers: { authorization: `Bearer ${world.secret}`, "content-type": "application/json", ...headers },
    ...(body === null ? {} : { body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: asObject(parseJson(await response.text())),
  };
}

const CODE_EXECUTION = { type: "code_execution_20250825", name: "code_execution" };
const EMBEDDING = "OpenAI#text-embedding-3-small";

describe("the user's identifier", () => {
  const OPERATIONS: readonly (readonly [string, JsonObject])[] = [
    ["/v1/embeddings", { model: EMBEDDING, input: "a" }],
    ["/v1/images/generations", { model: "OpenAI#gpt-image-1", prompt: "a" }],
    ["/v1/completions", { model: "Local#sim-mini", prompt: "a" }],
    ["/v1/rerank", { model: "Local#sim-rerank", query: "a", documents: ["a"] }],
    ["/v1/moderations", { model: "OpenAI#omni-moderation-latest", input: "a" }],
  ];
  test.each(OPERATIONS)("is a text on %s", async (path, body) => {
    for (const user of [{ api_base: "x" }, 7, ["a"]]) {
      const answer = await send(path, { ...body, user });
      expect(answer.status).toBe(400);
      expect(asObject(answer.body.error)).toMatchObject({ code: "invalid_type", param: "user" });
    }
  });

  test.each(OPERATIONS)("is sent as its digest on %s if it is long, or not at all", async (path, body) => {
    const { status, headers } = await send(path, { ...body, user: "u".repeat(3000) });
    expect([status, headers.get("x-poundkey-dropped")]).toEqual([200, "user"]);
    const { user } = asObject(world.simulator.calls.last()?.body);
    expect([undefined, 64]).toContain(user === undefined ? undefined : String(user).length);
  });
});

test("embeddings of the AI SDK's doubled form reach the model", async () => {
  const content = { parts: [{ text: "a" }] };
  const named = "models/models/OpenAI/text-embedding-3-small";
  const { status } = await send(`/v1beta/${named}:embedContent`, { model: named, content });
  expect(status).toBe(200);
  const several = { requests: [named, named].map((model) => ({ model, content })) };
  const both = await send(`/v1beta/${named}:batchEmbedContents`, several);
  expect([both.status, asArray(both.body.embeddings)]).toEqual([200, [expect.anything(), expect.anything()]]);
  const other = await send(`/v1beta/${named}:embedContent`, { model: "models/other", content });
  expect(asObject(other.body.error).message).toContain("Invalid 'model' ('models/other')");
});

test.each([
  [{ max_tokens: "x" }, 400, { type: "invalid_request_error", code: "invalid_type" }],
  [{ model: "Nobody#nothing" }, 404, { type: "not_found_error", code: "model_not_found" }],
  [
    { tools: [CODE_EXECUTION], tool_choice: { type: "tool", name: "code_execution" } },
    400,
    { type: "invalid_request_error", code: "unsupported_capability" },
  ],
] as const)("errors on Messages have a code, streamed and whole: %p is %d", async (fields, status, error) => {
  for (const stream of [false, true]) {
    const body = {
      model: "Local#sim-mini",
      max_tokens: 5,
      messages: [{ role: "user", content: "a" }],
      stream,
    };
    const refused = await send("/v1/messages", { ...body, ...fields });
    expect([refused.status, refused.body.error]).toMatchObject([status, error]);
  }
});

test("models have their context by both names, and a stage of life in Anthropic's shape", async () => {
  const { body } = await send("/v1/models", null);
  const [model] = asArray(body.data)
    .map(asObject)
    .filter(({ context_window }) => typeof context_window === "number");
  expect(model?.context_length).toBe(model?.context_window);
  const { body: theirs } = await send("/v1/models?limit=50", null, { "anthropic-version": "2023-06-01" });
  for (const one of asArray(theirs.data).map(asObject))
    expect(["active", "deprecated"]).toContain(String(one.lifecycle));
});

test("an image's usage has the parts of its output", async () => {
  const { body } = await send("/v1/images/generations", { model: "OpenAI#gpt-image-1", prompt: "a" });
  const { output_tokens, output_tokens_details: details } = asObject(body.usage);
  const { image_tokens, text_tokens } = asObject(details);
  expect(Number(image_tokens) + Number(text_tokens)).toBe(Number(output_tokens));
});
