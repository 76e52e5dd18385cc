// Forgets the prompt of a request that can't be sent again, so that a long stream doesn't keep 30 MB alive.

import type { JsonObject } from "../../core/json/json.ts";
import type { RawRequest } from "../../core/models/dialect.ts";
import type { ChatRequest } from "./form.ts";
import { emptyMessages } from "./sizes.ts";

/** The fields with the prompt, in the APIs of all families. Instructions aren't among them: some answers repeat them. */
const PROMPTS: ReadonlySet<string> = new Set(["messages", "input", "contents"]);

/**
 * Empties the messages and the client's own request in place, because attempts, readers and writers share them. The other
 * fields are needed to read and write the answer: returns their length.
 */
export function forgetPrompt(ask: ChatRequest, raw: RawRequest | null): number {
  const length = measureOthers(raw?.body ?? ask);
  emptyMessages(ask.messages);
  if (raw !== null) for (const field of Object.keys(raw.body)) delete raw.body[field];
  return length;
}

function measureOthers(fields: JsonObject): number {
  const others = Object.entries(fields).filter(([field]) => !PROMPTS.has(field));
  return JSON.stringify(others).length;
}
