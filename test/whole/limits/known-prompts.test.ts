// Tokens and budgets of a prompt that a provider has cached: only the same bytes count as known, whatever clients call them.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { until } from "../world/until.ts";

const CHARACTERS_PER_TOKEN = 4;
/** A prompt of 25,000 tokens, and a limit that has room for one such prompt and a short one. */
const LONG_CHARACTERS = 100_000;
const TOKENS_PER_MINUTE = 30_000;
const OUTPUT_TOKENS = 10;

/** Answers of every kind, with a prompt that the provider has cached as a whole. */
const ANSWERS: Readonly<Record<string, (tokens: number) => JsonObject>> = {
  "/chat/completions": (tokens) => ({
    id: "x",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
    usage: {
      prompt_tokens: tokens,
      completion_tokens: 1,
      total_tokens: tokens + 1,
      prompt_tokens_details: { cached_tokens: tokens },
    },
  }),
  "/messages": (tokens) => ({
    id: "x",
    type: "message",
    role: "assistant",
    model: "m",
    stop_reason: "end_turn",
    stop_sequence: null,
    content: [{ type: "text", text: "ok" }],
    usage: {
      input_tokens: 0,
      cache_read_input_tokens: tokens,
      cache_creation_input_tokens: 0,
      output_tokens: 1,
    },
  }),
  "/responses": (tokens) => ({
    id: "x",
    object: "response",
    created_at: 1,
    model: "m",
    status: "completed",
    output: [
      {
        type: "message",
        id: "m",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "ok", annotations: [] }],
      },
    ],
    usage: {
      input_tokens: tokens,
      output_tokens: 1,
      total_tokens: tokens + 1,
      input_tokens_details: { cached_tokens: tokens },
      output_tokens_details: { reasoning_tokens: 0 },
    },
  }),
  ":generateContent": (tokens) => ({
    candidates: [{ index: 0, content: { role: "model", parts: [{ text: "ok" }] }, finishReason: "STOP" }],
    usageMetadata: {
      promptTokenCount: tokens,
      cachedContentTokenCount: tokens,
      candidatesTokenCount: 1,
      totalTokenCount: tokens + 1,
    },
  }),
};

/** The calls that the provider holds back, by a word in their prompt. */
const held = new Map<string, PromiseWithResolvers<void>>();

async function answer(url: string, { body }: RequestInit): Promise<Response> {
  const text = typeof body === "string" ? body : new TextDecoder().decode(body as Uint8Array);
  for (const [word, { promise }] of held) {
    if (text.includes(word)) {
      reached.push(word);
      await promise;
    }
  }
  const [, make] = Object.entries(ANSWERS).find(([path]) => new URL(url).pathname.endsWith(path)) ?? [];
  if (make === undefined) throw new Error(`Nobody answers at ${url}.`);
  return Response.json(make(Math.round(text.length / CHARACTERS_PER_TOKEN)));
}
const reached: string[] = [];

let gateway: UnderTest;
beforeAll(async () => {
  gateway = await startUnderTest({ fetch: answer });
});
afterEach(() => {
  for (const { resolve } of held.values()) resolve();
  held.clear();
});
afterAll(() => gateway.stop());

/** Turns of a conversation: the client's texts, between which the model has said "ok". */
type Turns = readonly string[];
type MakeBody = (model: string, turns: Turns, name: string) => readonly [path: string, body: JsonObject];

const listTurns = <Entry>(turns: Turns, make: (role: "user" | "assistant", text: string) => Entry) =>
  turns.flatMap((text, at) =>
    at === 0 ? [make("user", text)] : [make("assistant", "ok"), make("user", text)],
  );
const chat: MakeBody = (model, turns, name) => [
  "/v1/chat/completions",
  {
    model,
    prompt_cache_key: name,
    max_completion_tokens: OUTPUT_TOKENS,
    messages: listTurns(turns, (role, content) => ({ role, content })),
  },
];
const MARK = { cache_control: { type: "ephemeral" } };
/** As Claude Code does, the last message is marked as the end of what is cached. */
const messages: MakeBody = (model, turns, name) => {
  const list: JsonObject[] = listTurns(turns, (role, content) => ({ role, content }));
  const last = list.pop();
  const marked = { role: "user", content: [{ type: "text", text: last?.content, ...MARK }] };
  const metadata = { user_id: name };
  return ["/v1/messages", { model, metadata, max_tokens: OUTPUT_TOKENS, messages: [...list, marked] }];
};
const responses: MakeBody = (model, turns, name) => [
  "/v1/responses",
  {
    model,
    prompt_cache_key: name,
    max_output_tokens: OUTPUT_TOKENS,
    input: listTurns(turns, (role, content) => ({ type: "message", role, content })),
  },
];
const gemini: MakeBody = (model, turns) => [
  `/v1beta/models/${encodeURIComponent(model)}:generateContent`,
  {
    generationConfig: { maxOutputTokens: OUTPUT_TOKENS },
    contents: listTurns(turns, (role, text) => ({
      role: role === "user" ? "user" : "model",
      parts: [{ text }],
    })),
  },
];

