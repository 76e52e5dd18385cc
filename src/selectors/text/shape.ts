// The shape of a request: the numbers and kinds of its parts, whatever their words are.
import {
  type ChatMessage,
  type ChatRequest,
  type Content,
  readOutputLimit,
  type Tool,
  type ToolCall,
} from "../../operations/chat/form.ts";
import { readTexts } from "./task.ts";

const TOOLS_READ_MAX = 8;

/** The sums over the messages of a conversation. */
interface ShapeSums {
  readonly images: number;
  /** User turns. */
  readonly turns: number;
  readonly hasSystem: boolean;
  /** Characters of the whole conversation, tool calls and their results included. */
  readonly chars: number;
}

export type Shape = ReturnType<typeof readShape>;

const NONE: ShapeSums = { images: 0, turns: 0, hasSystem: false, chars: 0 };

/** `sums` are those over all messages. */
export function readShape(request: ChatRequest, sums: ShapeSums = sumUp(request.messages)) {
  const tools = request.tool_choice === "none" ? [] : (request.tools ?? []);
  return {
    ...sums,
    tools: tools.length,
    /** Characters of the tools' descriptions and schemas, estimated. */
    toolChars: countToolChars(tools),
    /** "text", or the JSON that the answer has to be. */
    format: request.response_format?.type ?? "text",
    outputTokensMax: readOutputLimit(request) ?? null,
  };
}

/** `before` are the sums over the messages before `from`. */
export function sumUp(messages: readonly ChatMessage[], from = 0, before = NONE): ShapeSums {
  const sums = { ...before };
  for (let at = from; at < messages.length; at++) {
    const message = messages[at];
    if (message === undefined) continue;
    sums.chars += countChars(message.content);
    if (message.role === "user") sums.turns++;
    else if (message.role === "assistant") sums.chars += countCallChars(message.tool_calls);
    else if (message.role !== "tool") sums.hasSystem = true;
    sums.images += countImages(message.content);
  }
  return sums;
}

function countCallChars(calls: readonly ToolCall[] = []): number {
  return calls.reduce(
    (chars, { function: called, custom }) => chars + JSON.stringify(called ?? custom ?? "").length,
    0,
  );
}

function countImages(content: Content | null | undefined): number {
  if (typeof content === "string" || !content) return 0;
  return content.reduce((images, { type }) => images + Number(type === "image_url"), 0);
}

/** Estimates the size of many tools from the first few, because serializing all takes time. */
function countToolChars(tools: readonly Tool[]): number {
  const some = tools.slice(0, TOOLS_READ_MAX);
  return some.length === 0 ? 0 : (JSON.stringify(some).length * tools.length) / some.length;
}

function countChars(content: Content | null | undefined): number {
  return readTexts(content).reduce((chars, text) => chars + text.length, 0);
}
