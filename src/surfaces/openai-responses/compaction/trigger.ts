// A request to compact a conversation: where it may stand, and what a model is asked instead.

import { asArray, asObject, type JsonObject } from "../../../core/json/json.ts";
import { invalidValue } from "../../../core/json/schema-fault.ts";
import { estimateTextTokens } from "../../../operations/text-tokens.ts";
import { SEARCH_TOOLS } from "../known.ts";
import { COMPACTION_INSTRUCTION } from "./instruction.ts";

const TRIGGER = "compaction_trigger";
/** Enough for a long session's facts. A client may name another limit. */
const SUMMARY_TOKENS = 16_000;
/** The user's own messages that stay beside a summary, as Codex keeps them (0.169). */
const KEPT_TOKENS = 64_000;

const SEARCHES: ReadonlySet<unknown> = new Set(SEARCH_TOOLS);

/**
 * Returns the place of the trigger. Throws the Fault `invalid_value` if it isn't the last of several items. It may be the only
 * one where the conversation lies elsewhere.
 */
export function findTrigger(input: unknown, isStored = false): number | null {
  const items = asArray(input);
  const at = items.findIndex((item) => asObject(item).type === TRIGGER);
  if (at === -1) return null;
  if (at < items.length - 1) throw invalidValue(`input[${at}]`, `'${TRIGGER}' must be the last item`);
  if (at === 0 && !isStored) throw invalidValue("input[0]", `'${TRIGGER}' needs a conversation before it`);
  return at;
}

export function addTrigger(items: readonly unknown[]): readonly unknown[] {
  return [...items, { type: TRIGGER }];
}

/**
 * Returns the request that has a model write the summary: the same conversation, instructions and tools, which it may read
 * about but not call. `joined` ends with a trigger.
 */
export function makeSummaryBody(joined: JsonObject, model: string | null): JsonObject {
  const {
    input,
    tools,
    tool_choice: _choice,
    text: _text,
    include: _include,
    context_management: _management,
    ...rest
  } = joined;
  const kept = asArray(tools).filter((tool) => !SEARCHES.has(asObject(tool).type));
  return {
    ...rest,
    ...(model === null ? {} : { model }),
    ...(kept.length > 0 ? { tools: kept, tool_choice: "none" } : {}),
    max_output_tokens: joined.max_output_tokens ?? SUMMARY_TOKENS,
    input: [
      ...asArray(input).slice(0, -1),
      { type: "message", role: "user", content: COMPACTION_INSTRUCTION },
    ],
  };
}

/** Returns the user's own messages, the newest that fit. They stay in the conversation beside its summary. */
export function listKeptMessages(input: unknown): readonly unknown[] {
  const kept: unknown[] = [];
  let tokens = 0;
  for (const item of asArray(input).toReversed()) {
    const { type = "message", role } = asObject(item);
    if (type !== "message" || role !== "user") continue;
    tokens += estimateTextTokens(Buffer.byteLength(JSON.stringify(item)));
    if (tokens > KEPT_TOKENS) break;
    kept.push(item);
  }
  return kept.reverse();
}
