// Schemas of tools with their references and types written out, wherever an API has them.
import { isObject, type JsonObject } from "../../core/json/json.ts";
import { toMoonshotSchema } from "../_chat/schemas/moonshot.ts";
import { type Expansion, makeExpansion } from "../_chat/schemas/references.ts";

/** Their names in the Messages API, and in those of OpenAI. */
const NAMES = ["input_schema", "parameters"];

/** Returns null if there is nothing to write out, or if something would be lost by it: of a schema that refers to itself, say. */
export function writeOutSchemas(body: JsonObject): JsonObject | null {
  if (!Array.isArray(body.tools)) return null;
  const expansion = makeExpansion();
  const tools = body.tools.map((tool: unknown) => writeOutTool(tool, expansion));
  return expansion.isCut || Bun.deepEquals(tools, body.tools) ? null : { ...body, tools };
}

function writeOutTool(tool: unknown, expansion: Expansion): unknown {
  if (!isObject(tool)) return tool;
  if (isObject(tool.function)) return { ...tool, function: writeOutTool(tool.function, expansion) };
  const name = NAMES.find((one) => isObject(tool[one]));
  const schema = name === undefined ? null : tool[name];
  return name !== undefined && isObject(schema)
    ? { ...tool, [name]: toMoonshotSchema(schema, expansion) }
    : tool;
}
