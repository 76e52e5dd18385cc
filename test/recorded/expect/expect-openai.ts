// Reads recordings of the OpenAI dialect (and Mistral's variant of it) by the published field names.

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
import {
  ChoiceTable,
  countAt,
  type Expectation,
  type ExpectedCall,
  type ExpectedChoice,
  ExpectedUsage,
} from "./expectation.ts";

/** Wire facts §5; `eos` is Together's, `sensitive` Z.ai's, `model_length` Mistral's. */
const FINISH: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  eos: "stop",
  length: "length",
  model_length: "length",
  tool_calls: "tool_calls",
  content_filter: "content_filter",
  sensitive: "content_filter",
};

export function expectOpenAi(recording: Recording): Expectation {
  return recording.streamed ? ofStream(recording.body) : ofWhole(asObject(JSON.parse(recording.body)));
}

function ofWhole(body: JsonObject): Expectation {
  if (body.error) return { fails: "the body is an error" };
  const table = new ChoiceTable();
  for (const one of asArray(body.choices).map(asObject)) {
    const choice = table.at(asCount(one.index));
    addMessage(choice, asObject(one.message));
    for (const call of asArray(asObject(one.message).tool_calls)) choice.calls.push(callOf(asObject(call)));
    setFinish(choice, one.finish_reason);
    addCitations(choice, body);
  }
  return { choices: table.all(), usage: usageOf(body.usage) };
}

function ofStream(text: string): Expectation {
  const table = new ChoiceTable();
  const callKeys = new Map<number, (number | null)[]>();
  let usage: ExpectedUsage | null = null;
  for (const { event, data, json } of splitEvents(text)) {
    if (data === "[DONE]") continue;
    if (!json) return { fails: "a line is not JSON" };
    if (event === "error" || json.error) return { fails: "an error in the stream" };
    usage = usageOf(json.usage) ?? usageInside(json) ?? usage;
    for (const one of asArray(json.choices).map(asObject)) {
      const choice = table.at(asCount(one.index));
      const delta = asObject(one.delta);
      addMessage(choice, delta);
      const keys = callKeys.get(choice.index) ?? [];
      callKeys.set(choice.index, keys);
      for (const call of asArray(delta.tool_calls)) addFragment(choice.calls, keys, asObject(call));
      setFinish(choice, one.finish_reason);
      addCitations(choice, json);
    }
  }
  return { choices: table.all(), usage };
}

function setFinish(choice: ExpectedChoice, given: unknown): void {
  const reason = FINISH[asString(given) ?? ""];
  if (reason) choice.finish = [reason];
}

/** A message or a delta, which use the same names. */
function addMessage(choice: ExpectedChoice, message: JsonObject): void {
  for (const part of asArray(message.content).map(asObject)) {
    // Mistral's reasoning models: `[{type:"thinking",thinking:[{type:"text",text}]},{type:"text",text}]`.
    for (const thought of asArray(part.thinking)) choice.append("reasoning", asObject(thought).text);
    choice.append("content", part.text);
  }
  choice.append("content", message.content);
  const details = asArray(message.reasoning_details).map(asObject);
  // Some servers send thinking in its details only.
  const detailed = details.map(({ text, summary }) => asString(text) ?? asString(summary) ?? "").join("");
  choice.append("reasoning", message.reasoning_content || message.reasoning || detailed);
  if (typeof message.refusal === "string" && message.refusal !== "") {
    choice.refusal = `${choice.refusal ?? ""}${message.refusal}`;
  }
  for (const detail of details) {
    choice.addSignature(detail.signature);
    choice.addSignature(detail.data);
  }
  for (const annotation of asArray(message.annotations).map(asObject)) {
    const { url, title, content } = asObject(annotation.url_citation);
    if (typeof url !== "string" || url === "") continue;
    choice.urls.add(url);
    choice.citations.push({ span: null, says: [title, content] });
  }
}

