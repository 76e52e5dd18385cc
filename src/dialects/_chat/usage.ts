// Parses token counts: the rules that all dialects share, and the forms that chat-completions servers report.
import { asCount, asObject, isObject, type JsonObject } from "../../core/json/json.ts";
import type { Usage } from "../../operations/chat/form.ts";
import { addTerms } from "./terms.ts";

/**
 * Returns a reported count: 0 if it is missing, NaN if it is not a count (negative, infinite, text). NaN makes every
 * sum NaN and so the report unusable. With 0 instead, a prompt of a million tokens would cost nothing.
 */
export function parseCount(value: unknown): number {
  if (value === undefined || value === null) return 0;
  const isCount = typeof value === "number" && value >= 0 && Number.isFinite(value);
  return isCount ? asCount(value) : Number.NaN;
}

/** Like `parseCount`, but returns undefined if the count is missing. */
export function parseKnownCount(value: unknown): number | undefined {
  return value === undefined || value === null ? undefined : parseCount(value);
}

/** Returns the counts of prompt and answer. If both are missing, both are NaN, since the report is unusable. */
export function parseMainCounts(prompt: unknown, completion: unknown): readonly [number, number] {
  const first = parseKnownCount(prompt);
  const second = parseKnownCount(completion);
  return first === undefined && second === undefined ? [Number.NaN, Number.NaN] : [first ?? 0, second ?? 0];
}

/**
 * Returns the tokens of a prompt with its cached ones. Grok's reports on Azure leave those out of the prompt, which is only
 * seen where they are more.
 */
export function includeCached(prompt: number, cached = 0): number {
  return cached > prompt ? prompt + cached : prompt;
}

interface TokenCounts {
  readonly prompt: number;
  readonly completion: number;
  /** Part of the prompt. */
  readonly cached?: number | undefined;
  readonly written?: number | undefined;
  /** Part of `written`. */
  readonly writtenFor12Hours?: number | undefined;
  /** Part of the completion. */
  readonly reasoning?: number | undefined;
  readonly searches?: number | undefined;
}

/** Makes a usage of these counts. Undefined counts were not reported. */
export function makeUsage(counts: TokenCounts): Usage {
  const { prompt, completion, cached, written, writtenFor12Hours, reasoning, searches } = counts;
  const usage: Usage = {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  };
  if (cached !== undefined || written !== undefined) {
    usage.prompt_tokens_details = {
      ...(cached === undefined ? {} : { cached_tokens: cached }),
      ...(written === undefined ? {} : { cache_write_tokens: written }),
      ...(writtenFor12Hours === undefined ? {} : { cache_write_12h_tokens: writtenFor12Hours }),
    };
  }
  if (reasoning !== undefined) usage.completion_tokens_details = { reasoning_tokens: reasoning };
  if (searches !== undefined) usage.server_tool_use = { web_search_requests: searches };
  return usage;
}

/**
 * Finds the usage of a reply or chunk in `usage` (the API's), `x_groq.usage` (Groq) or `choices[0].usage` (Moonshot),
 * or returns undefined. Reports are cumulative: a later one replaces an earlier one. A malformed count is NaN.
 */
export function findUsage(body: JsonObject): Usage | undefined {
  if (isObject(body.usage)) {
    const usage = parseUsage(body.usage);
    return namesTerms(body.usage, body.service_tier) ? addTerms(usage, body.service_tier, body.usage) : usage;
  }
  if (isObject(body.x_groq) && isObject(body.x_groq.usage)) return parseUsage(body.x_groq.usage);
  const first: unknown = Array.isArray(body.choices) ? body.choices[0] : undefined;
  if (isObject(first) && isObject(first.usage)) return parseUsage(first.usage);
  return undefined;
}

/** False if nothing is said of the price or the service but that it is the usual one. */
export function namesTerms(usage: JsonObject, tier?: unknown): boolean {
  const { service_tier = tier, speed, inference_geo, trafficType } = usage;
  const isUsual = service_tier === undefined || service_tier === "default" || service_tier === "standard";
  return !isUsual || (speed ?? inference_geo ?? trafficType) !== undefined;
}

/** Fields in which servers count cached prompt tokens: OpenAI, DeepSeek, Together and Moonshot, Mistral. */
const CACHED = [
  "prompt_cache_hit_tokens",
  "cached_tokens",
  "num_cached_tokens",
  "cache_read_input_tokens",
  "cache_read_tokens",
] as const;
/** Fields in which they count what was written to the cache: LiteLLM, Vercel's gateway and new-api. */
const WRITTEN = ["cache_creation_tokens", "cache_creation_input_tokens", "cache_write_input_tokens"] as const;
const OWN_WORDS = [...CACHED, ...WRITTEN, "cache_creation"] as const;
const WRITTEN_1H = ["ephemeral_1h_input_tokens"] as const;
/** Fields in which servers count their own searches: xAI, Perplexity's Sonar. */
const SEARCHES = ["num_sources_used", "num_search_queries"] as const;
const TOOL_USES = ["server_tool_use", "server_tool_use_details"] as const;

