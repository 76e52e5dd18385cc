// Tools, tool choice and constrained output for the Messages API.

import { asArray, type JsonObject } from "../../core/json/json.ts";
import type { ChatRequest, FunctionTool, ResponseFormat, Tool } from "../../operations/chat/form.ts";
import { writeForcedCall } from "../../operations/chat/prompt/forced-call.ts";
import type { SearchOptions } from "../../operations/chat/prompt/search-form.ts";
import { type PlainChoice, simplifyChoice } from "../../operations/chat/prompt/tool-choice.ts";
import { findSearch, flattenPlace, SEARCH_DEMAND } from "../../operations/chat/prompt/web-search.ts";
import { NONE } from "../../operations/form.ts";
import { type InstructedFields, UNASKED } from "../_chat/outgoing.ts";
import { askForJson } from "../_chat/schemas/schema.ts";
import { makeInputSchema } from "../_chat/schemas/tool-schema.ts";
import { readToolName, toFunction } from "../_chat/tools.ts";
import { addMark } from "./content.ts";
import type { Traits } from "./models.ts";
import { type CleanSchema, cleanSchema, fitLimits, STRICT_TOOLS_MAX } from "./schema.ts";

/** The tool whose forced call carries constrained output, for models without `output_config.format`. */
export const OUTPUT_TOOL = "poundkey_output";

/** The output format of the request. If `tool` is set, the input of its forced call replaces the text. */
interface Output extends InstructedFields {
  readonly tool: JsonObject | null;
}

/**
 * Plans `response_format`: as `output_config.format` if the model supports it and the schema fits, else as a forced
 * call of a tool with that schema, else (if no call can be forced, or there is no schema) as an instruction.
 */
export function planOutput(format: ResponseFormat | undefined, traits: Traits, canForce: boolean): Output {
  if (!format || format.type === "text") return { ...UNASKED, tool: null };
  const schema = format.type === "json_schema" ? format.json_schema.schema : undefined;
  if (!schema) return { ...askForJson(), tool: null };
  const cleaned = traits.structured ? cleanSchema(schema) : null;
  if (cleaned && fitLimits([cleaned])) {
    const fields = { output_config: { format: { type: "json_schema", schema: cleaned.schema } } };
    return { ...UNASKED, fields, tool: null };
  }
  if (canForce && schema.type === "object") {
    const description = "Gives the answer. Its input is the whole answer.";
    return { ...UNASKED, tool: { name: OUTPUT_TOOL, description, input_schema: schema } };
  }
  return { ...askForJson(schema), tool: null };
}

/** The offered tools, and in `fields` the choice among them. */
interface ToolPlan extends InstructedFields {
  readonly tools: readonly JsonObject[];
  /** The names of those that the client doesn't allow this time. They stay in the list, which is the prompt's front. */
  readonly removed: readonly string[];
}

/** The tools of a conversation that changes them. */
export interface LateTools {
  /** Those before the first change. */
  readonly front: readonly Tool[];
  /** The names of those that are offered at its end. */
  readonly offered: ReadonlySet<string>;
}

const NO_TOOLS: ToolPlan = { ...UNASKED, tools: [], removed: NONE };

/**
 * Plans `tools`, `tool_choice` and `parallel_tool_calls`. `output` is the tool for constrained output, if any, and `late` has
 * the changes of tools within the conversation.
 */
export function planTools(
  request: ChatRequest,
  traits: Traits,
  canForce: boolean,
  output: JsonObject | null,
  late: LateTools | null,
): ToolPlan {
  if ((request.tools ?? request.web_search_options ?? output ?? late) === null) return NO_TOOLS;
  const present = (request.tools ?? []).filter((tool) => late?.offered.has(readToolName(tool)) !== false);
  const allowed = listAllowedTools(present, request.tool_choice);
  const offered = late?.front ?? (traits.lateTools ? present : allowed);
  const search = request.web_search_options ? [makeSearchTool(request.web_search_options)] : [];
  if (late === null && offered.length + search.length + (output ? 1 : 0) === 0) return NO_TOOLS;
  const strict = listStrictSchemas(offered, traits);
  const tools: JsonObject[] = offered.map((tool) => makeBlock(toFunction(tool), strict.get(tool)));
  tools.push(...search, ...(output ? [output] : []));
  const isLoosened = offered.some((tool) => isStrict(tool) && !strict.has(tool));
  const choice = makeChoice(request, canForce, output !== null);
  const removed = (traits.lateTools ? present : []).filter((one) => !allowed.includes(one)).map(readToolName);
  return { ...choice, tools, removed, dropped: [...choice.dropped, ...(isLoosened ? ["tools"] : [])] };
}

