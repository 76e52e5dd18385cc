// Validates the order of calls and their results in a conversation, for several dialects.
import { asArray, asObject } from "../../src/core/json/json.ts";
import { readCalls } from "../../src/simulator/chat-messages.ts";
import { type Path, reject } from "../../src/simulator/problem.ts";

/** A dialect's messages for results without calls and calls without results. */
export interface OrderWords {
  readonly stray: (id: string) => string;
  readonly unanswered: (ids: readonly string[]) => string;
}

/** Results must follow the assistant turn whose calls they answer, each once, before any other message. */
export function checkToolOrder(messages: readonly unknown[], say: OrderWords): void {
  let open = new Set<string>();
  messages.forEach((each, at) => {
    const message = asObject(each);
    const path: Path = ["messages", at, "role"];
    if (message.role === "tool") {
      const id = String(message.tool_call_id);
      if (!open.delete(id)) reject("value", say.stray(id), path);
      return;
    }
    if (open.size > 0) reject("value", say.unanswered([...open]), path);
    open = new Set(readCalls(message).map(({ id }) => id));
  });
  if (open.size > 0) reject("value", say.unanswered([...open]), ["messages", messages.length]);
}

/** Each output must answer an earlier call, and each call must have an output. */
export function checkCallOrder(input: unknown): void {
  const open = new Map<string, number>();
  asArray(input).forEach((each, at) => {
    const { type, call_id: id } = asObject(each);
    const given = String(id);
    if (type === "function_call" || type === "custom_tool_call") open.set(given, at);
    if (type !== "function_call_output" && type !== "custom_tool_call_output") return;
    if (!open.delete(given))
      reject("value", `No tool call found for function call output with call_id ${given}.`, ["input"]);
  });
  const [unanswered] = open.keys();
  if (unanswered !== undefined)
    reject("value", `No tool output found for function call ${unanswered}.`, ["input"]);
}
