// A chat completion that the gateway asks of itself, for sampling.
import { asArray, asNumber, asObject, asString } from "../../core/json/json.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import { NO_MODELS } from "../../core/text/pattern.ts";
import type { ChatRequest } from "../../operations/chat/form.ts";
import { readChatRequest } from "../../surfaces/openai-chat/read.ts";
import type { HttpPorts } from "../ports.ts";
import { sendSelfCall } from "./self-call.ts";

const PATH = "/v1/chat/completions";
/** The score of a fallback's answer would be learned as that of the model that was asked. */
const NO_FALLBACKS = { "x-poundkey-allow": NO_MODELS };

/** Returns the text of the named model's own answer and its cost. Null, with the reason, if there is none. */
export async function completeOnce(ports: HttpPorts, key: GatewayKey, asked: ChatRequest) {
  const call = { path: PATH, body: asked, headers: NO_FALLBACKS, idPrefix: "sample" };
  const { body: answer } = await sendSelfCall(ports, key, call);
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
