// Schemas of tools for servers that refuse a union at their top. One such tool, of Notion's for instance, would end the whole
// session (notion-mcp-server, issue 340; LiteLLM, issues 38839 and 38792; August 2026).
import { asArray, asObject, asString, type JsonObject } from "../../../core/json/json.ts";
import type { ChatRequest } from "../../../operations/chat/form.ts";
import { type ChangedAsk, NONE } from "../../../operations/form.ts";
import { mapList } from "../../../operations/text-json.ts";

/** Replaces a root that is only a reference, as some schema generators write it, with its definition. */
export function inlineRootReference(schema: JsonObject): JsonObject {
  const reference = asString(schema.$ref);
  if (reference === undefined) return schema;
  const definitions = { ...asObject(schema.definitions), ...asObject(schema.$defs) };
  const name = reference.split("/").at(-1) ?? "";
  return { ...asObject(definitions[name]), $defs: definitions };
}

/**
 * Makes a schema whose root is an object without `anyOf`, `oneOf` or `allOf`. Variants become one object with all
 * properties, and the description holds the original.
 */
export function makeInputSchema(parameters: JsonObject | undefined): JsonObject {
  if (!parameters) return { type: "object", properties: {} };
  const { anyOf, oneOf, allOf, ...rest } = inlineRootReference(parameters);
  const alternatives = [...asArray(anyOf), ...asArray(oneOf)].map(asObject);
  const all = asArray(allOf).map(asObject);
  if (alternatives.length + all.length === 0) return { ...rest, type: "object" };
  const properties = Object.fromEntries(
    [...alternatives, ...all, rest].flatMap((one) => Object.entries(asObject(one.properties))),
  );
  const [first, ...others] = alternatives.map((one) => new Set(listRequired(one)));
  const shared = [...(first ?? [])].filter((name) => others.every((names) => names.has(name)));
  const required = [...new Set([...listRequired(rest), ...all.flatMap(listRequired), ...shared])];
  const words = `The input is valid under this JSON Schema: ${JSON.stringify({ anyOf, oneOf, allOf })}`;
  const description = [asString(rest.description), words].filter(Boolean).join("\n\n");
  return { ...rest, type: "object", properties, required, description };
}

function listRequired(schema: JsonObject): string[] {
  return asArray(schema.required).filter((name) => typeof name === "string");
}

/** Returns the schema with a union at its top made one object. Any other schema stays the same object. */
export function flattenUnion(parameters: JsonObject): JsonObject {
  const { anyOf, oneOf, allOf } = inlineRootReference(parameters);
  const hasUnion = isList(anyOf) || isList(oneOf) || isList(allOf);
  return hasUnion ? makeInputSchema(parameters) : parameters;
}

function isList(variants: unknown): boolean {
  return asArray(variants).length > 0;
}

/** Flattens the schemas of all tools. No server takes them as strict, which needs all properties, so `strict` is named. */
export function flattenUnions(request: ChatRequest): ChangedAsk<ChatRequest> {
  if (request.tools === undefined) return { ask: request, dropped: NONE };
  const dropped: string[] = [];
  const tools = mapList(request.tools, (tool, at) => {
    const given = tool.type === "function" ? tool.function?.parameters : undefined;
    const parameters = given && flattenUnion(given);
    if (tool.type !== "function" || parameters === given) return tool;
    const isStrict = tool.function.strict === true;
    if (isStrict) dropped.push(`tools[${at}].function.strict`);
    return { ...tool, function: { ...tool.function, parameters, ...(isStrict ? { strict: false } : {}) } };
  });
  return tools === request.tools ? { ask: request, dropped } : { ask: { ...request, tools }, dropped };
}
