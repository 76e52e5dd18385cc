// Thinking, tools and the response format as one server accepts them. Unsupported ones become an instruction.

import { asObject, asString, isObject, type JsonObject, keepSame } from "../../core/json/json.ts";
import { can, type ModelCard } from "../../core/models/card.ts";
import { chooseEffort } from "../../core/models/words/efforts.ts";
import type { ChatRequest, FunctionTool, Tool, ToolChoice } from "../../operations/chat/form.ts";
import { writeForcedCall } from "../../operations/chat/prompt/forced-call.ts";
import { simplifyChoice } from "../../operations/chat/prompt/tool-choice.ts";
import { mapList } from "../../operations/text-json.ts";
import { type EncodedFields, type InstructedFields, UNASKED } from "../_chat/outgoing.ts";
import { toMoonshotSchema } from "../_chat/schemas/moonshot.ts";
import { type Expansion, makeExpansion } from "../_chat/schemas/references.ts";
import { ANY_OBJECT, askForJson, writeJsonInstruction } from "../_chat/schemas/schema.ts";
import { readWish } from "../_chat/thinking-wish.ts";
import { toFunction } from "../_chat/tools.ts";
import { mentionsJson, withCacheMark } from "./messages.ts";
import type { OpenaiQuirks } from "./quirks.ts";

interface PlannedThinking extends EncodedFields {
  /** True if the model will not think. */
  readonly off: boolean;
}

/** Plans the fields for thinking. Thinking gives way to features that exclude it, such as a forced tool call. */
export function planThinking(request: ChatRequest, card: ModelCard, quirks: OpenaiQuirks): PlannedThinking {
  const named = request.reasoning_effort === undefined ? [] : ["reasoning_effort"];
  if (!quirks.toolsWhileThinking && thinksWithTools(request, quirks))
    return { fields: stopThinking(quirks), off: true, dropped: named };
  if (!can(card, "reasoning")) return { fields: {}, off: true, dropped: named };
  return planEffort(request, quirks, named);
}

function planEffort(request: ChatRequest, quirks: OpenaiQuirks, named: readonly string[]): PlannedThinking {
  const asked = request.reasoning_effort;
  const { values, toggle, offByDefault } = quirks.effort;
  const value = asked === undefined ? undefined : chooseEffort(asked, values);
  const fields: JsonObject = value === undefined ? {} : { reasoning_effort: value };
  const dropped = value === asked ? [] : named;
  if (toggle === undefined) {
    const isSilent = asked === undefined && offByDefault === true;
    return { fields, off: isSilent || value === "none", dropped };
  }
  const own = request[toggle];
  if (own !== undefined) return { fields, off: isOff(own), dropped };
  if (asked === "none" || isExcluded(request, quirks)) {
    return { fields: turnOff(toggle), off: true, dropped: asked === "none" ? [] : named };
  }
  if (asked === undefined) return { fields: {}, off: false, dropped: [] };
  const turnedOn = toggle === "enable_thinking" ? { enable_thinking: true } : {};
  return { fields: { ...fields, ...turnedOn }, off: false, dropped };
}

/** Leaving the effort out isn't enough for a model that thinks by default. */
function stopThinking({ effort: { values, toggle, offByDefault } }: OpenaiQuirks): JsonObject {
  if (toggle !== undefined) return turnOff(toggle);
  return values.includes("none") && offByDefault !== true ? { reasoning_effort: "none" } : {};
}

function turnOff(toggle: NonNullable<OpenaiQuirks["effort"]["toggle"]>): JsonObject {
  return { [toggle]: toggle === "thinking" ? { type: "disabled" } : false };
}

/** True if the model would think while it has tools. */
export function thinksWithTools(request: ChatRequest, { effort }: Pick<OpenaiQuirks, "effort">): boolean {
  if (request.tools === undefined) return false;
  const asked = readWish(request);
  if (asked === undefined) return effort.offByDefault !== true;
  return asked !== "none" || !effort.values.includes("none");
}

/** Returns how the request directs tool use, in the words of the quirks, or undefined for `auto`. */
function readDirection(request: ChatRequest): "none" | "required" | "named" | undefined {
  if (request.tools === undefined) return undefined;
  const { choice } = simplifyChoice(request.tool_choice);
  if (typeof choice === "object") return "named";
  return choice === "auto" ? undefined : choice;
}

function wantsJson(request: ChatRequest): boolean {
  return request.response_format !== undefined && request.response_format.type !== "text";
}

function isExcluded(request: ChatRequest, quirks: OpenaiQuirks): boolean {
  const direction = readDirection(request);
  return quirks.thinkingExcludes.some((what) => {
    if (what === "json") return wantsJson(request);
    return what === "unstreamed" ? request.stream !== true : what === direction;
  });
}

function isOff(own: unknown): boolean {
  return own === false || asObject(own).type === "disabled";
}

