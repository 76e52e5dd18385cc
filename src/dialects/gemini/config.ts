// The sampling, length, format and thinking fields of a request as Gemini's `generationConfig`.

import type { JsonObject } from "../../core/json/json.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { ChatRequest, ResponseFormat } from "../../operations/chat/form.ts";
import { clampOutputLimit } from "../_chat/outgoing.ts";
import { writeJsonInstruction } from "../_chat/schemas/schema.ts";
import type { GeminiModelFacts } from "./models.ts";
import { cleanSchema } from "./schema.ts";
import { chooseThinking } from "./thinking.ts";
import type { FunctionCalling } from "./tools.ts";

const STOPS_MAX = 5;

/** Names a client's field that was changed or left out. */
type Drop = (...fields: readonly string[]) => void;

/** Fields of `generationConfig`. */
interface GenerationConfig {
  readonly config: JsonObject;
  /** The words that stand in for fields that the config lacks. */
  readonly instruction: string;
}

interface ConfigLimits {
  readonly card: ModelCard;
  readonly facts: GeminiModelFacts;
  readonly vertex: boolean;
}

/** Makes `generationConfig`. Fields that the model refuses are left out and named. */
export function makeConfig(
  request: ChatRequest,
  calling: FunctionCalling,
  limits: ConfigLimits,
  drop: Drop,
): GenerationConfig {
  const format = makeFormat(request.response_format, calling, limits.facts, drop);
  const length = clampOutputLimit(request, limits.card, "maxOutputTokens");
  drop(...length.dropped);
  const config = {
    ...length.fields,
    ...makeNucleus(request, limits.facts, drop),
    ...makeSampling(request, drop),
    ...makeScoring(request, limits, drop),
    ...format.config,
    ...makeModalities(request, limits.facts, drop),
    ...configureThinking(
      request,
      limits.facts,
      Number(length.fields.maxOutputTokens ?? Number.POSITIVE_INFINITY),
      drop,
    ),
  };
  return { config, instruction: format.instruction };
}

function makeNucleus(request: ChatRequest, facts: GeminiModelFacts, drop: Drop): JsonObject {
  const config: JsonObject = {};
  const { temperature, top_p: topP, top_k: topK } = request;
  if (!facts.temperature) drop("temperature");
  else if (temperature !== undefined) config.temperature = temperature;
  if (!facts.topP) drop("top_p");
  else if (topP !== undefined) config.topP = topP;
  if (!facts.topK) drop("top_k");
  else if (typeof topK === "number") config.topK = topK;
  return config;
}

function makeSampling(request: ChatRequest, drop: Drop): JsonObject {
  const config: JsonObject = {};
  const { seed, n } = request;
  if (n !== undefined && n > 1) config.candidateCount = n;
  const stops = request.stop?.filter((text) => text !== "") ?? [];
  if (stops.length > STOPS_MAX) drop("stop");
  if (stops.length > 0) config.stopSequences = stops.slice(0, STOPS_MAX);
  if (seed !== undefined) {
    // Google's seed has 32 bits. The same client seed still gives the same answer.
    config.seed = seed | 0;
    if (config.seed !== seed) drop("seed");
  }
  return config;
}

/** Penalties and log probabilities. */
function makeScoring(request: ChatRequest, { facts, vertex }: ConfigLimits, drop: Drop): JsonObject {
  const accepted = facts.scoring === "everywhere" || (facts.scoring === "vertex" && vertex);
  const { presence_penalty: presence, frequency_penalty: frequency, top_logprobs: top } = request;
  if (!accepted) {
    if (presence) drop("presence_penalty");
    if (frequency) drop("frequency_penalty");
    if (request.logprobs) drop("logprobs", "top_logprobs");
    return {};
  }
  const config: JsonObject = {};
  if (presence !== undefined) config.presencePenalty = presence;
  if (frequency !== undefined) config.frequencyPenalty = frequency;
  if (request.logprobs) config.responseLogprobs = true;
  if (request.logprobs && top) config.logprobs = top;
  return config;
}

const PLAIN: GenerationConfig = { config: {}, instruction: "" };

/** Asks in words for JSON that can't be enforced. With a forced call there is no answer to format. */
function makeFormat(
  format: ResponseFormat | undefined,
  calling: FunctionCalling,
  facts: GeminiModelFacts,
  drop: Drop,
): GenerationConfig {
  if (!format || format.type === "text") return PLAIN;
  const schema = format.type === "json_schema" ? format.json_schema.schema : undefined;
  const refused = facts.json === "never" || (facts.json === "alone" && calling.declared) || calling.forced;
  if (!refused) {
    const responseJsonSchema = schema && cleanSchema(schema);
    return { config: { responseMimeType: "application/json", responseJsonSchema }, instruction: "" };
  }
  drop("response_format");
  if (calling.forced) return PLAIN;
  return { config: {}, instruction: writeJsonInstruction(schema) };
}

/** Every model returns text by default, and only some return images. */
function makeModalities(request: ChatRequest, facts: GeminiModelFacts, drop: Drop): JsonObject {
  const { modalities } = request;
  if (!Array.isArray(modalities)) return {};
  const known = facts.draws ? ["text", "image"] : ["text"];
  const kept = modalities.filter((each) => known.includes(each));
  if (kept.length < modalities.length) drop("modalities");
  if (!facts.draws || kept.length === 0) return {};
  return { responseModalities: kept.map((each) => String(each).toUpperCase()) };
}

function configureThinking(
  request: ChatRequest,
  { thinking }: GeminiModelFacts,
  outputTokens: number,
  drop: Drop,
): JsonObject {
  const { reasoning_effort: effort, include_reasoning: isShown } = request;
  if (effort === undefined) {
    if (isShown !== true) return {};
    if (thinking) return { thinkingConfig: { includeThoughts: true } };
    drop("include_reasoning");
    return {};
  }
  if (!thinking) {
    if (effort !== "none") drop("reasoning_effort");
    return {};
  }
  const { config, changed } = chooseThinking(thinking, effort, outputTokens);
  if (changed) drop("reasoning_effort");
  return { thinkingConfig: config };
}
