// Reads the data beside a candidate's parts: finish reason, usage, citations and log probabilities.

import {
  asArray,
  asCount,
  asNumber,
  asObject,
  asString,
  isObject,
  type JsonObject,
} from "../../core/json/json.ts";
import { readServed } from "../../core/money/terms.ts";
import { makeCitation } from "../../operations/chat/answer/citations.ts";
import { type FinishMeaning, readMeaning } from "../../operations/chat/finish.ts";
import type { Citation, Usage } from "../../operations/chat/form.ts";
import { nestFields } from "../_chat/outgoing.ts";
import { makeUsage, parseCount, parseKnownCount } from "../_chat/usage.ts";

/** Finish reasons in the order of the API's enum: servers asked for `enum-encoding=int` send numbers. */
const BY_NUMBER = [
  "FINISH_REASON_UNSPECIFIED",
  "STOP",
  "MAX_TOKENS",
  "SAFETY",
  "RECITATION",
  "OTHER",
  "BLOCKLIST",
  "PROHIBITED_CONTENT",
  "SPII",
  "MALFORMED_FUNCTION_CALL",
] as const;

export const REASONS: ReadonlyMap<string, FinishMeaning> = new Map([
  ["STOP", "stop"],
  ["MAX_TOKENS", "length"],
  ["CONTINUATION", "length"],
  ["SAFETY", "content_filter"],
  ["RECITATION", "content_filter"],
  ["BLOCKLIST", "content_filter"],
  ["PROHIBITED_CONTENT", "content_filter"],
  ["SPII", "content_filter"],
  ["LANGUAGE", "content_filter"],
  ["MODEL_ARMOR", "content_filter"],
  ["ESCALATION", "content_filter"], // @google/genai 3.3: "filtered by an escalation rule"
  ["PUP_LIMITED_DISABLED", "content_filter"], // and: "limited or disabled due to Prohibited Use Policy violations"
  ["JAILBREAK", "content_filter"], // of a prompt
  ["IMAGE_SAFETY", "content_filter"],
  ["IMAGE_PROHIBITED_CONTENT", "content_filter"],
  ["IMAGE_RECITATION", "content_filter"],
  ["MALFORMED_FUNCTION_CALL", "failed"],
  ["UNEXPECTED_TOOL_CALL", "failed"],
  ["TOO_MANY_TOOL_CALLS", "failed"],
  ["MALFORMED_RESPONSE", "failed"],
  ["MISSING_THOUGHT_SIGNATURE", "failed"],
  ["NO_IMAGE", "failed"],
  ["IMAGE_OTHER", "failed"],
  ["OTHER", "failed"],
]);

/** True if the model wrote a call that nothing can read. Clients of Gemini's own API handle these as they see fit. */
export function isBrokenCall(reason: unknown): boolean {
  const name = typeof reason === "number" ? BY_NUMBER[reason] : reason;
  return BROKEN_CALLS.some((one) => one === name);
}

const BROKEN_CALLS = [
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "TOO_MANY_TOOL_CALLS",
  "MALFORMED_RESPONSE",
] as const;

/** Gemini API, `Candidate.finishReason`. Returns null if unfinished. */
export function toFinishReason(value: unknown): FinishMeaning | null {
  const name = typeof value === "number" ? BY_NUMBER[value] : asString(value);
  if (!name || name === "FINISH_REASON_UNSPECIFIED") return null;
  return readMeaning(name, REASONS);
}

/** True if no table has the reason, which Gemini's own clients get as it came. */
export function isUnknownReason(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value !== BY_NUMBER[0] && !REASONS.has(value);
}

const COUNTS = ["promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount", "totalTokenCount"] as const;

/**
 * Returns the counts so far with those of a later report. Reports are cumulative, but a later one may omit counts of an
 * earlier one. One whose total is the sum of its own counts omits only those that are 0, so that earlier ones don't count.
 */
export function addReport(before: JsonObject, later: JsonObject): JsonObject {
  if (!isWhole(later)) return { ...before, ...later };
  const left = Object.entries(before).filter(([field]) => !SUMMED.includes(field));
  return { ...Object.fromEntries(left), ...later };
}

const SUMMED: readonly string[] = [
  "promptTokenCount",
  "toolUsePromptTokenCount",
  "candidatesTokenCount",
  "thoughtsTokenCount",
];

function isWhole(report: JsonObject): boolean {
  const sum = SUMMED.reduce((total, field) => total + parseCount(report[field]), 0);
  // Reports at the beginning of an answer have the prompt alone.
  return sum > parseCount(report.promptTokenCount) && sum === report.totalTokenCount;
}

/**
 * Gemini API, `usageMetadata`, with the billed searches. Undefined if it has no counts: Vertex AI's early chunks name
 * only the traffic type.
 */
