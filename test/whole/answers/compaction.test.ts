// A conversation is compacted on one family of models and goes on at others: what was said in it reaches each of them, or the
// request is refused.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { COMPACTION_INSTRUCTION } from "../../../src/surfaces/openai-responses/compaction/instruction.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";

const NATIVE = "OpenAI#gpt-5.4";
const FAMILIES = [
  "Local#some-model",
  "Responses#gpt-4.1",
  "Anthropic#claude-sonnet-4-6",
  "Google#gemini-3.6-flash",
  "Mistral#mistral-large-latest",
];
const CODEWORD = "the codeword is marzipan";
const USER = { type: "message", role: "user", content: [{ type: "input_text", text: "What shall we do?" }] };
const SAID = { type: "message", role: "assistant", content: [{ type: "output_text", text: "We bake." }] };
const TRIGGER = { type: "compaction_trigger" };
const TOOL = {
  type: "function",
  name: "read",
  parameters: { type: "object", properties: {} },
  strict: false,
};

let world: UnderTest;
beforeAll(async () => {
  // The simulator answers what the instruction for a summary asks it to say.
  world = await startUnderTest({ more: "responses: { keep: 1d }" });
});
afterAll(() => world.stop());

interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonObject;
  readonly upstream: readonly string[];
}

async function post(path: string, body: object, secret = world.secret, more: object = {}): Promise<Seen> {
  const before = world.simulator.calls.all().length;
  const response = await fetch(world.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json", ...more },
    body: JSON.stringify(body),
  });
  const read = asObject(await response.json());
  const calls = world.simulator.calls.all().slice(before);
  const { status, headers } = response;
  return { status, headers, body: read, upstream: calls.map((call) => JSON.stringify(call.body)) };
}

const ask = (model: string, input: readonly object[], more: object = {}) =>
  post("/v1/responses", { model, input, store: false, ...more });

/** A model of the simulator repeats what it was asked last. */
const SUMMARY = "You said: Write a summary of this conversation.";

const compact = (model: string, more: object = {}) =>
  ask(model, [{ ...USER, content: CODEWORD }, SAID, TRIGGER], more);

describe.each(FAMILIES)("compacted by %s, a conversation", (maker) => {
  test("is one sealed item", async () => {
    const { status, body, upstream } = await compact(maker, { tools: [TOOL], instructions: "Be brief." });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: "completed",
      output: [{ type: "compaction" }],
      instructions: "Be brief.",
      tool_choice: "auto",
    });
    expect(itemOf(body).encrypted_content).toStartWith("pk1.");
    expect(asObject(body.usage).output_tokens).toBeGreaterThan(0);
    expect(JSON.stringify(body)).not.toContain("You said");
    const [sent = ""] = upstream;
    for (const told of ["Be brief.", CODEWORD, COMPACTION_INSTRUCTION.slice(0, 60)])
      expect(sent).toContain(told);
    expect(sent).not.toContain("compaction_trigger");
  });

  test.each([...FAMILIES, NATIVE, "Router#best"])("goes on at %s with what was in it", async (model) => {
    const { body } = await compact(maker);
    const { status, upstream } = await ask(model, [USER, itemOf(body), { ...USER, content: "Go on." }]);
    expect(status).toBe(200);
    const [sent = ""] = upstream;
    expect(sent).toContain(`This is a summary of the conversation up to here:\\n${SUMMARY}`);
    expect(sent).not.toContain("pk1.");
  });

  test("is streamed as one item, as Codex reads it", async () => {
    const client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: world.secret, maxRetries: 0 });
    const input = JSON.parse(JSON.stringify([USER, SAID, TRIGGER]));
    const events = [];
    for await (const event of await client.responses.create({
      model: maker,
      input,
      stream: true,
      store: false,
    }))
      events.push(event);
    expect(events.map(({ type }) => String(type))).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.compaction.compacting",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(events.map((event) => event.sequence_number)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(JSON.stringify(events)).not.toContain("You said");
  });
});

function itemOf(body: JsonObject): JsonObject {
  return asObject(asArray(body.output).at(-1));
}

describe("a provider that compacts", () => {
  test("does it itself if the request names its model", async () => {
    const { body, upstream } = await compact(NATIVE);
    expect(upstream.join()).toContain("compaction_trigger");
    expect([asArray(body.output).length, itemOf(body).type]).toEqual([1, "compaction"]);
    // The provider's own text leaves with its place.
    expect(itemOf(body).encrypted_content).toStartWith("pk1.");
    const next = await ask(NATIVE, [itemOf(body), USER]);
    expect(next.status).toBe(200);
    expect(next.upstream.join()).toContain('"encrypted_content":"gAAAA');
    expect(next.upstream.join()).not.toContain("pk1.");
  });

  test("isn't asked to by a selector", async () => {
    const { body } = await compact("Router#best");
    expect(itemOf(body).encrypted_content).toStartWith("pk1.");
  });

  test("is the only one to read its summary", async () => {
    const { body } = await compact(NATIVE);
    const {
      status,
      body: refused,
      upstream,
    } = await ask("Anthropic#claude-sonnet-4-6", [itemOf(body), USER]);
    expect([status, asObject(refused.error).code, upstream.length]).toEqual([
      400,
      "unsupported_capability",
      0,
    ]);
  });
});

describe("a trigger", () => {
  test.each([
    ["alone", [TRIGGER], "input[0]"],
    ["before the end", [USER, TRIGGER, USER], "input[1]"],
    ["twice", [USER, TRIGGER, TRIGGER], "input[1]"],
  ])("%s is refused", async (_, input, param) => {
    const { status, body, upstream } = await ask("Local#some-model", input);
    expect([status, upstream.length, body.error]).toMatchObject([400, 0, { code: "invalid_value", param }]);
  });
});

