// The blocks of each message, for APIs whose messages are lists of them (Anthropic's Messages, Bedrock's Converse).
import { Fault } from "../../core/faults/fault.ts";
import type { JsonBudget } from "../../core/json/bounds.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { isWithoutArguments } from "../../operations/chat/answer/tool-calls.ts";
import type {
  AssistantMessage,
  Content,
  ContentPart,
  FilePart,
  SystemMessage,
  ToolMessage,
  UserMessage,
} from "../../operations/chat/form.ts";
import { joinText, listParts } from "../../operations/chat/prompt/content-text.ts";
import { writeNote } from "../../operations/chat/prompt/note.ts";
import { listTurn, writeTurn } from "../../operations/chat/turn.ts";
import { listThinking, type SignedThinking } from "./thinking.ts";
import { toFunctionCall } from "./tools.ts";

/** An API's blocks. `path` names a part in faults: `messages[2].content[1]`. */
export interface BlockMaker<Block extends JsonObject> {
  /** Parses the arguments of calls. */
  readonly json: JsonBudget;
  /** True if the model takes a system message behind a turn of the user's. */
  readonly takesSystem: boolean;
  /** Makes the changes of tools by a system message that stands there. Missing if a request has none. */
  readonly changes?: ((message: SystemMessage) => readonly Block[]) | undefined;
  text(text: string): Block;
  image(url: string, path: string): Block;
  /** `index` is the part's place in its content. */
  file(part: FilePart, path: string, index: number): Block;
  /** Returns the gateway's own message that stood before an answer. Missing if the model takes none there. */
  readonly sayAgain?: ((message: AssistantMessage) => readonly Block[]) | undefined;
  /** Marks the end of the blocks for the cache if their source is marked. */
  mark(blocks: readonly Block[], source: JsonObject): Block[];
  /** The format of the thinking that is sent back. Null if none is. */
  readonly thinkingFormat: string | null;
  thinking(thinking: SignedThinking): Block;
  isThinking(block: Block): boolean;
  call(id: string, name: string, input: JsonObject): Block;
  /** Makes a tool's result of the blocks of its content. */
  result(message: ToolMessage, content: readonly Block[]): Block[];
}

/**
 * Makes the blocks of a content. Text without a visible character is left out, since the APIs answer 400 to it. Throws a
 * Fault `unsupported_capability` for audio.
 */
function makeBlocks<Block extends JsonObject>(
  content: Content | null | undefined,
  path: string,
  maker: BlockMaker<Block>,
): Block[] {
  return listParts(content).flatMap((part, index) => {
    const block = makeBlock(part, `${path}[${index}]`, index, maker);
    return block ? maker.mark([block], part) : [];
  });
}

function makeBlock<Block extends JsonObject>(
  part: ContentPart,
  path: string,
  index: number,
  maker: BlockMaker<Block>,
): Block | null {
  switch (part.type) {
    case "text":
    case "refusal": {
      const text = joinText([part]);
      return /\S/.test(text) ? maker.text(text) : null;
    }
    case "image_url":
      return maker.image(part.image_url.url, path);
    case "file":
      return maker.file(part, path, index);
    case "input_audio":
      throw new Fault("unsupported_capability", "This model does not accept audio.", { param: path });
    case "video_url":
      throw new Fault("unsupported_capability", "This model does not accept videos.", { param: path });
  }
}

/** Makes the blocks of a user's or leading system message. `index` is its place among all messages. */
export function makeContent<Block extends JsonObject>(
  message: UserMessage | SystemMessage,
  index: number,
  maker: BlockMaker<Block>,
): Block[] {
  return maker.mark(makeBlocks(message.content, `messages[${index}].content`, maker), message);
}

/**
 * Makes the blocks of a system message inside the conversation, as marked texts in the user's turn: moving it to the
 * front would change its meaning and every cached prefix, and most models refuse it in its place.
 */
export function makeNote<Block extends JsonObject>(
  message: SystemMessage,
  index: number,
  maker: BlockMaker<Block>,
): Block[] {
  return makeContent(message, index, maker).map(markNote);
}

/** Makes a block of a system message one of the user's. */
export function markNote<Block extends JsonObject>(block: Block): Block {
  const { text } = block;
  return typeof text === "string" ? { ...block, text: writeNote(text) } : block;
}

/** Makes the blocks of an assistant's message. A refusal is used only if there is no other text. */
export function makeAnswer<Block extends JsonObject>(
  message: AssistantMessage,
  index: number,
  maker: BlockMaker<Block>,
): Block[] {
  const path = `messages[${index}].content`;
  let apart: readonly SignedThinking[] = [];
  const blocks = writeTurn<Block>(listTurn(message), {
    thinking({ details }) {
      const own = maker.thinkingFormat === null ? [] : listThinking(details, maker.thinkingFormat);
      if (message.parts) return own.map(maker.thinking);
      apart = own;
      return [];
    },
    text({ content, refusal }) {
      const parts = listParts(content).filter(({ type }) => type === "text" || type === "refusal");
      const said = makeBlocks(parts, path, maker);
      return said.length > 0 ? said : makeBlocks(refusal, path, maker);
    },
    call(call) {
      const { name, arguments: text } = toFunctionCall(call, false).function;
      return maker.mark([maker.call(call.id, name, readInput(text, maker.json))], call);
    },
  });
  // In order of place, so each thinking block returns to its place, or to the end if fewer blocks precede it.
  for (const one of apart) blocks.splice(Math.min(one.place, blocks.length), 0, maker.thinking(one));
  // Thinking at the end (of an answer cut short) is refused.
  for (let last = blocks.at(-1); last && maker.isThinking(last); last = blocks.at(-1)) blocks.pop();
  return maker.mark(blocks, message);
}

/** A call's input must be an object. Other arguments (of a call cut short, or without bounds) are kept as text. */
function readInput(text: string, json: JsonBudget): JsonObject {
  if (isWithoutArguments(text)) return {};
  return json.parseObject(text) ?? { arguments: text };
}

export function makeResult<Block extends JsonObject>(
  message: ToolMessage,
  index: number,
  maker: BlockMaker<Block>,
): Block[] {
  return maker.result(message, makeBlocks(message.content, `messages[${index}].content`, maker));
}
