// Forgets the prompt of a request that can't be sent again, so that a long stream doesn't keep 30 MB alive.
import type { RawRequest } from "../../core/dialect.ts";
import { emptyMessages } from "./estimate.ts";
import type { ChatRequest } from "./form.ts";

/**
 * Empties the messages and the client's own request in place, because attempts, readers and writers share them. All
 * other fields of the request are still needed to read its answer.
 */
export function forgetPrompt(ask: ChatRequest, raw: RawRequest | null): void {
  emptyMessages(ask.messages);
  if (raw !== null) for (const field of Object.keys(raw.body)) delete raw.body[field];
}
