// The summaries by which Anthropic compacts a conversation. Other vendors' models get them as texts: without them the
// conversation so far would be gone (LiteLLM, issue 28868).
import { asObject, asString, type JsonObject } from "../../core/json/json.ts";
import type { TextPart } from "../../operations/chat/form.ts";
import type { FamilyNeed } from "../../operations/operation.ts";
import { copyCacheMark } from "./parts.ts";

/** Returns the text of a summary. Null for any other block, and for one that is sealed or failed. */
export function readSummary({ type, content }: JsonObject): string | null {
  return type === "compaction" ? asString(content) || null : null;
}

/** Finds the first summary that only Anthropic can read. */
export function findSealed(messages: readonly unknown[]): FamilyNeed | undefined {
  for (let index = 0; index < messages.length; index++) {
    const { content } = asObject(messages[index]);
    if (!Array.isArray(content)) continue;
    const at = content.findIndex(isSealed);
    if (at !== -1) return { path: `messages[${index}].content[${at}]`, what: "history" };
  }
  return undefined;
}

function isSealed(value: unknown): boolean {
  const block = asObject(value);
  return block.type === "compaction" && readSummary(block) === null && Boolean(block.encrypted_content);
}

export function writeSummary(text: string, block: JsonObject): TextPart {
  return { type: "text", text: `Summary of the conversation so far:\n\n${text}`, ...copyCacheMark(block) };
}
