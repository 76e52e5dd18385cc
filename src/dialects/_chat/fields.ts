// Finds the request fields that an encoder did not carry over: they are named to the client, never silently lost.
import type { ChatRequest } from "../../operations/chat/form.ts";

/** Fields that the gateway itself answers for, whatever the upstream. */
const OURS: ReadonlySet<string> = new Set(["model", "messages", "stream", "stream_options", "n"]);

/** The request's fields that are set, not ours and not among those carried, in the request's order. */
export function listLeftOut(request: ChatRequest, carried: ReadonlySet<string>): string[] {
  return Object.keys(request).filter(
    (field) => !OURS.has(field) && !carried.has(field) && request[field] !== undefined,
  );
}