test("a sealed summary that was changed, or is another account's, reaches nobody", async () => {
  const { body } = await compact("Local#some-model");
  const item = itemOf(body);
  const sealed = String(item.encrypted_content);
  const damaged = { ...item, encrypted_content: `${sealed.slice(0, 20)}${sealed.slice(21)}` };
  const account = await world.newAccount();
  const other = await world.newKey({ account_id: account, requests_per_day: null });
  const tries = [await ask("Local#some-model", [damaged, USER])];
  tries.push(await post("/v1/responses", { model: "Local#some-model", input: [item, USER] }, other.secret));
  const param = "input[0].encrypted_content";
  for (const { status, body: refused, upstream } of tries) {
    expect([status, upstream.length]).toEqual([400, 0]);
    expect(refused.error).toMatchObject({ code: "invalid_encrypted_content", param });
  }
});

test("a model that writes nothing is told of, whole and streamed", async () => {
  const model = "Local#silent~no-content";
  const { status, body } = await ask(model, [USER, TRIGGER]);
  expect([status, asObject(body.error).code]).toEqual([502, "upstream_error"]);
  const response = await fetch(`${world.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${world.secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model, input: [USER, TRIGGER], stream: true }),
  });
  expect(await response.text()).toContain("event: response.failed");
});

test("a summary that its limit has cut is sealed as it is, and named", async () => {
  const ask = (more: object) =>
    fetch(`${world.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${world.secret}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "Anthropic#claude-sonnet-4-6", input: [USER, TRIGGER], ...more }),
    });
  const cut = await ask({ max_output_tokens: 16 });
  expect(cut.headers.get("x-poundkey-dropped")).toBe("output[0]");
  expect(asObject(await cut.json())).toMatchObject({ status: "completed", output: [{ type: "compaction" }] });
  expect((await ask({})).headers.get("x-poundkey-dropped")).toBeNull();
});

test("the route for it returns the next request's input", async () => {
  const said = { role: "user", content: "remember: cake" };
  const { status, body } = await post("/v1/responses/compact", {
    model: "Local#some-model",
    input: [said, SAID],
  });
  expect([status, body.object]).toEqual([200, "response.compaction"]);
  expect(body.output).toMatchObject([said, { type: "compaction" }]);
  expect(asObject(body.usage).output_tokens).toBeGreaterThan(0);
  const next = await ask("Anthropic#claude-sonnet-4-6", [...asArray(body.output).map(asObject), USER]);
  expect(next.upstream.join()).toContain(SUMMARY);
  const nothing = await post("/v1/responses/compact", { model: "Local#some-model" });
  expect(nothing.body.error).toMatchObject({ code: "missing_required_parameter", param: "input" });
  for (const input of [[], {}, 5]) {
    const refused = await post("/v1/responses/compact", { model: "Local#some-model", input });
    const twin = await post("/v1/responses", { model: "Local#some-model", input });
    expect([refused.status, refused.body]).toEqual([400, twin.body]);
  }
});

test("the route is asked for at a provider that has it, for what it takes", async () => {
  const said = { role: "user", content: "remember: cake" };
  const asked = { model: NATIVE, input: [said, SAID], instructions: "Be brief.", max_output_tokens: 500 };
  const natively = await post("/v1/responses/compact", asked);
  const { path, body: sent } = asObject(world.simulator.calls.last());
  expect(path).toBe("/responses/compact");
  expect(sent).toEqual({
    model: "gpt-5.4",
    input: [said, SAID],
    instructions: "Be brief.",
    service_tier: "default",
  });
  expect(natively.headers.get("x-poundkey-dropped")).toBe("max_output_tokens");
  expect([natively.status, natively.body.object]).toEqual([200, "response.compaction"]);
  expect(natively.body.output).toMatchObject([said, { type: "compaction" }]);
  expect(asObject(natively.body.usage).cost).toBeGreaterThan(0);
  const next = await ask(NATIVE, [...asArray(natively.body.output).map(asObject), USER]);
  expect(next.status).toBe(200);
  expect(next.upstream.join()).toContain('"encrypted_content":"gAAAA');
});

test("what is kept of a compacted conversation is its summary and the user's messages", async () => {
  const { body } = await compact("Local#some-model", { store: true });
  const { upstream } = await ask("Mistral#mistral-large-latest", [USER], { previous_response_id: body.id });
  const [sent = ""] = upstream;
  expect(sent).toContain(CODEWORD);
  expect(sent).toContain(SUMMARY);
  expect(sent).not.toContain("We bake.");
});

test("it is never answered from the cache", async () => {
  const headers = { "x-poundkey-cache": "on" };
  for (const _ of [1, 2]) {
    const { upstream } = await post(
      "/v1/responses",
      { model: "Local#some-model", input: [USER, TRIGGER] },
      world.secret,
      headers,
    );
    expect(upstream).toHaveLength(1);
  }
});

test("the operator may have one model write all summaries", async () => {
  const own = await startUnderTest({ more: 'responses: { compact_model: "Mistral#mistral-large-latest" }' });
  const model = NATIVE;
  const response = await fetch(`${own.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${own.secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model, input: [USER, TRIGGER] }),
  });
  expect(response.headers.get("x-poundkey-model")).toBe("Mistral#mistral-large-latest");
  expect(itemOf(asObject(await response.json())).encrypted_content).toStartWith("pk1.");
  await own.stop();
});
