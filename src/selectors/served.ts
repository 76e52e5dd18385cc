// The model of a conversation before this turn: the one that this process has seen serve it, or else the one that any
// process would have chosen for its opening, so that several processes agree without a word between them.
import type { CachedPrefix } from "../core/attempt.ts";
import type { ModelCard } from "../core/models/card.ts";
import { findThinkingFormat } from "../core/models/thinking/readers.ts";
import type { ChatMessage, ChatRequest } from "../operations/chat/form.ts";
import type { ChooseInput } from "./ask.ts";
import type { SelectorRule } from "./selector.ts";
import { isInToolLoop, readTexts } from "./text/task.ts";
import { readThought, type ServingModel } from "./thought.ts";

interface ModelOrder {
  /** Yields the models that can serve it, best first. */
  inOrder(): Iterable<ModelCard>;
}

/** Chooses for an earlier turn. `before` is the model of the turns before it, null for the opening. */
type ChooseTurn = (request: ChatRequest, before: CachedPrefix | null) => ModelOrder;

/** The later tasks that are looked at again, the newest: each takes as long as a choice. */
const TASKS_MAX = 5;
const CHARS_PER_TOKEN = 4;

/**
 * Null at a conversation's beginning, and if nothing can be known. No API has a place for the model's name in an answer that
 * comes back: of an earlier turn that another process served, the history tells no more than the family of its thinking.
 */
export function findServed(
  input: ChooseInput,
  rule: SelectorRule,
  chooseTurn: ChooseTurn,
): ServingModel | null {
  const { request, cached, heldBy } = input;
  const { messages } = request;
  const held = cached?.() ?? null;
  if (held !== null) return { ...held, by: "memory", thought: readThought(messages) };
  const openingAt = findOpening(messages);
  if (heldBy === undefined || openingAt < 0) return null;
  const thought = readThought(messages);
  const holding = ({ id }: ModelCard, before: readonly ChatMessage[]): CachedPrefix => ({
    cardId: id,
    tokens: heldBy(id, countHeld(before)),
  });
  const opening = chooseTurn(cutBehind(request, openingAt), null);
  const chosen = findFirst(opening, null);
  if (chosen === null) return null;
  const turns = [chosen];
  let card = chosen;
  for (const at of rule.saves === "cost" ? listTasks(messages, openingAt) : []) {
    const turn = cutBehind(request, at);
    card = findFirst(chooseTurn(turn, holding(card, turn.messages)), null) ?? card;
    turns.push(card);
  }
  const { newest } = thought;
  // The history may hold the thinking of a model that was left since.
  const isExplained = newest === null || turns.some((one) => findThinkingFormat(one) === newest);
  const kin = isExplained ? null : findFirst(opening, newest);
  return { ...holding(kin ?? card, messages), by: kin === null ? "opening" : "thinking", thought };
}

/** Returns the best whose thinking has this format. Null for any. */
function findFirst(order: ModelOrder, format: string | null): ModelCard | null {
  for (const card of order.inOrder()) if (format === null || findThinkingFormat(card) === format) return card;
  return null;
}

/** Returns the place of the first message of the user's. −1 if nothing was answered yet. */
function findOpening(messages: readonly ChatMessage[]): number {
  const isAnswered = messages.some(({ role }) => role === "assistant");
  return isAnswered ? messages.findIndex(({ role }) => role === "user") : -1;
}

function cutBehind(request: ChatRequest, at: number): ChatRequest {
  return { ...request, messages: request.messages.slice(0, at + 1) };
}

/**
 * Returns the places of the newest messages of the user's behind the opening, without the one that is to be answered now. At
 * each, a selector that saves money may have left the opening's model, on whichever process.
 */
function listTasks(messages: readonly ChatMessage[], openingAt: number): readonly number[] {
  const places = [...messages.keys()].filter((at) => at > openingAt && messages[at]?.role === "user");
  return (isInToolLoop(messages) ? places : places.slice(0, -1)).slice(-TASKS_MAX);
}

/** Returns about how many tokens stand before the model's last turn. */
function countHeld(messages: readonly ChatMessage[]): number {
  const end = messages.findLastIndex(({ role }) => role === "assistant");
  let chars = 0;
  for (const { content } of messages.slice(0, Math.max(0, end)))
    for (const { length } of readTexts(content)) chars += length;
  return chars / CHARS_PER_TOKEN;
}
