// Input and output items of the Responses API, shared by OpenAI and Perplexity's Agent API.
import { asArray, asNumber, asString, isObject, type JsonObject } from "../core/json/json.ts";
import { joinText, parseMedia, readToolChoice, readTools } from "./chat-messages.ts";
import { renderAnnotation } from "./searches.ts";
import type { Answer, AnswerCall, Exchange, Media, Prompt, TokenCount, Turn } from "./types.ts";

function readMedia(part: JsonObject): readonly Media[] {
  const { image_url: image, file_data: data, file_id: id, file_url: link } = part;
  if (typeof image === "string") return [parseMedia("image", image)];
  if (typeof data === "string") return [parseMedia("file", data)];
  const named = asString(link) ?? asString(id);
  if (named === undefined) return [];
  return [{ kind: part.type === "input_image" ? "image" : "file", mediaType: named, bytes: null }];
}

function readTurns(item: JsonObject): readonly Turn[] {
  const id = String(item.call_id);
  switch (item.type ?? "message") {
    case "function_call":
    case "custom_tool_call": {
      const input = String(item.arguments ?? item.input);
      return [{ role: "assistant", text: "", calls: [{ id, name: String(item.name), input }] }];
    }
    case "function_call_output":
    case "custom_tool_call_output":
      return [{ role: "tool", text: joinText(item.output), answers: id }];
    case "message": {
      const text = joinText(item.content);
      if (item.role === "assistant") return [{ role: "assistant", text }];
      if (item.role !== "user") return [{ role: "system", text }];
      return [{ role: "user", text, media: asArray(item.content).filter(isObject).flatMap(readMedia) }];
    }
    default:
      return [];
  }
}

/** Returns the turns of `instructions` and `input`. */
function readInputTurns({ instructions, input }: JsonObject): readonly Turn[] {
  const system: readonly Turn[] =
    typeof instructions === "string" ? [{ role: "system", text: instructions }] : [];
  if (typeof input === "string") return [...system, { role: "user", text: input }];
  return [...system, ...asArray(input).filter(isObject).flatMap(readTurns)];
}

/** Reads a prompt, except for the two parts that OpenAI and Perplexity express differently. */
export function readItemsPrompt(body: JsonObject): Omit<Prompt, "format" | "isThinking"> {
  return {
    turns: readInputTurns(body),
    tools: readTools(body.tools, body.tool_choice),
    toolChoice: readToolChoice(body.tool_choice),
    parallelCalls: body.parallel_tool_calls !== false,
    stop: [],
    outputTokensMax: asNumber(body.max_output_tokens) ?? null,
    choices: 1,
  };
}

/** Renders a call as an output item whose id begins with `mark`. */
export function renderCallItem(exchange: Exchange, call: AnswerCall, at: number, mark: string): JsonObject {
  const { name, input, custom } = call;
  const shared = { call_id: `call_${exchange.id(`call ${at}`, 24)}`, name, status: "completed" };
  const id = `${mark}${exchange.id(`item ${at}`, 32)}`;
  if (custom) return { type: "custom_tool_call", id, ...shared, input };
  return { type: "function_call", id, ...shared, arguments: input };
}

/** Renders the text or refusal as an output item, citing a found page if `isCited`. Null if there are only calls. */
export function renderMessageItem(exchange: Exchange, answer: Answer, isCited = false): JsonObject | null {
  const { text, refusal, calls } = answer;
  const id = `msg_${exchange.id("message", 32)}`;
  const shared = { type: "message", id, role: "assistant", status: "completed" };
  if (refusal !== null) return { ...shared, content: [{ type: "refusal", refusal }] };
  if (text === "" && calls.length > 0) return null;
  const annotations = isCited ? [renderAnnotation(text)] : [];
  return { ...shared, content: [{ type: "output_text", text, annotations, logprobs: [] }] };
}

/** Renders a response that has just begun, with the other fields in `rest`. */
export function renderResponse(exchange: Exchange, rest: JsonObject): JsonObject {
  return {
    id: `resp_${exchange.id("response", 32)}`,
    object: "response",
    created_at: exchange.createdSeconds,
    status: "in_progress",
    model: exchange.model,
    output: [],
    usage: null,
    error: null,
    incomplete_details: null,
    ...rest,
  };
}

/** Returns the fields that say how a response ended. */
export function renderEnding({ finish }: Answer): JsonObject {
  if (finish !== "length") return { status: "completed" };
  return { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
}

/** Renders the usage in the form of the Responses API. */
export function renderResponseUsage({ input, output, cached, reasoning }: TokenCount): JsonObject {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}
