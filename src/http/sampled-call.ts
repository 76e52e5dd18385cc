// A chat completion that the gateway asks of itself: admitted, held, logged and posted as any client's.

import { asArray, asNumber, asObject, asString } from "../core/json.ts";
import { parseReceived } from "../core/json-bounds.ts";
import type { GatewayKey } from "../core/key.ts";
import type { ChatRequest } from "../operations/chat/form.ts";
import { findSurface } from "../surfaces/index.ts";
import { readChatRequest } from "../surfaces/openai-chat/read.ts";
import { mintOrderedId } from "./app.ts";
import { CountingLimit } from "./counting.ts";
import type { HttpPorts } from "./ports.ts";
import { serve } from "./serve.ts";

const PATH = "/v1/chat/completions";
const CHAT = findSurface(PATH);

/** Returns the text of the answer and its cost. Null, with the reason, if there is none. */
export async function completeOnce(ports: HttpPorts, key: GatewayKey, asked: ChatRequest) {
  const request = new Request(`http://localhost${PATH}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(asked),
  });
  const identify = () => ({ key, proof: null });
  const received = { request, route: PATH, identify, server: null, counting: new CountingLimit() };
  const set = { headers: { "x-request-id": `sample_${mintOrderedId(ports.random, ports.clock.nowMs())}` } };
  const response = await CHAT.use((surface) => serve(ports, surface, received, set));
  const answer = asObject(parseReceived(await response.text()));
  const text = asString(asObject(asObject(asArray(answer.choices)[0]).message).content) ?? null;
  return {
    text,
    error: text === null ? (asString(asObject(answer.error).message) ?? "The model gave no text.") : null,
    costUsd: asNumber(asObject(answer.usage).cost) ?? 0,
  };
}

/** Returns the request of a prompt. Throws the Faults of a chat completion. */
export function readPrompt({ snapshot }: Pick<HttpPorts, "snapshot">, messages: unknown): ChatRequest {
  return readChatRequest({ model: "Router#best", messages }, snapshot().limits);
}