const SURFACES: readonly (readonly [name: string, model: string, make: MakeBody])[] = [
  ["chat", "OpenAI#gpt-5.4", chat],
  ["messages", "Anthropic#claude-opus-4-8", messages],
  ["messages, translated", "OpenAI#gpt-5.4", messages],
  ["responses", "Responses#gpt-5.4", responses],
  ["gemini", "Google#gemini-2.5-flash", gemini],
];

/** A long text that says a word first. */
const long = (word: string) => word + " words".repeat(LONG_CHARACTERS / 6);

async function ask(secret: string, [path, body]: readonly [string, JsonObject]): Promise<string> {
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json", session_id: "x" };
  const response = await fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  const { error } = asObject(await response.json());
  const refusal = asObject(error);
  return `${response.status} ${refusal.code ?? refusal.message ?? ""}`.trim();
}

/** Sends a request that the provider holds back until `end` is called. Returns once it has reached the provider. */
async function begin(secret: string, word: string, asked: readonly [string, JsonObject]) {
  held.set(word, Promise.withResolvers<void>());
  const answered = ask(secret, asked);
  await until(`the call of ${word}`, () => reached.includes(word));
  return async () => {
    held.get(word)?.resolve();
    held.delete(word);
    expect(await answered).toBe("200");
  };
}

let count = 0;
const makeWord = () => `word${count++}x`;

describe.each(SURFACES)("on %s", (_, model, make) => {
  test("a name that clients give lets no other prompt pass as cached", async () => {
    const { secret } = await gateway.newKey({ requests_per_day: null, tokens_per_minute: TOKENS_PER_MINUTE });
    const first = makeWord();
    const other = makeWord();
    const third = makeWord();
    expect(await ask(secret, make(model, [long(first)], "x"))).toBe("200");
    const end = await begin(secret, other, make(model, [long(other)], "x"));
    expect(await ask(secret, make(model, [long(third)], "x"))).toStartWith("429");
    // One that goes on takes no tokens for what is cached of it.
    expect(await ask(secret, make(model, [long(first), "Go on."], "another"))).toBe("200");
    await end();
  });
});

/** Returns what the running requests of a key reserve of its budget, in USD. */
async function readReserved(secret: string): Promise<number> {
  const response = await fetch(`${gateway.url}/v1/key`, { headers: { authorization: `Bearer ${secret}` } });
  const [limit] = asArray(asObject(await response.json()).limits);
  return Number(asObject(limit).reserved);
}

test("a budget reserves the full price of a prompt that only has the name of a cached one", async () => {
  const [, model] = SURFACES[1] ?? ["", ""];
  const { secret } = await gateway.newKey({ requests_per_day: null, budgets: [{ usd: 5, per: "day" }] });
  /** The provider holds the request back that has the word last. */
  const reserve = async (word: string, turns: Turns, name: string) => {
    const end = await begin(secret, word, messages(model, turns, name));
    const reserved = await readReserved(secret);
    await end();
    return reserved;
  };
  const first = makeWord();
  const other = makeWord();
  const next = makeWord();
  const last = makeWord();
  const cold = await reserve(first, [long(first)], "x");
  expect(await reserve(other, [long(other)], "x")).toBeCloseTo(cold, 3);
  // It is known to be 25,000 tokens, all of them cached at a tenth of the price, where 71,000 were expected at worst.
  expect(await reserve(next, [long(first), next], "another")).toBeLessThan(0.1 * cold);
  // All that a turn adds is reserved at its worst.
  const added = await reserve(last, [long(first), last + long("")], "another");
  expect(added).toBeGreaterThan(0.99 * cold);
  expect(added).toBeLessThan(1.1 * cold);
});
