// A planned call has the same bytes as one by all passes, for every model whose calls are planned, and requests of all kinds.
import { describe, expect, test } from "bun:test";
import { loadShippedCards } from "../../../src/catalogue/rows.ts";
import { writeJson } from "../../../src/core/json/source.ts";
import type { ModelCard } from "../../../src/core/models/card.ts";
import type { Outgoing, Target } from "../../../src/core/models/dialect.ts";
import type { Refusal } from "../../../src/core/models/refusals.ts";
import type { ChatForm } from "../../../src/operations/chat/decoder.ts";
import type { ChatRequest } from "../../../src/operations/chat/form.ts";
import { CHAT } from "../../../src/operations/chat/operation.ts";
import type { Codec } from "../../../src/operations/codec.ts";
import { PROVIDERS } from "../../../src/providers/index.ts";
import { readChatRequest } from "../../../src/surfaces/openai-chat/read.ts";
import { makeDice } from "../../selectors/dice.ts";

const LIMITS = { choicesMax: 16, messagesMax: 100 };
const REQUESTS = 25;

const TARGET: Target = { baseUrl: "https://provider.example/v1", secret: "s", headers: { "X-Own": "1" } };
const TARGETS: readonly Target[] = [
  TARGET,
  { ...TARGET, secret: null, sendsTier: true },
  { ...TARGET, extraFields: ["top_k", "service_tier"] },
  { ...TARGET, extraFields: ["*"], marks: "5m" },
  { ...TARGET, refuses: new Set<Refusal>(["system_late", "same_role_twice"]) },
];

/** Values of each field: usual ones first, then some that a server may not take. */
const FIELDS: Readonly<Record<string, readonly unknown[]>> = {
  temperature: [0, 0.7, 1, 1.7, 2],
  top_p: [1, 0.5, 0],
  presence_penalty: [0, 1.5, -2],
  frequency_penalty: [0, -1, 2],
  seed: [1, 4711],
  n: [1, 2, 5],
  stop: ["a", ["a", "b"], ["a", "b", "c", "d"], []],
  user: ["me", "u".repeat(150)],
  max_tokens: [1, 256, 1_000_000],
  max_completion_tokens: [64, 9_000_000],
  stream: [true, false],
  logprobs: [true],
  reasoning_effort: ["low", "none"],
  response_format: [{ type: "json_object" }],
  service_tier: ["auto", "priority"],
  tools: [[{ type: "function", function: { name: "look", parameters: {} } }], []],
  top_k: [40],
  metadata: [{ a: "b" }],
};
const USUAL = ["temperature", "top_p", "seed", "n", "stop", "user", "max_tokens", "stream"];

const MESSAGES: readonly object[] = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "hello" },
  { content: "hello again", role: "user" },
  { role: "assistant", content: "Hi." },
  { role: "assistant", content: "" },
];
const OTHER_MESSAGES: readonly object[] = [
  { role: "developer", content: "Be brief." },
  { role: "user", content: [{ type: "text", text: "hello" }] },
  { role: "user", content: "hello", name: "me" },
  { role: "assistant", content: "Hi", reasoning_content: "Hm." },
  { role: "assistant", content: "Hi", prefix: true },
];

type Dice = () => number;

function pick<Item>(dice: Dice, items: readonly Item[]): Item {
  const item = items[Math.floor(dice() * items.length)];
  if (item === undefined) throw new Error("There is nothing to pick from.");
  return item;
}

function makeRequest(dice: Dice): ChatRequest {
  const messages = Array.from({ length: 1 + Math.floor(dice() * 4) }, () =>
    pick(dice, dice() < 0.05 ? OTHER_MESSAGES : MESSAGES),
  );
  const names = new Set(
    Array.from({ length: Math.floor(dice() * 4) }, () =>
      pick(dice, dice() < 0.9 ? USUAL : Object.keys(FIELDS)),
    ),
  );
  const body: Record<string, unknown> = { model: "m" };
  for (const name of names) body[name] = pick(dice, FIELDS[name] ?? []);
  if (body.stream === true && dice() < 0.5) body.stream_options = { include_usage: dice() < 0.5 };
  return readChatRequest({ ...body, messages }, LIMITS);
}

