// Tools of a Messages request as the functions of a chat request.
import { asArray, asObject, asString, isObject, type JsonObject } from "../../core/json.ts";
import type { ChatRequest, FunctionTool, ToolChoice } from "../../operations/chat/form.ts";

/** Anthropic's own tools that the client runs: other vendors' models get them as functions of these inputs. */
const CLIENT_TOOLS: readonly {
  readonly type: RegExp;
  readonly about: string;
  readonly properties: JsonObject;
}[] = [
  {
    type: /^bash_/,
    about: "Runs a shell command in a persistent session.",
    properties: { command: { type: "string" }, restart: { type: "boolean" } },
  },
  {
    type: /^text_editor_/,
    about: "Views and edits text files: view, create, str_replace, insert.",
    properties: {
      command: { type: "string" },
      path: { type: "string" },
      file_text: { type: "string" },
      old_str: { type: "string" },
      new_str: { type: "string" },
      insert_line: { type: "integer" },
      insert_text: { type: "string" },
      view_range: { type: "array", items: { type: "integer" } },
    },
  },
  {
    type: /^memory_/,
    about: "Stores and retrieves notes below /memories: view, create, str_replace, insert, delete, rename.",
    properties: {
      command: { type: "string" },
      path: { type: "string" },
      file_text: { type: "string" },
      old_str: { type: "string" },
      new_str: { type: "string" },
      old_path: { type: "string" },
      new_path: { type: "string" },
      insert_line: { type: "integer" },
      insert_text: { type: "string" },
    },
  },
  {
    type: /^computer_/,
    about: "Operates a computer's screen, mouse and keyboard.",
    properties: {
      action: { type: "string" },
      coordinate: { type: "array", items: { type: "integer" } },
      text: { type: "string" },
    },
  },
];

type ToolFields = Pick<ChatRequest, "tools" | "tool_choice" | "parallel_tool_calls">;

/** The tools and the choice among them, and what only Anthropic can run. */
export function readTools(body: JsonObject): {
  readonly fields: ToolFields;
  readonly dropped: readonly string[];
} {
  const dropped: string[] = [];
  const tools: FunctionTool[] = [];
  for (const [index, one] of asArray(body.tools).entries()) {
    const tool = toFunction(asObject(one));
    if (tool) tools.push(tool);
    else dropped.push(`tools[${index}]`);
  }
  if (tools.length === 0) {
    if (body.tool_choice !== undefined) dropped.push("tool_choice");
    return { fields: {}, dropped };
  }
  const choice = asObject(body.tool_choice);
  const chosen = readChoice(choice, tools);
  if (chosen === null) dropped.push("tool_choice");
  return {
    fields: {
      tools,
      ...(chosen ? { tool_choice: chosen } : {}),
      ...(choice.disable_parallel_tool_use === true ? { parallel_tool_calls: false } : {}),
    },
    dropped,
  };
}

/** Null: only the provider of the family can run it. */
function toFunction(tool: JsonObject): FunctionTool | null {
  const type = asString(tool.type) ?? "custom";
  const name = asString(tool.name) ?? "";
  const mark = tool.cache_control === undefined ? {} : { cache_control: tool.cache_control };
  if (type === "custom") {
    const description = asString(tool.description);
    const parameters = isObject(tool.input_schema) ? tool.input_schema : { type: "object", properties: {} };
    const strict = typeof tool.strict === "boolean" ? { strict: tool.strict } : {};
    return {
      type: "function",
      function: { name, ...(description === undefined ? {} : { description }), parameters, ...strict },
      ...mark,
    };
  }
  const known = CLIENT_TOOLS.find((one) => one.type.test(type));
  if (!known || name === "") return null;
  const parameters = { type: "object", properties: known.properties };
  return { type: "function", function: { name, description: known.about, parameters }, ...mark };
}

/** Undefined: the client named none; null: it named a tool that is not there. */
function readChoice(choice: JsonObject, tools: readonly FunctionTool[]): ToolChoice | undefined | null {
  switch (choice.type) {
    case "auto":
      return "auto";
    case "any":
      return "required";
    case "none":
      return "none";
    case "tool": {
      const name = asString(choice.name) ?? "";
      const isThere = tools.some(({ function: fn }) => fn.name === name);
      return isThere ? { type: "function", function: { name } } : null;
    }
    default:
      return undefined;
  }
}
