// Thinking turned off where a call is forced, or an answer isn't streamed, for servers that refuse both together.
import { asArray, asObject, changeFields, isObject, type JsonObject } from "../../core/json/json.ts";

/** By `thinking`, as Anthropic, Moonshot and DeepSeek have it. */
export function stopThinking(body: JsonObject): JsonObject | null {
  if (!isForced(body) || asObject(body.thinking).type === "disabled") return null;
  return changeFields(body, {
    thinking: { type: "disabled" },
    reasoning_effort: undefined,
    ...withoutThinkingEdits(body),
  });
}

/** By `enable_thinking`, as Qwen has it. */
export function stopEnabledThinking(body: JsonObject): JsonObject | null {
  if (!isForced(body) || body.enable_thinking === false) return null;
  return changeFields(body, { enable_thinking: false, reasoning_effort: undefined });
}

/** By the same, in an answer that isn't streamed. */
export function stopUnstreamedThinking(body: JsonObject): JsonObject | null {
  if (!Array.isArray(body.messages) || body.stream === true || body.enable_thinking === false) return null;
  return changeFields(body, { enable_thinking: false, reasoning_effort: undefined });
}

const FORCING: ReadonlySet<unknown> = new Set(["any", "tool", "function", "custom"]);

/** The other APIs have no messages, and no such field. */
function isForced({ messages, tool_choice: choice }: JsonObject): boolean {
  if (!Array.isArray(messages)) return false;
  return choice === "required" || (isObject(choice) && FORCING.has(choice.type));
}

/** Anthropic refuses such an edit of the context without thinking. */
const THINKING_EDIT = /^clear_thinking/;

function withoutThinkingEdits({ context_management: management }: JsonObject): JsonObject {
  if (!isObject(management)) return {};
  const edits = asArray(management.edits);
  const kept = edits.filter((edit) => !THINKING_EDIT.test(String(asObject(edit).type)));
  if (kept.length === edits.length) return {};
  return { context_management: kept.length === 0 ? undefined : { ...management, edits: kept } };
}
