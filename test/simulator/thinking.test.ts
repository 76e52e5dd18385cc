// The simulated providers' thinking: its form in each dialect, and signatures that must be sent back unchanged.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import { type Asked, ask, at, type KitName } from "./asking.ts";
import { type Simulator, startSimulator } from "./server.ts";

let sim: Simulator;
beforeAll(async () => {
  sim = await startSimulator();
});
afterAll(() => sim.stop());

const says = (role: string, content: unknown) => ({ role, content });
const answered = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "42" });
const hi = says("user", "hi");
const asks = { role: "user", parts: [{ text: "hi" }] };
const responds = { role: "user", parts: [{ functionResponse: { name: "f", response: {} } }] };
const declares = { tools: [{ functionDeclarations: [{ name: "f", parameters: { type: "object" } }] }] };

/** Sends the second turn of a conversation with a tool. Returns its status and text. */
async function secondTurn(
  name: KitName,
  first: Asked,
  follow: (answer: JsonObject) => JsonObject,
): Promise<readonly [number, string]> {
  const { json, status } = await ask(sim, name, first);
  expect(status).toBe(200);
  const { status: then, text } = await ask(sim, name, { ...first, with: { ...first.with, ...follow(json) } });
  return [then, text];
}

test("anthropic: thinking must return with its signature", async () => {
  const tools = [{ name: "f", input_schema: { type: "object" } }];
  const first = { text: "call f({})", with: { tools, thinking: { type: "enabled", budget_tokens: 1024 } } };
  const follow = (change: (blocks: readonly JsonObject[]) => readonly unknown[]) => (answer: JsonObject) => {
    const blocks = asArray(answer.content).map(asObject);
    const results = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => answered(String(id)));
    return {
      messages: [says("user", "call f({})"), says("assistant", change(blocks)), says("user", results)],
    };
  };
  const [fine, text] = await secondTurn(
    "anthropic",
    first,
    follow((blocks) => blocks),
  );
  expect([fine, text]).toEqual([200, expect.stringContaining("The tools answered: f → 42.")]);
  const [spoilt, why] = await secondTurn(
    "anthropic",
    first,
    follow(([a, b]) => [{ ...a, thinking: "other" }, b]),
  );
  expect([spoilt, why]).toEqual([400, expect.stringContaining("Invalid `signature`")]);
  const [left, wanted] = await secondTurn(
    "anthropic",
    first,
    follow(([, b]) => [b]),
  );
  expect([left, wanted]).toEqual([400, expect.stringContaining("must start with a thinking block")]);
});

test("gemini: the first call must return with its signature", async () => {
  const first = { model: "gemini-3-pro", text: 'call f({"a":1})', with: declares };
  const follow = (change: JsonObject) => (answer: JsonObject) => {
    const parts = [{ ...asObject(at(answer, "candidates.0.content.parts.0")), ...change }];
    return { contents: [asks, { role: "model", parts }, responds] };
  };
  expect((await secondTurn("gemini", first, follow({})))[0]).toBe(200);
  expect(
    (await secondTurn("gemini", first, follow({ thoughtSignature: "skip_thought_signature_validator" })))[0],
  ).toBe(200);
  expect((await secondTurn("gemini", first, follow({ thoughtSignature: "eA==" })))[1]).toContain("Corrupted");
});

test("responses: sealed thinking must return before its call", async () => {
  const tools = [{ type: "function", name: "f", parameters: {} }];
  const include = ["reasoning.encrypted_content"];
  const first = { model: "gpt-5.6", text: "call f({})", with: { tools, include, store: false } };
  const follow = (change: (items: readonly JsonObject[]) => readonly unknown[]) => (answer: JsonObject) => {
    const output = asArray(answer.output).map(asObject);
    const results = output.filter(({ type }) => type === "function_call");
    const outputs = results.map(({ call_id }) => ({ type: "function_call_output", call_id, output: "42" }));
    return { input: [hi, ...change(output), ...outputs] };
  };
  expect(
    (
      await secondTurn(
        "responses",
        first,
        follow((items) => items),
      )
    )[0],
  ).toBe(200);
  const [, why] = await secondTurn(
    "responses",
    first,
    follow(([, b]) => [b]),
  );
  expect(why).toContain("without its required 'reasoning' item");
  const [, lost] = await secondTurn(
    "responses",
    first,
    follow(([a, b]) => [{ ...a, encrypted_content: undefined }, b]),
  );
  expect(lost).toContain("Items are not persisted");
});

test("thinking has each dialect's own form", async () => {
  const streamed = async (name: KitName, asked: Asked) =>
    (await ask(sim, name, { streamed: true, ...asked })).text;
  expect(await streamed("openai", { model: "sim-think" })).toContain('"reasoning_content":"Thinking"');
  expect(await streamed("anthropic", { with: { thinking: { type: "adaptive" } } })).toContain(
    '"type":"signature_delta"',
  );
  expect(
    await streamed("gemini", { with: { generationConfig: { thinkingConfig: { includeThoughts: true } } } }),
  ).toContain('"thought":true');
  expect(await streamed("mistral", { model: "magistral-medium" })).toContain(
    '{"type":"thinking","thinking":[',
  );
  expect(await streamed("cohere", { with: { thinking: { type: "enabled" } } })).toContain(
    '"content":{"thinking":"Thinking"}',
  );
  expect(await streamed("responses", { model: "gpt-5", with: { reasoning: { summary: "auto" } } })).toContain(
    "reasoning_summary_text.delta",
  );
});