/** Lists the tools, or under `allowed_tools` only those that it names. */
function listAllowedTools(tools: readonly Tool[], choice: ChatRequest["tool_choice"]): readonly Tool[] {
  const { allowed } = simplifyChoice(choice);
  const kept = tools.filter((tool) => allowed?.has(readToolName(tool)));
  return kept.length > 0 ? kept : tools;
}

/** Lists the strict tools' schemas that fit the strict subset, or none if they exceed its limits. */
export function listStrictSchemas(tools: readonly Tool[], traits: Traits): Map<Tool, CleanSchema> {
  const schemas = new Map<Tool, CleanSchema>();
  for (const tool of traits.structured ? tools : []) {
    if (!isStrict(tool)) continue;
    const cleaned = cleanSchema({
      additionalProperties: false,
      ...makeInputSchema(tool.function.parameters),
    });
    if (cleaned) schemas.set(tool, cleaned);
  }
  const fits = schemas.size <= STRICT_TOOLS_MAX && fitLimits([...schemas.values()]);
  return fits ? schemas : new Map();
}

function isStrict(tool: Tool): tool is FunctionTool {
  return tool.type === "function" && tool.function.strict === true;
}

export function makeBlock(tool: FunctionTool, strict: CleanSchema | undefined): JsonObject {
  const { name, description, parameters } = tool.function;
  const block = {
    name,
    ...(description ? { description } : {}),
    input_schema: strict ? strict.schema : makeInputSchema(parameters),
    ...(strict ? { strict: true } : {}),
  };
  return addMark(block, { ...tool.function, ...tool });
}

/** The name that the API demands. */
export const SEARCH_TOOL = "web_search";

/** Messages API, "Web search tool". */
function makeSearchTool(options: SearchOptions): JsonObject {
  const { max_uses, allowed_domains, blocked_domains } = options;
  return {
    type: "web_search_20250305",
    name: SEARCH_TOOL,
    ...(max_uses === undefined ? {} : { max_uses }),
    ...(allowed_domains === undefined ? {} : { allowed_domains }),
    ...(blocked_domains === undefined ? {} : { blocked_domains }),
    ...flattenPlace(options),
  };
}

type ToolDemand =
  | { readonly type: "auto" | "any" | "none" }
  | { readonly type: "tool"; readonly name: string };

/** Reads the client's choice: any tool, a certain one, none, or left to the model. */
function readDemand(request: ChatRequest, { choice = "auto" }: PlainChoice): ToolDemand {
  if (findSearch(request) === "forced") return { type: "tool", name: SEARCH_TOOL };
  if (typeof choice === "object") return { type: "tool", name: choice.function.name };
  return { type: choice === "required" ? "any" : choice };
}

function makeChoice(request: ChatRequest, canForce: boolean, hasOutput: boolean): InstructedFields {
  const plain = simplifyChoice(request.tool_choice);
  const demand = readDemand(request, plain);
  const isSingle = request.parallel_tool_calls === false || hasOutput;
  const single = isSingle ? { disable_parallel_tool_use: true } : {};
  const choose = (choice: JsonObject): InstructedFields => ({
    ...UNASKED,
    fields: { tool_choice: { ...choice, ...single } },
  });
  if (hasOutput) return choose(makeOutputChoice(request, demand));
  switch (demand.type) {
    case "none":
      return { ...UNASKED, fields: { tool_choice: { type: "none" } } };
    case "auto":
      return isSingle ? choose({ type: "auto" }) : UNASKED;
    case "any":
    case "tool": {
      if (canForce) return choose(demand);
      const sentence = findSearch(request) === "forced" ? SEARCH_DEMAND : writeForcedCall(plain.choice);
      // A choice that comes and goes would change what is cached, so it is left out as for requests without one.
      const left = isSingle ? choose({ type: "auto" }) : UNASKED;
      return { ...left, instructions: [sentence], dropped: ["tool_choice"] };
    }
  }
}

/** With constrained output as a tool, the model must call it, or another tool if the client left it the choice. */
function makeOutputChoice(request: ChatRequest, demand: ToolDemand): JsonObject {
  if (demand.type === "tool" || demand.type === "any") return demand;
  const isAlone = demand.type === "none" || asArray(request.tools).length === 0;
  return isAlone ? { type: "tool", name: OUTPUT_TOOL } : { type: "any" };
}
