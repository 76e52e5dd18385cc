// Tools, the choice among them, and constrained output, as the Messages API takes each.

import { asArray, asObject, asString, isObject, type JsonObject } from "../../core/json.ts";
import { writeForcedCall } from "../../operations/chat/forced-call.ts";
import type {
  ChatRequest,
  CustomTool,
  FunctionTool,
  ResponseFormat,
  Tool,
} from "../../operations/chat/form.ts";
import { type PlainChoice, simplifyChoice } from "../../operations/chat/tool-choice.ts";
import { NOTHING, type Portion } from "../_chat/outgoing.ts";
import { writeJsonWish } from "../_chat/schema.ts";
import { readToolName } from "../_chat/tools.ts";
import { addMark } from "./content.ts";
import type { Traits } from "./models.ts";
import { type Cleaned, cleanSchema, fitLimits, makeInputSchema, STRICT_TOOLS_MAX } from "./schema.ts";

/** The tool whose forced call carries constrained output at models without `output_config.format`. */
export const OUTPUT_TOOL = "poundkey_output";

/** The additions of one step of the encoder. */
interface Share extends Portion {
  /** Sentences for the end of the system prompt, for what the API has no field for. */
  readonly instructions: readonly string[];
}

const UNASKED: Share = { ...NOTHING, instructions: [] };

/** The way to ask for the answer's form; `tool` replaces the text by the input of a forced call. */
interface Output extends Share {
  readonly tool: JsonObject | null;
}

/**
 * `response_format`: `output_config.format` where the model has it and the schema fits its subset, else a forced call of
 * a tool with that schema, else (no forced use at this model or beside thinking, or no schema at all) an instruction.
 */
export function planOutput(format: ResponseFormat | undefined, traits: Traits, canForce: boolean): Output {
  if (!format || format.type === "text") return { ...UNASKED, tool: null };
  const schema = format.type === "json_schema" ? format.json_schema.schema : undefined;
  if (!schema) return addInstruction(writeJsonWish());
  const cleaned = traits.structured ? cleanSchema(schema) : null;
  if (cleaned && fitLimits([cleaned])) {
    const fields = { output_config: { format: { type: "json_schema", schema: cleaned.schema } } };
    return { ...UNASKED, fields, tool: null };
  }
  if (canForce && schema.type === "object") {
    const description = "Gives the answer. Its input is the whole answer.";
    return { ...UNASKED, tool: { name: OUTPUT_TOOL, description, input_schema: schema } };
  }
  return addInstruction(writeJsonWish(JSON.stringify(schema)));
}

function addInstruction(sentence: string): Output {
  return { fields: {}, instructions: [sentence], dropped: ["response_format"], tool: null };
}

/** The tools that are offered, and in `fields` the choice among them. */
interface Toolbox extends Share {
  readonly tools: readonly JsonObject[];
}

/**
 * `tools`, `tool_choice` and `parallel_tool_calls`. `output` is the tool of constrained output, if there is one.
 */
export function planTools(
  request: ChatRequest,
  traits: Traits,
  canForce: boolean,
  output: JsonObject | null,
): Toolbox {
  const offered = listAllowedTools(request);
  if (offered.length + (output ? 1 : 0) === 0) return { ...UNASKED, tools: [] };
  const strict = listStrictSchemas(offered, traits);
  const tools: JsonObject[] = offered.map((tool) => makeToolBlock(tool, strict.get(tool)));
  if (output) tools.push(output);
  const isLoosened = offered.some((tool) => isStrict(tool) && !strict.has(tool));
  const choice = makeChoice(request, canForce, output !== null);
  return { ...choice, tools, dropped: [...choice.dropped, ...(isLoosened ? ["tools"] : [])] };
}

/** The request's tools; under `allowed_tools` only those that it names. */
function listAllowedTools({ tools = [], tool_choice: choice }: ChatRequest): readonly Tool[] {
  const { allowed } = simplifyChoice(choice);
  const kept = tools.filter((tool) => allowed?.has(readToolName(tool)));
  return kept.length > 0 ? kept : tools;
}

/** The strict tools' schemas as far as the strict subset can say them; none at all where they exceed its limits. */
function listStrictSchemas(tools: readonly Tool[], traits: Traits): Map<Tool, Cleaned> {
  const schemas = new Map<Tool, Cleaned>();
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

function makeToolBlock(tool: Tool, strict: Cleaned | undefined): JsonObject {
  return tool.type === "custom" ? makeCustomBlock(tool) : makeFunctionBlock(tool, strict);
}

function makeFunctionBlock(tool: FunctionTool, strict: Cleaned | undefined): JsonObject {
  const { name, description, parameters } = tool.function;
  const block = {
    name,
    ...(description ? { description } : {}),
    input_schema: strict ? strict.schema : makeInputSchema(parameters),
    ...(strict ? { strict: true } : {}),
  };
  return addMark(block, { ...tool.function, ...tool });
}

/** Makes a custom tool, which takes free text, a function with one string; the description states its grammar. */
function makeCustomBlock(tool: CustomTool): JsonObject {
  const { name, description, format } = tool.custom;
  const grammar = asObject(asObject(format).grammar ?? format);
  const definition = asString(grammar.definition);
  const words = definition
    ? `The input must match this ${asString(grammar.syntax) ?? ""} grammar:\n${definition}`
    : "";
  const text = [asString(description), words].filter(Boolean).join("\n\n");
  const input = { type: "string", description: "The whole input of the tool, as plain text." };
  const schema = { type: "object", properties: { input }, required: ["input"] };
  const block = { name, ...(text ? { description: text } : {}), input_schema: schema };
  return addMark(block, { ...tool.custom, ...tool });
}

type Demand = { readonly type: "auto" | "any" | "none" } | { readonly type: "tool"; readonly name: string };

/** The meaning of the client's choice: some tool, a certain one, none, or whatever the model likes. */
function readDemand({ choice = "auto" }: PlainChoice): Demand {
  if (typeof choice === "object") return { type: "tool", name: choice.function.name };
  return { type: choice === "required" ? "any" : choice };
}

function makeChoice(request: ChatRequest, canForce: boolean, hasOutput: boolean): Share {
  const plain = simplifyChoice(request.tool_choice);
  const demand = readDemand(plain);
  const isSingle = request.parallel_tool_calls === false || hasOutput;
  const single = isSingle ? { disable_parallel_tool_use: true } : {};
  const choose = (choice: JsonObject): Share => ({
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
      const sentence = writeForcedCall(plain.choice);
      return { ...choose({ type: "auto" }), instructions: [sentence], dropped: ["tool_choice"] };
    }
  }
}

/** With constrained output as a tool, the answer is a call of it, or of another tool where the client lets the model choose. */
function makeOutputChoice(request: ChatRequest, demand: Demand): JsonObject {
  if (demand.type === "tool" || demand.type === "any") return demand;
  const isAlone = demand.type === "none" || asArray(request.tools).length === 0;
  return isAlone ? { type: "tool", name: OUTPUT_TOOL } : { type: "any" };
}

/** A custom call's text, out of the JSON that its stand-in function was called with. */
export function readCustomInput(json: unknown, raw: string): string {
  return isObject(json) && typeof json.input === "string" ? json.input : raw;
}
