// Shared by the tests of Converse: models, messages, and a call that the validator accepts.

import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { Capability } from "../../../src/core/models/card.ts";
import type { Outgoing, Target } from "../../../src/core/models/dialect.ts";
import { bedrock } from "../../../src/dialects/bedrock/dialect.ts";
import type { ChatMessage, ChatRequest } from "../../../src/operations/chat/form.ts";
import { checkBedrockRequest } from "../../simulator/bedrock-validator.ts";
import { functionTool, makeCard, makeRequest } from "../cases/drive.ts";

export const NOVA = "us.amazon.nova-2-lite-v1:0";
export const LLAMA = "meta.llama3-3-70b-instruct-v1:0";
export const MISTRAL = "mistral.mistral-large-3-675b-instruct";
export const target: Target = { baseUrl: "https://bedrock.example", secret: "s3cret", headers: {} };
export const ALL: readonly Capability[] = ["tools", "vision", "files", "reasoning"];

/** Encodes the call, which the validator must accept. */
export function encode(fields: Partial<ChatRequest>, name = NOVA, over = target, can = ALL): Outgoing {
  const outgoing = bedrock.chat.encode(makeRequest(fields), makeCard(name, can, 4000), over);
  const body: JsonObject = JSON.parse(JSON.stringify(outgoing.body));
  const { pathname: path, searchParams: query } = new URL(outgoing.url);
  checkBedrockRequest({ method: "POST", path, query, headers: outgoing.headers, body }, name);
  return { ...outgoing, body };
}

export function turns(messages: readonly ChatMessage[], name = NOVA) {
  const tools = [functionTool("f")];
  return asArray(encode({ messages, tools }, name).body.messages).map(asObject);
}

export const hi: ChatMessage = { role: "user", content: "Hi" };
export const call = (id: string, input = "{}") => ({
  id,
  type: "function" as const,
  function: { name: "f", arguments: input },
});
export const calls = (...ids: string[]): ChatMessage => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => call(id)),
});
export const result = (id: string, more: object = {}): ChatMessage => ({
  role: "tool",
  tool_call_id: id,
  content: "x",
  ...more,
});
