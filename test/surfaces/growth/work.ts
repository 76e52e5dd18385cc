// The work on a request before it is sent, as functions to measure: reading it, then encoding it for each dialect.
import { loadShippedCards } from "../../../src/catalogue/rows.ts";
import { Fault } from "../../../src/core/faults/fault.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { ModelCard } from "../../../src/core/models/card.ts";
import type { ChatForm } from "../../../src/operations/chat/decoder.ts";
import { CHAT } from "../../../src/operations/chat/operation.ts";
import { PROVIDERS } from "../../../src/providers/index.ts";
import { ANTHROPIC_MESSAGES } from "../../../src/surfaces/anthropic-messages/surface.ts";
import { GEMINI } from "../../../src/surfaces/gemini/surface.ts";
import { INTERACTIONS } from "../../../src/surfaces/interactions/surface.ts";
import { OPENAI_CHAT } from "../../../src/surfaces/openai-chat/surface.ts";
import { OPENAI_RESPONSES } from "../../../src/surfaces/openai-responses/surface.ts";
import type { Exchange, Surface } from "../../../src/surfaces/surface.ts";
import { incoming } from "../recorded.ts";
import type { SurfaceWord } from "./places.ts";

/** A model of each dialect, and of each server with a schema translation of its own. */
export const MODELS: readonly string[] = [
  "OpenAI#gpt-4.1",
  "OpenAI#gpt-5.6-sol",
  "Anthropic#claude-sonnet-4-5",
  "Google#gemini-3.1-pro-preview",
  "Google#gemini-2.5-flash",
  "Mistral#mistral-large-latest",
  "Perplexity#sonar",
  "Perplexity#google/gemini-3.1-pro",
  "Cohere#command-a-03-2025",
  "Bedrock#us.amazon.nova-2-lite-v1:0",
  "Bedrock#us.anthropic.claude-sonnet-4-5-20250929-v1:0",
  "Moonshot#kimi-k2.5",
];

const SURFACES: Readonly<
  Record<SurfaceWord, { readonly surface: Surface<ChatForm>; readonly path: string }>
> = {
  chat: { surface: OPENAI_CHAT, path: "/v1/chat/completions" },
  messages: { surface: ANTHROPIC_MESSAGES, path: "/v1/messages" },
  responses: { surface: OPENAI_RESPONSES, path: "/v1/responses" },
  gemini: { surface: GEMINI, path: "/v1beta/models/a:generateContent" },
  interactions: { surface: INTERACTIONS, path: "/v1/interactions" },
};

const TARGET = { baseUrl: "http://provider.test", secret: "s", headers: {} };
const TERMS = { isLimitRequired: false, searches: 0, unreadBytes: 0, answersPerCall: 1 };

const cards = new Map(loadShippedCards().map((card) => [card.id, card]));

function findCard(id: string): ModelCard {
  const [provider = "", ...name] = id.split("#");
  const some = [...cards.values()].find((card) => card.provider === provider);
  const card = cards.get(id) ?? (some && { ...some, id, name: name.join("#") });
  if (!card) throw new Error(`There is no provider of ${id}.`);
  return { ...card, capabilities: new Set(["tools", "vision", "files", "audio", "structured", "reasoning"]) };
}

/** Reads a body as its surface does, and derives from it all that is needed before a model is chosen. */
export function readBody(word: SurfaceWord, body: JsonObject): Exchange<ChatForm> {
  const { surface, path } = SURFACES[word];
  const model = word === "gemini" ? {} : { model: "a" };
  const exchange = surface.read(incoming({ ...model, ...body }, path));
  const { ask } = exchange;
  CHAT.choosing?.describe(ask);
  CHAT.conversations.name(ask, null);
  CHAT.conversations.digest?.(ask, exchange.raw, () => new Bun.CryptoHasher("sha256", "key"));
  CHAT.estimatePrompt(ask);
  return exchange;
}

/** Encodes a request for a model, translated and in the native lane, and writes it. Refusals are results too. */
export function encodeRequest(id: string, { ask, raw }: Exchange<ChatForm>): number {
  const card = findCard(id);
  const row = PROVIDERS.find(({ name }) => name === card.provider);
  const dialect = row?.dialects.find(({ names }) => names?.test(card.name) ?? true);
  const codec = dialect?.chat;
  if (!dialect || !codec) throw new Error(`There is no codec for ${id}.`);
  try {
    CHAT.offer(ask, card, TERMS);
    const { ask: bounded } = CHAT.bound(ask, card, 1000, false);
    const lane = raw && codec.lanes?.[raw.family];
    const own =
      raw && lane ? lane.encode(raw, bounded, card, TARGET) : CHAT.encode(codec, bounded, card, TARGET);
    return JSON.stringify((dialect.carry?.(own, card, TARGET) ?? own).body).length;
  } catch (thrown) {
    if (thrown instanceof Fault) return 0;
    throw thrown;
  }
}
