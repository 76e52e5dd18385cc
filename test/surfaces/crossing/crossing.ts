// Requests of every surface as each dialect sends them, translated: from a client's body to a provider's.
import type { JsonObject } from "../../../src/core/json/json.ts";
import { CAPABILITIES, type ModelCard } from "../../../src/core/models/card.ts";
import type { Outgoing } from "../../../src/core/models/dialect.ts";
import type { ChatForm } from "../../../src/operations/chat/decoder.ts";
import { CHAT } from "../../../src/operations/chat/operation.ts";
import { PROVIDERS } from "../../../src/providers/index.ts";
import { ANTHROPIC_MESSAGES } from "../../../src/surfaces/anthropic-messages/surface.ts";
import { GEMINI } from "../../../src/surfaces/gemini/surface.ts";
import { OPENAI_CHAT } from "../../../src/surfaces/openai-chat/surface.ts";
import { OPENAI_RESPONSES } from "../../../src/surfaces/openai-responses/surface.ts";
import type { Exchange } from "../../../src/surfaces/surface.ts";
import { makeModelCard } from "../../harness/cards.ts";
import { findChatCodec } from "../../harness/codec.ts";
import { incoming } from "../recorded.ts";

export type SurfaceKey = "chat" | "messages" | "responses" | "gemini";

export const SURFACE_KEYS: readonly SurfaceKey[] = ["chat", "messages", "responses", "gemini"];

/** One model of each dialect, and of the servers whose rules differ from their dialect's. */
export const CROSSED_MODELS = [
  "OpenAI#gpt-5.4",
  "OpenAI#gpt-5.3-codex",
  "xAI#grok-4",
  "Groq#llama-4",
  "Anthropic#claude-sonnet-5",
  "Google#gemini-3.8-flash",
  "Mistral#mistral-medium-2604",
  "Perplexity#anthropic/claude-sonnet-5",
  "Cohere#command-a-vision-07-2025",
  "Bedrock#us.amazon.nova-2-lite-v1:0",
  "Bedrock#us.anthropic.claude-sonnet-5",
] as const;

/** A client's body without its model. */
export type Bodies = Readonly<Partial<Record<SurfaceKey, JsonObject>>>;

export function readAt(surface: SurfaceKey, body: JsonObject, isStreamed = false): Exchange<ChatForm> {
  const stream = isStreamed ? { stream: true } : {};
  switch (surface) {
    case "chat":
      return OPENAI_CHAT.read(incoming({ model: "any", ...stream, ...body }));
    case "messages":
      return ANTHROPIC_MESSAGES.read(incoming({ model: "any", max_tokens: 500, ...stream, ...body }));
    case "responses":
      return OPENAI_RESPONSES.read(incoming({ model: "any", ...stream, ...body }));
    case "gemini": {
      const verb = isStreamed ? "streamGenerateContent" : "generateContent";
      return GEMINI.read(incoming(body, `/v1beta/models/any:${verb}`));
    }
  }
}

export function makeAbleCard(id: string): ModelCard {
  return makeModelCard(id, { capabilities: new Set(CAPABILITIES), outputTokensMax: 8000 });
}

/** Encodes what a surface read for a model, translated even where there is a native lane. */
export function encodeAsk({ ask }: Exchange<ChatForm>, id: string): Outgoing {
  const card = makeAbleCard(id);
  const row = PROVIDERS.find(({ name }) => name === card.provider);
  const dialect = row?.dialects.find(({ name }) => !/claude/.test(id) || name !== "openai");
  if (!dialect) throw new Error(`No provider serves ${id}.`);
  const target = { baseUrl: "https://provider.test/v1", secret: "secret", headers: {} };
  return CHAT.encode(findChatCodec(dialect), ask, card, target);
}

/** Encodes a client's body for a model. */
export function cross(surface: SurfaceKey, body: JsonObject, id: string, isStreamed = false): Outgoing {
  return encodeAsk(readAt(surface, body, isStreamed), id);
}
