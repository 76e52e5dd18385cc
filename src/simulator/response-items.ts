// Input and output items of the Responses interface, as OpenAI and Perplexity's Agent share them.
import { arrayOf, isObject, type JsonObject, objectOf, stringOf } from "../core/json.ts";
import { allowedOf, mediaIn } from "./chat-messages.ts";
import type { Answer, AnswerCall, Media, OfferedTool, Prompt, Script, TokenCount, Turn } from "./scene.ts";

function mediaOf(part: JsonObject): readonly Media[] {
  const { image_url: image, file_data: data, file_id: id, file_url: link } = part;
  if (typeof image === "string") return [mediaIn("image", image)];
  if (typeof data === "string") return [mediaIn("file", data)];
  const named = stringOf(link) ?? stringOf(id);
  if (named === undefined) return [];
  return [{ kind: part.type === "input_image" ? "image" : "file", mediaType: named, bytes: null }];
}

function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  return arrayOf(content)
    .map((part) => stringOf(objectOf(part).text) ?? "")
    .join("");
}

function turnsIn(item: JsonObject): readonly Turn[] {
  const id = String(item.call_id);
  switch (item.type ?? "message") {
    case "function_call":
    case "custom_tool_call": {
      const input = String(item.arguments ?? item.input);
      return [{ role: "assistant", text: "", calls: [{ id, name: String(item.name), input }] }];
    }
    case "function_call_output":
    case "custom_tool_call_output":
      return [{ role: "tool", text: textIn(item.output), answers: id }];
    case "message": {
      const text = textIn(item.content);
      if (item.role === "assistant") return [{ role: "assistant", text }];
      if (item.role !== "user") return [{ role: "system", text }];
      return [{ role: "user", text, media: arrayOf(item.content).filter(isObject).flatMap(mediaOf) }];
    }
    default:
      return [];
  }
}

/** The turns of `instructions` and `input`, which were checked. */
export function turnsOfInput({ instructions, input }: JsonObject): readonly Turn[] {
  const system: readonly Turn[] =
    typeof instructions === "string" ? [{ role: "system", text: instructions }] : [];
  if (typeof input === "string") return [...system, { role: "user", text: input }];
  return [...system, ...arrayOf(input).filter(isObject).flatMap(turnsIn)];
}

/** Function and custom tools that may be called; what the provider runs by itself is passed over. */
export function toolsOfResponse(tools: unknown, choice?: unknown): readonly OfferedTool[] {
  const offered = arrayOf(tools)
    .map(objectOf)
    .filter(({ type }) => type === "function" || type === "custom")
    .map(({ type, name, parameters }) => ({
      name: String(name),
      schema: type === "custom" ? null : objectOf(parameters),
    }));
  return allowedOf(offered, choice);
}

/** `tool_choice` with the function's name at its top. */
export function choiceOfResponse(choice: unknown): Prompt["toolChoice"] {
  if (choice === "none" || choice === "required") return choice;
  const { name, type, mode } = objectOf(choice);
  if (type === "allowed_tools") return mode === "required" ? "required" : "auto";
  return typeof name === "string" ? { name } : "auto";
}

/** The answer's call as an output item; `mark` begins its id. */
export function callItem(script: Script, call: AnswerCall, at: number, mark: string): JsonObject {
  const { name, input, custom } = call;
  const shared = { call_id: `call_${script.id(`call ${at}`, 24)}`, name, status: "completed" };
  const id = `${mark}${script.id(`item ${at}`, 32)}`;
  if (custom) return { type: "custom_tool_call", id, ...shared, input };
  return { type: "function_call", id, ...shared, arguments: input };
}

/** The answer's words as an output item; null when there are none. */
export function messageItem(script: Script, answer: Answer): JsonObject | null {
  const { text, refusal, calls } = answer;
  const id = `msg_${script.id("message", 32)}`;
  const shared = { type: "message", id, role: "assistant", status: "completed" };
  if (refusal !== null) return { ...shared, content: [{ type: "refusal", refusal }] };
  if (text === "" && calls.length > 0) return null;
  return { ...shared, content: [{ type: "output_text", text, annotations: [], logprobs: [] }] };
}

/** Usage as Responses tells it. */
export function usageOfResponse({ input, output, cached, reasoning }: TokenCount): JsonObject {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}
