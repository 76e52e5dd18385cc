// Text that only the provider of the client's own API reads is held as part of the prompt, on each of the surfaces.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startUnderTest, type UnderTest } from "./harness.ts";

/** At 1.4 bytes a token some 180,000 tokens, which cost more than the balance on each of the models. */
const LONG = "word ".repeat(50_000);
const BALANCE_USD = 0.05;

let under: UnderTest;
let secret: string;

beforeAll(async () => {
  under = await startUnderTest({ more: "billing: { charge: always }" });
  const response = await fetch(`${under.url}/admin/v1/accounts`, {
    method: "POST",
    headers: { authorization: `Bearer ${under.adminToken}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "payer" }),
  });
  const { id } = (await response.json()) as { id: string };
  await under.topUp(id, BALANCE_USD);
  ({ secret } = await under.newKey({ account_id: id, requests_per_day: null }));
});
afterAll(() => under.stop());

const MESSAGES = { model: "Anthropic#claude-haiku-4-5", max_tokens: 16 };
const RESPONSES = { model: "OpenAI#gpt-5.4", max_output_tokens: 16 };
const GENERATE = "/v1beta/models/Google/gemini-2.5-flash:generateContent";
const GENERATION = { generationConfig: { maxOutputTokens: 16 } };
const SHORT = { role: "user", content: "say: hi" };

interface Row {
  readonly name: string;
  readonly path: string;
  readonly body: (text: string) => object;
}

const ROWS: readonly Row[] = [
  {
    name: "a shell's output on Responses",
    path: "/v1/responses",
    body: (text) => ({
      ...RESPONSES,
      input: [
        SHORT,
        { type: "shell_call_output", call_id: "c", output: [{ stdout: text, stderr: "", outcome: {} }] },
      ],
    }),
  },
  {
    name: "a tool's description on Responses",
    path: "/v1/responses",
    body: (text) => ({
      ...RESPONSES,
      input: [SHORT],
      tools: [{ type: "tool_search", execution: "client", description: text, parameters: {} }],
    }),
  },
  {
    name: "a block on Messages",
    path: "/v1/messages",
    body: (text) => ({ ...MESSAGES, messages: [{ role: "user", content: [{ type: "next_year", text }] }] }),
  },
  {
    name: "a block in a tool's result on Messages",
    path: "/v1/messages",
    body: (text) => ({
      ...MESSAGES,
      messages: [
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "t", content: [{ type: "next_year", text }] }],
        },
      ],
    }),
  },
  {
    name: "a part on Gemini",
    path: GENERATE,
    body: (text) => ({
      ...GENERATION,
      contents: [{ role: "user", parts: [{ text: "say: hi" }, { codeExecutionResult: { output: text } }] }],
    }),
  },
];

test.each([...ROWS])("$name", async ({ path, body }) => {
  const post = async (text: string) => {
    const calls = under.simulator.calls.all().length;
    const answer = await fetch(under.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify(body(text)),
    });
    return { text: await answer.text(), calls: under.simulator.calls.all().length - calls };
  };
  expect((await post("short")).calls).toBe(1);
  const refused = await post(LONG);
  expect(refused.calls).toBe(0);
  expect(refused.text).toMatch(/balance/i);
});