/** Perplexity's retired chat API returned citations next to `choices` instead of inside them. OpenRouter still does. */
function addCitations(choice: ExpectedChoice, body: JsonObject): void {
  for (const url of asArray(body.citations)) if (typeof url === "string") choice.urls.add(url);
  for (const result of asArray(body.search_results).map(asObject)) {
    const url = asString(result.url);
    if (url) choice.urlsAllowed.add(url);
  }
}

function callOf(call: JsonObject): ExpectedCall {
  const fn = asObject(call.function ?? call.custom);
  const given = fn.arguments ?? fn.input ?? "";
  return {
    name: asString(fn.name) ?? "",
    input: isObject(given) ? JSON.stringify(given) : String(given),
    id: asString(call.id) ?? null,
  };
}

/** A fragment continues its index's call unless it has a name and another id. Without an index, a name starts one. */
function addFragment(calls: ExpectedCall[], keys: (number | null)[], fragment: JsonObject): void {
  const given = callOf(fragment);
  const key = typeof fragment.index === "number" && fragment.index >= 0 ? fragment.index : null;
  const position = key === null ? (given.name ? -1 : calls.length - 1) : keys.lastIndexOf(key);
  const open = calls[position];
  const another = given.name !== "" && given.id !== null && open?.id !== null && given.id !== open?.id;
  if (!open || another) {
    calls.push(given);
    keys.push(key);
    return;
  }
  open.name += given.name;
  open.input += given.input;
  open.id = open.id || given.id;
}

/** Groq puts it under `x_groq`, Moonshot into the choice. Both also send it under `usage` if requested. */
function usageInside(chunk: JsonObject): ExpectedUsage | null {
  const inChoice = asArray(chunk.choices).map((choice) => asObject(choice).usage);
  return usageOf(asObject(chunk.x_groq).usage ?? inChoice.find(isObject));
}

function usageOf(given: unknown): ExpectedUsage | null {
  if (!isObject(given)) return null;
  const cachedPlaces = [
    countAt(given, "prompt_tokens_details", "cached_tokens"),
    asCount(given.prompt_cache_hit_tokens),
    asCount(given.cached_tokens),
    asCount(given.num_cached_tokens),
  ];
  const cached = Math.max(...cachedPlaces);
  const tokens = tokensOf(given);
  return new ExpectedUsage({
    ...tokens,
    prompt: tokens.prompt < cached ? tokens.prompt + cached : tokens.prompt,
    cached,
    cacheWrite: countAt(given, "prompt_tokens_details", "cache_write_tokens"),
    // OpenRouter's name.
    searches: countAt(given, "server_tool_use_details", "web_search_requests"),
  });
}

/**
 * In the canonical form prompt and completion contain all tokens and add up to the total. Some upstreams count
 * differently, as their own totals and prices show: older xAI models and Gemini's OpenAI-compatible API leave reasoning
 * out of completion_tokens but not out of total_tokens; Vercel's Gemini leaves it out of both (recorded `cost` pays for
 * it); Mistral leaves audio out of prompt_tokens only. Azure leaves cached tokens of Grok's prompts out of both: xAI
 * itself counts 165 tokens for a prompt of which Azure counts 7 and 161 cached.
 */
function tokensOf(usage: JsonObject): Pick<ExpectedUsage, "prompt" | "completion" | "reasoning"> {
  const prompt = asCount(usage.prompt_tokens);
  const completion = asCount(usage.completion_tokens);
  const reasoning = countAt(usage, "completion_tokens_details", "reasoning_tokens");
  const uncounted = Math.max(0, asCount(usage.total_tokens) - prompt - completion);
  if (uncounted > 0 && usage.prompt_audio_seconds)
    return { prompt: prompt + uncounted, completion, reasoning };
  if (uncounted > 0) {
    return { prompt, completion: completion + uncounted, reasoning: Math.max(reasoning, uncounted) };
  }
  return { prompt, completion: reasoning > completion ? completion + reasoning : completion, reasoning };
}
