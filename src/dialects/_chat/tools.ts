// Tools in the form that servers of the chat-completions API share: plain functions, and the choice among them.

import type { ModelCard } from "../../core/card.ts";
import { asObject, asString, isObject, parseJson } from "../../core/json.ts";
import type { ChatForm, Decoder } from "../../operations/chat/decoder.ts";
import type {
  ChatChunk,
  ChatReply,
  ChatRequest,
  ChunkChoice,
  FunctionTool,
  Tool,
  ToolCall,
  ToolCallDelta,
} from "../../operations/chat/form.ts";
import type { AnswerCodec } from "../../operations/codec.ts";

/** The one argument of a function that stands for a custom tool. */
const INPUT = "input";

/** A custom tool (free text in, OpenAI's alone) as a function of one string; any other as it is. */
export function toFunction(tool: Tool): FunctionTool {
  if (tool.type !== "custom") return tool;
  const { name, description, format } = tool.custom;
  const grammar = asObject(asObject(format).grammar).definition ?? asObject(format).definition;
  const notes = [
    asString(description),
    grammar === undefined ? undefined : `The input follows this grammar:\n${grammar}`,
  ];
  return {
    type: "function",
    function: {
      name,
      description: notes.filter((note) => note !== undefined).join("\n\n"),
      parameters: {
        type: "object",
        properties: { [INPUT]: { type: "string" } },
        required: [INPUT],
        additionalProperties: false,
      },
    },
  };
}

/** A call of a custom tool as a call of the function that stands for it, and a function's call without odd fields. */
export function toFunctionCall(call: ToolCall, keepsExtras: boolean): ToolCall {
  if (call.type === "custom") {
    const { name, input } = call.custom;
    return {
      id: call.id,
      type: "function",
      function: { name, arguments: JSON.stringify({ [INPUT]: input }) },
    };
  }
  const made = { name: call.function.name, arguments: call.function.arguments || "{}" };
  const plain: ToolCall = { id: call.id, type: "function", function: made };
  return keepsExtras && isObject(call.extra_content)
    ? { ...plain, extra_content: call.extra_content }
    : plain;
}

/** The name of a tool, or of the tool that a call is of. */
export function readToolName(tool: Tool | ToolCall): string {
  return tool.type === "custom" ? tool.custom.name : tool.function.name;
}

/** The names of a request's custom tools. */
export function listCustomNames(request: ChatRequest): ReadonlySet<string> {
  const names = (request.tools ?? []).flatMap((tool) => (tool.type === "custom" ? [tool.custom.name] : []));
  return new Set(names);
}

/**
 * The reading half of a codec that sends custom tools as functions: their calls are custom calls again. `keeps` is true for
 * cards that take custom tools as they are.
 */
export function readCustomCalls(
  codec: AnswerCodec<ChatForm>,
  keeps: (card: ModelCard) => boolean = () => false,
): AnswerCodec<ChatForm> {
  const listSent = (card: ModelCard, request: ChatRequest) =>
    keeps(card) ? new Set<string>() : listCustomNames(request);
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

/** The text in `{"input":"…"}`; anything else a model makes up is the input itself. */
function readInput(text: string): string {
  return asString(asObject(parseJson(text))[INPUT]) ?? text;
}

/** The calls' arguments are JSON around the text, so they are held back until their choice is finished. */
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

/** A custom call that is being streamed as a function's. */
interface HeldCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly text: string;
}

class HeldCalls {
  readonly #names: ReadonlySet<string>;
  /** By choice, then by the call's index. */
  readonly #held = new Map<number, Map<number, HeldCall>>();

  constructor(names: ReadonlySet<string>) {
    this.#names = names;
  }

  /** The choice without the fragments that are held back; with its finish reason, what was held back. */
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
