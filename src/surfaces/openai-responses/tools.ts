// Tools of a Responses request as those of a chat request: namespaces are flattened, and restored in the answer.
import {
  asArray,
  asObject,
  asString,
  isObject,
  type JsonObject,
  omitUndefined,
} from "../../core/json/json.ts";
import type { ChatRequest, Tool, ToolChoice } from "../../operations/chat/form.ts";
import { joinTools } from "../../operations/chat/prompt/tool-changes.ts";
import type { FamilyNeed } from "../../operations/operation.ts";
import { countUnread } from "../unread.ts";
import { isSearchTool, readSearchTool } from "./searches.ts";

/** The longest name that every provider accepts. */
const NAME_CHARACTERS_MAX = 64;
/** Items that add tools to a conversation. */
const ADDING: ReadonlySet<unknown> = new Set(["additional_tools", "tool_search_output"]);

/** A tool's own name, and its namespace if it has one. */
export interface ToolName {
  readonly name: string;
  readonly namespace?: string;
}

/** The names of a request's tools as other vendors' models see them. */
export class ToolNames {
  readonly #byFlat = new Map<string, ToolName>();
  /** The number of times that a flat name got another meaning. */
  changes = 0;

  copy(): ToolNames {
    const copy = new ToolNames();
    for (const [flat, tool] of this.#byFlat) copy.#byFlat.set(flat, tool);
    return copy;
  }

  /** Returns a tool's flat name. Tools without a namespace keep their name and must be added first. */
  flatten(name: string, namespace?: string): string {
    if (namespace === undefined) {
      this.#keep(name, { name });
      return name;
    }
    const whole = `${namespace}__${name}`;
    const plain = whole.replace(/[^\w-]/g, "_");
    const tool = { name, namespace };
    const isFree = plain.length <= NAME_CHARACTERS_MAX && this.#isFree(plain, tool);
    const flat = isFree ? plain : this.#shorten(plain, whole);
    this.#keep(flat, tool);
    return flat;
  }

  #keep(flat: string, tool: ToolName): void {
    if (this.#byFlat.has(flat) && this.#isFree(flat, tool)) return;
    this.#byFlat.set(flat, tool);
    this.changes++;
  }

  #isFree(flat: string, { name, namespace }: ToolName): boolean {
    const holder = this.#byFlat.get(flat);
    return holder === undefined || (holder.name === name && holder.namespace === namespace);
  }

  restore(flat: string): ToolName {
    return this.#byFlat.get(flat) ?? { name: flat };
  }

  #shorten(plain: string, whole: string): string {
    const digest = Bun.hash.wyhash(whole).toString(36);
    return `${plain.slice(0, NAME_CHARACTERS_MAX - digest.length - 1)}_${digest}`;
  }
}

type ResponsesToolFields = Pick<
  ChatRequest,
  "tools" | "tool_choice" | "parallel_tool_calls" | "web_search_options"
>;

interface ResponsesTools {
  /** The tools that no item of the input adds. */
  readonly front: readonly Tool[];
  readonly fields: ResponsesToolFields;
  /** Tools that only a provider of the family can run. */
  readonly lost: readonly string[];
  readonly unreadBytes: number;
  /** The place of the search that the fields ask for. Null if there is none. */
  readonly searchPath: string | null;
  /** Set if the request forces a call of a tool that only a provider of the family runs. */
  readonly demand: FamilyNeed | undefined;
}

interface LostTools {
  readonly paths: string[];
  bytes: number;
  /** The first search among the tools. */
  search: { readonly tool: JsonObject; readonly path: string } | null;
}

/** Returns the request's tools, including those added by its input. */
export function readTools(body: JsonObject, names: ToolNames): ResponsesTools {
  const lost: LostTools = { paths: [], bytes: 0, search: null };
  const lists = [
    { list: asArray(body.tools), path: "tools" },
    ...asArray(body.input).flatMap((item, index) => {
      const { type, tools: more } = asObject(item);
      return ADDING.has(type) ? [{ list: asArray(more), path: `input[${index}].tools` }] : [];
    }),
  ];
  for (const { list } of lists) reserveNames(list, names);
  const [front = [], ...added] = lists.map(({ list, path }) => readList(list, path, names, lost));
  const tools = joinTools(front, added.flat());
  const search = lost.search ? readSearchTool(lost.search.tool, body, tools.length > 0) : undefined;
  const choice = search?.is_forced ? undefined : readChoice(body.tool_choice, names);
  const isUnread = choice === null || (tools.length === 0 && choice === "required");
  const isDemand = isUnread && lost.paths.length > 0 && isOffered(body.tool_choice, lists);
  if (isUnread) lost.paths.push("tool_choice");
  const { parallel_tool_calls: parallel } = body;
  const fields: ResponsesToolFields = omitUndefined({
    tools,
    tool_choice: choice ?? undefined,
    parallel_tool_calls: typeof parallel === "boolean" ? parallel : undefined,
    web_search_options: search,
  });
  return {
    front,
    fields: tools.length === 0 ? omitUndefined({ web_search_options: search }) : fields,
    lost: lost.paths,
    unreadBytes: lost.bytes,
    searchPath: search === undefined ? null : (lost.search?.path ?? null),
    demand: isDemand ? { path: "tool_choice", what: "tool" } : undefined,
  };
}

