// One question in the words of each API, and in each form that these have for it: the answer to any of them is kept for all.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";

let world: UnderTest;
beforeAll(async () => {
  world = await startUnderTest();
});
afterAll(() => world.stop());

const model = "Local#sim";
const RULE = "Be brief.";

/** The same question with the same limit. */
const FORMS: Readonly<Record<string, (text: string) => readonly [path: string, body: JsonObject]>> = {
  "chat, a text": (text) => [
    "/v1/chat/completions",
    {
      model,
      max_tokens: 50,
      messages: [
        { role: "system", content: RULE },
        { role: "user", content: text },
      ],
    },
  ],
  "chat, a part": (text) => [
    "/v1/chat/completions",
    {
      model,
      max_completion_tokens: 50,
      messages: [
        { role: "system", content: [{ type: "text", text: RULE }] },
        { role: "user", content: [{ type: "text", text }] },
      ],
    },
  ],
  "Messages, a text": (text) => [
    "/v1/messages",
    { model, max_tokens: 50, system: RULE, messages: [{ role: "user", content: text }] },
  ],
  "Messages, a block": (text) => [
    "/v1/messages",
    {
      model,
      max_tokens: 50,
      system: [{ type: "text", text: RULE }],
      messages: [{ role: "user", content: [{ type: "text", text }] }],
    },
  ],
  "Responses, a text": (text) => [
    "/v1/responses",
    { model, max_output_tokens: 50, instructions: RULE, input: text },
  ],
  "Responses, an item": (text) => [
    "/v1/responses",
    {
      model,
      max_output_tokens: 50,
      instructions: RULE,
      input: [{ role: "user", content: [{ type: "input_text", text }] }],
    },
  ],
  Gemini: (text) => [
    `/v1beta/models/${encodeURIComponent(model)}:generateContent`,
    {
      systemInstruction: { parts: [{ text: RULE }] },
      contents: [{ role: "user", parts: [{ text }] }],
      generationConfig: { maxOutputTokens: 50 },
    },
  ],
};

async function ask(form: string, text: string): Promise<string | null> {
  const [path, body] = FORMS[form]?.(text) ?? ["", {}];
  const headers = {
    authorization: `Bearer ${world.secret}`,
    "content-type": "application/json",
    "x-poundkey-cache": "on",
  };
  const answered = await fetch(world.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  await answered.text();
  return answered.headers.get("x-poundkey-cache");
}

const NAMES = Object.keys(FORMS);

test.each(NAMES)("asked by %s, it is known to all", async (first) => {
  const text = `say: by ${first}`;
  expect(await ask(first, text)).toBe("stored");
  for (const other of NAMES) expect([other, await ask(other, text)]).toEqual([other, "hit"]);
});

test("another limit, or another part beside the text, is another question", async () => {
  const headers = { "x-poundkey-cache": "on" };
  const text = { type: "text", text: "say: other" };
  const user = (content: unknown) => [{ role: "user", content }];
  const bodies: readonly JsonObject[] = [
    { messages: user("say: other") },
    { messages: user("say: other"), max_tokens: 50 },
    { messages: user("say: other"), max_completion_tokens: 60 },
    { messages: user([text, text]) },
    { messages: user([{ ...text, cache_control: { type: "ephemeral" } }]) },
  ];
  for (const body of bodies) {
    const answered = await world.chat({ model, ...body }, { headers });
    await answered.text();
    expect(answered.headers.get("x-poundkey-cache")).toBe("stored");
  }
});
