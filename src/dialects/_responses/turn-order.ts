// The order of an answer's items in forms that keep its thinking apart from its text and calls: each detail of a thought says
// what stood before it. OpenAI drops a thought whose place has changed.
import { asCount, isObject, type JsonObject } from "../../core/json/json.ts";
import type { AssistantMessage, ReasoningDetail } from "../../operations/chat/form.ts";
import { TurnOrder } from "../../operations/chat/turn.ts";

/** The characters of text and the calls before a thought. */
export interface Behind extends JsonObject {
  readonly text: number;
  readonly calls: number;
}

/** Returns what stands before an item. Null for nothing, as before most thoughts. */
export function findBehind(text: number, calls: number): Behind | null {
  return text + calls === 0 ? null : { text, calls };
}

/** Returns the message with its thoughts in the places that they name, as far as it has the text and the calls. */
export function restoreOrder(message: AssistantMessage): AssistantMessage {
  const { parts, reasoning_details: details, content, tool_calls: calls } = message;
  if (parts !== undefined || !details?.some(isPlaced) || Array.isArray(content)) return message;
  const order = new TurnOrder();
  const most = { text: content?.length ?? 0, calls: calls?.length ?? 0 };
  const done = { text: 0, calls: 0 };
  const goTo = (text: number, call: number) => {
    if (text > done.text) order.add("text", text - done.text);
    if (call > done.calls) order.add("call", call - done.calls);
    done.text = Math.max(done.text, text);
    done.calls = Math.max(done.calls, call);
  };
  for (const detail of details) {
    const { behind } = detail;
    if (isObject(behind))
      goTo(Math.min(asCount(behind.text), most.text), Math.min(asCount(behind.calls), most.calls));
    order.add("thinking", 0, 1);
  }
  goTo(most.text, most.calls);
  const restored = order.list();
  return restored === undefined ? message : { ...message, parts: restored };
}

function isPlaced({ behind }: ReasoningDetail): boolean {
  return isObject(behind);
}
