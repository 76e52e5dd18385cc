// Tools of a Messages request as the functions of a chat request.

import { Fault } from "../../core/faults/fault.ts";
import {
  asArray,
  asObject,
  asString,
  isObject,
  type JsonObject,
  omitUndefined,
} from "../../core/json/json.ts";
import { freezeDeep } from "../../core/world/frozen.ts";
import { remember } from "../../core/world/remember.ts";
import type { ChatRequest, FunctionTool, Tool, ToolChoice } from "../../operations/chat/form.ts";
import { joinTools, nameTool } from "../../operations/chat/prompt/tool-changes.ts";
import type { FamilyNeed } from "../../operations/operation.ts";
import { findSearchTool, readSearchTool } from "./searches.ts";

const text = { type: "string" };
const integer = { type: "integer" };
const integers = { type: "array", items: integer };
const editing = { command: text, path: text, file_text: text, old_str: text, new_str: text };
const inserting = { insert_line: integer, insert_text: text };

/** Anthropic's own tools that the client runs. Other vendors' models get them as functions with these inputs. */
const CLIENT_TOOLS: readonly {
  readonly type: RegExp;
  readonly about: string;
  readonly properties: JsonObject;
}[] = [
  {
    type: /^bash_/,
    about: "Runs a shell command in a persistent session.",
    properties: { command: text, restart: { type: "boolean" } },
  },
  {
    type: /^text_editor_/,
    about: "Views and edits text files: view, create, str_replace, insert.",
    properties: { ...editing, ...inserting, view_range: integers },
  },
  {
    type: /^memory_/,
    about: "Stores and retrieves notes below /memories: view, create, str_replace, insert, delete, rename.",
    properties: { ...editing, old_path: text, new_path: text, ...inserting },
  },
  {
    type: /^computer_/,
    about: "Operates a computer's screen, mouse and keyboard.",
    properties: { action: text, coordinate: integers, text },
  },
];

type ToolFields = Pick<ChatRequest, "tools" | "tool_choice" | "parallel_tool_calls" | "web_search_options">;

interface MessagesTools {
  /** The tools that no message defines. */
  readonly front: readonly FunctionTool[];
  readonly fields: ToolFields;
  readonly dropped: readonly string[];
  /** Set if the request forces a call of a tool that only Anthropic runs. */
  readonly demand?: FamilyNeed;
}

const DEMAND: FamilyNeed = { path: "tool_choice", what: "tool" };

/**
 * Returns the tools and the tool choice, and the paths of what only Anthropic can run. `given` is the body as the client
 * wrote it, before a search got a limit, and `added` the tools that its messages define.
 */
export function readTools(
  body: JsonObject,
  given: JsonObject,
  added: readonly FunctionTool[],
): MessagesTools {
  if (isUnasked(given) && isUnasked(body) && added.length === 0) return NO_TOOLS;
  // Tools that this API doesn't have were left out by then.
  if (given.tools !== body.tools) refuseNested(given.tools);
  const { tools: front, dropped: unread } = readFunctions(body.tools);
  const tools = joinTools(front, added);
  const dropped = [...unread];
  const choice = asObject(body.tool_choice);
  const tool = findSearchTool(given.tools)?.tool;
  const search = tool && readSearchTool(tool, choice, tools.length > 0);
  if (tools.length === 0)
    return { front, ...readWithoutFunctions(choice, search, body.tool_choice !== undefined, dropped) };
  const chosen = search?.is_forced ? undefined : readChoice(choice, tools);
  if (chosen === null) dropped.push("tool_choice");
  const fields: ToolFields = omitUndefined({
    tools,
    tool_choice: chosen ?? undefined,
    parallel_tool_calls: choice.disable_parallel_tool_use === true ? false : undefined,
    web_search_options: search,
  });
  const isDemand = chosen === null && offersTool(body.tools, choice.name);
  return { front, fields, dropped, ...(isDemand ? { demand: DEMAND } : {}) };
}

