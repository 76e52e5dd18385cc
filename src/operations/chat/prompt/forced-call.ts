// Forced tool calls for models that can't be forced: the demand is put into the prompt.

import { asString, type JsonObject } from "../../../core/json/json.ts";
import { can, type ModelCard } from "../../../core/models/card.ts";
import { type ChangedAsk, NONE } from "../../form.ts";
import { type ChatRequest, isCallForced, type SystemMessage, type ToolChoice } from "../form.ts";
import { simplifyChoice } from "./tool-choice.ts";

/** The sentence that replaces an unsupported tool choice. */
export function writeForcedCall(choice: ToolChoice | undefined): string {
  const isNamed = typeof choice === "object" && choice.type === "function";
  const whom = isNamed ? `the tool \`${choice.function.name}\`` : "at least one of the tools";
  return `Your next message must call ${whom}; text alone is not an answer.`;
}

/**
 * Returns the request as the card supports it: if calls can't be forced, with the tools left by the choice, and a
 * sentence.
 */
export function dropForcedCall(request: ChatRequest, card: ModelCard): ChangedAsk<ChatRequest> {
  if (!isCallForced(request) || can(card, "tools")) return { ask: request, dropped: NONE };
  const { choice, allowed } = simplifyChoice(request.tool_choice);
  const names = typeof choice === "object" ? [choice.function.name] : allowed;
  const asked: ChatRequest = {
    ...request,
    tool_choice: names === null ? "auto" : chooseAmong([...names]),
    messages: withInstruction(request.messages, writeForcedCall(choice)),
  };
  return { ask: asked, dropped: ["tool_choice"] };
}

function chooseAmong(names: readonly string[]): ToolChoice {
  const tools = names.map((name) => ({ type: "function", function: { name } }));
  return { type: "allowed_tools", allowed_tools: { mode: "auto", tools } };
}

/** Many servers accept only one system message, at the start. */
export function withInstruction<Message extends JsonObject>(
  messages: readonly Message[],
  instruction: string,
): (Message | SystemMessage)[] {
  const [first, ...others] = messages;
  if (first === undefined || (first.role !== "system" && first.role !== "developer")) {
    return [{ role: "system", content: instruction }, ...messages];
  }
  const { content } = first;
  const extended = Array.isArray(content)
    ? [...content, { type: "text", text: instruction }]
    : `${asString(content) ?? ""}\n\n${instruction}`.trim();
  return [{ ...first, content: extended }, ...others];
}
