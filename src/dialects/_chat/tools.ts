// Tools in the form that servers of the chat-completions API share: plain functions, and the choice among them.

import { parseBounded } from "../../core/json/bounds.ts";
import { asObject, asString, isObject, keepSame } from "../../core/json/json.ts";
import type { JsonShape } from "../../core/json/shape.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { ChatForm, Decoder } from "../../operations/chat/decoder.ts";
import type {
  ChatChunk,
  ChatReply,
  ChatRequest,
  ChunkChoice,
  FunctionCall,
  FunctionTool,
  Tool,
  ToolCall,
  ToolCallDelta,
} from "../../operations/chat/form.ts";
import type { AnswerCodec } from "../../operations/codec.ts";

/** The only argument of a function that replaces a custom tool. */
const INPUT = "input";
/** `{"input":"…"}` needs far less. Arguments with more structure aren't parsed: they are the input as they stand. */
const INPUT_SHAPE: JsonShape = { depth: 8, elements: 64 };

/**
 * Turns a custom tool (free text in, OpenAI only) into a function with one string argument. Its description states the
 * grammar. Others stay.
 */
export function toFunction(tool: Tool): FunctionTool {
  if (tool.type !== "custom") return tool;
  const { custom, ...rest } = tool;
  const { name, description, format } = custom;
  const { syntax, definition } = asObject(asObject(format).grammar ?? format);
  const rule = asString(definition) && `The input must match this ${syntax} grammar:\n${definition}`;
  return {
    ...rest,
    type: "function",
    function: {
      name,
      description: [asString(description), rule].filter(Boolean).join("\n\n"),
      parameters: {
        type: "object",
        properties: {
          [INPUT]: { type: "string", description: "The whole input of the tool, as plain text." },
        },
        required: [INPUT],
        additionalProperties: false,
      },
    },
  };
}

/** Turns a custom tool's call into a function's, and removes extra fields from function calls. */
export function toFunctionCall(call: ToolCall, keepsExtras: boolean): FunctionCall {
  const { id } = call;
  if (call.type === "custom") {
    const { name, input } = call.custom;
    return { id, type: "function", function: { name, arguments: JSON.stringify({ [INPUT]: input }) } };
  }
  const { name, arguments: text } = call.function;
  const named = keepSame(call.function, { name, arguments: text || "{}" });
  const plain: FunctionCall = { id, type: "function", function: named };
  if (keepsExtras && isObject(call.extra_content)) plain.extra_content = call.extra_content;
  return keepSame(call, plain);
}

/** Returns the name of a tool, or of the tool that is called. */
export function readToolName(tool: Tool | ToolCall): string {
  return tool.type === "custom" ? tool.custom.name : tool.function.name;
}

/** Lists the names of a request's custom tools. */
export function listCustomNames({ tools }: ChatRequest): ReadonlySet<string> {
  if (tools === undefined) return NO_NAMES;
  let names: Set<string> | null = null;
  for (const tool of tools) {
    if (tool.type !== "custom") continue;
    names ??= new Set();
    names.add(tool.custom.name);
  }
  return names ?? NO_NAMES;
}

const NO_NAMES: ReadonlySet<string> = new Set();

/**
 * Wraps the reading half of a codec that sends custom tools as functions, and turns their calls back into custom calls.
 * `keeps` is true for cards that take custom tools as they are.
 */
export function readCustomCalls(
  codec: AnswerCodec<ChatForm>,
  keeps: (card: ModelCard) => boolean = () => false,
): AnswerCodec<ChatForm> {
  const listSent = (card: ModelCard, request: ChatRequest) =>
    keeps(card) ? NO_NAMES : listCustomNames(request);
  return {
    decoder(card, request) {
      const names = listSent(card, request);
      const decoder = codec.decoder(card, request);
      return names.size === 0 ? decoder : wrapCustomDecoder(decoder, names);
    },
    reply(body, card, request, headers) {
      const names = listSent(card, request);
      const reply = codec.reply(body, card, request, headers);
      return names.size === 0 ? reply : restoreCustomCalls(reply, names);
    },
  };
}

function restoreCustomCalls(reply: ChatReply, names: ReadonlySet<string>): ChatReply {
  const choices = reply.choices.map((choice) => {
    const calls = choice.message.tool_calls?.map((call) => toCustomCall(call, names));
    return calls === undefined ? choice : { ...choice, message: { ...choice.message, tool_calls: calls } };
  });
  return { ...reply, choices };
}

function toCustomCall(call: ToolCall, names: ReadonlySet<string>): ToolCall {
  if (call.type !== "function" || !names.has(call.function.name)) return call;
  const { name, arguments: text } = call.function;
  return { id: call.id, type: "custom", custom: { name, input: readInput(text) } };
}

/** Returns the text in `{"input":"…"}`. Anything else that a model makes up is itself the input. */
function readInput(text: string): string {
  return asString(asObject(parseBounded(text, INPUT_SHAPE))[INPUT]) ?? text;
}

/** A call's arguments are JSON around the text, so they are held back until their choice is finished. */
function wrapCustomDecoder(inner: Decoder, names: ReadonlySet<string>): Decoder {
  const held = new HeldCalls(names);
  const mapped = (chunks: readonly ChatChunk[]): readonly ChatChunk[] =>
    chunks.map((chunk) => ({ ...chunk, choices: chunk.choices.map((choice) => held.pass(choice)) }));
  return {
    get done() {
      return inner.done;
    },
    push: (event) => mapped(inner.push(event)),
    end: () => mapped(inner.end()),
  };
}

/** A custom call that is streamed as a function call. */
interface HeldCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly text: string;
}

class HeldCalls {
  readonly #names: ReadonlySet<string>;
  /** By choice index, then by call index. */
  readonly #held = new Map<number, Map<number, HeldCall>>();

  constructor(names: ReadonlySet<string>) {
    this.#names = names;
  }

  /** Holds back fragments of custom calls, and releases them with the choice's finish reason. */
  pass(choice: ChunkChoice): ChunkChoice {
    const { tool_calls: fragments = [], ...delta } = choice.delta;
    const kept = fragments.filter((fragment) => !this.#hold(choice.index, fragment));
    const calls = choice.finish_reason === null ? kept : [...kept, ...this.#release(choice.index)];
    return { ...choice, delta: calls.length === 0 ? delta : { ...delta, tool_calls: calls } };
  }

  #hold(choiceIndex: number, fragment: ToolCallDelta): boolean {
    const calls = this.#held.get(choiceIndex) ?? new Map<number, HeldCall>();
    const name = fragment.function?.name ?? "";
    const known = calls.get(fragment.index) ?? { id: fragment.id, name, text: "" };
    if (!this.#names.has(known.name)) return false;
    calls.set(fragment.index, { ...known, text: known.text + (fragment.function?.arguments ?? "") });
    this.#held.set(choiceIndex, calls);
    return true;
  }

  #release(choiceIndex: number): readonly ToolCallDelta[] {
    const calls = [...(this.#held.get(choiceIndex) ?? [])];
    this.#held.delete(choiceIndex);
    return calls.map(([index, { id, name, text }]) => ({
      index,
      ...(id === undefined ? {} : { id }),
      type: "custom",
      custom: { name, input: readInput(text) },
    }));
  }
}
