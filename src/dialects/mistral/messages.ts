// The messages of a request in Mistral's form: four roles in an accepted order, its own parts.

import { Fault } from "../../core/faults/fault.ts";
import { asString, type JsonObject } from "../../core/json/json.ts";
import type {
  AssistantMessage,
  ChatMessage,
  ContentPart,
  FilePart,
  ToolMessage,
} from "../../operations/chat/form.ts";
import { joinText, RESULT_GAP, SYSTEM_GAP } from "../../operations/chat/prompt/content-text.ts";
import { readSaid } from "../_chat/prefix.ts";
import { toFunctionCall } from "../_chat/tools.ts";

/**
 * Makes the messages (Mistral API reference, "Chat"). `thinks` is true if the model accepts thinking, as parts of the
 * content. A last assistant message is a prefix to continue. System messages inside the conversation are refused, so
 * they are sent as the user's.
 */
export function makeMistralMessages(messages: readonly ChatMessage[], thinks: boolean): JsonObject[] {
  const names = new Map<string, string>();
  const outgoing: JsonObject[] = [];
  for (const message of messages) {
    const made = makeMessage(message, names, thinks, outgoing.at(-1)?.role);
    if (made !== null) outgoing.push(made);
  }
  const last = outgoing.at(-1);
  // The last turn must be a user's or a tool's, so a system prompt alone is sent as a user message.
  if (last?.role === "system") last.role = "user";
  if (last?.role === "assistant" && last.tool_calls === undefined) last.prefix = true;
  return outgoing;
}

function makeMessage(
  message: ChatMessage,
  names: Map<string, string>,
  thinks: boolean,
  previous: unknown,
): JsonObject | null {
  switch (message.role) {
    case "system":
    case "developer": {
      const isLate = previous === "assistant" || previous === "tool";
      return { role: isLate ? "user" : "system", content: joinText(message.content, SYSTEM_GAP) };
    }
    case "user":
      return { role: "user", content: makeContent(message.content) };
    case "assistant":
      return makeAssistant(message, names, thinks);
    case "tool":
      return makeToolMessage(message, names);
  }
}

/** Returns null for an empty message, which Mistral refuses. */
function makeAssistant(
  message: AssistantMessage,
  names: Map<string, string>,
  thinks: boolean,
): JsonObject | null {
  const calls = (message.tool_calls ?? []).map((call) => {
    const plain = toFunctionCall(call, false);
    names.set(plain.id, plain.function.name);
    return plain;
  });
  const text = readSaid(message);
  if (text === "" && calls.length === 0) return null;
  const thought = thinks ? readThought(message) : "";
  const thinking = { type: "thinking", thinking: [{ type: "text", text: thought }] };
  const content = thought === "" ? text : [thinking, ...(text === "" ? [] : [{ type: "text", text }])];
  return { role: "assistant", content, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}

function readThought({ reasoning_content: text, reasoning_details: details = [] }: AssistantMessage): string {
  return text || details.map((detail) => asString(detail.text) ?? asString(detail.summary) ?? "").join("");
}

function makeToolMessage(message: ToolMessage, names: Map<string, string>): JsonObject {
  const name = names.get(message.tool_call_id);
  return {
    role: "tool",
    tool_call_id: message.tool_call_id,
    ...(name === undefined ? {} : { name }),
    content: joinText(message.content, RESULT_GAP),
  };
}

function makeContent(content: string | readonly ContentPart[]): unknown {
  return typeof content === "string" ? content : content.map(makePart);
}

function makePart(part: ContentPart): JsonObject {
  switch (part.type) {
    case "image_url": {
      const { url, detail } = part.image_url;
      return { type: "image_url", image_url: detail === undefined ? { url } : { url, detail } };
    }
    case "input_audio":
      return { type: "input_audio", input_audio: part.input_audio };
    case "video_url":
      throw new Fault("unsupported_capability", "This model does not accept videos.", { param: "messages" });
    case "file":
      return makeFile(part.file);
    case "text":
    case "refusal":
      return { type: "text", text: joinText([part]) };
  }
}

/** Makes a document of a file. Its data is a data: URL or the bare base64 of a PDF. */
function makeFile(file: FilePart["file"]): JsonObject {
  const url = file.file_data.includes(":") ? file.file_data : `data:application/pdf;base64,${file.file_data}`;
  return { type: "document_url", document_url: url, document_name: file.filename };
}
