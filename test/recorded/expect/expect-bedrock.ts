// Reads recordings of Bedrock's Converse: blocks in order, the provider's own tools skipped, cached tokens once.
import {
  asArray,
  asCount,
  asObject,
  asString,
  isObject,
  type JsonObject,
} from "../../../src/core/json/json.ts";
import type { FinishReason } from "../../../src/operations/chat/form.ts";
import { splitFrames } from "../aws-frames.ts";
import type { Recording } from "../load.ts";
import { ChoiceTable, type Expectation, type ExpectedChoice, ExpectedUsage } from "./expectation.ts";

const FINISH: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  tool_use: "tool_calls",
  guardrail_intervened: "content_filter",
  content_filtered: "content_filter",
};

interface Message {
  readonly content: readonly JsonObject[];
  readonly reason: string;
  readonly usage: unknown;
}

export function expectConverse(recording: Recording): Expectation {
  const { content, reason, usage } = recording.frames ? fold(recording.frames) : readWhole(recording.body);
  const table = new ChoiceTable();
  const choice = table.at(0);
  for (const block of content) addBlock(choice, block);
  const finish = FINISH[reason];
  if (!finish) return { fails: `stopReason ${reason}` };
  choice.finish = [finish];
  return { choices: table.all(), usage: isObject(usage) ? readUsage(usage) : null };
}

function readWhole(body: string): Message {
  const { output, stopReason, usage } = asObject(JSON.parse(body));
  const { content } = asObject(asObject(output).message);
  return { content: asArray(content).map(asObject), reason: String(stopReason), usage };
}

function addBlock(choice: ExpectedChoice, block: JsonObject): void {
  choice.append("content", block.text);
  const cited = asObject(block.citationsContent);
  for (const part of asArray(cited.content)) choice.append("content", asObject(part).text);
  for (const citation of asArray(cited.citations)) {
    const { location, title, sourceContent } = asObject(citation);
    const url = asString(asObject(asObject(location).web).url);
    if (url) choice.urls.add(url);
    const passages = asArray(sourceContent).map((part) => asObject(part).text);
    choice.citations.push({ span: null, says: [title, ...passages] });
  }
  const { reasoningText, redactedContent } = asObject(block.reasoningContent);
  choice.addPiece("reasoning", asObject(reasoningText).text);
  choice.addSignature(asObject(reasoningText).signature ?? redactedContent);
  const { toolUse } = block;
  if (!isObject(toolUse) || toolUse.type === "server_tool_use") return;
  const input = typeof toolUse.input === "string" ? toolUse.input || "{}" : JSON.stringify(toolUse.input);
  choice.calls.push({ name: String(toolUse.name), input, id: asString(toolUse.toolUseId) ?? null });
}

/** The message that a stream describes. */
function fold(bytes: Uint8Array): Message {
  const blocks = new Map<unknown, JsonObject>();
  let [reason, usage]: [string, unknown] = ["", null];
  for (const { event, json } of splitFrames(bytes)) {
    const at = json.contentBlockIndex;
    if (event === "contentBlockStart") blocks.set(at, { ...asObject(json.start) });
    if (event === "contentBlockDelta") blocks.set(at, grow(blocks.get(at) ?? {}, asObject(json.delta)));
    if (event === "messageStop") reason = String(json.stopReason);
    if (event === "metadata") usage = json.usage;
  }
  return { content: [...blocks.values()], reason, usage };
}

function grow(block: JsonObject, delta: JsonObject): JsonObject {
  if (typeof delta.text === "string") return { ...block, text: `${block.text ?? ""}${delta.text}` };
  if (isObject(delta.citation)) {
    const { citations } = asObject(block.citationsContent);
    return { ...block, citationsContent: { citations: [...asArray(citations), delta.citation] } };
  }
  if (isObject(delta.toolUse)) {
    const { toolUse } = block;
    const { input = "", ...rest } = asObject(toolUse);
    return { toolUse: { ...rest, input: `${String(input)}${String(delta.toolUse.input)}` } };
  }
  if (!isObject(delta.reasoningContent)) return block;
  const { redactedContent } = delta.reasoningContent;
  if (redactedContent !== undefined) return { reasoningContent: { redactedContent } };
  const before = asObject(asObject(block.reasoningContent).reasoningText);
  const joined = (field: string) => `${before[field] ?? ""}${asObject(delta.reasoningContent)[field] ?? ""}`;
  return { reasoningContent: { reasoningText: { text: joined("text"), signature: joined("signature") } } };
}

function readUsage(usage: JsonObject): ExpectedUsage {
  const read = asCount(usage.cacheReadInputTokens ?? usage.cacheReadInputTokenCount);
  const written = asCount(usage.cacheWriteInputTokens ?? usage.cacheWriteInputTokenCount);
  return new ExpectedUsage({
    prompt: asCount(usage.inputTokens) + read + written,
    completion: asCount(usage.outputTokens),
    cached: read,
    cacheWrite: written,
  });
}