function parseUsage(given: JsonObject): Usage | undefined {
  const prompt = parseKnownCount(given.prompt_tokens ?? given.input_tokens);
  const completion = parseKnownCount(given.completion_tokens ?? given.output_tokens);
  if (prompt === undefined && completion === undefined) return undefined;
  const promptDetails = readCounts(given.prompt_tokens_details);
  const completionDetails = readCounts(given.completion_tokens_details);
  const times = asObject(given.prompt_tokens_details).cache_write_tokens_details;
  const longest = isObject(times) ? readCounts(times).ttl_12h_tokens : undefined;
  if (longest !== undefined) promptDetails.cache_write_12h_tokens = longest;
  const beside = hasOwnWords(given, promptDetails) ? addCacheCounts(given, promptDetails) : 0;
  const counts = { prompt: prompt ?? 0, completion: completion ?? 0 };
  const total = parseCount(given.total_tokens);
  addUncounted(counts, total, promptDetails, completionDetails);
  counts.prompt = includeCached(counts.prompt, (promptDetails.cached_tokens ?? 0) + beside);
  const usage: Usage = {
    prompt_tokens: counts.prompt,
    completion_tokens: counts.completion,
    total_tokens: Number.isNaN(total) ? total : counts.prompt + counts.completion,
  };
  if (hasFields(promptDetails)) usage.prompt_tokens_details = promptDetails;
  if (hasFields(completionDetails)) usage.completion_tokens_details = completionDetails;
  const searches = countSearches(given);
  if (searches !== 0) usage.server_tool_use = { web_search_requests: searches };
  return usage;
}

function hasFields(fields: object): boolean {
  for (const _field in fields) return true;
  return false;
}

/** True if anything of the cache is counted in another field than OpenAI's. */
function hasOwnWords(given: JsonObject, details: Readonly<Record<string, number>>): boolean {
  for (const name of OWN_WORDS)
    if (given[name] !== undefined || (details[name] !== undefined && name !== "cached_tokens")) return true;
  return false;
}

/**
 * Other gateways name what was written to the cache as Anthropic does, or in words of their own. Returns the counts that
 * stand beside the prompt's, which may not include them.
 */
function addCacheCounts(given: JsonObject, details: Record<string, number>): number {
  const cached = findCount(given, CACHED);
  const written = findCount(given, WRITTEN);
  addCount(details, "cached_tokens", findCount(details, CACHED) ?? cached);
  addCount(details, "cache_write_tokens", findCount(details, WRITTEN) ?? written);
  addCount(details, "cache_write_1h_tokens", findCount(asObject(given.cache_creation), WRITTEN_1H));
  return written === undefined ? 0 : (details.cache_write_tokens ?? 0);
}

function addCount(details: Record<string, number>, name: string, count: number | undefined): void {
  if (count !== undefined) details[name] ??= count;
}

function findCount(given: JsonObject, names: readonly string[]): number | undefined {
  for (const name of names) {
    const count = parseKnownCount(given[name]);
    if (count !== undefined) return count;
  }
  return undefined;
}

/** Adds the tokens that a server reports only in the total or in the details. */
function addUncounted(
  counts: { prompt: number; completion: number },
  total: number,
  { audio_tokens: audio }: Readonly<Record<string, number>>,
  completionDetails: Record<string, number>,
): void {
  const uncounted = total - counts.prompt - counts.completion;
  const { reasoning_tokens: reasoning } = completionDetails;
  if (uncounted > 0 && uncounted === audio) {
    // Mistral's prompt_tokens don't include audio.
    counts.prompt += uncounted;
  } else if (uncounted > 0 && (reasoning === undefined || reasoning === uncounted)) {
    // xAI's and Gemini's completion_tokens don't include thinking, and Gemini doesn't report its amount.
    counts.completion += uncounted;
    completionDetails.reasoning_tokens = uncounted;
  } else if (reasoning !== undefined && reasoning > counts.completion) {
    // Vercel's gateway includes Claude's thinking in neither.
    counts.completion += reasoning;
  }
}

function countSearches(given: JsonObject): number {
  let searches = 0;
  for (const field of SEARCHES) searches = Math.max(searches, parseCount(given[field]));
  for (const field of TOOL_USES) {
    if (isObject(given[field])) searches = Math.max(searches, parseCount(given[field].web_search_requests));
  }
  return searches;
}

/** Reads the counts among the details. Lists and objects are ignored. */
function readCounts(details: unknown): Record<string, number> {
  const counts: Record<string, number> = {};
  if (!isObject(details)) return counts;
  const given = details;
  for (const name in given) {
    const count = typeof given[name] === "object" ? undefined : parseKnownCount(given[name]);
    if (count !== undefined) counts[name] = count;
  }
  return counts;
}
