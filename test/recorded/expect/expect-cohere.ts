// Reads recordings of Cohere's v2 chat, whole or streamed.

import { asArray, asCount, asObject, asString, type JsonObject } from "../../../src/core/json/json.ts";
import type { FinishReason } from "../../../src/operations/chat/form.ts";
import { splitEvents } from "../events.ts";
import type { Recording } from "../load.ts";
import { ChoiceTable, countAt, type Expectation, type ExpectedChoice, ExpectedUsage } from "./expectation.ts";

const FINISH: Readonly<Record<string, FinishReason>> = {
  COMPLETE: "stop",
  STOP_SEQUENCE: "stop",
  MAX_TOKENS: "length",
  TOOL_CALL: "tool_calls",
};

export function expectCohere(recording: Recording): Expectation {
  const table = new ChoiceTable();
  const choice = table.at(0);
  const end = recording.streamed ? addStream(choice, recording.body) : addWhole(choice, recording.body);
  const finish = FINISH[asString(end.finish_reason) ?? ""];
  if (!finish) return { fails: `finish_reason ${String(end.finish_reason)}` };
  choice.finish = [finish];
  return { choices: table.all(), usage: usageOf(asObject(end.usage)) };
}

function addWhole(choice: ExpectedChoice, body: string): JsonObject {
  const reply = asObject(JSON.parse(body));
  const message = asObject(reply.message);
  for (const part of asArray(message.content)) addPart(choice, asObject(part));
  choice.plan = asString(message.tool_plan) ?? "";
  for (const call of asArray(message.tool_calls)) addCall(choice, asObject(call));
  for (const citation of asArray(message.citations)) addCitation(choice, asObject(citation));
  return reply;
}

/** Adds the events' content. Returns message-end's delta. */
function addStream(choice: ExpectedChoice, text: string): JsonObject {
  let end: JsonObject = {};
  for (const { json } of splitEvents(text)) {
    const event = json ?? {};
    const message = asObject(asObject(event.delta).message);
    switch (event.type) {
      case "content-start":
      case "content-delta":
        addPart(choice, asObject(message.content));
        break;
      case "tool-plan-delta":
        choice.plan += asString(message.tool_plan) ?? "";
        break;
      case "tool-call-start":
        addCall(choice, asObject(message.tool_calls));
        break;
      case "tool-call-delta":
        addArguments(choice, asObject(message.tool_calls));
        break;
      case "citation-start":
        addCitation(choice, asObject(message.citations));
        break;
      case "message-end":
        end = asObject(event.delta);
    }
  }
  return end;
}

function addPart(choice: ExpectedChoice, part: JsonObject): void {
  choice.append("content", part.text);
  choice.append("reasoning", part.thinking);
}

function addCall(choice: ExpectedChoice, call: JsonObject): void {
  const fn = asObject(call.function);
  choice.calls.push({
    name: asString(fn.name) ?? "",
    input: asString(fn.arguments) ?? "",
    id: asString(call.id) ?? null,
  });
}

function addArguments(choice: ExpectedChoice, call: JsonObject): void {
  const last = choice.calls.at(-1);
  if (last) last.input += asString(asObject(call.function).arguments) ?? "";
}

/** Sources are the client's documents and tool results. A URL among their fields may be cited. */
function addCitation(choice: ExpectedChoice, citation: JsonObject): void {
  for (const source of asArray(citation.sources).map(asObject)) {
    if (citation.type === undefined || citation.type === "TEXT_CONTENT")
      choice.citations.push({ span: asString(citation.text) ?? null, says: [source.id] });
    const url = asString(asObject(source.document ?? source.tool_output).url);
    if (url) choice.urlsAllowed.add(url);
  }
}

/**
 * `tokens` is everything processed, and `billed_units` leaves out what Cohere does not bill. Images are counted in
 * addition to input_tokens (recorded: 259 of images and 8 of text are billed 267, input_tokens 34).
 */
function usageOf(usage: JsonObject): ExpectedUsage {
  return new ExpectedUsage({
    prompt: countAt(usage, "tokens", "input_tokens") + countAt(usage, "tokens", "image_tokens"),
    completion: countAt(usage, "tokens", "output_tokens"),
    cached: asCount(usage.cached_tokens),
    reasoning: countAt(usage, "tokens", "reasoning_tokens"),
  });
}
