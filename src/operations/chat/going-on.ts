// The signs in a request that its conversation has begun before or will go on.
import type { ChatRequest } from "./form.ts";

/** Clients send these to have a prompt cached, which only pays if it is sent again. */
const CACHE_FIELDS = ["prompt_cache_key", "prompt_cache_options", "prompt_cache_retention"] as const;

/** True if the request itself shows that its conversation goes on. `session` is the client's own name for it. */
export function hasSignOfGoingOn(request: ChatRequest, session: string | null): boolean {
  if (session !== null) return true;
  if (CACHE_FIELDS.some((field) => request[field] !== undefined && request[field] !== null)) return true;
  return request.messages.at(-1)?.role === "tool";
}
