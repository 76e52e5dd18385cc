// Reads recordings of Anthropic's Messages API: blocks in their order, usage summed over cache and iterations.

import {
  asArray,
  asCount,
  asObject,
  asString,
  isObject,
  type JsonObject,
} from "../../../src/core/json/json.ts";
import type { FinishReason } from "../../../src/operations/chat/form.ts";
import { splitEvents } from "../events.ts";
import type { Recording } from "../load.ts";
import { ChoiceTable, countAt, type Expectation, type ExpectedChoice, ExpectedUsage } from "./expectation.ts";

const FINISH: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  pause_turn: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_calls",
  refusal: "content_filter",
};

export function expectAnthropic(recording: Recording): Expectation {
  const message = recording.streamed ? folded(recording.body) : asObject(JSON.parse(recording.body));
  if (message === null || message.type === "error") return { fails: "an error" };
  const table = new ChoiceTable();
  const choice = table.at(0);
  for (const block of asArray(message.content).map(asObject)) addBlock(choice, block);
  const reason = asString(message.stop_reason) ?? "";
  const finish = FINISH[reason];
  if (!finish) return { fails: `stop_reason ${reason}` };
  choice.finish = [finish];
  const explanation = asString(asObject(message.stop_details).explanation);
  if (reason === "refusal" && explanation) choice.refusal = explanation;
  return { choices: table.all(), usage: usageOf(asObject(message.usage)) };
}

/** Only text, thinking and tool_use make up the answer. Blocks of server tools and compaction are ignored. */
function addBlock(choice: ExpectedChoice, block: JsonObject): void {
  switch (block.type) {
    case "text":
      choice.append("content", block.text);
      for (const citation of asArray(block.citations).map(asObject))
        addCitation(choice, citation, block.text);
      return;
    case "thinking":
      choice.addPiece("reasoning", block.thinking);
      choice.addSignature(block.signature);
      return;
    case "redacted_thinking":
      choice.addSignature(block.data);
      return;
    case "tool_use":
      choice.calls.push({
        name: asString(block.name) ?? "",
        input: typeof block.input === "string" ? block.input : JSON.stringify(block.input ?? {}),
        id: asString(block.id) ?? null,
      });
  }
}

/** Web results have a URL, a search result's `source` may be one, documents have none. A block is cited whole. */
function addCitation(choice: ExpectedChoice, citation: JsonObject, span: unknown): void {
  const { cited_text, title, document_title, document_index } = citation;
  choice.citations.push({
    span: asString(span) ?? null,
    says: [cited_text, title, document_title, document_index],
  });
  const url = asString(citation.url);
  if (url) choice.urls.add(url);
  const source = asString(citation.source);
  if (source) choice.urlsAllowed.add(source);
}

/** The message that a stream describes. Null if it contains an error event. */
function folded(text: string): JsonObject | null {
  let message: JsonObject = {};
  const blocks = new Map<unknown, JsonObject>();
  for (const { json } of splitEvents(text)) {
    const event = json ?? {};
    switch (event.type) {
      case "error":
        return null;
      case "message_start":
        message = asObject(event.message);
        break;
      case "content_block_start":
        blocks.set(event.index, { ...asObject(event.content_block), json: "" });
        break;
      case "content_block_delta":
        addDelta(blocks.get(event.index) ?? {}, asObject(event.delta));
        break;
      case "message_delta":
        message = { ...message, ...asObject(event.delta), usage: overlaid(message.usage, event.usage) };
    }
  }
  const content = [...blocks.values()].map((block) => {
    const { json, ...rest } = block;
    return json === "" ? rest : { ...rest, input: json };
  });
  return { ...message, content };
}

function addDelta(block: JsonObject, delta: JsonObject): void {
  switch (delta.type) {
    case "text_delta":
      block.text = `${block.text ?? ""}${delta.text}`;
      return;
    case "thinking_delta":
      block.thinking = `${block.thinking ?? ""}${delta.thinking}`;
      return;
    case "signature_delta":
      block.signature = `${block.signature ?? ""}${delta.signature}`;
      return;
    case "input_json_delta":
      block.json = `${block.json ?? ""}${delta.partial_json}`;
      return;
    case "citations_delta":
      block.citations = [...asArray(block.citations), delta.citation];
  }
}

/** message_delta's usage is cumulative and replaces message_start's field by field. A null reports nothing. */
function overlaid(before: unknown, after: unknown): JsonObject {
  const reported = Object.entries(asObject(after)).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return { ...asObject(before), ...Object.fromEntries(reported) };
}

/** Wire facts §3.2: `iterations` (compaction, fallback) are summed. */
function usageOf(usage: JsonObject): ExpectedUsage {
  const iterations = asArray(usage.iterations).filter(isObject);
  const plain = sum(usage, [usage]);
  if (iterations.length === 0) return plain;
  const summed = sum(usage, iterations);
  // An advisor's tokens belong to another model with another price, so counting them or not is both acceptable.
  const own = iterations.filter((one) => one.type !== "advisor_message");
  return own.length < iterations.length ? { ...summed, or: sum(usage, own) } : summed;
}

function sum(usage: JsonObject, parts: readonly JsonObject[]): ExpectedUsage {
  const total = (field: string) => parts.reduce((count, part) => count + asCount(part[field]), 0);
  const cached = total("cache_read_input_tokens");
  const cacheWrite = total("cache_creation_input_tokens");
  return new ExpectedUsage({
    prompt: total("input_tokens") + cached + cacheWrite,
    completion: total("output_tokens"),
    cached,
    cacheWrite,
    reasoning: countAt(usage, "output_tokens_details", "thinking_tokens"),
    searches: countAt(usage, "server_tool_use", "web_search_requests"),
  });
}