/** The whole call as text, or the fault. */
function encode(codec: Codec<ChatForm>, ask: ChatRequest, card: ModelCard, target: Target) {
  try {
    return show(CHAT.encode(codec, ask, card, target));
  } catch (thrown) {
    return String(thrown);
  }
}

function show({ body, ...outgoing }: Outgoing): string {
  return JSON.stringify({ ...outgoing, body: writeJson(body) });
}

function* listPlanned(): Generator<{ readonly codec: Codec<ChatForm>; readonly card: ModelCard }> {
  for (const card of loadShippedCards()) {
    const dialects = PROVIDERS.find(({ name }) => name === card.provider)?.dialects ?? [];
    for (const { chat } of dialects) if (chat?.plainBounds !== undefined) yield { codec: chat, card };
  }
}

describe("planned calls", () => {
  test("are those of all passes", () => {
    const dice = makeDice(57);
    for (const { codec, card } of listPlanned()) {
      const target = pick(dice, TARGETS);
      for (let at = 0; at < REQUESTS; at++) {
        const ask = makeRequest(dice);
        // Plans are a card's own.
        const fresh: ModelCard = { ...card };
        const passed = encode(codec, { ...ask }, fresh, target);
        const fitted = CHAT.fit(codec, { ...ask }, { ...card }, target);
        expect(CHAT.fit(codec, ask, card, target)).toEqual(fitted);
        expect([card.id, ask, encode(codec, ask, card, target)]).toEqual([card.id, ask, passed]);
      }
    }
  });

  test("are those of all passes, too, once another's requests have taken every place of a plan", () => {
    const dice = makeDice(58);
    const usable = Object.entries(FIELDS).filter(([name]) => USUAL.includes(name));
    for (const { codec, card } of [...listPlanned()].slice(0, 3)) {
      const own = { ...card };
      for (let shape = 0; shape < 2 ** usable.length; shape++) {
        const fields = usable.flatMap(([name, [value]], bit) => (shape & (1 << bit) ? [[name, value]] : []));
        const messages = [MESSAGES[1]];
        encode(
          codec,
          readChatRequest({ model: "m", messages, ...Object.fromEntries(fields) }, LIMITS),
          own,
          TARGET,
        );
      }
      for (let at = 0; at < REQUESTS; at++) {
        const ask = makeRequest(dice);
        expect(encode(codec, ask, own, TARGET)).toBe(encode(codec, { ...ask }, { ...card }, TARGET));
      }
    }
  });

  test("aren't those of messages with parts, some of which a server refuses", () => {
    const [{ codec, card } = { codec: null, card: null }] = listPlanned();
    if (codec === null) throw new Error("Nothing is planned.");
    const own = { ...card };
    const read = (content: unknown) =>
      readChatRequest({ model: "m", messages: [{ role: "user", content }] }, LIMITS);
    for (const text of ["a", "b", "c"]) encode(codec, read(text), own, TARGET);
    const marked = read([{ type: "text", text: "d", cache_control: { type: "ephemeral" } }]);
    expect(encode(codec, marked, own, TARGET)).toBe(encode(codec, marked, { ...card }, TARGET));
  });

  test("take no passes from the third request of a shape on", () => {
    const [{ codec, card } = { codec: null, card: null }] = listPlanned();
    if (codec === null) throw new Error("Nothing is planned.");
    const own = { ...card };
    const calls = [0.1, 0.2, 0.3, 0.4].map((temperature) =>
      CHAT.encode(
        codec,
        readChatRequest({ model: "m", messages: [MESSAGES[1]], temperature }, LIMITS),
        own,
        TARGET,
      ),
    );
    const [, , third, fourth] = calls;
    // Each call by all passes has headers of its own.
    expect(fourth?.headers === third?.headers).toBe(true);
    expect(calls.map(({ body }) => body.temperature)).toEqual([0.1, 0.2, 0.3, 0.4]);
  });
});