/** True if any call may be made, or one of a type that is among the tools. A choice of another means nothing. */
function isOffered(choice: unknown, lists: readonly { readonly list: readonly unknown[] }[]): boolean {
  if (choice === "required") return true;
  const { type } = asObject(choice);
  return lists.some(({ list }) => list.some((tool) => asObject(tool).type === type));
}

/** Clients choose the names of tools without a namespace: no flat name may take one. */
function reserveNames(list: readonly unknown[], names: ToolNames): void {
  for (const one of list) {
    const { type, name } = asObject(one);
    if (typeof name === "string" && type !== "namespace") names.flatten(name);
  }
}

function readList(
  given: readonly unknown[],
  path: string,
  names: ToolNames,
  lost: LostTools,
  namespace?: string,
): readonly Tool[] {
  return given.flatMap((one, index): readonly Tool[] => {
    const tool = asObject(one);
    const at = `${path}[${index}]`;
    const own = asString(tool.name);
    if (tool.type === "namespace" && own !== undefined && namespace === undefined) {
      return readList(asArray(tool.tools), `${at}.tools`, names, lost, own);
    }
    if (lost.search === null && isSearchTool(tool)) {
      lost.search = { tool, path: at };
      return [];
    }
    const read = readTool(tool, names, namespace);
    if (read === null) {
      lost.paths.push(at);
      lost.bytes += countUnread(tool);
    }
    return read ? [read] : [];
  });
}

/** Lists the flat names of the tools that an item adds. */
export function listAddedNames(
  value: unknown,
  flatten: (name: string, namespace: string | undefined) => string,
): readonly string[] {
  return asArray(value).flatMap((one): readonly string[] => {
    const { type, name, tools } = asObject(one);
    if (typeof name !== "string") return [];
    if (type !== "namespace")
      return type === "function" || type === "custom" ? [flatten(name, undefined)] : [];
    return asArray(tools).flatMap((within) => {
      const own = asString(asObject(within).name);
      return own === undefined ? [] : [flatten(own, name)];
    });
  });
}

function readTool(tool: JsonObject, names: ToolNames, namespace?: string): Tool | null {
  const own = asString(tool.name);
  if (own === undefined) return null;
  const name = names.flatten(own, namespace);
  const description = asString(tool.description);
  if (tool.type === "function") {
    const parameters = isObject(tool.parameters) ? tool.parameters : undefined;
    const strict = typeof tool.strict === "boolean" ? tool.strict : undefined;
    return { type: "function", function: omitUndefined({ name, description, parameters, strict }) };
  }
  if (tool.type !== "custom") return null;
  const { type, syntax, definition } = asObject(tool.format);
  const format = type === "grammar" ? { type, grammar: { syntax, definition } } : undefined;
  return { type: "custom", custom: omitUndefined({ name, description, format }) };
}

/** Undefined if the client made no choice; null if it chose a tool that only a provider of the family runs. */
function readChoice(choice: unknown, names: ToolNames): ToolChoice | undefined | null {
  if (choice === undefined) return undefined;
  if (choice === "auto" || choice === "none" || choice === "required") return choice;
  const given = asObject(choice);
  const name = readName(given, names);
  switch (given.type) {
    case "function":
      return { type: "function", function: { name } };
    case "custom":
      return { type: "custom", custom: { name } };
    case "allowed_tools": {
      const tools = asArray(given.tools).flatMap((one): readonly JsonObject[] => {
        const tool = asObject(one);
        const kind = tool.type === "custom" ? "custom" : "function";
        return asString(tool.name) ? [{ type: kind, [kind]: { name: readName(tool, names) } }] : [];
      });
      return {
        type: "allowed_tools",
        allowed_tools: { mode: given.mode === "required" ? "required" : "auto", tools },
      };
    }
    default:
      return null;
  }
}

function readName(given: JsonObject, names: ToolNames): string {
  return names.flatten(asString(given.name) ?? "", asString(given.namespace));
}