const NO_TOOLS: MessagesTools = { front: [], fields: {}, dropped: [] };

function isUnasked({ tools, tool_choice: choice }: JsonObject): boolean {
  return tools === undefined && choice === undefined;
}

/** For a request without functions. `dropped` has the places of the tools that only Anthropic runs. */
function readWithoutFunctions(
  choice: JsonObject,
  search: ToolFields["web_search_options"],
  hasChoice: boolean,
  dropped: readonly string[],
): Omit<MessagesTools, "front"> {
  const fields: ToolFields = omitUndefined({ web_search_options: search });
  if (!hasChoice || search !== undefined) return { fields, dropped };
  const isDemand = dropped.length > 0 && (choice.type === "any" || choice.type === "tool");
  return { fields, dropped: [...dropped, "tool_choice"], ...(isDemand ? { demand: DEMAND } : {}) };
}

function offersTool(tools: unknown, name: unknown): boolean {
  return asArray(tools).some((tool) => asObject(tool).name === name);
}

interface Functions {
  readonly tools: readonly FunctionTool[];
  readonly dropped: readonly string[];
}

/** For a list of tools that requests share. */
const readShared = remember((given: readonly unknown[]) => freezeDeep(makeFunctions(given)));

/** Returns the functions among the tools, and the places of what is neither one nor the search. */
function readFunctions(value: unknown): Functions {
  if (!Array.isArray(value)) return { tools: [], dropped: [] };
  return Object.isFrozen(value) ? readShared(value) : makeFunctions(value);
}

function makeFunctions(given: readonly unknown[]): Functions {
  const dropped: string[] = [];
  const search = findSearchTool(given);
  const tools = given.flatMap((one, index) => {
    const path = `tools[${index}]`;
    const tool = toFunction(asObject(one), index);
    if (tool === null && path !== search?.path) dropped.push(path);
    return tool ?? [];
  });
  return { tools, dropped };
}

/** Null if only a provider of the family can run it. */
export function toFunction(tool: JsonObject, index: number): FunctionTool | null {
  const type = asString(tool.type) ?? "custom";
  const name = asString(tool.name) ?? "";
  const known = CLIENT_TOOLS.find((one) => one.type.test(type));
  if (type !== "custom" && (!known || name === "")) return null;
  const own = {
    name,
    description: asString(tool.description),
    parameters: isObject(tool.input_schema) ? tool.input_schema : { type: "object", properties: {} },
    strict: typeof tool.strict === "boolean" ? tool.strict : undefined,
  };
  const theirs = known && {
    name,
    description: known.about,
    parameters: { type: "object", properties: known.properties },
  };
  return omitUndefined<FunctionTool>({
    type: "function",
    function: omitUndefined(theirs ?? own),
    strict_at: !theirs && tool.strict === true ? index : undefined,
    cache_control: tool.cache_control,
  });
}

/** Left out as a tool of the provider's, it would be missed only by the model. */
function refuseNested(tools: unknown): void {
  const index = asArray(tools).findIndex((tool) => isObject(asObject(tool).function));
  if (index === -1) return;
  const param = `tools[${index}].function`;
  const message = `'${param}' is OpenAI's form, which POST /v1/chat/completions takes. Here, send {"name": …, "description": …, "input_schema": …}.`;
  throw new Fault("invalid_value", message, { param });
}

/** Undefined if the client made no choice; null if it chose a tool that doesn't exist. */
function readChoice(choice: JsonObject, tools: readonly Tool[]): ToolChoice | undefined | null {
  switch (choice.type) {
    case "auto":
      return "auto";
    case "any":
      return "required";
    case "none":
      return "none";
    case "tool": {
      const name = asString(choice.name) ?? "";
      const isThere = tools.some((tool) => nameTool(tool) === name);
      return isThere ? { type: "function", function: { name } } : null;
    }
    default:
      return undefined;
  }
}
