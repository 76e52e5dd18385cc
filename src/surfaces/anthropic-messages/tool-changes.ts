// The blocks of a Messages request that add and remove tools within the conversation.
import { asArray, asObject, asString, type JsonObject } from "../../core/json/json.ts";
import type {
  ChatMessage,
  ChatRequest,
  FunctionTool,
  SystemMessage,
  Tool,
  ToolChange,
} from "../../operations/chat/form.ts";
import { nameTool, settleToolChanges } from "../../operations/chat/prompt/tool-changes.ts";
import { type Blocks, listBlocks } from "./parts.ts";
import { toFunction } from "./tools.ts";

/** Returns a message with these changes, none if the blocks change no tools. */
export function writeToolChanges(blocks: Blocks): readonly SystemMessage[] {
  const changes = listToolChanges(blocks);
  return changes.length === 0 ? [] : [{ role: "system", content: "", tool_changes: changes }];
}

/** Lists the changes that blocks make, by value or by name. Servers of a client's choice have none. */
export function listToolChanges(blocks: Blocks): readonly ToolChange[] {
  return blocks.flatMap((block): readonly ToolChange[] => {
    const type = TYPES.get(block.type);
    const name = readName(block);
    return type === undefined || name === undefined ? [] : [{ type, name }];
  });
}

const TYPES: ReadonlyMap<unknown, ToolChange["type"]> = new Map([
  ["tool_addition", "added"],
  ["tool_removal", "removed"],
]);

function readName(block: JsonObject): string | undefined {
  const { type, name, definition } = asObject(block.tool);
  if (type === "tool_definition") return asString(asObject(definition).name);
  return type === "tool_reference" ? asString(name) : undefined;
}

interface ChangedTools {
  /** Those that messages define. */
  readonly tools: readonly FunctionTool[];
  /** The names of those that `tools` defines for a later message to add. */
  readonly deferred: ReadonlySet<string>;
  /** The tools' names by the places at which they are changed. */
  readonly names: ReadonlyMap<string, string>;
  /** The places at which anything may be changed. */
  readonly places: readonly string[];
}

export const NO_CHANGES: ChangedTools = { tools: [], deferred: new Set(), names: new Map(), places: [] };

/** Returns the tools that messages change. `places` has all changes, null if nobody has looked for them. */
export function readChangedTools(body: JsonObject, places: readonly string[] | null): ChangedTools {
  const front = asArray(body.tools);
  const tools: FunctionTool[] = [];
  const names = new Map<string, string>();
  const referred = new Set<string>();
  for (const [path, block] of listChanges(body.messages)) {
    const name = readName(block);
    if (name === undefined) continue;
    names.set(`${path}.tool`, name);
    const { type, definition } = asObject(block.tool);
    const tool =
      type === "tool_definition" ? toFunction(asObject(definition), front.length + tools.length) : null;
    if (tool !== null) tools.push(tool);
    else if (block.type === "tool_addition") referred.add(name);
  }
  const waiting = front.map(asObject).filter((tool) => tool.defer_loading === true);
  const deferred = waiting.map(({ name }) => String(name)).filter((name) => referred.has(name));
  return { tools, deferred: new Set(deferred), names, places: places ?? [] };
}

function listChanges(messages: unknown): readonly (readonly [string, JsonObject])[] {
  return asArray(messages).flatMap((message, index) =>
    listBlocks(asObject(message).content).flatMap((block, at): readonly (readonly [string, JsonObject])[] => {
      const path = `messages[${index}].content[${at}]`;
      if (TYPES.has(block.type)) return [[path, block]];
      return asArray(block.tool_changes).map(
        (change, place) => [`${path}.tool_changes[${place}]`, asObject(change)] as const,
      );
    }),
  );
}

/** Returns the conversation with its changes, of the tools `front` before them and `tools` with those that they add. */
export function settleChanges(
  messages: readonly ChatMessage[],
  { deferred }: ChangedTools,
  front: readonly Tool[],
  tools: readonly Tool[] | undefined,
): Pick<ChatRequest, "messages" | "tools"> {
  const offered = deferred.size === 0 ? front : leaveOutDeferred(front, deferred);
  return settleToolChanges(messages, tools, offered);
}

function leaveOutDeferred(front: readonly Tool[], deferred: ReadonlySet<string>): readonly Tool[] {
  return front.filter((tool) => !deferred.has(nameTool(tool)));
}

/** Lists the places of changes of tools that only Anthropic runs, and of those that nobody knows. */
export function listLostChanges(
  changed: ChangedTools,
  tools: readonly Tool[] | undefined,
): readonly string[] {
  return changed.places.length === 0 ? changed.places : listUnknown(changed, tools ?? []);
}

function listUnknown({ names, places }: ChangedTools, tools: readonly Tool[]): readonly string[] {
  const known = new Set(tools.map(nameTool));
  return places.filter((place) => !known.has(names.get(place) ?? ""));
}
