// Reads recordings of Cohere's v2 chat, whole or streamed.

import { arrayOf, countOf, type JsonObject, objectOf, stringOf } from "../../src/core/json.ts";
import type { FinishReason } from "../../src/operations/chat/form.ts";
import { splitEvents } from "./events.ts";
import {
  append,
  ChoiceTable,
  countAt,
  type Expectation,
  type ExpectedChoice,
  type ExpectedUsage,
  usageFrom,
} from "./expectation.ts";
import type { Recording } from "./load.ts";

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
  const finish = FINISH[stringOf(end.finish_reason) ?? ""];
  if (!finish) return { fails: `finish_reason ${String(end.finish_reason)}` };
  choice.finish = [finish];
  return { choices: table.all(), usage: usageOf(objectOf(end.usage)) };
}

function addWhole(choice: ExpectedChoice, body: string): JsonObject {
  const reply = objectOf(JSON.parse(body));
  const message = objectOf(reply.message);
  for (const part of arrayOf(message.content)) addPart(choice, objectOf(part));
  choice.plan = stringOf(message.tool_plan) ?? "";
  for (const call of arrayOf(message.tool_calls)) addCall(choice, objectOf(call));
  for (const citation of arrayOf(message.citations)) addCitation(choice, objectOf(citation));
  return reply;
}

/** Adds what the events bring; gives message-end's delta. */
function addStream(choice: ExpectedChoice, text: string): JsonObject {
  let end: JsonObject = {};
  for (const { json } of splitEvents(text)) {
    const event = json ?? {};
    const message = objectOf(objectOf(event.delta).message);
    switch (event.type) {
      case "content-start":
      case "content-delta":
        addPart(choice, objectOf(message.content));
        break;
      case "tool-plan-delta":
        choice.plan += stringOf(message.tool_plan) ?? "";
        break;
      case "tool-call-start":
        addCall(choice, objectOf(message.tool_calls));
        break;
      case "tool-call-delta":
        addArguments(choice, objectOf(message.tool_calls));
        break;
      case "citation-start":
        addCitation(choice, objectOf(message.citations));
        break;
      case "message-end":
        end = objectOf(event.delta);
    }
  }
  return end;
}

function addPart(choice: ExpectedChoice, part: JsonObject): void {
  append(choice.content, part.text);
  append(choice.reasoning, part.thinking);
}

function addCall(choice: ExpectedChoice, call: JsonObject): void {
  const fn = objectOf(call.function);
  choice.calls.push({
    name: stringOf(fn.name) ?? "",
    input: stringOf(fn.arguments) ?? "",
    id: stringOf(call.id) ?? null,
  });
}

function addArguments(choice: ExpectedChoice, call: JsonObject): void {
  const last = choice.calls.at(-1);
  if (last) last.input += stringOf(objectOf(call.function).arguments) ?? "";
}

/** Sources are documents and tool results of the client's own; a url among their fields may be cited. */
function addCitation(choice: ExpectedChoice, citation: JsonObject): void {
  for (const source of arrayOf(citation.sources).map(objectOf)) {
    const url = stringOf(objectOf(source.document ?? source.tool_output).url);
    if (url) choice.urlsAllowed.add(url);
  }
}

/**
 * `tokens` is all that was processed; `billed_units` leaves out what Cohere does not bill. Images are counted beside
 * input_tokens (recorded: 259 of images and 8 of text are billed 267, input_tokens 34).
 */
function usageOf(usage: JsonObject): ExpectedUsage {
  return usageFrom({
    prompt: countAt(usage, "tokens", "input_tokens") + countAt(usage, "tokens", "image_tokens"),
    completion: countAt(usage, "tokens", "output_tokens"),
    cached: countOf(usage.cached_tokens),
    reasoning: countAt(usage, "tokens", "reasoning_tokens"),
  });
}
