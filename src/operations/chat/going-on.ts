// The signs in a request that its conversation has begun before or will go on.
import type { GoingOnSign } from "../../core/attempt.ts";
import type { ChatRequest } from "./form.ts";

/** Clients send these to have a prompt cached, which only pays if it is sent again. */
const CACHE_FIELDS = ["prompt_cache_key", "prompt_cache_options", "prompt_cache_retention"] as const;

/** Returns what shows in the request itself that its conversation goes on. `session` is the client's own name for it. */
export function findSignOfGoingOn(request: ChatRequest, session: string | null): GoingOnSign | null {
  if (session !== null) return "every turn";
  if (CACHE_FIELDS.some((field) => (request[field] ?? null) !== null)) return "every turn";
  return request.messages.at(-1)?.role === "tool" ? "this turn" : null;
}
