// Tools that a conversation adds and removes behind its first user message. `tools` has them all, and a system message
// has the names of those that it changes, so that a prompt begins as before for models that take the change in its place.
import { asArray, asObject } from "../../../core/json/json.ts";
import { type ChangedAsk, NONE } from "../../form.ts";
import type { ChatMessage, ChatRequest, SystemMessage, Tool, ToolChange, ToolChoice } from "../form.ts";

/** A change that has an effect. `defined` brings a tool that wasn't offered before, `returned` one that was. */
export type Effect =
  | { readonly type: "defined"; readonly tool: Tool }
  | { readonly type: "returned" | "removed"; readonly name: string };

interface ToolHistory {
  /** The tools before the first change, in their order. */
  readonly front: readonly Tool[];
  /** The names of those that are offered at the end. */
  readonly offered: ReadonlySet<string>;
  /** By the message that makes them. */
  readonly effects: ReadonlyMap<ChatMessage, readonly Effect[]>;
}

/** Returns the message's changes. Hooks may have written them, so each is checked. */
function listToolChanges(message: ChatMessage): readonly ToolChange[] {
  return asArray(message.tool_changes).flatMap((given): readonly ToolChange[] => {
    const { type, name } = asObject(given);
    const isKnown = (type === "added" || type === "removed") && typeof name === "string";
    return isKnown ? [{ type, name }] : [];
  });
}

function changesTools(message: ChatMessage): message is SystemMessage {
  return message.tool_changes !== undefined;
}

/** True if a message of the conversation changes its tools. */
export function hasToolChanges({ tools, messages }: ChatRequest): boolean {
  return tools !== undefined && messages.some(changesTools);
}

/** Follows the changes from the first to the last. A change without an effect, or of a tool that isn't known, is none. */
export function followToolChanges({ tools = [], messages }: ChatRequest): ToolHistory {
  const byName = new Map(tools.map((tool) => [nameTool(tool), tool]));
  const changes = messages
    .filter(changesTools)
    .map((message) => [message, listToolChanges(message).filter(({ name }) => byName.has(name))] as const);
  const added = findAddedLater(changes.flatMap(([, list]) => list));
  const front = tools.filter((tool) => !added.has(nameTool(tool)));
  const offered = new Set(front.map(nameTool));
  const defined = new Set(offered);
  const effects = new Map<ChatMessage, readonly Effect[]>();
  const follow = ({ type, name }: ToolChange): readonly Effect[] => {
    const tool = byName.get(name);
    if (tool === undefined || offered.has(name) === (type === "added")) return [];
    if (type === "removed") {
      offered.delete(name);
      return [{ type, name }];
    }
    offered.add(name);
    if (defined.has(name)) return [{ type: "returned", name }];
    defined.add(name);
    return [{ type: "defined", tool }];
  };
  for (const [message, list] of changes) effects.set(message, list.flatMap(follow));
  return { front, offered, effects };
}

/** A tool stands in front unless the first of its changes adds it. */
function findAddedLater(changes: readonly ToolChange[]): ReadonlySet<string> {
  const first = new Map<string, ToolChange["type"]>();
  for (const { type, name } of changes) if (!first.has(name)) first.set(name, type);
  return new Set([...first.keys()].filter((name) => first.get(name) === "added"));
}

/** Returns the request with the tools that are offered at the end, for models that take no changes of them. */
export function foldToolChanges(request: ChatRequest): ChangedAsk<ChatRequest> {
  const { offered } = followToolChanges(request);
  const { tools = [], tool_choice: choice, parallel_tool_calls: parallel, ...rest } = request;
  const messages = request.messages.flatMap(withoutChanges);
  const kept = tools.filter((tool) => offered.has(nameTool(tool)));
  const isChosen = choice !== undefined && mayChoose(choice, offered);
  const folded: ChatRequest = {
    ...rest,
    messages,
    ...(kept.length === 0 ? {} : { tools: kept }),
    ...(isChosen ? { tool_choice: choice } : {}),
    ...(kept.length === 0 || parallel === undefined ? {} : { parallel_tool_calls: parallel }),
  };
  return { ask: folded, dropped: choice === undefined || isChosen ? NONE : ["tool_choice"] };
}

/** A choice of a tool that isn't offered, or among none, is refused everywhere. */
function mayChoose(choice: ToolChoice, offered: ReadonlySet<string>): boolean {
  if (offered.size === 0) return false;
  if (typeof choice === "string" || choice.type === "allowed_tools") return true;
  return offered.has(choice.type === "custom" ? choice.custom.name : choice.function.name);
}

/** A message that only changed tools would be empty. */
function withoutChanges(message: ChatMessage): readonly ChatMessage[] {
  if (!changesTools(message)) return [message];
  const { tool_changes: _changes, ...rest } = message;
  return rest.content.length === 0 ? [] : [rest];
}

export function nameTool(tool: Tool): string {
  return tool.type === "custom" ? tool.custom.name : tool.function.name;
}

/** Returns the tools with those that are added to them. The later of two with one name is in the place of the earlier. */
export function joinTools(tools: readonly Tool[], added: readonly Tool[]): readonly Tool[] {
  if (added.length === 0) return tools;
  const joined = [...tools];
  const places = new Map(tools.map((tool, at) => [nameTool(tool), at]));
  for (const tool of added) {
    const at = places.get(nameTool(tool)) ?? joined.length;
    places.set(nameTool(tool), at);
    joined[at] = tool;
  }
  return joined;
}

/**
 * Returns a conversation as its surface has read it, without the changes that have no effect and those before the first user
 * message, which are made in its tools. `front` has the tools that were offered before them. The same lists if all is well.
 */
export function settleToolChanges(
  messages: readonly ChatMessage[],
  tools: readonly Tool[] | undefined,
  front: readonly Tool[],
): Pick<ChatRequest, "messages" | "tools"> {
  return messages.some(changesTools) ? settle(messages, tools, front) : { messages, tools };
}

function settle(
  messages: readonly ChatMessage[],
  tools: readonly Tool[] | undefined,
  front: readonly Tool[],
): Pick<ChatRequest, "messages" | "tools"> {
  const known = new Set(tools?.map(nameTool));
  const offered = new Set(front.map(nameTool));
  const withdrawn = new Set<string>();
  let isBehind = false;
  const isKept = ({ type, name }: ToolChange): boolean => {
    const isAdded = type === "added";
    if (!known.has(name) || offered.has(name) === isAdded) return false;
    if (isAdded) offered.add(name);
    else offered.delete(name);
    if (isBehind || isAdded) withdrawn.delete(name);
    else withdrawn.add(name);
    return isBehind;
  };
  const settled = messages.flatMap((message): readonly ChatMessage[] => {
    isBehind ||= message.role === "user";
    if (!changesTools(message)) return [message];
    const given = listToolChanges(message);
    const kept = given.filter(isKept);
    if (kept.length === given.length && kept.length > 0) return [message];
    return kept.length === 0 ? withoutChanges(message) : [{ ...message, tool_changes: kept }];
  });
  const isSame = settled.length === messages.length && settled.every((one, at) => one === messages[at]);
  return {
    messages: isSame ? messages : settled,
    tools: withdrawn.size === 0 ? tools : tools?.filter((tool) => !withdrawn.has(nameTool(tool))),
  };
}