/** Plans `tools` and `tool_choice`. `thinks`: the model will think, which some providers refuse with a forced call. */
export function planTools(request: ChatRequest, quirks: OpenaiQuirks, thinks: boolean): InstructedFields {
  const { tools, tool_choice: choice } = request;
  // Most servers refuse a choice without tools, and it means nothing.
  if (tools === undefined) return choice === undefined ? UNASKED : { ...UNASKED, dropped: ["tool_choice"] };
  const direction = readDirection(request);
  if (direction === "none" && !quirks.directions.includes("none")) return UNASKED;
  const keepsList = quirks.directions.includes("allowed_tools");
  const plain = quirks.customTools && keepsList ? { choice, allowed: null } : simplifyChoice(choice);
  const kept = keepAllowed(tools, plain.allowed);
  const expansion = makeExpansion();
  const outgoing = mapList(kept, (tool) => makeTool(tool, quirks, expansion));
  const strict = !quirks.strictTools && kept.some((tool) => asObject(tool.function).strict === true);
  const { fields, instructions, dropped } = planChoice(plain.choice, direction, outgoing, quirks, thinks);
  return {
    fields: { tools: outgoing, ...fields },
    instructions,
    dropped: strict ? ["strict", ...dropped] : dropped,
  };
}

/** Plans `tool_choice`. The returned fields have `tools` only if these replace it: a list of the one that must be called. */
function planChoice(
  choice: ToolChoice | undefined,
  direction: "none" | "required" | "named" | undefined,
  tools: readonly JsonObject[],
  quirks: OpenaiQuirks,
  thinks: boolean,
): InstructedFields {
  if (direction === undefined || takesDirection(direction, quirks, thinks))
    return choice === undefined ? UNASKED : { ...UNASKED, fields: { tool_choice: choice } };
  const only = direction === "named" ? findNamed(tools, choice) : undefined;
  // A call of the only tool that there is can only be one of the named tool.
  if (only !== undefined && takesDirection("required", quirks, thinks))
    return { ...UNASKED, fields: { tools: [only], tool_choice: "required" } };
  return { fields: {}, instructions: [writeForcedCall(choice)], dropped: ["tool_choice"] };
}

/** `thinks`: the model will think, which some servers refuse with a forced call. */
function takesDirection(
  direction: "none" | "required" | "named",
  { directions, thinkingExcludes }: OpenaiQuirks,
  thinks: boolean,
): boolean {
  return directions.includes(direction) && !(thinks && thinkingExcludes.some((what) => what === direction));
}

function findNamed(tools: readonly JsonObject[], choice: unknown): JsonObject | undefined {
  const name = readName(asObject(choice));
  return tools.find((tool) => name !== undefined && readName(tool) === name);
}

function readName(named: JsonObject): string | undefined {
  return asString(asObject(named.function ?? named.custom).name);
}

function keepAllowed(tools: readonly Tool[], allowed: ReadonlySet<string> | null): readonly Tool[] {
  return allowed === null ? tools : tools.filter((tool) => allowed.has(readName(tool) ?? ""));
}

/** The provider's own tools (OpenRouter's server tools) are sent as they are. */
function makeTool(tool: Tool, quirks: OpenaiQuirks, expansion: Expansion): JsonObject {
  if (tool.type === "custom" && quirks.customTools) return tool;
  const plain = toFunction(tool);
  if (!isObject(plain.function)) return plain;
  if (staysSame(plain.function, quirks)) return withCacheMark(plain, quirks);
  const made = keepSame(plain.function, makeFunction(plain, quirks, expansion));
  return withCacheMark(keepSame(plain, { ...plain, function: made }), quirks);
}

/** True if `makeFunction` would change nothing, as at most servers. */
function staysSame({ strict, parameters }: FunctionTool["function"], quirks: OpenaiQuirks): boolean {
  if (strict !== undefined || parameters === undefined || quirks.schema === "moonshot") return false;
  return !quirks.parametersRequired || Object.keys(parameters).length > 0;
}

function makeFunction(tool: FunctionTool, quirks: OpenaiQuirks, expansion: Expansion): JsonObject {
  const { strict, parameters: given, ...rest } = tool.function;
  const keepsStrict = quirks.strictTools && strict !== undefined && strict !== null;
  const isMissing = quirks.parametersRequired && Object.keys(given ?? {}).length === 0;
  const parameters = isMissing ? { type: "object", properties: {} } : given;
  const isRewritten = parameters !== undefined && quirks.schema === "moonshot";
  const schema = isRewritten ? toMoonshotSchema(parameters, expansion) : parameters;
  return {
    ...rest,
    ...(schema === undefined ? {} : { parameters: schema }),
    ...(keepsStrict ? { strict } : {}),
  };
}

/** Plans the response format. Some providers refuse JSON with thinking or with tools. */
export function planFormat(
  request: ChatRequest,
  quirks: OpenaiQuirks,
  thinks: boolean,
  withTools: boolean,
): InstructedFields {
  const format = request.response_format;
  if (format === undefined || !wantsJson(request)) return UNASKED;
  const isRefused =
    (withTools && !quirks.jsonWithTools) ||
    (thinks && quirks.thinkingExcludes.some((what) => what === "json"));
  const schema = format.type === "json_schema" ? format.json_schema.schema : undefined;
  if (isRefused) return askForJson(schema);
  if (format.type !== "json_schema") {
    const instructions = mentionsJson(request.messages) ? [] : [writeJsonInstruction()];
    const taken = quirks.jsonObject ? format : ANY_OBJECT;
    return { fields: { response_format: taken }, instructions, dropped: [] };
  }
  if (!quirks.jsonSchema)
    return { ...askForJson(schema), fields: { response_format: { type: "json_object" } } };
  if (schema === undefined || quirks.schema === "any") {
    return { ...UNASKED, fields: { response_format: format } };
  }
  const flavoured = { ...format.json_schema, schema: toMoonshotSchema(schema) };
  return { ...UNASKED, fields: { response_format: { ...format, json_schema: flavoured } } };
}
