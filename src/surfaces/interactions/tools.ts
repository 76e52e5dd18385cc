// The tools of an interaction and the choice among them, as fields of a chat request.
import { Fault } from "../../core/faults/fault.ts";
import {
  asArray,
  asObject,
  asString,
  isObject,
  type JsonObject,
  omitUndefined,
} from "../../core/json/json.ts";
import { invalidValue, missingParameter } from "../../core/json/schema-fault.ts";
import type { ChatRequest, FunctionTool, ToolChoice } from "../../operations/chat/form.ts";
import { refuseField } from "../lane.ts";
import { findTool } from "./known.ts";

interface ReadTools {
  readonly fields: Partial<ChatRequest>;
  /** The place of the search. Null if there is none. */
  readonly searchPath: string | null;
  /** The places of tools that are left out. */
  readonly dropped: readonly string[];
}

const SEARCH = "google_search";
const CHOICE = "generation_config.tool_choice";

/** `isRemoteAllowed` says that the operator lets providers call tools of clients' choice. */
export function readTools(
  { tools: given, generation_config: config }: JsonObject,
  isRemoteAllowed: boolean,
): ReadTools {
  const functions: FunctionTool[] = [];
  const dropped: string[] = [];
  let searchPath: string | null = null;
  for (const [index, one] of asArray(given).entries()) {
    const tool = asObject(one);
    const path = `tools[${index}]`;
    if (tool.type === "function") functions.push(readFunction(tool, path));
    else if (tool.type !== SEARCH) dropped.push(leaveOutTool(tool, path, isRemoteAllowed));
    else {
      searchPath ??= path;
      if (!searchesWeb(tool)) dropped.push(`${path}.search_types`);
    }
  }
  const choice = readChoice(asObject(config).tool_choice, functions);
  if (choice.isLost) dropped.push(CHOICE);
  const fields = omitUndefined<Partial<ChatRequest>>({
    tools: functions.length > 0 ? functions : undefined,
    tool_choice: choice.choice,
    validates_calls: choice.isValidated ? true : undefined,
    web_search_options: searchPath === null ? undefined : {},
  });
  return { fields, searchPath, dropped };
}

/** Returns the place of a tool that no model gets. Throws a Fault for one without which the answer would be another. */
function leaveOutTool({ type: given }: JsonObject, path: string, isRemoteAllowed: boolean): string {
  const type = asString(given) ?? "";
  if (type === "mcp_server" && isRemoteAllowed) throw refuseRemote(path);
  const row = findTool(type);
  if (row?.treatment === "refuse") throw refuseField(path, row.reason);
  return path;
}

/** Searches for pictures, or in a company's own index, are another tool elsewhere. */
function searchesWeb({ search_types: types }: JsonObject): boolean {
  return asArray(types).every((type) => type === "web_search");
}

function refuseRemote(path: string): Fault {
  const message = `'${path}' is an MCP server, which no provider is asked to call from this API. Use it on the client's side, or POST /v1/responses with a tool of the type 'mcp'.`;
  return new Fault("unsupported_capability", message, { param: path });
}

function readFunction({ name, description, parameters }: JsonObject, path: string): FunctionTool {
  if (name === undefined || name === null) throw missingParameter(`${path}.name`);
  const given = asString(name);
  if (!given) throw invalidValue(`${path}.name`, "expected a name");
  return {
    type: "function",
    function: omitUndefined({
      name: given,
      description: asString(description),
      parameters: isObject(parameters) ? parameters : undefined,
    }),
  };
}

interface ReadChoice {
  readonly choice: ToolChoice | undefined;
  /** True if calls must match their schemas, which only Google's models know as a mode. */
  readonly isValidated: boolean;
  /** True if there is no function to choose. */
  readonly isLost: boolean;
}

function readChoice(value: unknown, functions: readonly FunctionTool[]): ReadChoice {
  if (value === undefined || value === null) return { choice: undefined, isValidated: false, isLost: false };
  const { mode: named, tools } = asObject(asObject(value).allowed_tools);
  const path = typeof value === "string" ? CHOICE : `${CHOICE}.allowed_tools.mode`;
  const mode = typeof value === "string" ? value : (asString(named) ?? "auto");
  if (!["auto", "any", "none", "validated"].includes(mode))
    throw invalidValue(path, "expected one of 'auto', 'any', 'none' and 'validated'");
  if (functions.length === 0) return { choice: undefined, isValidated: false, isLost: true };
  const names = asArray(tools).filter((name) => typeof name === "string");
  for (const [at, name] of names.entries()) {
    const isDeclared = functions.some((one) => one.function.name === name);
    if (!isDeclared)
      throw invalidValue(`${CHOICE}.allowed_tools.tools[${at}]`, "expected a function of 'tools'");
  }
  return { choice: chooseAmong(mode, names), isValidated: mode === "validated", isLost: false };
}

function chooseAmong(mode: string, names: readonly string[]): ToolChoice {
  if (mode === "none") return "none";
  const isForced = mode === "any";
  const [only] = names;
  if (only === undefined) return isForced ? "required" : "auto";
  if (isForced && names.length === 1) return { type: "function", function: { name: only } };
  const tools = names.map((name) => ({ type: "function", function: { name } }));
  return { type: "allowed_tools", allowed_tools: { mode: isForced ? "required" : "auto", tools } };
}
