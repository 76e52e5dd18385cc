// A prompt counts as cached by its bytes, for the same key and card, for ten minutes.
import { describe, expect, test } from "bun:test";
import { random } from "../../src/app/world.ts";
import type { JsonObject } from "../../src/core/json/json.ts";
import type { RawRequest } from "../../src/core/models/dialect.ts";
import { KnownPrompts, Prompt } from "../../src/health/prompts.ts";
import type { ChatMessage, ChatRequest } from "../../src/operations/chat/form.ts";
import { digestPrompt } from "../../src/operations/chat/prompt/digest-prompt.ts";
import { MESSAGES_TEXTS } from "../../src/surfaces/anthropic-messages/texts.ts";
import { makeModelCard } from "../harness/cards.ts";

const CARD = "Acme#a";
const CACHED_TOKENS = 5000;
const REPORT = { card: makeModelCard(CARD, {}), promptTokens: CACHED_TOKENS, cachedTokens: CACHED_TOKENS };
const LONG = "x".repeat(20_000);
const MINUTES_10 = 600_000;

const FIRST: readonly ChatMessage[] = [{ role: "user", content: LONG }];
const goOn = (first: readonly ChatMessage[]): readonly ChatMessage[] => [
  ...first,
  { role: "assistant", content: "Yes." },
  { role: "user", content: "Go on." },
];
const asking = (messages: readonly ChatMessage[], fields: Partial<ChatRequest> = {}): ChatRequest => ({
  model: "m",
  messages,
  ...fields,
});

function makePrompt(request: ChatRequest, body: JsonObject | null = null, keyId = "key_a"): Prompt {
  const raw: RawRequest | null = body && { family: "anthropic", body, headers: {}, texts: MESSAGES_TEXTS };
  return new Prompt(keyId, { digestPrompt: (makeHasher) => digestPrompt(request, raw, makeHasher) });
}

/** Returns what counts as cached of the second prompt once the first was reported to be cached. */
function findCached(first: Prompt, second: Prompt, afterMs = 1) {
  const prompts = new KnownPrompts(random);
  expect(prompts.find(first, CARD, 0)).toBeNull();
  prompts.note(first, REPORT, 0);
  expect(prompts.find(second, "Acme#b", afterMs)).toBeNull();
  return prompts.find(second, CARD, afterMs);
}

const TOOL = {
  type: "function",
  function: { name: "look", description: LONG, parameters: { type: "object" } },
} as const;

describe("a prompt is known", () => {
  test.each<[string, ChatRequest, ChatRequest]>([
    ["that goes on", asking(FIRST), asking(goOn(FIRST))],
    ["that goes on after several calls", asking(FIRST), asking(goOn(goOn(goOn(FIRST))))],
    ["that is sent again", asking(FIRST), asking(FIRST)],
    ["with the same tools", asking(FIRST, { tools: [TOOL] }), asking(goOn(FIRST), { tools: [TOOL] })],
    [
      "under other names and settings",
      asking(FIRST, { user: "a", prompt_cache_key: "b", max_tokens: 1 }),
      asking(goOn(FIRST), { user: "c", prompt_cache_key: "d", max_tokens: 2, temperature: 1 }),
    ],
    [
      "whose cache mark has moved on",
      asking([
        { role: "user", content: [{ type: "text", text: LONG, cache_control: { type: "ephemeral" } }] },
      ]),
      asking(goOn(FIRST)),
    ],
  ])("%s", (_, first, second) => {
    expect(findCached(makePrompt(first), makePrompt(second))).toMatchObject({ tokens: CACHED_TOKENS });
  });

  test("for ten minutes, to its own key", () => {
    const first = makePrompt(asking(FIRST));
    const second = makePrompt(asking(goOn(FIRST)));
    expect(findCached(first, second, MINUTES_10 - 1)).toMatchObject({ tokens: CACHED_TOKENS });
    expect(findCached(first, second, MINUTES_10)).toBeNull();
    expect(findCached(first, makePrompt(asking(goOn(FIRST)), null, "key_b"))).toBeNull();
  });

  test("by no more tokens than an estimate has counted for it", () => {
    const short = [{ role: "user", content: "short" }] as const;
    const found = findCached(makePrompt(asking(short)), makePrompt(asking(goOn(short))));
    expect(found?.tokens).toBe(CACHED_TOKENS);
    expect(found?.estimatedTokens).toBeLessThan(20);
  });

  test("in part by its instructions and tools, up to their estimate", () => {
    const instructions = { role: "system", content: "Be brief. ".repeat(400) } as const;
    const ask = (content: string) => asking([instructions, { role: "user", content }], { tools: [TOOL] });
    const found = findCached(makePrompt(ask(LONG)), makePrompt(ask("Something else.")));
    expect(found?.tokens).toBeLessThanOrEqual(CACHED_TOKENS);
    expect(found?.tokens).toBeGreaterThan(1000);
    const others = asking([instructions, { role: "user", content: "?" }], { tools: [TOOL, TOOL] });
    expect(findCached(makePrompt(ask(LONG)), makePrompt(others))).toBeNull();
  });
});

const image = (data: string): readonly ChatMessage[] => [
  { role: "user", content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${data}` } }] },
];
const inside = (middle: string) => `${LONG}${middle}${LONG}`;
const mark = (cache_control: JsonObject): readonly ChatMessage[] => [
  { role: "user", content: [{ type: "text", text: LONG, cache_control }] },
];
const called = (args: string): readonly ChatMessage[] => [
  ...FIRST,
  {
    role: "assistant",
    tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: args } }],
  },
];

describe("nothing counts as cached of a prompt that differs", () => {
  test.each<[string, ChatRequest, ChatRequest]>([
    ["in its first message", asking(FIRST), asking(goOn([{ role: "user", content: `${LONG}y` }]))],
    ["within an image", asking(image(inside("a"))), asking(goOn(image(inside("b"))))],
    ["in a call's arguments", asking(called("1")), asking(goOn(called("2")))],
    ["in a text's place", asking(FIRST), asking(goOn([{ role: "user", content: "", name: LONG }]))],
    ["in its tools", asking(FIRST), asking(goOn(FIRST), { tools: [TOOL] })],
    ["in another field", asking(FIRST), asking(goOn(FIRST), { documents: [LONG] })],
    [
      "in halves of broken pairs",
      asking([{ role: "user", content: "\ud800" }]),
      asking(goOn([{ role: "user", content: "\ud801" }])),
    ],
    [
      "in a mark's text",
      asking(mark({ type: "ephemeral" })),
      asking(goOn(mark({ type: "ephemeral", text: LONG }))),
    ],
    [
      "in where its messages end",
      asking([...FIRST, ...FIRST]),
      asking(goOn([{ role: "user", content: LONG + LONG }])),
    ],
  ])("%s", (_, first, second) => {
    expect(findCached(makePrompt(first), makePrompt(second))).toBeNull();
  });

  test("in what only the client's wire format has", () => {
    const body = (source: string) => ({
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: LONG },
            { type: "unread", source },
          ],
        },
      ],
    });
    const found = findCached(makePrompt(asking(FIRST), body("a")), makePrompt(asking(FIRST), body("b")));
    expect(found).toBeNull();
  });
});

test("a prompt of which nobody asked what is cached isn't read", () => {
  const prompts = new KnownPrompts(random);
  const prompt = new Prompt("key_a", {
    digestPrompt() {
      throw new Error("It was read.");
    },
  });
  prompts.note(prompt, REPORT, 0);
});
