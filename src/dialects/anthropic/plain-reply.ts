// A whole message of one text, as most are: read at once, to what the decoder and the fold would make of it.
import { asArray, isObject, type JsonObject } from "../../core/json/json.ts";
import { makeFinish } from "../../operations/chat/finish.ts";
import type { ChatReply, FinishReason } from "../../operations/chat/form.ts";
import { parseAnthropicUsage } from "./usage.ts";

/** The reasons of which the end says no more than the word. */
const PLAIN_ENDS: ReadonlyMap<unknown, FinishReason> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["max_tokens", "length"],
]);

/** Null for a message with anything else in it. */
export function readPlainReply(message: JsonObject): ChatReply | null {
  const {
    stop_reason: word,
    stop_sequence: sequence,
    input_transformations: removed,
    usage: report,
  } = message;
  const content = readOnlyText(message.content);
  const reason = PLAIN_ENDS.get(word);
  if (content === null || reason === undefined || removed) return null;
  const { finish_reason, ...end } = makeFinish(reason, word, sequence);
  const said = { role: "assistant", content, refusal: null } as const;
  const choices = [{ ...end, index: 0, message: said, finish_reason, logprobs: null }];
  const usage = isObject(report) ? parseAnthropicUsage(report) : undefined;
  return usage === undefined ? { choices } : { choices, usage };
}

/** Null unless there is one block, of a text without sources. */
function readOnlyText(content: unknown): string | null {
  if (!Array.isArray(content) || content.length !== 1) return null;
  const block: unknown = content[0];
  if (!isObject(block) || block.type !== "text" || asArray(block.citations).length > 0) return null;
  return typeof block.text === "string" && block.text !== "" ? block.text : null;
}
