// Shared by the tests of the generateContent dialect: encoding for a model, reading replies, and small values.

import { Fault } from "../../../src/core/faults/fault.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { ModelCard } from "../../../src/core/models/card.ts";
import { gemini } from "../../../src/dialects/gemini/dialect.ts";
import { Fold } from "../../../src/operations/chat/answer/fold.ts";
import { Normaliser, normaliseReply } from "../../../src/operations/chat/answer/normalise.ts";
import type { ChatChunk, ChatReply, ChatRequest } from "../../../src/operations/chat/form.ts";
import { makeModelCard } from "../../harness/cards.ts";

export const BASE = "https://generativelanguage.googleapis.com/v1beta";
export const VERTEX =
  "https://aiplatform.googleapis.com/v1beta1/projects/p/locations/global/publishers/google";
export const SENTINEL = "skip_thought_signature_validator";

export function makeCard(name: string, outputTokensMax: number | null = null): ModelCard {
  return makeModelCard(`Google#${name}`, { outputTokensMax, capabilities: new Set(["tools", "reasoning"]) });
}

export function makeRequest(fields: Partial<ChatRequest>): ChatRequest {
  return { model: "any", messages: [{ role: "user", content: "Hi" }], ...fields };
}

export function encoded(fields: Partial<ChatRequest>, name = "gemini-3.8-flash", baseUrl = BASE) {
  const target = { baseUrl, secret: "AIza-secret", headers: { "X-Team": "7" } };
  return gemini.chat.encode(makeRequest(fields), makeCard(name, 1000), target);
}

/** The code of the Fault that a call throws, or "none". */
export function faultCode(run: () => unknown): string {
  try {
    run();
    return "none";
  } catch (thrown) {
    return thrown instanceof Fault ? thrown.code : String(thrown);
  }
}

export function streamed(bodies: readonly unknown[], n = 1): ChatReply {
  const request = makeRequest({ n });
  const decoder = gemini.chat.decoder(makeCard("gemini-3.8-flash"), request);
  const normaliser = new Normaliser(request);
  const fold = new Fold();
  const take = (chunks: readonly ChatChunk[]) => {
    for (const chunk of chunks) fold.push(chunk);
  };
  for (const body of bodies) {
    const data = typeof body === "string" ? body : JSON.stringify(body);
    take(normaliser.push(decoder.push({ event: "", data })));
  }
  take(normaliser.push(decoder.end()));
  take(normaliser.end());
  return fold.reply();
}

export function whole(body: unknown): ChatReply {
  const request = makeRequest({});
  return normaliseReply(
    gemini.chat.reply(body, makeCard("gemini-3.8-flash"), request, new Headers()),
    request,
  );
}

export function part(parts: readonly JsonObject[], finishReason?: string, index = 0): JsonObject {
  const finish = finishReason === undefined ? {} : { finishReason };
  return { candidates: [{ index, content: { role: "model", parts }, ...finish }] };
}

export const call = (id: string, name: string, extra: JsonObject = {}) =>
  ({ id, type: "function", function: { name, arguments: '{"a":1}' }, ...extra }) as const;
export const tool = (parameters?: JsonObject) =>
  ({ type: "function", function: { name: "add", ...(parameters ? { parameters } : {}) } }) as const;
