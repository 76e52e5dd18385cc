// Chat messages of the OpenAI form, as OpenAI, Mistral and Cohere take them, read into turns.
import { arrayOf, isObject, type JsonObject, objectOf, stringOf } from "../core/json.ts";
import { parseDataUrl } from "../operations/chat/data-url.ts";
import type { Media, OfferedTool, Prompt, Turn } from "./scene.ts";
import { base64Bytes } from "./strict.ts";

/** What a link or data: URL holds. */
export function mediaIn(kind: Media["kind"], url: string): Media {
  const data = parseDataUrl(url);
  if (data) return { kind, mediaType: data.mediaType, bytes: base64Bytes(data.base64) };
  return { kind, mediaType: url, bytes: null };
}

function mediaOf(part: JsonObject): readonly Media[] {
  const image = part.image_url;
  if (image !== undefined) return [mediaIn("image", stringOf(image) ?? stringOf(objectOf(image).url) ?? "")];
  const { data, format } = objectOf(part.input_audio);
  if (typeof data === "string")
    return [{ kind: "audio", mediaType: `audio/${String(format)}`, bytes: base64Bytes(data) }];
  const { file_data: file, file_id: id } = objectOf(part.file);
  if (typeof file === "string") return [mediaIn("file", file)];
  if (typeof id === "string") return [{ kind: "file", mediaType: id, bytes: null }];
  const link = stringOf(part.document_url);
  return link === undefined ? [] : [mediaIn("file", link)];
}

/** The text of a part; a Cohere document counts as its JSON, or as what it outputs. */
function textIn(part: JsonObject): string {
  const document = part.document;
  if (document === undefined) return stringOf(part.text) ?? "";
  const data = objectOf(document).data;
  return stringOf(data) ?? JSON.stringify(data);
}

function turnOf(message: JsonObject): Turn {
  const content = message.content;
  const parts = arrayOf(content).filter(isObject);
  const text = stringOf(content) ?? parts.map(textIn).join("");
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", text };
    case "assistant":
      return { role: "assistant", text, calls: callsIn(message) };
    case "tool":
      return { role: "tool", text, answers: stringOf(message.tool_call_id) ?? "" };
    default:
      return { role: "user", text, media: parts.flatMap(mediaOf) };
  }
}

export function callsIn(message: JsonObject): NonNullable<Turn["calls"]> {
  return arrayOf(message.tool_calls).map((each) => {
    const { id, function: called, custom } = objectOf(each);
    const { name, arguments: json, input } = objectOf(called ?? custom);
    return { id: String(id), name: String(name), input: stringOf(json) ?? stringOf(input) ?? "" };
  });
}

/** The turns of a list of messages that was checked. */
export function turnsOf(messages: unknown): readonly Turn[] {
  return arrayOf(messages).filter(isObject).map(turnOf);
}

/** The tools of a list that was checked; those alone that an `allowed_tools` choice names. */
export function toolsOf(tools: unknown, choice?: unknown): readonly OfferedTool[] {
  const offered = arrayOf(tools)
    .map(objectOf)
    .filter((tool) => tool.type === "function" || tool.type === "custom")
    .map((tool) => {
      const { name, parameters } = objectOf(tool.function ?? tool.custom);
      return { name: String(name), schema: tool.type === "custom" ? null : objectOf(parameters) };
    });
  return allowedOf(offered, objectOf(choice).allowed_tools);
}

/** The tools that a list of allowed ones names, whose references are nested or flat; all where there is no list. */
export function allowedOf(offered: readonly OfferedTool[], list: unknown): readonly OfferedTool[] {
  const { tools } = objectOf(list);
  if (!Array.isArray(tools)) return offered;
  const names = tools.map(objectOf).map((tool) => objectOf(tool.function ?? tool.custom).name ?? tool.name);
  return offered.filter(({ name }) => names.includes(name));
}

/** `tool_choice` of the OpenAI form; `any` is Mistral's word, capitals are Cohere's. */
export function toolChoiceOf(choice: unknown): Prompt["toolChoice"] {
  if (isObject(choice)) {
    const { mode } = objectOf(choice.allowed_tools);
    if (mode !== undefined) return mode === "required" ? "required" : "auto";
    return { name: String(objectOf(choice.function ?? choice.custom).name) };
  }
  const word = String(choice ?? "auto").toLowerCase();
  if (word === "none") return "none";
  return word === "required" || word === "any" ? "required" : "auto";
}
