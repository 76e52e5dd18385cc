// Strict tools under OpenAI's rules, which fewer schemas meet than those of other families.
import { asArray, asObject, asString, isObject, type JsonObject } from "../../../core/json/json.ts";
import type { ChatRequest, FunctionTool, Tool } from "../../../operations/chat/form.ts";
import { type ChangedAsk, NONE } from "../../../operations/form.ts";
import { mapList } from "../../../operations/text-json.ts";

/** OpenAI, "Structured outputs", supported schemas. Others are refused with a 400, and so are further formats. */
const KEYWORDS: ReadonlySet<string> = new Set([
  "type",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "anyOf",
  "enum",
  "const",
  "$ref",
  "$defs",
  "definitions",
  "$schema",
  "description",
  "title",
  "pattern",
  "format",
  "multipleOf",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minItems",
  "maxItems",
]);
const FORMATS: ReadonlySet<string> = new Set(
  "date-time time date duration email hostname ipv4 ipv6 uuid".split(" "),
);

/**
 * Makes tools that other families' clients wrote as strict plain ones, if their schemas don't meet the rules, and names their
 * `strict`. Tools of the chat form's own clients are left to the server, which says what is wrong with them.
 */
export function loosenTools(request: ChatRequest): ChangedAsk<ChatRequest> {
  const { tools } = request;
  if (!tools?.some(isForeign)) return { ask: request, dropped: NONE };
  const dropped: string[] = [];
  const loosened = mapList(tools, (tool) => {
    if (!isForeign(tool)) return tool;
    const { strict_at: at, ...plain } = tool;
    if (meetsRules(asObject(tool.function.parameters))) return plain;
    dropped.push(`tools[${at}].strict`);
    return { ...plain, function: { ...tool.function, strict: false } };
  });
  return { ask: { ...request, tools: loosened }, dropped };
}

function isForeign(tool: Tool): tool is FunctionTool & { strict_at: number } {
  return tool.type === "function" && typeof tool.strict_at === "number";
}

/** True if every object is closed and requires all of its properties, and no keyword is beyond the rules. */
export function meetsRules(schema: JsonObject, isRoot = true): boolean {
  if (isRoot && (schema.type !== "object" || schema.anyOf !== undefined)) return false;
  const { properties, format, items, anyOf, $defs, definitions } = schema;
  const named = [properties, $defs, definitions].flatMap((one) => Object.values(asObject(one)));
  const inner = [...named, ...asArray(anyOf), ...(items === undefined ? [] : [items])];
  return (
    Object.keys(schema).every((keyword) => KEYWORDS.has(keyword)) &&
    (format === undefined || FORMATS.has(asString(format) ?? "")) &&
    isClosed(schema) &&
    inner.every((one) => isObject(one) && meetsRules(one, false))
  );
}

function isClosed({ type, properties, required, additionalProperties }: JsonObject): boolean {
  const isMap = type === "object" || asArray(type).includes("object") || properties !== undefined;
  if (!isMap) return true;
  const names = new Set(asArray(required));
  return additionalProperties === false && Object.keys(asObject(properties)).every((name) => names.has(name));
}