export function parseGeminiUsage(given: JsonObject, searches: number): Usage | undefined {
  if (COUNTS.every((field) => parseKnownCount(given[field]) === undefined)) return undefined;
  const prompt = parseCount(given.promptTokenCount) + parseCount(given.toolUsePromptTokenCount);
  const completion = parseCount(given.candidatesTokenCount) + parseCount(given.thoughtsTokenCount);
  const cached = parseKnownCount(given.cachedContentTokenCount);
  const reasoning = parseKnownCount(given.thoughtsTokenCount);
  const searched = searches > 0 ? { searches } : {};
  const usage = makeUsage({ prompt, completion, cached, reasoning, ...searched });
  const { prompt_tokens_details: read, completion_tokens_details: written } = usage;
  const served = readServed(given);
  return {
    ...usage,
    ...(served ? { terms: { served } } : {}),
    ...nestFields("prompt_tokens_details", { ...read, ...countSound(given.promptTokensDetails) }),
    ...nestFields("completion_tokens_details", { ...written, ...countSound(given.candidatesTokensDetails) }),
  };
}

/** Sound has prices of its own. */
function countSound(details: unknown): JsonObject {
  const audio_tokens = countModality(details, "AUDIO");
  return audio_tokens > 0 ? { audio_tokens } : {};
}

/** Returns the tokens of a kind in a report's details. */
export function countModality(details: unknown, modality: string): number {
  return asCount(asObject(asArray(details).find((one) => asObject(one).modality === modality)).tokenCount);
}

/** Gemini API, `LogprobsResult`, in OpenAI's form. */
export function readLogprobs(value: unknown): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  const top = asArray(value.topCandidates).map(asObject);
  const content = asArray(value.chosenCandidates).map((chosen, position) => ({
    ...readToken(chosen),
    top_logprobs: asArray(top[position]?.candidates).map(readToken),
  }));
  return content.length === 0 ? undefined : { content, refusal: null };
}

function readToken(value: unknown): JsonObject {
  const { token, logProbability } = asObject(value);
  const text = asString(token) ?? "";
  return { token: text, logprob: asNumber(logProbability) ?? 0, bytes: [...new TextEncoder().encode(text)] };
}

/** Returns the index of the character that begins at a byte of the text. */
type Locate = (byte: unknown) => number;

/** Google counts UTF-8 bytes, clients count characters. */
function makeLocate(text: string): Locate {
  // The number of characters before each byte. Decoding the text again for each of 10,000 places takes minutes.
  let characters: Uint32Array | null = null;
  return (byte) => {
    characters ??= countCharacters(text);
    return characters[asCount(byte)] ?? text.length;
  };
}

function countCharacters(text: string): Uint32Array {
  const bytes = Buffer.from(text);
  const counts = new Uint32Array(bytes.length);
  let characters = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    counts[at] = characters;
    // Bytes from 0x80 to 0xbf continue a character. One of four bytes counts as two in JavaScript.
    if ((byte & 0xc0) !== 0x80) characters += byte >= 0xf0 ? 2 : 1;
  }
  return counts;
}

function cite(source: JsonObject, start: number, end: number): readonly Citation[] {
  const { uri, sourceUri, title, text } = source;
  const shown = (value: unknown) => asString(value)?.slice(0, SOURCE_CHARACTERS_MAX);
  return makeCitation(start, end, {
    url: shown(uri ?? sourceUri),
    title: shown(title),
    content: shown(text),
  });
}

/** The bound on each kind. Real answers have a few dozen. */
const CITATIONS_MAX = 1000;
/** A source that is cited at many places is repeated at each. */
const SOURCE_CHARACTERS_MAX = 8192;

/** Gemini API, `GroundingMetadata` and `CitationMetadata`, for the candidate's whole text. */
export function listAnnotations(text: string, grounding: JsonObject, citations: JsonObject): Citation[] {
  const locate = makeLocate(text);
  const quoted = asArray(citations.citationSources ?? citations.citations).slice(0, CITATIONS_MAX);
  return [
    ...listGrounded(grounding, text, locate),
    ...quoted.map(asObject).flatMap((each) => cite(each, locate(each.startIndex), locate(each.endIndex))),
  ];
}

/** Lists each source at the places that it supports. A source without places is listed for the whole text. */
function listGrounded(grounding: JsonObject, text: string, locate: Locate): Citation[] {
  const sources = asArray(grounding.groundingChunks).map((chunk) => {
    const { web, maps, retrievedContext, image } = asObject(chunk);
    return asObject(web ?? maps ?? retrievedContext ?? image);
  });
  const places = asArray(grounding.groundingSupports).flatMap((support) => {
    const { segment, groundingChunkIndices } = asObject(support);
    return asArray(groundingChunkIndices).map((index) => ({ index, segment: asObject(segment) }));
  });
  const used = new Set(places.map(({ index }) => index));
  const placed = places.slice(0, CITATIONS_MAX).flatMap(({ index, segment }) => {
    const start = locate(segment.startIndex);
    const end = locate(segment.endIndex);
    return cite(sources[Number(index)] ?? {}, start, end);
  });
  const unused = sources.filter((_, index) => !used.has(index)).slice(0, CITATIONS_MAX);
  return [...placed, ...unused.flatMap((source) => cite(source, 0, text.length))];
}
