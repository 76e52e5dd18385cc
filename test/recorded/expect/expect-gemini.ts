// Reads recordings of Gemini's generateContent, whole or streamed: parts in their order, usage of the last report.

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
import { ChoiceTable, type Expectation, type ExpectedChoice, ExpectedUsage } from "./expectation.ts";

const FINISH: Readonly<Record<string, FinishReason>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  CONTINUATION: "length",
  SAFETY: "content_filter",
  RECITATION: "content_filter",
  BLOCKLIST: "content_filter",
  PROHIBITED_CONTENT: "content_filter",
  SPII: "content_filter",
  IMAGE_SAFETY: "content_filter",
  MODEL_ARMOR: "content_filter",
  LANGUAGE: "content_filter",
};
/** "error (502-type) or stop": either is correct. */
const BROKEN: ReadonlySet<string> = new Set([
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "TOO_MANY_TOOL_CALLS",
  "MALFORMED_RESPONSE",
  "OTHER",
]);

/** A call whose arguments are still arriving (`partialArgs`, `willContinue`). */
interface OpenCall {
  readonly args: JsonObject;
  readonly position: number;
}

export function expectGemini(recording: Recording): Expectation {
  const bodies = recording.streamed
    ? splitEvents(recording.body).map((event) => event.json ?? {})
    : [asObject(JSON.parse(recording.body))];
  if (bodies.some((body) => body.error)) return { fails: "an error" };
  const table = new ChoiceTable();
  const open = new Map<number, OpenCall>();
  let usage: ExpectedUsage | null = null;
  let mayFail = false;
  // Generation 2 bills a prompt with searches once, later ones each query.
  const queries = new Set<unknown>();
  for (const body of bodies) {
    usage = usageOf(asObject(body.usageMetadata)) ?? usage;
    if (asObject(body.promptFeedback).blockReason) table.at(0).finish = ["content_filter"];
    for (const candidate of asArray(body.candidates).map(asObject)) {
      const choice = table.at(asCount(candidate.index));
      for (const part of asArray(asObject(candidate.content).parts)) addPart(choice, asObject(part), open);
      const reason = asString(candidate.finishReason) ?? "";
      const finish = FINISH[reason];
      if (finish) choice.finish = [finish];
      if (BROKEN.has(reason)) choice.finish = ["stop", "content_filter"];
      mayFail ||= BROKEN.has(reason);
      for (const query of asArray(asObject(candidate.groundingMetadata).webSearchQueries)) queries.add(query);
      addCitations(choice, candidate);
    }
  }
  const searches = /gemini-2/.test(recording.model) ? Math.min(1, queries.size) : queries.size;
  return { choices: table.all(), usage: usage && { ...usage, searches }, mayFail };
}

/** Text, thoughts and calls make up the answer. Parts of tools that Google runs (code, searches) are ignored. */
function addPart(choice: ExpectedChoice, part: JsonObject, open: Map<number, OpenCall>): void {
  if (isObject(part.functionCall)) addCall(choice, part.functionCall, open);
  else if (part.thought === true) choice.append("reasoning", part.text);
  else choice.append("content", part.text);
  const answer = isObject(part.functionCall) || typeof part.text === "string";
  if (answer) choice.addSignature(part.thoughtSignature);
}

function addCall(choice: ExpectedChoice, call: JsonObject, open: Map<number, OpenCall>): void {
  const name = asString(call.name);
  let current = open.get(choice.index);
  if (name) {
    current = { args: { ...asObject(call.args) }, position: choice.calls.length };
    open.set(choice.index, current);
    choice.calls.push({ name, input: "", id: asString(call.id) ?? null });
  }
  if (!current) return;
  for (const partial of asArray(call.partialArgs)) setAt(current.args, asObject(partial));
  const target = choice.calls[current.position];
  if (target) target.input = JSON.stringify(current.args);
}

/** `{jsonPath:"$.city", stringValue:"Par", willContinue:true}`: strings are appended. Paths have one step. */
function setAt(args: JsonObject, partial: JsonObject): void {
  const key = String(partial.jsonPath).replace(/^\$\./, "");
  const before = args[key];
  if (typeof partial.stringValue === "string") {
    args[key] = typeof before === "string" ? before + partial.stringValue : partial.stringValue;
  } else if ("numberValue" in partial) args[key] = partial.numberValue;
  else if ("boolValue" in partial) args[key] = partial.boolValue;
  else if ("nullValue" in partial) args[key] = null;
}

/** Web chunks are cited pages. A retrieved document's URI need not be one. */
function addCitations(choice: ExpectedChoice, candidate: JsonObject): void {
  const grounding = asObject(candidate.groundingMetadata);
  for (const chunk of asArray(grounding.groundingChunks).map(asObject)) {
    const url = asString(asObject(chunk.web).uri);
    if (url) choice.urls.add(url);
    const document = asString(asObject(chunk.retrievedContext).uri);
    if (document) choice.urlsAllowed.add(document);
  }
  const bytes = Buffer.from(choice.content.join(""));
  for (const support of asArray(grounding.groundingSupports).map(asObject)) {
    const { startIndex, endIndex, text: cited } = asObject(support.segment);
    // One recording's text lacks two of the bytes that its offsets count.
    const isThere = bytes.subarray(asCount(startIndex), asCount(endIndex)).toString() === cited;
    for (const index of asArray(support.groundingChunkIndices)) {
      const { web, retrievedContext } = asObject(asArray(grounding.groundingChunks)[Number(index)]);
      const { title, text } = asObject(web ?? retrievedContext);
      choice.citations.push({ span: isThere ? String(cited) : null, says: [title, text] });
    }
  }
  const sources = asObject(candidate.citationMetadata);
  for (const source of asArray(sources.citationSources ?? sources.citations).map(asObject)) {
    const url = asString(source.uri);
    if (url) choice.urlsAllowed.add(url);
  }
}

/** Early chunks of a Vertex stream carry only a `trafficType`, which is not a report. */
function usageOf(usage: JsonObject): ExpectedUsage | null {
  const counts = Object.keys(usage).filter((field) => /TokenCount$/.test(field));
  if (counts.length === 0) return null;
  const reasoning = asCount(usage.thoughtsTokenCount);
  return new ExpectedUsage({
    prompt: asCount(usage.promptTokenCount) + asCount(usage.toolUsePromptTokenCount),
    completion: asCount(usage.candidatesTokenCount) + reasoning,
    cached: asCount(usage.cachedContentTokenCount),
    reasoning,
  });
}
