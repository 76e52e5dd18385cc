// Reads recordings of the Responses API (OpenAI's, and Perplexity's Agent form): the items of the last response.
import {
  asArray,
  asCount,
  asObject,
  asString,
  isObject,
  type JsonObject,
} from "../../../src/core/json/json.ts";
import { splitEvents } from "../events.ts";
import type { Recording } from "../load.ts";
import { ChoiceTable, countAt, type Expectation, type ExpectedChoice, ExpectedUsage } from "./expectation.ts";

const TERMINAL = /^response\.(completed|failed|incomplete|cancelled)$/;

export function expectResponses(recording: Recording): Expectation {
  const response = recording.streamed ? lastOf(recording.body) : asObject(JSON.parse(recording.body));
  if (response === null) return { fails: "no terminal event" };
  const cut = asObject(response.incomplete_details).reason;
  if (response.status !== "completed" && response.status !== "incomplete") {
    return { fails: `status ${String(response.status)}` };
  }
  const table = new ChoiceTable();
  const choice = table.at(0);
  const declared = customTools(recording);
  const items = recording.streamed ? doneItems(recording.body) : asArray(response.output).map(asObject);
  for (const item of items) addItem(choice, item, declared);
  addResults(choice, items);
  choice.finish = [
    response.status === "completed" ? "stop" : cut === "content_filter" ? "content_filter" : "length",
  ];
  return { choices: table.all(), usage: usageOf(response.usage, items) };
}

/**
 * OpenAI bills the searches among the items. Opening a found page, or finding words in it, is free. Perplexity and xAI
 * report what they bill.
 */
function searchesOf(usage: JsonObject, items: readonly JsonObject[]): number {
  const perplexity = asObject(asObject(usage.tool_calls_details).search_web);
  if (Object.keys(perplexity).length > 0) return asCount(perplexity.invocation);
  const xai = usage.server_side_tool_usage_details;
  if (isObject(xai)) return asCount(xai.web_search_calls) + asCount(xai.x_search_calls);
  const searches = items.filter((item) => {
    return item.type === "web_search_call" && (asObject(item.action).type ?? "search") === "search";
  });
  return searches.length;
}

/**
 * Each item as finished. The terminal event repeats them with the thinking encrypted again, so its signatures differ
 * but are equally valid.
 */
function doneItems(text: string): JsonObject[] {
  const done = splitEvents(text).filter(({ json }) => json?.type === "response.output_item.done");
  return done.map(({ json }) => asObject(json?.item));
}

/** Names of the custom tools that the client declared. xAI also reports its own searches as custom calls. */
function customTools(recording: Recording): ReadonlySet<string> {
  const tools = asArray(recording.request?.tools).map(asObject);
  return new Set(tools.filter((tool) => tool.type === "custom").map((tool) => String(tool.name)));
}

function lastOf(text: string): JsonObject | null {
  const terminal = splitEvents(text).findLast(({ json }) => TERMINAL.test(String(json?.type)));
  return terminal ? asObject(terminal.json?.response) : null;
}

function addItem(choice: ExpectedChoice, item: JsonObject, declared: ReadonlySet<string>): void {
  switch (item.type) {
    case "message":
      addMessage(choice, asArray(item.content).map(asObject));
      return;
    case "reasoning":
      for (const part of [...asArray(item.summary), ...asArray(item.content)].map(asObject)) {
        choice.addPiece("reasoning", part.text);
      }
      choice.addSignature(item.encrypted_content);
      return;
    case "function_call":
      choice.calls.push({
        name: asString(item.name) ?? "",
        input: asString(item.arguments) ?? "",
        id: asString(item.call_id) ?? null,
      });
      return;
    case "custom_tool_call":
      if (!declared.has(String(item.name))) return;
      choice.calls.push({
        name: String(item.name),
        input: asString(item.input) ?? "",
        id: asString(item.call_id) ?? null,
      });
  }
}

function addMessage(choice: ExpectedChoice, parts: readonly JsonObject[]): void {
  choice.addPiece("content", parts.map((part) => (part.type === "output_text" ? part.text : "")).join(""));
  for (const part of parts) {
    if (part.type === "refusal") choice.refusal = `${choice.refusal ?? ""}${String(part.refusal)}`;
    for (const annotation of asArray(part.annotations).map(asObject)) {
      if (annotation.type === "url_citation" && annotation.url) choice.urls.add(String(annotation.url));
      const { start_index, end_index, title, file_id, filename, container_id } = annotation;
      const span = String(part.text).slice(Number(start_index ?? 0), Number(end_index ?? 0));
      choice.citations.push({ span, says: [title, file_id, filename, container_id] });
    }
  }
}

/** Perplexity Agent: the text cites a result by its id, such as `[7]`. Only cited results must be present. */
function addResults(choice: ExpectedChoice, items: readonly JsonObject[]): void {
  const text = choice.content.join("\n");
  for (const item of items) {
    if (item.type !== "search_results") continue;
    for (const result of asArray(item.results).map(asObject)) {
      const urls = text.includes(`[${String(result.id)}]`) ? choice.urls : choice.urlsAllowed;
      if (result.url) urls.add(String(result.url));
    }
  }
}

function usageOf(given: unknown, items: readonly JsonObject[]): ExpectedUsage | null {
  if (!isObject(given)) return null;
  return new ExpectedUsage({
    prompt: asCount(given.input_tokens),
    completion: asCount(given.output_tokens),
    cached: countAt(given, "input_tokens_details", "cached_tokens"),
    cacheWrite: Math.max(
      countAt(given, "input_tokens_details", "cache_write_tokens"),
      countAt(given, "input_tokens_details", "cache_creation_input_tokens"),
    ),
    reasoning: countAt(given, "output_tokens_details", "reasoning_tokens"),
    searches: searchesOf(given, items),
  });
}
