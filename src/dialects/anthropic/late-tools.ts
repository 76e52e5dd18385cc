// Tools that a conversation adds and removes, as blocks of its system messages: `tools` stays as it was, and with it all that
// the provider has cached (Messages API, "Mid-conversation tool changes").
import type { JsonObject } from "../../core/json/json.ts";
import type { ChatMessage, ChatRequest, Tool } from "../../operations/chat/form.ts";
import { type Effect, followToolChanges } from "../../operations/chat/prompt/tool-changes.ts";
import { toFunction } from "../_chat/tools.ts";
import type { Block } from "./content.ts";
import type { Traits } from "./models.ts";
import { type LateTools, listStrictSchemas, makeBlock } from "./tools.ts";

/** They let a message change tools by name, and define the one that it adds. */
const CHANGES_BETA = "mid-conversation-tool-changes-2026-07-01";
const INLINE_BETA = "inline-tools-2026-09-15";

export interface PlacedTools extends LateTools {
  /** Returns the blocks of a message's changes. */
  readonly write: (message: ChatMessage) => readonly Block[];
  /** The changes of each message, one for each block. */
  readonly effects: ReadonlyMap<ChatMessage, readonly Effect[]>;
  readonly betas: readonly string[];
}

const NO_BLOCKS: readonly Block[] = [];

export function placeTools(request: ChatRequest, traits: Traits): PlacedTools {
  const { front, offered, effects } = followToolChanges(request);
  const betas = new Set<string>();
  const strict: Tool[] = [...front];
  const blocks = new Map<ChatMessage, readonly Block[]>();
  const define = (tool: Tool): JsonObject => {
    // Those before it stay as they were, so a strict tool that is one too many is plain.
    strict.push(tool);
    const schemas = listStrictSchemas(strict, traits);
    const schema = schemas.get(tool);
    if (schema === undefined) strict.pop();
    betas.add(INLINE_BETA);
    const { cache_control: _mark, ...definition } = makeBlock(toFunction(tool), schema);
    return { type: "tool_definition", definition };
  };
  const refer = (name: string): JsonObject => {
    betas.add(CHANGES_BETA);
    return { type: "tool_reference", name };
  };
  for (const [message, list] of effects) {
    const made = list.map((effect): Block => {
      if (effect.type === "defined") return { type: "tool_addition", tool: define(effect.tool) };
      const type = effect.type === "returned" ? "tool_addition" : "tool_removal";
      return { type, tool: refer(effect.name) };
    });
    blocks.set(message, made);
  }
  const write = (message: ChatMessage) => blocks.get(message) ?? NO_BLOCKS;
  return { front, offered, effects, write, betas: [...betas] };
}
