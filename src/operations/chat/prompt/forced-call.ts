// Forced tool calls for models that can't be forced: the demand is put into the prompt.

import { can, type ModelCard } from "../../../core/models/card.ts";
import { type ChangedAsk, NONE } from "../../form.ts";
import { type ChatRequest, isCallForced, type ToolChoice } from "../form.ts";
import { sayAtEnd } from "./say-at-end.ts";
import { simplifyChoice } from "./tool-choice.ts";

/** The sentence that replaces an unsupported tool choice. */
export function writeForcedCall(choice: ToolChoice | undefined): string {
  const isNamed = typeof choice === "object" && choice.type === "function";
  const whom = isNamed ? `the tool \`${choice.function.name}\`` : "at least one of the tools";
  return `In this answer, call ${whom}; text alone is not an answer.`;
}

/**
 * Returns the request as the card supports it: if calls can't be forced, with a sentence, and the choice among some tools
 * alone. One that is named stays among the others, since without them the prompt would begin differently.
 */
export function dropForcedCall(request: ChatRequest, card: ModelCard): ChangedAsk<ChatRequest> {
  if (!isCallForced(request) || can(card, "tools")) return { ask: request, dropped: NONE };
  const { choice, allowed } = simplifyChoice(request.tool_choice);
  const asked: ChatRequest = {
    ...request,
    tool_choice: allowed === null ? "auto" : chooseAmong([...allowed]),
    messages: sayAtEnd(request.messages, writeForcedCall(choice)),
  };
  return { ask: asked, dropped: ["tool_choice"] };
}

function chooseAmong(names: readonly string[]): ToolChoice {
  const tools = names.map((name) => ({ type: "function", function: { name } }));
  return { type: "allowed_tools", allowed_tools: { mode: "auto", tools } };
}
