// Field mappings shared by OpenAI's Responses API and APIs modelled on it: usage, citations, log probabilities.

import { asArray, asCount, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import type { RemovalReason, RemovedReasoning } from "../../core/models/thinking/removed-reasoning.ts";
import { makeCitation } from "../../operations/chat/answer/citations.ts";
import { makeFinish, markUnknown, readMeaning } from "../../operations/chat/finish.ts";
import type { Citation, Finish, FinishReason, Usage } from "../../operations/chat/form.ts";
import { countRemoved } from "../_chat/thinking.ts";
import { includeCached, makeUsage, parseKnownCount, parseMainCounts } from "../_chat/usage.ts";

/**
 * Parses the `usage` of a response. `input_tokens` includes cached and cache-written tokens, `output_tokens` includes
 * reasoning. `searches` are billed separately. A malformed count is NaN.
 */
export function parseResponseUsage(given: JsonObject, searches: number): Usage {
  const input = asObject(given.input_tokens_details);
  const output = asObject(given.output_tokens_details);
  const [prompt, completion] = parseMainCounts(given.input_tokens, given.output_tokens);
  const cached = parseKnownCount(input.cached_tokens ?? input.cache_read_input_tokens);
  return makeUsage({
    prompt: includeCached(prompt, cached),
    completion,
    cached,
    written: parseKnownCount(input.cache_write_tokens ?? input.cache_creation_input_tokens),
    writtenFor12Hours: parseKnownCount(asObject(input.cache_write_tokens_details).ttl_12h_tokens),
    reasoning: parseKnownCount(output.reasoning_tokens),
    searches: searches === 0 ? undefined : searches,
  });
}

/** Reads an annotation of a text part that begins at `offset`. A file's position is only in `index`. */
export function readCitation(value: unknown, offset: number): readonly Citation[] {
  const { url, title, file_id, filename, container_id, index, start_index, end_index } = asObject(value);
  const start = offset + asCount(start_index ?? index);
  const source = { url, title: title ?? filename, document_id: file_id, container_id };
  return makeCitation(start, offset + asCount(end_index ?? index), source);
}

/** Converts log probabilities of a text part or delta to the chat form, or returns undefined if there are none. */
export function readLogprobs(value: unknown): JsonObject | undefined {
  const tokens = asArray(value).filter(isObject);
  if (tokens.length === 0) return undefined;
  const content = tokens.map((token) => ({
    ...readLikelihood(token),
    top_logprobs: asArray(token.top_logprobs).filter(isObject).map(readLikelihood),
  }));
  return { content, refusal: null };
}

function readLikelihood(token: JsonObject): JsonObject {
  return { token: token.token, logprob: token.logprob, bytes: token.bytes ?? null };
}

const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ["max_output_tokens", "length"],
  ["content_filter", "content_filter"],
  ["steered", "length"],
]);

const REMOVALS: ReadonlyMap<unknown, RemovalReason> = new Map([
  ["prefix_mismatch", "prefix"],
  ["model_mismatch", "model"],
  ["organization_mismatch", "organization"],
  ["end_user_mismatch", "end_user"],
  ["turn_boundary", "turn_boundary"],
]);

/** Reads a response's `input_transformations` (OpenAI, from GPT-6.2 on). */
export function readInputTransformations(list: unknown): readonly RemovedReasoning[] | undefined {
  return countRemoved(list, ({ type, action, reason }) =>
    type === "reasoning" && action === "removed" ? (REMOVALS.get(reason) ?? "other") : null,
  );
}

/** Returns why a response is incomplete. Without a reason that says otherwise, it was cut. */
export function readIncomplete(response: JsonObject): Finish {
  const { reason } = asObject(response.incomplete_details);
  const word = asString(reason) ?? "";
  const means = readMeaning(word, REASONS) === "content_filter" ? "content_filter" : "length";
  const finish = makeFinish(means, reason);
  return word === "" ? finish : markUnknown(finish, word, REASONS);
}
