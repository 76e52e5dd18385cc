// Tools that a conversation adds and removes, for OpenAI's models: an item adds them in its place, and those that were
// removed stay in the list and aren't allowed, so that the prompt begins as before (OpenAI, "Keep the prefix unchanged").
import { asArray, asObject, isObject, type JsonObject } from "../../core/json/json.ts";
import type { ChatRequest, SystemMessage, Tool } from "../../operations/chat/form.ts";
import { followToolChanges, nameTool } from "../../operations/chat/prompt/tool-changes.ts";
import { flattenTool } from "../_responses/input.ts";

export interface LateTools {
  /** The request with the tools before the first change. */
  readonly request: ChatRequest;
  /** Returns the items of a message's changes. */
  readonly write: (message: SystemMessage) => readonly JsonObject[];
  /** Returns the choice, in the API's form, among the tools that are offered. Undefined if it stays as it is. */
  readonly choose: (choice: unknown) => unknown;
}

export function placeTools(request: ChatRequest): LateTools {
  const { front, offered, effects } = followToolChanges(request);
  const tools = request.tools ?? [];
  const isReduced = tools.some((tool) => !offered.has(nameTool(tool)));
  const references = tools.map((tool) => ({ type: tool.type, name: nameTool(tool) }));
  const searches = request.web_search_options ? [{ type: "web_search" }] : [];
  const allowed = [...references.filter(({ name }) => offered.has(name)), ...searches];
  return {
    request: { ...request, tools: front },
    write(message) {
      const added = (effects.get(message) ?? []).flatMap((effect) =>
        effect.type === "defined" ? [makeTool(effect.tool)] : [],
      );
      return added.length === 0 ? [] : [{ type: "additional_tools", role: "developer", tools: added }];
    },
    choose: (choice) => (isReduced ? allow(choice, allowed) : undefined),
  };
}

type Reference = Readonly<{ type: string; name?: string }>;

/** Returns the choice among the allowed tools. One of a certain tool stays, unless it was removed. */
function allow(choice: unknown, allowed: readonly Reference[]): unknown {
  const { type, name, mode, tools } = asObject(choice);
  const isAllowed = (one: unknown) => allowed.some((other) => other.name === asObject(one).name);
  if (choice === "none" || allowed.length === 0) return "none";
  if (typeof name === "string" && isAllowed(choice)) return choice;
  const isList = type === "allowed_tools";
  const kept = isList ? asArray(tools).filter(isAllowed) : allowed;
  const demand = (isList ? mode : choice) === "required" ? "required" : "auto";
  return kept.length === 0 ? "none" : { type: "allowed_tools", mode: demand, tools: kept };
}

export function makeTool(tool: Tool): JsonObject {
  if (tool.type === "function") return flattenTool(tool, tool.function.name);
  const { format, ...custom } = tool.custom;
  if (!isObject(format)) return { type: "custom", ...custom };
  const { type, grammar } = format;
  return { type: "custom", ...custom, format: { type, ...asObject(grammar) } };
}
