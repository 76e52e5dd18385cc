// Tools that a message of the conversation adds, beside those in `tools` (Messages API reference, `tool_addition`).

import { asArray, asObject } from "../../core/json/json.ts";
import type { ModelCard } from "../../core/models/card.ts";
import { isSearch, maySearch } from "../../operations/chat/prompt/searches.ts";

/**
 * Returns the messages without added searches if the card has no price for them, else the same messages. The surface
 * has made sure that tools are added only by blocks of a message and in summaries of earlier ones.
 */
export function leaveOutAddedSearches(messages: unknown, card: ModelCard): unknown {
  if (!Array.isArray(messages) || maySearch(card)) return messages;
  const given: readonly unknown[] = messages;
  const kept = given.flatMap((message): readonly unknown[] => {
    const { content } = asObject(message);
    const blocks = leaveOutBlocks(content);
    if (blocks === content) return [message];
    // A message that only added a search would be empty.
    return asArray(blocks).length === 0 ? [] : [{ ...asObject(message), content: blocks }];
  });
  return isSame(kept, given) ? messages : kept;
}

function leaveOutBlocks(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  const given: readonly unknown[] = content;
  const kept = given.flatMap((block): readonly unknown[] => {
    const { tool, tool_changes: changes } = asObject(block);
    if (isSearch(asObject(tool).definition)) return [];
    const others = leaveOutBlocks(changes);
    return others === changes ? [block] : [{ ...asObject(block), tool_changes: others }];
  });
  return isSame(kept, given) ? content : kept;
}

function isSame(kept: readonly unknown[], given: readonly unknown[]): boolean {
  return kept.length === given.length && kept.every((one, at) => one === given[at]);
}
