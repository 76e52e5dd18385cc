// Reads the data beside a candidate's parts: finish reason, usage, citations and log probabilities.

import {
  asArray,
  asCount,
  asNumber,
  asObject,
  asString,
  isObject,
  type JsonObject,
} from "../../core/json.ts";
import { makeCitation } from "../../operations/chat/citations.ts";
import type { Citation, FinishReason, Usage } from "../../operations/chat/form.ts";
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

const REASONS: ReadonlyMap<string, FinishReason | "failed"> = new Map([
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

/** Gemini API, `Candidate.finishReason`. Returns null if unfinished. An unknown reason counts as `stop`. */
export function toFinishReason(given: unknown): FinishReason | "failed" | null {
  const name = typeof given === "number" ? BY_NUMBER[given] : asString(given);
  if (!name || name === "FINISH_REASON_UNSPECIFIED") return null;
  return REASONS.get(name) ?? "stop";
}

const COUNTS = ["promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount", "totalTokenCount"] as const;

/** Gemini API, `usageMetadata`. Undefined if it has no counts: Vertex AI's early chunks name only the traffic type. */
export function parseGeminiUsage(given: JsonObject): Usage | undefined {
  if (COUNTS.every((field) => parseKnownCount(given[field]) === undefined)) return undefined;
  const prompt = parseCount(given.promptTokenCount) + parseCount(given.toolUsePromptTokenCount);
  const completion = parseCount(given.candidatesTokenCount) + parseCount(given.thoughtsTokenCount);
  const cached = parseKnownCount(given.cachedContentTokenCount);
  const reasoning = parseKnownCount(given.thoughtsTokenCount);
  return makeUsage({ prompt, completion, cached, reasoning });
}

/** Gemini API, `LogprobsResult`, in OpenAI's form. */
export function readLogprobs(given: unknown): JsonObject | undefined {
  if (!isObject(given)) return undefined;
  const top = asArray(given.topCandidates).map(asObject);
  const content = asArray(given.chosenCandidates).map((chosen, position) => ({
    ...readToken(chosen),
    top_logprobs: asArray(top[position]?.candidates).map(readToken),
  }));
  return content.length === 0 ? undefined : { content, refusal: null };
}

function readToken(given: unknown): JsonObject {
  const { token, logProbability } = asObject(given);
  const text = asString(token) ?? "";
  return { token: text, logprob: asNumber(logProbability) ?? 0, bytes: [...new TextEncoder().encode(text)] };
}

/** Google counts UTF-8 bytes, clients count characters. */
class Positions {
  readonly #bytes: Uint8Array;
  readonly length: number;

  constructor(text: string) {
    this.#bytes = new TextEncoder().encode(text);
    this.length = text.length;
  }

  /** Returns the index of the character that begins at that byte. */
  at(byte: unknown): number {
    return new TextDecoder().decode(this.#bytes.subarray(0, asCount(byte))).length;
  }
}

function cite(source: JsonObject, start: number, end: number): readonly Citation[] {
  const { uri, sourceUri, title, text } = source;
  return makeCitation(start, end, { url: uri ?? sourceUri, title, content: text });
}

/** Gemini API, `GroundingMetadata` and `CitationMetadata`, for the candidate's whole text. */
export function listAnnotations(text: string, grounding: JsonObject, citations: JsonObject): Citation[] {
  const positions = new Positions(text);
  const quoted = asArray(citations.citationSources ?? citations.citations).map(asObject);
  return [
    ...listGrounded(grounding, positions),
    ...quoted.flatMap((each) => cite(each, positions.at(each.startIndex), positions.at(each.endIndex))),
  ];
}

/** Lists each source at the places that it supports. A source without places is listed for the whole text. */
function listGrounded(grounding: JsonObject, positions: Positions): Citation[] {
  const sources = asArray(grounding.groundingChunks).map((chunk) => {
    const { web, maps, retrievedContext, image } = asObject(chunk);
    return asObject(web ?? maps ?? retrievedContext ?? image);
  });
  const used = new Set<unknown>();
  const placed = asArray(grounding.groundingSupports).flatMap((support) => {
    const { segment, groundingChunkIndices } = asObject(support);
    const [start, end] = [
      positions.at(asObject(segment).startIndex),
      positions.at(asObject(segment).endIndex),
    ];
    return asArray(groundingChunkIndices).flatMap((index) => {
      used.add(index);
      return cite(sources[Number(index)] ?? {}, start, end);
    });
  });
  const whole = sources.flatMap((source, index) =>
    used.has(index) ? [] : cite(source, 0, positions.length),
  );
  return [...placed, ...whole];
}
