// Text that only the client's own API reads is held as part of the prompt, and charged if no usage is reported.
import { afterAll, describe, expect, test } from "bun:test";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { startSimulator } from "../../../src/simulator/server.ts";
import { startUnderTest } from "../../harness/harness.ts";

/** Some 180,000 tokens at 1.4 bytes each, which cost more than the balance on each of the models. */
const LONG = "word ".repeat(50_000);
const BALANCE_USD = 0.05;
/** 8,000 bytes that the balance covers. */
const SOME = "word ".repeat(1600);
/** USD per million input tokens. Output is free. */
const INPUT_PRICE = 1;

/** Accepts any body, as providers accept new fields. */
const lenient = await startSimulator();
const under = await startUnderTest({
  more: `${makeQuietProviders(lenient.url)}\nbilling: { charge: always }
native: { known: { blocks: [next_year] } }`,
});
const { id } = asObject(await admin("POST", "/accounts", { name: "payer" }));
const accountId = String(id);
await under.topUp(accountId, BALANCE_USD);
const { secret } = await under.newKey({ account_id: id, requests_per_day: null });
afterAll(async () => {
  await under.stop();
  await lenient.stop();
});

/** A provider of each family that never reports usage, and one that gets a translated request. */
function makeQuietProviders(url: string): string {
  const price = `price: { input: ${INPUT_PRICE}, output: 0 }`;
  const rows = [
    ["QuietResponses", "responses", "/openai/v1"],
    ["QuietAnthropic", "anthropic", "/anthropic/v1"],
    ["QuietGoogle", "gemini", "/gemini/v1beta"],
    ["QuietChat", "openai", "/openai/v1"],
  ];
  return rows
    .map(
      ([name, dialect, path]) =>
        `  ${name}: { dialect: ${dialect}, base_url: "${url}${path}", keys: ["sim-key~no-usage"], models: [{ name: sim-mini, context: 100000, output: 1024, ${price} }] }`,
    )
    .join("\n");
}

async function admin(method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${under.url}/admin/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${under.adminToken}`, "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return response.json();
}

interface Row {
  readonly name: string;
  /** A model of the catalogue, and one that reports no usage. */
  readonly model: string;
  readonly quiet: string;
  readonly path: (model: string, isStreamed: boolean) => string;
  readonly body: (text: string) => object;
}

const SHORT = { role: "user", content: "say: hi" };
const RESPONSES = {
  model: "OpenAI#gpt-5.4",
  quiet: "QuietResponses#sim-mini",
  path: () => "/v1/responses",
};
const MESSAGES = {
  model: "Anthropic#claude-haiku-4-5",
  quiet: "QuietAnthropic#sim-mini",
  path: () => "/v1/messages",
};
const GEMINI = {
  model: "Google#gemini-2.5-flash",
  quiet: "QuietGoogle#sim-mini",
  path: (model: string, isStreamed: boolean) =>
    `/v1beta/models/${model.replace("#", "/")}:${isStreamed ? "streamGenerateContent?alt=sse" : "generateContent"}`,
};

const ROWS: readonly Row[] = [
  {
    name: "a shell's output on Responses",
    ...RESPONSES,
    body: (text) => ({
      max_output_tokens: 16,
      input: [
        SHORT,
        { type: "shell_call_output", call_id: "c", output: [{ stdout: text, stderr: "", outcome: {} }] },
      ],
    }),
  },
  {
    name: "a tool's description on Responses",
    ...RESPONSES,
    body: (text) => ({
      max_output_tokens: 16,
      input: [SHORT],
      tools: [{ type: "tool_search", execution: "client", description: text, parameters: {} }],
    }),
  },
  {
    name: "a block on Messages",
    ...MESSAGES,
    body: (text) => ({
      max_tokens: 16,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "say: hi" },
            { type: "next_year", text },
          ],
        },
      ],
    }),
  },
  {
    name: "a block in a tool's result on Messages",
    ...MESSAGES,
    body: (text) => ({
      max_tokens: 16,
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
    ...GEMINI,
    body: (text) => ({
      generationConfig: { maxOutputTokens: 16 },
      contents: [{ role: "user", parts: [{ text: "say: hi" }, { codeExecutionResult: { output: text } }] }],
    }),
  },
];

function post({ path, body }: Row, model: string, text: string, isStreamed: boolean): Promise<Response> {
  return fetch(under.url + path(model, isStreamed), {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model, ...body(text), ...(isStreamed ? { stream: true } : {}) }),
  });
}

describe.each(ROWS.map((row) => [row.name, row] as const))("%s", (_name, row) => {
  test("is part of the hold", async () => {
    const count = async (text: string) => {
      const calls = under.simulator.calls.all().length;
      const answer = await (await post(row, row.model, text, false)).text();
      return { answer, calls: under.simulator.calls.all().length - calls };
    };
    expect((await count("short")).calls).toBe(1);
    const refused = await count(LONG);
    expect(refused.calls).toBe(0);
    expect(refused.answer).toMatch(/balance/i);
  });

  test.each([false, true])(
    "is charged by an estimate if no usage is reported, streamed: %p",
    async (isStreamed) => {
      const short = await charge(row, row.quiet, "short", isStreamed);
      const some = await charge(row, row.quiet, SOME, isStreamed);
      const more = some.prompt - short.prompt;
      // Text has 3 to 5 bytes a token.
      expect(more).toBeWithin(SOME.length / 5, SOME.length / 3);
      expect(some.usd).toBeCloseTo((some.prompt * INPUT_PRICE) / 1e6, 9);
      // A translated request doesn't contain the text, so nobody pays for it.
      const translated = await charge(row, "QuietChat#sim-mini", SOME, isStreamed);
      expect(translated.prompt).toBeLessThan(short.prompt + 20);
    },
  );
});

test("a result sent twice to Gemini is charged twice", async () => {
  const body = (text: string) => {
    const result = { functionResponse: { id: "c", name: "f", response: { output: text } } };
    return {
      contents: [
        { role: "user", parts: [{ text: "say: hi" }] },
        { role: "model", parts: [{ functionCall: { id: "c", name: "f", args: {} } }] },
        { role: "user", parts: [result, result] },
      ],
    };
  };
  const row = { ...GEMINI, name: "", body };
  const native = await charge(row, row.quiet, SOME, false);
  const translated = await charge(row, "QuietChat#sim-mini", SOME, false);
  expect(native.prompt / translated.prompt).toBeWithin(1.9, 2.1);
});

/** Returns the charge of a request without usage, and the prompt's tokens in its row. */
async function charge(row: Row, model: string, text: string, isStreamed: boolean) {
  const before = await readBalance();
  const answer = await post(row, model, text, isStreamed);
  expect([answer.status, await answer.text()]).toEqual([200, expect.anything()]);
  const { data } = asObject(await admin("GET", `/requests?account_id=${accountId}&limit=1`));
  const { charged_usd, usage_source, tokens } = asObject(asArray(data)[0]);
  expect(usage_source).toBe("estimate");
  expect(before - (await readBalance())).toBeCloseTo(Number(charged_usd), 9);
  return { usd: Number(charged_usd), prompt: Number(asObject(tokens).prompt) };
}

async function readBalance(): Promise<number> {
  return Number(asObject(await admin("GET", `/accounts/${accountId}`)).balance_usd);
}
