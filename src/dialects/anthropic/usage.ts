// Anthropic's token counts as the canonical usage.

import { asArray, asObject, isObject, type JsonObject } from "../../core/json/json.ts";
import type { RemovalReason, RemovedReasoning } from "../../core/models/thinking/removed-reasoning.ts";
import { readServed } from "../../core/money/terms.ts";
import type { Usage } from "../../operations/chat/form.ts";
import { countRemoved } from "../_chat/thinking.ts";
import { makeUsage, namesTerms, parseCount, parseKnownCount } from "../_chat/usage.ts";

/** Tokens of another, advising model: Anthropic's own totals don't include them either. */
const ADVISOR = "advisor_message";

/**
 * Parses an answer's usage. Anthropic's input count excludes cached and cache-written tokens, the canonical prompt
 * count includes them. With `iterations` (compaction, fallback) the totals beside them describe only the last one, so
 * the iterations are summed. Undefined if nothing was reported. A malformed count is NaN.
 */
export function parseAnthropicUsage(raw: JsonObject): Usage | undefined {
  if (isMissing(raw.input_tokens) && isMissing(raw.output_tokens)) return undefined;
  const rounds = raw.iterations === undefined ? [raw] : listRounds(raw);
  const cached = sum(rounds, "cache_read_input_tokens");
  const written = sum(rounds, "cache_creation_input_tokens");
  const usesCache = (cached ?? written) !== undefined;
  const usage = makeUsage({
    prompt: (sum(rounds, "input_tokens") ?? 0) + (cached ?? 0) + (written ?? 0),
    completion: sum(rounds, "output_tokens") ?? 0,
    ...(usesCache ? { cached: cached ?? 0, written: written ?? 0 } : NO_CACHE),
    reasoning: parseKnownCount(asObject(raw.output_tokens_details).thinking_tokens),
    searches: parseKnownCount(asObject(raw.server_tool_use).web_search_requests),
  });
  if (usage.prompt_tokens_details) addForAnHour(usage.prompt_tokens_details, rounds);
  const served = namesTerms(raw) ? readServed(raw) : undefined;
  return served === undefined ? usage : { ...usage, terms: { served } };
}

function listRounds(raw: JsonObject): readonly JsonObject[] {
  const counted = asArray(raw.iterations)
    .filter(isObject)
    .filter(({ type }) => type !== ADVISOR);
  return counted.length > 0 ? counted : [raw];
}

const NO_CACHE = {};

function addForAnHour(
  details: NonNullable<Usage["prompt_tokens_details"]>,
  rounds: readonly JsonObject[],
): void {
  let forAnHour = 0;
  for (const { cache_creation: creation } of rounds)
    forAnHour += parseKnownCount(asObject(creation).ephemeral_1h_input_tokens) ?? 0;
  if (forAnHour > 0) details.cache_write_1h_tokens = forAnHour;
}

/** Undefined if none of the rounds reports it. */
function sum(rounds: readonly JsonObject[], field: string): number | undefined {
  let total: number | undefined;
  for (const round of rounds) if (!isMissing(round[field])) total = (total ?? 0) + parseCount(round[field]);
  return total;
}

const REMOVALS: ReadonlyMap<unknown, RemovalReason> = new Map([
  ["prefix_binding_mismatch", "prefix"],
  ["model_binding_mismatch", "model"],
  ["organization_binding_mismatch", "organization"],
  ["end_user_binding_mismatch", "end_user"],
]);

/** Reads a message's `input_transformations` (beta `thinking-binding-controls`). Some entries say that a block was shown. */
export function readInputTransformations(list: unknown): readonly RemovedReasoning[] | undefined {
  return countRemoved(list, ({ type, reason }) =>
    type === "thinking_dropped" ? (REMOVALS.get(reason) ?? "other") : null,
  );
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

/** Merges a later report into an earlier one. Counts are cumulative, and missing ones keep their value. */
export function mergeUsage(before: JsonObject, now: unknown): JsonObject {
  const merged: JsonObject = { ...before, ...asObject(now) };
  for (const field in merged) merged[field] ??= before[field];
  return merged;
}
