// The request fields that an encoder does not carry over: they are named to the client, never silently lost.
import type { ChatRequest } from "../../operations/chat/form.ts";

/** Fields that the gateway itself answers for, whatever the upstream. */
const OURS: ReadonlySet<string> = new Set(["model", "messages", "stream", "stream_options", "n"]);

/** The request's fields that are set, not ours and not among those carried, in the request's order. */
export function listLeftOut(request: ChatRequest, carried: ReadonlySet<string>): string[] {
  const fields = Object.keys(request).filter(
    (field) => !OURS.has(field) && !carried.has(field) && request[field] !== undefined,
  );
  return carried.has("citations") ? fields : [...fields, ...listUncited(request)];
}

/** Names the field of a file by which its citations are asked for, as Claude's API has it, if any file has it. */
export function listUncited({ messages }: ChatRequest): readonly string[] {
  const isCited = messages.some(({ content }) => {
    return Array.isArray(content) && content.some((part) => part.type === "file" && part.citations);
  });
  return isCited ? ["citations"] : [];
}

/**
 * Fields that choose a route, an identity, another model, plugins or recipients at other gateways. They are left out: the
 * card decides the route here, and the cost of another model or a plugin would not have been held.
 */
export const ROUTING: ReadonlySet<string> = new Set([
  "api_base",
  "api_key",
  "api_version",
  "base_url",
  "custom_host",
  "custom_llm_provider",
  "extra_body",
  "extra_headers",
  "extra_query",
  "fallbacks",
  "headers",
  "litellm_params",
  "models",
  "organization",
  "plugins",
  "preset",
  "provider",
  "proxy",
  "route",
  "webhook",
]);
