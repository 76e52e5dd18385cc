// Thinking in the native lane of the Messages API: what the model can take of what the client asked for and sends back.

import type { Fault } from "../../core/faults/fault.ts";
import { asArray, asObject, changeFields, isObject, type JsonObject } from "../../core/json/json.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { RawRequest } from "../../core/models/dialect.ts";
import { REFUSED_THINKING } from "../../core/models/thinking/removed-reasoning.ts";
import { NONE } from "../../operations/form.ts";
import { isSignatureRefused } from "../_chat/error.ts";
import { hasCallsWithoutThinking } from "./conversation.ts";
import { isThinkingMissed } from "./errors.ts";

/** The smallest thinking budget, and the least that it leaves for the answer (Messages API reference). */
const THINKING_TOKENS_MIN = 1024;

/** A client's own body with some fields changed, and their names. */
export interface ThinkingPlan {
  readonly body: JsonObject;
  readonly dropped: readonly string[];
}

/**
 * Fits a thinking budget into a lowered limit (null if it wasn't), and leaves it out of a tool loop that another model
 * began: Claude refuses a budget there.
 */
export function planLaneThinking(body: JsonObject, { name }: ModelCard, limit: number | null): ThinkingPlan {
  const { thinking, messages } = body;
  if (!isObject(thinking) || typeof thinking.budget_tokens !== "number") return { body, dropped: NONE };
  // Other servers of this API take it, and some of them sign nothing.
  const isClaude = name.toLowerCase().includes("claude");
  if (isClaude && thinking.type === "enabled" && hasCallsWithoutThinking(asArray(messages)))
    return turnOff(body, undefined);
  const most = (limit ?? Number.POSITIVE_INFINITY) - THINKING_TOKENS_MIN;
  if (thinking.budget_tokens <= most) return { body, dropped: NONE };
  if (most < THINKING_TOKENS_MIN) return turnOff(body, { type: "disabled" });
  return { body: { ...body, thinking: { ...thinking, budget_tokens: most } }, dropped: ["thinking"] };
}

/** Edits of the context that the API refuses without thinking. */
const THINKING_EDIT = /^clear_thinking/;

/** Sets `thinking`, or leaves it out if it is undefined. */
export function turnOff(given: JsonObject, off: JsonObject | undefined): ThinkingPlan {
  const { context_management: management } = given;
  const edits = asArray(asObject(management).edits);
  const kept = edits.filter((edit) => !THINKING_EDIT.test(String(asObject(edit).type)));
  if (kept.length === edits.length)
    return { body: changeFields(given, { thinking: off }), dropped: ["thinking"] };
  const rest = kept.length === 0 ? undefined : { ...asObject(management), edits: kept };
  const body = changeFields(given, { thinking: off, context_management: rest });
  return { body, dropped: ["thinking", "context_management"] };
}

/**
 * Repairs a 400 about a signature: if another provider continued the conversation, it holds thinking that Anthropic
 * didn't sign. All thinking before the last user turn is removed, or if there is none, that of the current turn. A loop
 * that lacks some thinking goes on without any.
 */
export function withoutRefusedThinking(raw: RawRequest, fault: Fault): RawRequest | null {
  if (isThinkingMissed(fault)) return withoutAnyThinking(raw);
  if (!isSignatureRefused(fault)) return null;
  const messages = asArray(raw.body.messages);
  const lastUser = messages.findLastIndex(isUserTurn);
  const repaired = withoutThinking(messages, lastUser) ?? withoutThinking(messages, messages.length);
  if (repaired === null) return null;
  return {
    ...raw,
    body: { ...raw.body, messages: repaired.messages },
    [REFUSED_THINKING]: repaired.count,
  };
}

function withoutAnyThinking(raw: RawRequest): RawRequest | null {
  if (raw.body.thinking === undefined) return null;
  const messages = asArray(raw.body.messages);
  const others = withoutThinking(messages, messages.length) ?? { messages, count: 0 };
  const body = { ...turnOff(raw.body, undefined).body, messages: others.messages };
  return { ...raw, body, [REFUSED_THINKING]: others.count };
}

/** True if a person speaks in the turn. A turn with only tool results belongs to the turn before. */
function isUserTurn(message: unknown): boolean {
  const { role, content } = asObject(message);
  return role === "user" && !(Array.isArray(content) && content.every((one) => isType(one, "tool_result")));
}

function isType(block: unknown, ...types: readonly string[]): boolean {
  return types.includes(String(asObject(block).type));
}

/** Removes the thinking before that index, and counts the answers that had some. Returns null if none had. */
function withoutThinking(
  messages: readonly unknown[],
  end: number,
): { readonly messages: readonly JsonObject[]; readonly count: number } | null {
  let count = 0;
  const kept = messages.flatMap((message, index): readonly JsonObject[] => {
    const given = asObject(message);
    if (index >= end || given.role !== "assistant" || !Array.isArray(given.content)) return [given];
    const content = given.content.filter((block) => !isType(block, "thinking", "redacted_thinking"));
    if (content.length === given.content.length) return [given];
    count++;
    return content.length === 0 ? [] : [{ ...given, content }];
  });
  return count === 0 ? null : { messages: kept, count };
}
