// Thinking of the history that doesn't reach the model: what a provider says that it left out, and what only another family reads.
import { asArray, asObject, type JsonObject } from "../../core/json/json.ts";
import { REMOVALS_MAX, type RemovalReason, type RemovedReasoning } from "../../core/log/removed-reasoning.ts";
import type { ChatRequest, ReasoningDetail } from "../../operations/chat/form.ts";

/** Counts a provider's list by reason. `read` returns null for an entry that left nothing out. Undefined if nothing was. */
export function countRemoved(
  list: unknown,
  read: (entry: JsonObject) => RemovalReason | null,
): readonly RemovedReasoning[] | undefined {
  const counts = new Map<RemovalReason, number>();
  for (const entry of asArray(list).slice(0, REMOVALS_MAX)) {
    const reason = read(asObject(entry));
    if (reason !== null) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return counts.size === 0 ? undefined : [...counts].map(([reason, count]) => ({ reason, count }));
}

/** The formats of thinking that no other family's models read. */
const SEALED_FORMATS: ReadonlySet<unknown> = new Set([
  "anthropic-claude-v1",
  "bedrock-converse-v1",
  "google-gemini-v1",
  "openai-responses-v1",
]);

/** Returns the number of answers in the history with thinking of another family than `own`. Nothing if there is none. */
export function countForeign(
  { messages }: Pick<ChatRequest, "messages">,
  own: string,
): { readonly foreignThinking?: number } {
  let count = 0;
  for (const message of messages) {
    if (message.role !== "assistant" || !message.reasoning_details) continue;
    for (const detail of message.reasoning_details) {
      if (!isForeign(detail, own)) continue;
      count++;
      break;
    }
  }
  return count === 0 ? NOTHING : { foreignThinking: count };
}

const NOTHING = {};

/** A list of phases says where a text was divided. It is no thinking. */
function isForeign({ format, phases }: ReasoningDetail, own: string): boolean {
  return format !== own && SEALED_FORMATS.has(format) && !Array.isArray(phases);
}
