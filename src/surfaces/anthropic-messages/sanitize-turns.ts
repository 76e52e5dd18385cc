// The turns of a Messages request as they may be sent back to Anthropic.
import { ElementWork, mapGrowing } from "../../core/json/growing.ts";
import { asArray, asObject, asString, type JsonObject } from "../../core/json/json.ts";
import type { Sealer } from "../../core/world/world.ts";
import { ANTHROPIC_FORMAT, isOurSignature, openSignature } from "../signature.ts";
import { listBlocks } from "./parts.ts";
import { restoreSearches } from "./searches.ts";

/**
 * Returns the messages without unsigned thinking and without other providers' thinking and page citations, and with their
 * searches as texts. A turn of which nothing is left is left out, since an empty one is refused.
 */
export function sanitizeTurns(messages: readonly unknown[], seal: Sealer): readonly unknown[] {
  return messages.some(isAnswer) ? sanitizeAnswers(messages, seal) : messages;
}

function sanitizeAnswers(messages: readonly unknown[], seal: Sealer): readonly unknown[] {
  // A turn that stays the same has nothing that was sealed.
  const turns = mapGrowing(messages, (given) => sanitizeTurn(asObject(given), seal), SANITIZED);
  return turns.includes(null) ? leaveOutGaps(turns) : turns;
}

function isAnswer(message: unknown): boolean {
  return asObject(message).role === "assistant";
}

const SANITIZED = new ElementWork();

/** Joins the user's turns around a gap: Bedrock refuses two in a row. */
function leaveOutGaps(turns: readonly unknown[]): readonly unknown[] {
  const kept: JsonObject[] = [];
  let isGap = false;
  for (const turn of turns) {
    const last = kept.at(-1);
    const { role, content } = asObject(turn);
    if (isGap && role === "user" && last?.role === "user") {
      const joined = [...listBlocks(last.content), ...listBlocks(content)];
      kept.splice(-1, 1, { ...last, content: joined });
    } else if (turn !== null) kept.push(asObject(turn));
    isGap = turn === null;
  }
  return kept;
}

/** Null if nothing is left. */
function sanitizeTurn(message: JsonObject, seal: Sealer): JsonObject | null {
  if (message.role !== "assistant" || !Array.isArray(message.content)) return message;
  const before: readonly unknown[] = message.content;
  const content = restoreSearches(before).flatMap((block) =>
    restoreThinking(withOwnCitations(asObject(block)), seal),
  );
  if (content.length === before.length && content.every((one, at) => one === before[at])) return message;
  return content.length === 0 ? null : { ...message, content };
}

/** Only Anthropic's own citations fill in `encrypted_index`, which seals the result's place. */
function withOwnCitations(block: JsonObject): JsonObject {
  const citations = asArray(block.citations);
  const own = citations.filter((one) => asObject(one).encrypted_index !== "");
  return own.length === citations.length ? block : { ...block, citations: own };
}

function restoreThinking(block: JsonObject, seal: Sealer): readonly JsonObject[] {
  if (block.type !== "thinking" && block.type !== "redacted_thinking") return [block];
  const signature = asString(block.signature) ?? asString(block.data) ?? "";
  if (signature === "") return [];
  if (!isOurSignature(signature)) return [block];
  const text = asString(block.thinking) ?? "";
  return (openSignature(seal, text, signature) ?? []).flatMap((detail): readonly JsonObject[] => {
    if (detail.format !== ANTHROPIC_FORMAT) return [];
    if (detail.data !== undefined) return [{ type: "redacted_thinking", data: detail.data }];
    if (!detail.signature) return [];
    return [{ type: "thinking", thinking: detail.text ?? "", signature: detail.signature }];
  });
}
