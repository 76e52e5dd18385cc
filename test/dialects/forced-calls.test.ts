// A forced tool call for models that don't support it: selectors skip them, and a named one gets the demand in its
// prompt.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject } from "../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { type Seen, seen } from "../whole/world/observe.ts";

let gateway: UnderTest;
/** Secrets of keys for both models, and for the one that can't be forced. */
let both: string;
let willful: string;

beforeAll(async () => {
  gateway = await startUnderTest({
    more: (url) => `
  Own:
    dialect: openai
    keys: ["sim-key"]
    base_url: "${url}/openai/v1"
    models:
      - { name: willful, context: 8192, output: 1024, price: { input: 0.01, output: 0.05 }, capabilities: [tools_auto] }
      - { name: obedient, context: 8192, output: 1024, price: { input: 10, output: 50 }, capabilities: [tools] }
      - { name: toolless, context: 8192, output: 1024, price: { input: 0.01, output: 0.05 }, capabilities: [] }`,
  });
  const newKey = async (models: readonly string[]) =>
    (await gateway.newKey({ requests_per_day: null, allowed_models: models })).secret;
  both = await newKey(["Own#willful", "Own#obedient"]);
  willful = await newKey(["Own#willful"]);
});
afterAll(() => gateway.stop());

const named = (name: string) => ({ type: "function", function: { name } });
const TOOLS = [named("look"), named("wait")];
const among = (mode: string) => ({
  type: "allowed_tools",
  allowed_tools: { mode, tools: [named("look")] },
});

const FREE: readonly unknown[] = ["auto", "none", among("auto")];
const FORCED: readonly unknown[] = ["required", named("look"), among("required")];

function asking(model: string, choice: unknown) {
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "hello" },
  ];
  return { model, messages, tools: TOOLS, tool_choice: choice };
}

async function ask(model: string, choice: unknown, secret: string): Promise<Seen> {
  return seen(await gateway.chat(asking(model, choice), { secret }));
}

/** The reason why each of the two can't serve, from a dry run. */
async function removals(choice: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(`${gateway.url}/v1/route`, {
    method: "POST",
    headers: { authorization: `Bearer ${both}`, "content-type": "application/json" },
    body: JSON.stringify(asking("Router#light", choice)),
  });
  const candidates = asArray(asObject(await response.json()).candidates).map(asObject);
  const own = candidates.filter(({ model }) => model === "Own#willful" || model === "Own#obedient");
  return Object.fromEntries(own.map(({ model, removed_by }) => [String(model), removed_by]));
}

describe("a selector", () => {
  test.each(FREE)("chooses among both kinds if nothing is forced: %j", async (choice) => {
    expect(await removals(choice)).toEqual({ "Own#willful": null, "Own#obedient": null });
  });

  test.each(FORCED)("chooses a model that can be forced: %j", async (choice) => {
    const answer = await ask("Router#light", choice, both);
    expect([answer.status, answer.body.model]).toEqual([200, "Own#obedient"]);
    expect(answer.headers.get("x-poundkey-dropped")).toBeNull();
  });

  test.each(FORCED)("explains why: %j", async (choice) => {
    expect(await removals(choice)).toEqual({ "Own#willful": "tools", "Own#obedient": null });
  });

  test("refuses if no other model is left", async () => {
    const { status, error } = await ask("Router#light", "required", willful);
    expect([status, error?.code]).toEqual([400, "unsupported_capability"]);
  });
});

describe("a named model", () => {
  test.each(FORCED)("is asked in the prompt: %j", async (choice) => {
    const answer = await ask("Own#willful", choice, both);
    expect([answer.status, answer.headers.get("x-poundkey-dropped")]).toEqual([200, "tool_choice"]);
    const sent = asObject(gateway.simulator.calls.last()?.body);
    expect(sent.tool_choice ?? "auto").toBe("auto");
    const [system, user, ...others] = asArray(sent.messages).map(asObject);
    expect(system?.content).toBe("Be brief.");
    expect(user?.content).toMatch(/^hello\n\n<system_message>\nIn this answer, call .*\n<\/system_message>$/);
    expect(others).toEqual([]);
    // Only the tools that a list of allowed ones leaves.
    expect(asArray(sent.tools)).toHaveLength(JSON.stringify(choice).includes("allowed_tools") ? 1 : 2);
  });

  test("is named as the client's own API calls it", async () => {
    const response = await fetch(`${gateway.url}/v1beta/models/Own%23willful:generateContent`, {
      method: "POST",
      headers: { authorization: `Bearer ${willful}`, "content-type": "application/json" },
      body: JSON.stringify({
        contents: [{ parts: [{ text: "hello" }] }],
        tools: [{ functionDeclarations: [{ name: "look" }] }],
        toolConfig: { functionCallingConfig: { mode: "ANY" } },
      }),
    });
    expect([response.status, response.headers.get("x-poundkey-dropped")]).toEqual([200, "toolConfig"]);
  });

  test.each(FREE)("is called as usual if nothing is forced: %j", async (choice) => {
    const answer = await ask("Own#willful", choice, both);
    expect([answer.status, answer.headers.get("x-poundkey-dropped")]).toEqual([200, null]);
  });

  test("is refused if it supports no tools at all", async () => {
    for (const choice of ["auto", "required"]) {
      const { status, error } = await ask("Own#toolless", choice, gateway.secret);
      expect([status, error?.code, error?.param]).toEqual([400, "unsupported_capability", "tools"]);
      expect(error?.message).toContain("does not accept tools");
    }
  });
});
