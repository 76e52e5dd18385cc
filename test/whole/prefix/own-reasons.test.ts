// Thinking of the history that the gateway itself leaves out: another family's, and what a provider has refused. Each stands in
// row, metric and header once.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { type Removing, type SurfaceWord, startRemoving } from "./removing.ts";

let removing: Removing;
beforeAll(async () => {
  removing = await startRemoving();
});
afterAll(() => removing.stop());
afterEach(() => {
  removing.refuse = () => null;
});

const HELLO = { role: "user", content: "Hello." };
const HI = { role: "user", content: "say: hi" };
const think = (format: string, more: JsonObject = {}) => ({
  type: "reasoning.text",
  text: "It is noon.",
  signature: "s",
  format,
  index: 0,
  ...more,
});
const makeHistory = (...details: readonly JsonObject[]) => ({
  messages: [HELLO, { role: "assistant", content: "Yes?", reasoning_details: details }, HI],
});
const CLAUDE = "anthropic-claude-v1";
const GEMINI = "google-gemini-v1";
const OPENAI = "openai-responses-v1";

/** Sends a request whole and streamed, each of which counts the reason once. */
async function expectCounted(
  surface: SurfaceWord,
  model: string,
  body: JsonObject,
  reason: "family" | "refused",
  header: string | null,
): Promise<void> {
  for (const stream of [false, true]) {
    const before = await removing.countMetric(reason);
    const answer = await removing.ask(surface, model, stream, body);
    expect([answer.status, answer.header, answer.row.reasoning_removed]).toEqual([
      200,
      header,
      [{ reason, count: 1 }],
    ]);
    expect((await removing.countMetric(reason)) - before).toBe(1);
    expect(answer.text).toContain("hi");
  }
}

test.each([
  ["Claude#claude-opus-5-5", GEMINI],
  ["Answers#gpt-6.2-sol", CLAUDE],
  ["Google#gemini-4-neon", OPENAI],
  ["Bedrock#us.amazon.nova-2-lite-v1:0", CLAUDE],
])("%s isn't shown the thinking of %s", async (model, foreign) => {
  const history = makeHistory(think(foreign), think(foreign, { index: 1 }));
  await expectCounted("chat", model, history, "family", "family=1");
  const phases = { type: "reasoning.summary", summary: "", format: OPENAI, phases: [{ is_final: true }] };
  for (const stream of [false, true]) {
    const kept = await removing.ask("chat", model, stream, makeHistory(think("unknown"), phases));
    expect([kept.status, kept.header, kept.row.reasoning_removed]).toEqual([200, null, []]);
  }
});

interface Client {
  /** Asks for thinking that can be sent back. */
  readonly asked: JsonObject;
  /** The request after an answer. */
  goOn(answer: JsonObject): JsonObject;
}

const part = (text: string) => ({ role: "user", parts: [{ text }] });
const CLIENTS: Readonly<Record<"messages" | "responses" | "gemini", Client>> = {
  messages: {
    asked: { messages: [HELLO], max_tokens: 5000, thinking: { type: "enabled", budget_tokens: 2000 } },
    goOn: ({ content }) => ({ messages: [HELLO, { role: "assistant", content }, HI] }),
  },
  responses: {
    asked: { input: [HELLO], reasoning: { effort: "high" }, include: ["reasoning.encrypted_content"] },
    goOn: ({ output }) => ({ input: [HELLO, ...asArray(output), HI] }),
  },
  gemini: {
    asked: { contents: [part("Hello.")], generationConfig: { thinkingConfig: { includeThoughts: true } } },
    goOn: ({ candidates }) => {
      const { content } = asObject(asArray(candidates)[0]);
      return { contents: [part("Hello."), content, part("say: hi")] };
    },
  },
};

describe.each([
  ["messages", "Claude#claude-opus-5-5", "Answers#gpt-6.2-sol", "Claude#think"],
  ["responses", "Answers#gpt-6.2-sol", "Claude#think", "Answers#think"],
  ["gemini", "Google#gemini-4-neon", "Claude#think", "Google#gemini-think"],
] as const)("a client's own %s request to %s", (surface, model, foreign, own) => {
  const { asked, goOn } = CLIENTS[surface];
  const answerOf = async (maker: string) => {
    const { text } = await removing.ask(surface, maker, false, asked);
    expect(text).toMatch(/[sS]ignature|encrypted_content/);
    return goOn(asObject(parseJson(text)));
  };

  test("has no thinking of another family", async () => {
    await expectCounted(surface, model, await answerOf(foreign), "family", null);
  });

  test("keeps that of its own", async () => {
    const { status, header, row } = await removing.ask(surface, model, false, await answerOf(own));
    expect([status, header, row.reasoning_removed]).toEqual([200, null, []]);
  });
});

const SIGNED = [
  HELLO,
  {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "It is noon.", signature: "s" },
      { type: "text", text: "Yes?" },
    ],
  },
  HI,
];
const REASONING = { type: "reasoning", summary: [], encrypted_content: "gAAAA" };
const ENCRYPTED = {
  input: [HELLO, REASONING, { ...REASONING, id: "rs_2" }, { role: "assistant", content: "Yes?" }, HI],
};
const INVALID = "messages.1.content.0: Invalid `signature` in `thinking` block";
const UNVERIFIED = "The encrypted content gAAA... could not be verified.";

test.each([
  ["chat", "Claude#claude-opus-5-5", makeHistory(think(CLAUDE)), '"signature":"s"', INVALID, "refused=1"],
  ["messages", "Claude#claude-opus-5-5", { messages: SIGNED }, '"signature":"s"', INVALID, null],
  [
    "chat",
    "Answers#gpt-6.2-sol",
    makeHistory({ type: "reasoning.encrypted", data: "gAAAA", format: OPENAI, id: "rs_1" }),
    "gAAAA",
    UNVERIFIED,
    "refused=1",
  ],
  ["responses", "Answers#gpt-6.2-sol", ENCRYPTED, "gAAAA", UNVERIFIED, null],
] as const)("thinking that is refused on %s by %s", async (surface, model, body, sign, message, header) => {
  removing.refuse = (asked) => (JSON.stringify(asked).includes(sign) ? message : null);
  await expectCounted(surface, model, body, "refused", header);
});
