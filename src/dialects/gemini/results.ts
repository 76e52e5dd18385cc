// The results of calls as Gemini's `functionResponse` parts, in the turn right after their calls.
import type { JsonBudget } from "../../core/json/bounds.ts";
import { asString, type JsonObject } from "../../core/json/json.ts";
import type { ChatMessage, ToolMessage } from "../../operations/chat/form.ts";
import { joinText, listParts, RESULT_GAP } from "../../operations/chat/prompt/content-text.ts";
import { makeContentPart } from "./media.ts";

/** A call in the history: responses must name its function and follow the order of the calls. */
export interface HistoryCall {
  readonly name: string;
  readonly order: number;
}

/** The server for which results are written. */
interface ResultTarget {
  /** True if responses carry the ids of their calls. */
  readonly ids: boolean;
  /** Parses results. */
  readonly json: JsonBudget;
}

/** Maps results to the place of the nearest message before them that made the call, or to their own. */
export function mapResults(messages: readonly ChatMessage[]): ReadonlyMap<number, readonly ToolMessage[]> {
  const callers = new Map<string, number>();
  const results = new Map<number, ToolMessage[]>();
  for (const [index, message] of messages.entries()) {
    if (message.role === "assistant") for (const { id } of message.tool_calls ?? []) callers.set(id, index);
    if (message.role !== "tool") continue;
    results.getOrInsertComputed(callers.get(message.tool_call_id) ?? index, makeList).push(message);
  }
  return results;
}

const makeList = (): ToolMessage[] => [];

/** Makes the results of one turn. Images in them follow as separate parts. */
export function makeResponseParts(
  results: readonly ToolMessage[],
  calls: ReadonlyMap<string, HistoryCall>,
  target: ResultTarget,
): JsonObject[] {
  const place = (message: ToolMessage) => calls.get(message.tool_call_id)?.order ?? calls.size;
  const ordered = results.toSorted((one, other) => place(one) - place(other));
  const responses = ordered.map((message) => {
    const name = calls.get(message.tool_call_id)?.name ?? asString(message.name) ?? message.tool_call_id;
    const id = target.ids ? message.tool_call_id : undefined;
    const text = joinText(message.content, RESULT_GAP);
    const response = message.is_error ? { error: text } : makeResponse(text, target.json);
    return { functionResponse: { id, name, response } };
  });
  const media = ordered.flatMap((message) =>
    listParts(message.content).flatMap((part) => (part.type === "text" ? [] : makeContentPart(part))),
  );
  return [...responses, ...media];
}

/** `response` must be an object. A result that is one, within bounds, stays. Any other text is put under `result`. */
function makeResponse(text: string, json: JsonBudget): JsonObject {
  return json.parseObject(text) ?? { result: text };
}
