// The address and the key of a call to generateContent.
import type { Target } from "../../core/models/dialect.ts";
import { makeKeyHeaders } from "../_chat/outgoing.ts";

/** The key is sent in a header, since addresses end up in logs. */
export function makeHeaders(target: Target): Record<string, string> {
  return makeKeyHeaders(target, "x-goog-api-key");
}

/** Without `alt=sse` a stream is one JSON array. */
export function makeUrl(name: string, baseUrl: string, stream: boolean): string {
  return makeVerbUrl(name, baseUrl, stream ? "streamGenerateContent?alt=sse" : "generateContent");
}

/** Returns the address of a model's method. The model may be a tuned one. */
export function makeVerbUrl(name: string, baseUrl: string, verb: string): string {
  const [, collection = "models", model = name] = /^(models|tunedModels)\/(.+)$/s.exec(name) ?? [];
  return `${baseUrl}/${collection}/${encodeURIComponent(model.toWellFormed())}:${verb}`;
}
