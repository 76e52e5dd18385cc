// Tools and the choice among them as Gemini's function declarations and calling modes.
import type { ChatRequest, Tool, ToolChoice } from "../../core/chat.ts";
import { Fault } from "../../core/fault.ts";
import { type JsonObject, objectOf, stringOf } from "../../core/json.ts";
import { cleanSchema } from "./schema.ts";

export interface Calling {
  /** `tools` and `toolConfig`, as far as the request has them. */
  readonly fields: JsonObject;
  readonly declared: boolean;
  /** The model must answer with a call. */
  readonly forced: boolean;
}

interface Choice {
  readonly mode: "AUTO" | "ANY" | "NONE";
  readonly names?: readonly string[];
}

/** Throws a Fault for a custom tool: its input is free text in a grammar, which no function declaration can say. */
export function callingOf({ tools, tool_choice: choice }: ChatRequest): Calling {
  if (!tools) return { fields: {}, declared: false, forced: false };
  const chosen = choice === undefined ? undefined : choiceOf(choice);
  const declarations = tools.map(declarationOf);
  // `allowedFunctionNames` goes only with ANY: a choice that leaves the model free is made by declaring fewer.
  const free = chosen?.mode === "AUTO" ? chosen.names : undefined;
  const kept = free ? declarations.filter(({ name }) => free.includes(name)) : declarations;
  const fields = kept.length === 0 ? {} : { tools: [{ functionDeclarations: kept }] };
  const config = chosen && kept.length > 0 ? { toolConfig: toolConfigOf(chosen) } : {};
  return { fields: { ...fields, ...config }, declared: kept.length > 0, forced: chosen?.mode === "ANY" };
}

function toolConfigOf({ mode, names }: Choice): JsonObject {
  const allowed = mode === "ANY" && names ? { allowedFunctionNames: names } : {};
  return { functionCallingConfig: { mode, ...allowed } };
}

function choiceOf(choice: ToolChoice): Choice {
  if (choice === "none") return { mode: "NONE" };
  if (choice === "auto") return { mode: "AUTO" };
  if (choice === "required") return { mode: "ANY" };
  switch (choice.type) {
    case "function":
      return { mode: "ANY", names: [choice.function.name] };
    case "custom":
      return { mode: "ANY", names: [choice.custom.name] };
    case "allowed_tools": {
      const { mode, tools } = choice.allowed_tools;
      const names = tools.flatMap((tool) => stringOf(objectOf(tool.function).name) ?? []);
      return { mode: mode === "required" ? "ANY" : "AUTO", names };
    }
  }
}

interface Declaration extends JsonObject {
  readonly name: string;
}

/**
 * `parametersJsonSchema`, not `parameters`: the latter is a fixed set of OpenAPI fields in which one unknown keyword
 * refuses the whole request, and which can't say several types, `additionalProperties` or texts beside `anyOf`. All
 * served generations take the former, and Google's own SDKs send it.
 */
function declarationOf(tool: Tool): Declaration {
  if (tool.type === "custom") {
    const message = "This model takes function tools only, no custom ones.";
    throw new Fault("unsupported_capability", message, { param: "tools" });
  }
  const { name, description, parameters } = tool.function;
  return {
    name,
    ...(description === undefined ? {} : { description }),
    ...(parameters === undefined ? {} : { parametersJsonSchema: rooted(cleanSchema(parameters)) }),
  };
}

/** Arguments are an object, also where the schema does not say so. */
function rooted(schema: JsonObject): JsonObject {
  return schema.type === undefined ? { type: "object", ...schema } : schema;
}
