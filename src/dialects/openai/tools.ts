// Tools and the choice among them as one server takes them; a choice that it doesn't take becomes an instruction.

import { asObject, asString, isObject, type JsonObject } from "../../core/json.ts";
import { writeForcedCall } from "../../operations/chat/forced-call.ts";
import type { ChatRequest, FunctionTool, Tool } from "../../operations/chat/form.ts";
import { simplifyChoice } from "../../operations/chat/tool-choice.ts";
import { toFunction } from "../_chat/tools.ts";
import { readDirection } from "./effort.ts";
import { withCacheMark } from "./messages.ts";
import type { OpenaiQuirks } from "./quirks.ts";
import { toMoonshotSchema } from "./schema.ts";

export interface ToolPlan {
  readonly fields: JsonObject;
  readonly instruction: string | null;
  readonly dropped: readonly string[];
}

/** `tools` and `tool_choice`. `thinks`: the model is going to think, which some providers refuse with a forced call. */
export function planTools(request: ChatRequest, quirks: OpenaiQuirks, thinks: boolean): ToolPlan {
  const { tools, tool_choice: choice } = request;
  // A choice without tools is refused by most servers and means nothing.
  if (tools === undefined)
    return { fields: {}, instruction: null, dropped: choice === undefined ? [] : ["tool_choice"] };
  const direction = readDirection(request);
  if (direction === "none" && !quirks.directions.includes("none")) {
    return { fields: {}, instruction: null, dropped: [] };
  }
  const keepsList = quirks.directions.includes("allowed_tools");
  const plain = quirks.customTools && keepsList ? { choice, allowed: null } : simplifyChoice(choice);
  const kept = tools.filter((tool) => plain.allowed?.has(readName(tool) ?? "") ?? true);
  const outgoing = kept.map((tool) => makeTool(tool, quirks));
  const strict = !quirks.strictTools && kept.some((tool) => asObject(tool.function).strict === true);
  const dropped = strict ? ["strict"] : [];
  const isTaken =
    direction === undefined ||
    (quirks.directions.includes(direction) &&
      !(thinks && quirks.thinkingExcludes.some((what) => what === direction)));
  if (isTaken) {
    const fields = { tools: outgoing, ...(plain.choice === undefined ? {} : { tool_choice: plain.choice }) };
    return { fields, instruction: null, dropped };
  }
  const instruction = writeForcedCall(plain.choice);
  return { fields: { tools: outgoing }, instruction, dropped: [...dropped, "tool_choice"] };
}

function readName(tool: Tool): string | undefined {
  return asString(asObject(tool.function ?? tool.custom).name);
}

/** A tool of the provider's own (OpenRouter's server tools) goes as it is. */
function makeTool(tool: Tool, quirks: OpenaiQuirks): JsonObject {
  if (tool.type === "custom" && quirks.customTools) return tool;
  const plain = toFunction(tool);
  if (!isObject(plain.function)) return plain;
  return withCacheMark({ ...plain, function: makeFunction(plain, quirks) }, quirks);
}

function makeFunction(tool: FunctionTool, quirks: OpenaiQuirks): JsonObject {
  const { strict, parameters, ...rest } = tool.function;
  const keepsStrict = quirks.strictTools && strict !== undefined && strict !== null;
  const schema =
    parameters !== undefined && quirks.schema === "moonshot" ? toMoonshotSchema(parameters) : parameters;
  return {
    ...rest,
    ...(schema === undefined ? {} : { parameters: schema }),
    ...(keepsStrict ? { strict } : {}),
  };
}
