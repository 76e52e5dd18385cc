// Tools, tool choice and response format for Converse.

import { isObject, type JsonObject } from "../../core/json/json.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { ChatRequest, FunctionTool, ResponseFormat } from "../../operations/chat/form.ts";
import { writeForcedCall } from "../../operations/chat/prompt/forced-call.ts";
import { type PlainChoice, simplifyChoice } from "../../operations/chat/prompt/tool-choice.ts";
import { type InstructedFields, UNASKED } from "../_chat/outgoing.ts";
import { askForJson, mapSchemas } from "../_chat/schemas/schema.ts";
import { flattenUnion } from "../_chat/schemas/tool-schema.ts";
import { readToolName, toFunction } from "../_chat/tools.ts";
import { addPoint, type Block } from "./content.ts";
import type { BedrockTraits } from "./models.ts";

interface BedrockToolPlan extends Omit<InstructedFields, "fields"> {
  readonly tools: readonly Block[];
  /** Null if the model may choose. */
  readonly choice: JsonObject | null;
}

/**
 * If the conversation contains calls, Converse requires tools, so the called ones are offered if the client offers
 * none. There is no choice "none": if tools must be offered, the model is asked in words not to call any.
 */
export function planTools(request: ChatRequest, card: ModelCard, traits: BedrockTraits): BedrockToolPlan {
  const { choice, allowed } = simplifyChoice(request.tool_choice);
  const offered = (request.tools ?? []).map(toFunction);
  const kept = allowed === null ? offered : offered.filter((tool) => allowed.has(tool.function.name));
  const canBeStrict = card.capabilities.has("structured");
  if (choice === "none" || kept.length === 0) {
    return planUncalled(kept, listCalled(request), choice === "none", canBeStrict);
  }
  const isLoosened = !canBeStrict && kept.some((tool) => tool.function.strict === true);
  const loosened = isLoosened ? ["tools"] : [];
  const tools = kept.flatMap((tool) => makeTool(tool, canBeStrict));
  const forced = makeChoice(choice, traits);
  if (forced !== undefined) return { ...UNASKED, tools, choice: forced, dropped: loosened };
  const named = isObject(choice) && traits.forced.includes("any") ? choice.function.name : null;
  const only = kept.find((tool) => tool.function.name === named);
  if (only) return { ...UNASKED, tools: makeTool(only, canBeStrict), choice: { any: {} }, dropped: loosened };
  return {
    tools,
    choice: null,
    instructions: [writeForcedCall(choice)],
    dropped: [...loosened, "tool_choice"],
  };
}

/** Plans for a turn without calls. */
function planUncalled(
  kept: readonly FunctionTool[],
  called: readonly FunctionTool[],
  isChosen: boolean,
  canBeStrict: boolean,
): BedrockToolPlan {
  const none: BedrockToolPlan = { ...UNASKED, tools: [], choice: null };
  if (called.length === 0) return none;
  const tools = (kept.length > 0 ? kept : called).flatMap((tool) => makeTool(tool, canBeStrict));
  const instructions = ["In this answer, do not call any tool."];
  return { ...none, tools, instructions, dropped: isChosen ? ["tool_choice"] : [] };
}

/** Returns null if nothing is forced, or undefined if the model can't be forced this way. */
function makeChoice(choice: PlainChoice["choice"], { forced }: BedrockTraits): JsonObject | null | undefined {
  if (choice === undefined || choice === "auto" || choice === "none") return null;
  if (choice === "required") return forced.includes("any") ? { any: {} } : undefined;
  return forced.includes("tool") ? { tool: { name: choice.function.name } } : undefined;
}

function listCalled(request: ChatRequest): readonly FunctionTool[] {
  const names = request.messages.flatMap((message) =>
    message.role === "assistant" ? (message.tool_calls ?? []).map(readToolName) : [],
  );
  return [...new Set(names)].map((name) => ({ type: "function", function: { name } }));
}

function makeTool(tool: FunctionTool, canBeStrict: boolean): Block[] {
  const { name, description, parameters, strict } = tool.function;
  const toolSpec = {
    name,
    ...(description?.trim() ? { description } : {}),
    // Nova documents `type`, `properties` and `required` there, and Claude refuses unions.
    inputSchema: { json: { type: "object", ...(parameters && flattenUnion(parameters)) } },
    ...(strict === true && canBeStrict ? { strict: true } : {}),
  };
  return addPoint([{ toolSpec }], { ...tool.function, ...tool });
}

/** Plans `response_format`: a schema if the card says that the model supports one, else an instruction in words. */
export function planOutput(format: ResponseFormat | undefined, card: ModelCard): InstructedFields {
  if (!format || format.type === "text") return UNASKED;
  const shape = format.type === "json_schema" ? format.json_schema : undefined;
  if (!shape?.schema) return askForJson();
  if (!card.capabilities.has("structured")) return askForJson(shape.schema);
  const { name, description } = shape;
  const schema = JSON.stringify(closeObjects(shape.schema));
  const jsonSchema = { schema, name, ...(description ? { description } : {}) };
  const textFormat = { type: "json_schema", structure: { jsonSchema } };
  return { ...UNASKED, fields: { outputConfig: { textFormat } } };
}

/** Sets `additionalProperties: false` in every object, which structured output requires. */
function closeObjects(schema: JsonObject): JsonObject {
  const closed = Object.entries(schema).map(([keyword, value]) => [
    keyword,
    mapSchemas(keyword, value, closeObjects),
  ]);
  const isObjectType = schema.type === "object" || isObject(schema.properties);
  return { ...Object.fromEntries(closed), ...(isObjectType ? { additionalProperties: false } : {}) };
}
