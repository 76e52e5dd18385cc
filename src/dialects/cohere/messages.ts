// Chat messages in Cohere v2's form, with its own thinking and plans of earlier turns.

import { Fault } from "../../core/faults/fault.ts";
import { asString, type JsonObject } from "../../core/json/json.ts";
import type { AssistantMessage, ChatMessage, ContentPart, UserMessage } from "../../operations/chat/form.ts";
import { joinText, listParts, RESULT_GAP, SYSTEM_GAP } from "../../operations/chat/prompt/content-text.ts";
import { flattenToolResults } from "../_chat/tool-results.ts";
import { toFunctionCall } from "../_chat/tools.ts";
import { PLAN_FORMAT, THINKING_FORMAT } from "./decode.ts";

const DETAILS: ReadonlySet<unknown> = new Set(["low", "high", "auto"]);

/** Makes all messages. `thinks`: the model accepts thinking. Throws `unsupported_capability` for audio and files. */
export function makeMessages(messages: readonly ChatMessage[], thinks: boolean): JsonObject[] {
  return flattenToolResults(messages).map((message, index) =>
    makeMessage(message, `messages[${index}]`, thinks),
  );
}

function makeMessage(message: ChatMessage, param: string, thinks: boolean): JsonObject {
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", content: joinText(message.content, SYSTEM_GAP) };
    case "user":
      return { role: "user", content: makeUserContent(message, param) };
    case "assistant":
      return makeAssistant(message, thinks);
    case "tool":
      return {
        role: "tool",
        tool_call_id: message.tool_call_id,
        content: joinText(message.content, RESULT_GAP),
      };
  }
}

function makeUserContent({ content }: UserMessage, param: string): string | JsonObject[] {
  if (typeof content === "string") return content;
  return content.map((part, index) => makeUserPart(part, `${param}.content[${index}]`));
}

function makeUserPart(part: ContentPart, param: string): JsonObject {
  switch (part.type) {
    case "text":
    case "refusal":
      return { type: "text", text: joinText([part]) };
    case "image_url": {
      const { url, detail } = part.image_url;
      return { type: "image_url", image_url: DETAILS.has(detail) ? { url, detail } : { url } };
    }
    case "file":
    case "input_audio":
    case "video_url":
      throw new Fault("unsupported_capability", "This model only accepts text and images.", { param });
  }
}

function makeAssistant(message: AssistantMessage, thinks: boolean): JsonObject {
  const calls = (message.tool_calls ?? []).map((call) => toFunctionCall(call, false));
  const plan = readThoughts(message, PLAN_FORMAT).join("");
  const thoughts = thinks ? readThoughts(message, THINKING_FORMAT) : [];
  const content = readText(message, thoughts);
  return {
    role: "assistant",
    ...(content === "" && calls.length > 0 ? {} : { content }),
    ...(calls.length > 0 && plan !== "" ? { tool_plan: plan } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
}

/** A text without thoughts stays a string. */
function readText(message: AssistantMessage, thoughts: readonly string[]): string | JsonObject[] {
  const { content, refusal } = message;
  const said = content ?? refusal ?? "";
  if (typeof said === "string" && thoughts.length === 0) return said;
  return [
    ...thoughts.map((thinking) => ({ type: "thinking", thinking })),
    ...listParts(said).map((part) => ({ type: "text", text: joinText([part]) })),
  ];
}

function readThoughts({ reasoning_details: details = [] }: AssistantMessage, format: string): string[] {
  const own = details.filter((detail) => detail.format === format);
  return own.map((detail) => asString(detail.text) ?? "").filter((text) => text !== "");
}
