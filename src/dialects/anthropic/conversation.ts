// The client's messages as Anthropic's system prompt and alternating turns.

import { JsonBudget } from "../../core/json/bounds.ts";
import { asArray, asObject, type JsonObject } from "../../core/json/json.ts";
import type { ChatMessage, ChatRequest, Tool, ToolMessage } from "../../operations/chat/form.ts";
import { type Conversation, type Turn as SharedTurn, splitConversation } from "../_chat/turns.ts";
import { addMark, type Block, makeFileBlock, makeImageBlock, makeTextBlock } from "./content.ts";
import type { PlacedTools } from "./late-tools.ts";
import type { Traits } from "./models.ts";
import { Saying } from "./said.ts";
import { makeThinkingBlock, THINKING_FORMAT } from "./thinking.ts";

export type Turn = SharedTurn<Block>;

const NO_TOOLS: readonly Tool[] = [];

/**
 * Makes the system prompt and the turns. If `keepsThinking` is false, the thinking of earlier turns is left out. For a
 * model that takes them, later system messages stand in their places with the changes of tools in `late`, and so does what
 * the gateway has said before: `saying` goes on from there, and is null if nothing can have been said.
 * Throws a Fault `unsupported_capability` for audio, and for files and images of types that Claude doesn't read.
 */
export function makeConversation(
  request: ChatRequest,
  keepsThinking: boolean,
  traits: Traits,
  late: PlacedTools | null,
): Conversation<Block> & { readonly saying: Saying | null } {
  const mayRepeat = traits.lateSystem && request.messages.some(({ role }) => role === "assistant");
  const saying = mayRepeat ? makeSaying(request, traits, late) : null;
  const conversation = splitConversation<Block>(request.messages, {
    json: new JsonBudget(request),
    takesSystem: traits.lateSystem,
    changes: late === null ? undefined : (message) => writeChanges(message, late, saying),
    sayAgain: saying === null ? undefined : (answer) => saying.repeat(answer),
    text: makeTextBlock,
    image: makeImageBlock,
    file: makeFileBlock,
    mark: markLast,
    thinkingFormat: keepsThinking ? THINKING_FORMAT : null,
    thinking: makeThinkingBlock,
    isThinking,
    call: (id, name, input) => ({ type: "tool_use", id, name, input }),
    result: makeResultBlock,
  });
  return { ...conversation, saying };
}

/** Begins what the gateway says in a prompt. */
export function makeSaying(request: ChatRequest, traits: Traits, late: PlacedTools | null): Saying {
  return new Saying(traits, late?.front ?? request.tools ?? NO_TOOLS);
}

function writeChanges(message: ChatMessage, late: PlacedTools, saying: Saying | null): readonly Block[] {
  const blocks = late.write(message);
  return saying === null ? blocks : saying.follow(blocks, late.effects.get(message));
}

/** A mark is set on the last block that can carry it. */
function markLast(blocks: readonly Block[], source: JsonObject): Block[] {
  const last = blocks.findLastIndex((block) => !isThinking(block));
  return blocks.map((block, index) => (index === last ? addMark(block, source) : block));
}

export function isThinking({ type }: Block): boolean {
  return type.includes("thinking");
}

function makeResultBlock(message: ToolMessage, content: readonly Block[]): Block[] {
  const result: Block = {
    type: "tool_result",
    tool_use_id: message.tool_call_id,
    is_error: message.is_error,
  };
  const only = content.length === 1 ? content[0] : undefined;
  // Plain text stays a string, which every server of this dialect accepts.
  if (only && typeof message.content === "string") result.content = only.text;
  else if (content.length > 0) result.content = content;
  return [addMark(result, message)];
}

/**
 * True if the turns end in tool results of a loop that began without thinking. Turns of the same role are one, as the API
 * merges them.
 */
export function hasCallsWithoutThinking(turns: readonly unknown[]): boolean {
  let first: unknown;
  let after: unknown;
  let isAnswering = false;
  for (let at = turns.length - 1; at >= 0; at--) {
    const { role, content } = asObject(turns[at]);
    if (role === "system") continue;
    if (role === "user") isAnswering = (after === "user" && isAnswering) || asArray(content).some(isResult);
    else if (after === "assistant" || isAnswering) first = asArray(content)[0] ?? {};
    else break;
    after = role;
  }
  return first !== undefined && !String(asObject(first).type).includes("thinking");
}

function isResult(block: unknown): boolean {
  return asObject(block).type === "tool_result";
}
