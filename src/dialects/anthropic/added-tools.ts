// Tools that a message of the conversation adds, beside those in `tools` (Messages API reference, `tool_addition`).

import { asArray, asObject, isObject, type JsonObject } from "../../core/json/json.ts";
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

const CHANGES: ReadonlySet<unknown> = new Set(["tool_addition", "tool_removal"]);

/**
 * Returns the body with the tools that its messages leave, for a server or a model that takes no such messages: the same body
 * if none changes them.
 */
export function foldToolBlocks(body: JsonObject): JsonObject {
  return asArray(body.messages).some(hasChanges) ? foldBlocks(body) : body;
}

function foldBlocks(body: JsonObject): JsonObject {
  const changes = asArray(body.messages).flatMap(listChanges);
  const front = asArray(body.tools).map(asObject);
  const known = new Map(front.map((tool) => [tool.name, tool]));
  const offered = new Map(known);
  for (const { type, tool } of changes) {
    const { name, definition } = asObject(tool);
    const added = isObject(definition) ? definition : known.get(name);
    if (type === "tool_removal") offered.delete(name);
    else if (added !== undefined) {
      // Nothing else would show the model a tool that waits for its message.
      const { defer_loading: _deferred, ...shown } = added;
      known.set(added.name, shown);
      offered.set(added.name, shown);
    }
  }
  const { tools: _tools, tool_choice: choice, ...rest } = body;
  const { name } = asObject(choice);
  const isChosen = choice !== undefined && offered.size > 0 && (name === undefined || offered.has(name));
  return {
    ...rest,
    messages: asArray(body.messages).flatMap(withoutChanges),
    ...(offered.size === 0 ? {} : { tools: [...offered.values()] }),
    ...(isChosen ? { tool_choice: choice } : {}),
  };
}

function hasChanges(message: unknown): boolean {
  const { role, content } = asObject(message);
  return role === "system" && asArray(content).some(isChange);
}

function isChange(block: unknown): boolean {
  return CHANGES.has(asObject(block).type);
}

function listChanges(message: unknown): readonly JsonObject[] {
  return hasChanges(message) ? asArray(asObject(message).content).filter(isChange).map(asObject) : [];
}

/** A message that only changed tools would be empty. */
function withoutChanges(message: unknown): readonly unknown[] {
  if (!hasChanges(message)) return [message];
  const kept = asArray(asObject(message).content).filter((block) => !isChange(block));
  return kept.length === 0 ? [] : [{ ...asObject(message), content: kept }];
}
