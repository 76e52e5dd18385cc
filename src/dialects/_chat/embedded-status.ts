// The HTTP status of an error that came inside an answer, whose own status was 200: it decides whose fault the error is.
import {
  type ErrorRule,
  type ErrorWords,
  isRefusal,
  matchesRule,
  readMeaning,
} from "../../core/models/upstream.ts";

/** By the code or type of the chat, Responses and Messages APIs. The first match counts. */
const STATUS_BY_CODE: readonly (readonly [RegExp, number])[] = [
  [/^(authentication_error|invalid_api_key)$/, 401],
  [/^billing_error$/, 402],
  [/^permission_error$/, 403],
  [/^(not_found_error|model_not_found)$/, 404],
  [/^conflict_error$/, 409],
  [/^request_too_large$/, 413],
  [/^overloaded_error$/, 529],
  [/rate_limit|quota|_overloaded|slow_down/, 429],
  [/service_unavailable/, 503],
  [/timeout/, 504],
  [/server_?error|^internal|^api_error$/i, 500],
  // OpenRouter's types (@openrouter/sdk 1.3.19) of what a provider behind it did: it had taken our own credential by then.
  [/^(authentication|payment_required|permission_denied|provider_unavailable|server|unmapped)$/, 502],
  [/^(max_tokens_exceeded|token_limit_exceeded|string_too_long|refusal|precondition_failed)$/, 400],
  [/^not_found$/, 404],
  [/^payload_too_large$/, 413],
  [/^data_residency_mismatch$/, 400], // openai 7.59
  [/^invalid[_-]|invalid argument|^unsupported_|^bad_?request|^unprocessable|user_error/i, 400],
  [/context_length|image(?!_generation)|policy/, 400],
];

/** Returns the status that the provider's own rules, the codes or, without any that is known, the message stand for. */
export function inferStatus(said: ErrorWords, rules: readonly ErrorRule[] = []): number {
  const ruled = rules.find((rule) => matchesRule({ ...said, status: rule.status }, rule));
  const coded = said.codes?.map(readCodeStatus).find((status) => status !== undefined);
  return ruled?.status ?? coded ?? (isRefusal(said) ? 400 : 500);
}

/** A code whose meaning doesn't depend on the status has one that lets it count. Undefined for a code that no row knows. */
export function readCodeStatus(code: string): number | undefined {
  const known = STATUS_BY_CODE.find(([words]) => words.test(code))?.[1];
  return known ?? (readMeaning(code) === undefined ? undefined : 400);
}
