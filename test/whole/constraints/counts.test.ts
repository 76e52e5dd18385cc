// Counts of tokens: the gateway makes them itself, so that no constraint is in danger. A misspelt field would be missing from the
// count.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { askAt } from "./asking.ts";

const SAY = "say: good day";

/** The routes: the path, the body, and a misspelt field with the one that was meant. */
const ROUTES: readonly (readonly [path: string, body: JsonObject, wrong: string, meant: string])[] = [
  [
    "/v1/messages/count_tokens",
    { model: "Anthropic#claude-sonnet-4-6", messages: [{ role: "user", content: SAY }] },
    ...(["tool_choise", "tool_choice"] as const),
  ],
  [
    "/v1/responses/input_tokens",
    { model: "Responses#gpt-4.1", input: SAY },
    ...(["instruction", "instructions"] as const),
  ],
  [
    "/v1beta/models/Google%23gemini-3.6-flash:countTokens",
    { contents: [{ role: "user", parts: [{ text: SAY }] }] },
    ...(["systemInstructions", "systemInstruction"] as const),
  ],
];

const CONSTRAINTS: readonly JsonObject[] = [
  { provider: { zdr: true, only: ["azure"] } },
  { guardrails: ["pii"] },
  { inference_geo: "us" },
  { cache: { "no-store": true }, disable_fallbacks: true },
];

let world: UnderTest;
let reporting: UnderTest;
let dropping: UnderTest;
beforeAll(async () => {
  [world, reporting, dropping] = await Promise.all([
    startUnderTest(),
    startUnderTest({ more: "guard: { constraints: report }" }),
    startUnderTest({ more: "guard: { constraints: drop }" }),
  ]);
});
afterAll(() => Promise.all([world.stop(), reporting.stop(), dropping.stop()]));

describe.each(ROUTES)("%s", (path, body, wrong, meant) => {
  test("counts the same with constraints, and calls nobody", async () => {
    const plain = await askAt(world, path, body);
    expect(plain.status).toBe(200);
    for (const more of CONSTRAINTS) {
      const { text, calls } = await askAt(world, path, { ...body, ...more });
      expect([more, text, calls.length]).toEqual([more, plain.text, 0]);
    }
  });

  test("refuses a misspelt field, unless the operator lets it pass", async () => {
    const given = { ...body, [wrong]: "a" };
    const { status, param, message } = await askAt(world, path, given);
    expect([status, message]).toEqual([400, `Unknown parameter: '${wrong}'. Did you mean '${meant}'?`]);
    expect(param ?? wrong).toBe(wrong);
    for (const other of [reporting, dropping]) expect((await askAt(other, path, given)).status).toBe(200);
  });
});

test("a misspelt field comes before the one that is missing without it", async () => {
  const [[path = "", { messages, ...body } = {}] = []] = ROUTES;
  const { message } = await askAt(world, path, { ...body, mesages: messages });
  expect(message).toContain("Did you mean 'messages'?");
});

test("what would be refused is counted under report", async () => {
  const metrics = await (await fetch(`${reporting.url}/metrics`)).text();
  const counted = /poundkey_constraints_total\{field="misspelt",outcome="dropped"\} (\d+)/.exec(metrics);
  expect(Number(counted?.[1])).toBe(ROUTES.length);
});
