// Thinking stays as the model wrote it, with placeholders, whole and streamed; only what it says to the client is put back.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { makeRequest, nameWay, readWords, WAYS } from "../../steps/asked.ts";
import { type GuardWorld, startGuardWorld } from "./world.ts";

const ADDRESS = "ada@corp-x.de";
let own: GuardWorld;
beforeAll(async () => {
  own = await startGuardWorld("guard: { rules: [{ name: people, detect: [email], action: swap }] }");
});
afterAll(() => own.stop());

/** The fields that ask for thinking, and the model that thinks where none does. */
const ASKS = {
  chat: { reasoning_effort: "low" },
  messages: { thinking: { type: "enabled", budget_tokens: 1024 }, max_tokens: 4000 },
  responses: { reasoning: { effort: "low", summary: "detailed" } },
  gemini: { generationConfig: { thinkingConfig: { includeThoughts: true } } },
  interactions: {},
} as const;
const MODELS: Readonly<Record<string, string>> = {
  Local: "sim-think",
  Google: "gemini-3.5-flash",
  Responses: "gpt-6.1-sol",
};

test.each(WAYS.map((way) => [nameWay(way), way] as const))("%s", async (_name, way) => {
  const [path, body] = makeRequest(
    way,
    `say: Write to ${ADDRESS}.`,
    MODELS[way.provider] ?? "claude-haiku-4-5",
  );
  const got = await own.post(path, { ...body, ...ASKS[way.surface] });
  expect(got.status).toBe(200);
  // The simulated models think about what they read.
  expect(got.text).toMatch(/EMAIL_[0-9A-Z]{8}/);
  expect(readWords(got)).toContain(`Write to ${ADDRESS}.`);
});

describe("masked at an answer", () => {
  let masked: GuardWorld;
  beforeAll(async () => {
    masked = await startGuardWorld(
      "guard: { rules: [{ name: people, detect: [email], action: mask, at: [answer] }] }",
    );
  });
  afterAll(() => masked.stop());

  test.each([false, true])("signed thinking leaves masked, and without its signature: %p", async (stream) => {
    const [path, body] = makeRequest(
      { surface: "messages", provider: "Anthropic", native: "anthropic", stream },
      `say: Write to ${ADDRESS}.`,
      "claude-haiku-4-5",
    );
    const ask = (text: string) =>
      masked.post(path, { ...body, ...ASKS.messages, messages: [{ role: "user", content: text }] });
    const signed = /"signature": ?"[^"]+"/;
    expect((await ask("say: hello")).text).toMatch(signed);
    const { text } = await ask(`say: Write to ${ADDRESS}.`);
    expect(text).toContain("[EMAIL]");
    expect(text).not.toContain(ADDRESS);
    expect(text).not.toMatch(signed);
  });

  test("a streamed item begins without its encrypted content, and ends with it if nothing was masked", async () => {
    const [path, body] = makeRequest(
      { surface: "responses", provider: "Responses", native: "responses", stream: true },
      "",
      "gpt-6.1-sol",
    );
    const ask = (input: string) =>
      masked.post(path, { ...body, ...ASKS.responses, input, include: ["reasoning.encrypted_content"] });
    const listSealed = (text: string) =>
      [...text.matchAll(/^data: \{"type":"response\.([a-z_.]+)".*"encrypted_content":"[^"]+"/gm)].map(
        ([, name]) => name,
      );
    expect(listSealed((await ask("say: hello")).text)).toEqual(["output_item.done", "completed"]);
    const { text } = await ask(`say: Write to ${ADDRESS}.`);
    expect(text).toContain("[EMAIL]");
    expect(text).not.toContain(ADDRESS);
    expect(listSealed(text)).toEqual([]);
  });
});
