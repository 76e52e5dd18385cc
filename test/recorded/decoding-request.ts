// The client's request behind a recorded answer, as far as a decoder needs it: tools, choices, the ids in its history.

import { asArray, asObject, asString, isObject, type JsonObject } from "../../src/core/json/json.ts";
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

/** Ids of tool calls already in the conversation. */
export function idsTaken(request: ChatRequest): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const message of request.messages) {
    for (const call of asArray(message.tool_calls)) ids.add(String(asObject(call).id));
  }
  return ids;
}

/** Without an adapter only the OpenAI form is available. In other forms a decoder doesn't need the question itself. */
function messagesOf({ api, request }: Recording): readonly ChatMessage[] {
  const messages = api === "openai-chat" ? asArray(request?.messages).filter(isMessage) : [];
  return messages.length > 0 ? messages : [{ role: "user", content: "The recorded question." }];
}

function isMessage(value: unknown): value is ChatMessage {
  return isObject(value) && typeof value.role === "string";
}

function choicesOf(body: JsonObject): number {
  const given = body.n ?? asObject(body.generationConfig).candidateCount;
  return typeof given === "number" ? given : 1;
}

/** The tools that the client declared, in OpenAI's form for every API. Server tools are excluded. */
function toolsOf({ api, request }: Recording): Tool[] {
  const declared = asArray(request?.tools).map(asObject);
  switch (api) {
    case "openai-chat":
    case "cohere-v2":
      return declared.filter(isFunctionTool);
    case "bedrock-converse":
    case "bedrock-converse-stream":
      return asArray(asObject(request?.toolConfig).tools).flatMap((tool) =>
        named(asObject(asObject(tool).toolSpec)),
      );
    case "gemini-generateContent":
    case "gemini-streamGenerateContent":
      return declared.flatMap((tool) =>
        asArray(tool.functionDeclarations).flatMap((one) => named(asObject(one))),
      );
    case "anthropic-messages":
    case "vertex-rawPredict":
    case "bedrock-invoke":
    case "bedrock-invoke-stream":
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
  return tool.type === "function" && typeof asObject(tool.function).name === "string";
}

function named(tool: JsonObject): FunctionTool[] {
  const name = asString(tool.name);
  return name ? [{ type: "function", function: { name } }] : [];
}
