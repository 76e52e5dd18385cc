// Mistral's models refuse a user's turn right behind the results of calls, where Claude Code's reminders stand: the request
// is answered all the same, and the next one is right at first.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject, asString, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";

const SAY = "say: good day";
const REMINDER = `<system-reminder>It is noon.</system-reminder> ${SAY}`;
const RESULT = { type: "tool_result", tool_use_id: "call_1", content: "seen" };
const REMINDED = { role: "user", content: [RESULT, { type: "text", text: REMINDER }] };
const LATE = [
  { role: "user", content: [RESULT] },
  { role: "system", content: SAY },
];
const MODELS = ["mistral-7b-instruct-v0.3", "devstral-small-2", "mistral-small-4-119b"];

let world: UnderTest;
beforeAll(async () => {
  const rows = MODELS.flatMap((model) => [model, `${model}-late`, `${model}-both`]).map(
    (name) =>
      `{ name: ${name}, context: 100000, output: 1000, price: { input: 1, output: 1 }, capabilities: [tools] }`,
  );
  world = await startUnderTest({
    more: (url) =>
      [
        `  House: { dialect: openai, base_url: "${url}/openai/v1", keys: [sim-key], models: [${rows.join(", ")}] }`,
        `  Api: { dialect: mistral, base_url: "${url}/mistral/v1", keys: [sim-key], models: [${rows.join(", ")}] }`,
      ].join("\n"),
  });
});
afterAll(() => world.stop());

async function ask(model: string, ...turns: readonly JsonObject[]) {
  const before = world.simulator.calls.total;
  const called = {
    role: "assistant",
    content: [{ type: "tool_use", id: "call_1", name: "look", input: {} }],
  };
  const response = await fetch(`${world.url}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${world.secret}` },
    body: JSON.stringify({
      model,
      max_tokens: 100,
      tools: [{ name: "look", input_schema: { type: "object" } }],
      messages: [{ role: "user", content: "step 1: say: one\nstep 2: say: two" }, called, ...turns],
    }),
  });
  const { content } = asObject(await response.json());
  const said = asString(asObject(asArray(content)[0]).text);
  return { status: response.status, said, calls: world.simulator.calls.total - before };
}

/** The messages of the latest upstream call behind the assistant's call, as `role: text`. */
function readSent(): readonly string[] {
  const messages = asArray(asObject(world.simulator.calls.last()?.body).messages).map(asObject);
  return messages.slice(2).map(({ role, content }) => {
    const parts = asArray(content).map((part) => asString(asObject(part).text) ?? "");
    return `${String(role)}: ${asString(content) ?? parts.join("|")}`;
  });
}

test.each(MODELS)("a reminder is answered by %s, and learned from", async (model) => {
  const said = expect.stringContaining("good day");
  expect(await ask(`House#${model}`, REMINDED)).toEqual({ status: 200, said, calls: 2 });
  expect(readSent()).toEqual(["tool: seen", "assistant: OK.", `user: ${REMINDER}`]);
  expect(await ask(`House#${model}`, REMINDED)).toEqual({ status: 200, said, calls: 1 });
});

test.each(MODELS)("a system message is answered by %s", async (model) => {
  expect(await ask(`House#${model}-late`, ...LATE)).toMatchObject({ status: 200, calls: 2 });
  const note = `<system_message>\n${SAY}\n</system_message>`;
  expect(readSent()).toEqual(["tool: seen", "assistant: OK.", `user: ${note}`]);
});

test("Mistral's own API, where a late system message is the user's, answers both", async () => {
  const model = "Api#mistral-small-4-119b";
  expect(await ask(model, REMINDED)).toMatchObject({ status: 200, calls: 2 });
  expect(readSent()).toEqual(["tool: seen", "assistant: OK.", `user: ${REMINDER}`]);
  expect(await ask(model, ...LATE)).toMatchObject({ status: 200, calls: 1 });
  expect(readSent()).toEqual(["tool: seen", "assistant: OK.", `user: ${SAY}`]);
});

test("a server that refuses one order after the other is asked until it has said both", async () => {
  const model = "House#mistral-small-4-119b-both";
  const late = { role: "system", content: "It is noon." };
  const turns = [REMINDED, { role: "assistant", content: "Yes." }, late, { role: "user", content: SAY }];
  expect(await ask(model, ...turns)).toMatchObject({ status: 200, calls: 3 });
  expect(await ask(model, ...turns)).toMatchObject({ status: 200, calls: 1 });
});
