// The client's request behind a recorded answer, as far as a decoder looks at it: tools, choices, the ids in its history.

import { arrayOf, isObject, type JsonObject, objectOf, stringOf } from "../../src/core/json.ts";
import type { ChatMessage, ChatRequest, FunctionTool, Tool } from "../../src/operations/chat/form.ts";
import type { Recording } from "./load.ts";

export function requestForDecoding(recording: Recording): ChatRequest {
  const body = recording.request ?? {};
  const tools = toolsOf(recording);
  const choices = choicesOf(body);
  return {
    model: recording.model,
    messages: messagesOf(recording),
    ...(tools.length > 0 ? { tools } : {}),
    ...(choices > 1 ? { n: choices } : {}),
    ...(recording.streamed ? { stream: true } : {}),
  };
}

/** Ids of tool calls that the conversation holds already. */
export function idsTaken(request: ChatRequest): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const message of request.messages) {
    for (const call of arrayOf(message.tool_calls)) ids.add(String(objectOf(call).id));
  }
  return ids;
}

/** Only the OpenAI form is at hand without an adapter; elsewhere the question itself does not matter to a decoder. */
function messagesOf({ api, request }: Recording): readonly ChatMessage[] {
  const messages = api === "openai-chat" ? arrayOf(request?.messages).filter(isMessage) : [];
  return messages.length > 0 ? messages : [{ role: "user", content: "The recorded question." }];
}

function isMessage(value: unknown): value is ChatMessage {
  return isObject(value) && typeof value.role === "string";
}

function choicesOf(body: JsonObject): number {
  const given = body.n ?? objectOf(body.generationConfig).candidateCount;
  return typeof given === "number" ? given : 1;
}

/** The tools that the client declared, in OpenAI's form, whatever the API; server tools are not the client's. */
function toolsOf({ api, request }: Recording): Tool[] {
  const declared = arrayOf(request?.tools).map(objectOf);
  switch (api) {
    case "openai-chat":
    case "cohere-v2":
      return declared.filter(isFunctionTool);
    case "gemini-generateContent":
    case "gemini-streamGenerateContent":
      return declared.flatMap((tool) =>
        arrayOf(tool.functionDeclarations).flatMap((one) => named(objectOf(one))),
      );
    case "anthropic-messages":
    case "vertex-rawPredict":
      return declared.filter((tool) => isObject(tool.input_schema)).flatMap(named);
    case "openai-responses":
    case "perplexity-agent":
      return declared.flatMap((tool): Tool[] => {
        if (tool.type === "custom") return [{ type: "custom", custom: { name: String(tool.name) } }];
        return tool.type === "function" ? named(tool) : [];
      });
  }
}

function isFunctionTool(tool: JsonObject): tool is FunctionTool {
  return tool.type === "function" && typeof objectOf(tool.function).name === "string";
}

function named(tool: JsonObject): FunctionTool[] {
  const name = stringOf(tool.name);
  return name ? [{ type: "function", function: { name } }] : [];
}
