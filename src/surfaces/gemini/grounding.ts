// Searches and citations as Gemini's grounding: each source once, with the segments of text that it supports.
import type { JsonObject } from "../../core/json/json.ts";
import { isDocument, readSource } from "../../operations/chat/answer/citations.ts";
import type { Citation } from "../../operations/chat/form.ts";
import type { WebSearch } from "../../operations/chat/prompt/search-form.ts";
import { ByteRuler } from "./byte-ruler.ts";

interface Support {
  readonly start: number;
  readonly end: number;
  readonly chunks: number[];
}

/** Returns `GroundingMetadata` (Gemini API) for the candidate's whole text; nothing without citations and searches. */
export function writeGrounding(
  text: string,
  citations: readonly Citation[],
  searches: readonly WebSearch[],
): JsonObject {
  if (citations.length + searches.length === 0) return {};
  const chunks: JsonObject[] = [];
  const numbers = new Map<string, number>();
  const supports = new Map<string, Support>();
  for (const citation of citations) {
    const chunk = writeChunk(citation);
    const json = JSON.stringify(chunk);
    const number = numbers.getOrInsertComputed(json, () => chunks.push(chunk) - 1);
    const { start_index: start, end_index: end } = readSource(citation);
    if (end === 0) continue;
    supports.getOrInsert(`${start} ${end}`, { start, end, chunks: [] }).chunks.push(number);
  }
  // Google names what the text rests on, and not all that was found.
  const found = citations.length > 0 ? [] : searches.flatMap(({ pages }) => pages);
  for (const { url: uri, title } of found) chunks.push({ web: { uri, title } });
  const queries = searches.flatMap((search) => search.queries);
  const bytes = new ByteRuler();
  bytes.add(text);
  return {
    groundingMetadata: {
      ...(queries.length > 0 ? { webSearchQueries: queries } : {}),
      groundingChunks: chunks,
      groundingSupports: [...supports.values()].map(({ start, end, chunks: groundingChunkIndices }) => ({
        segment: {
          startIndex: bytes.measure(start),
          endIndex: bytes.measure(end),
          text: text.slice(start, end),
        },
        groundingChunkIndices,
      })),
    },
  };
}

function writeChunk(citation: Citation): JsonObject {
  if (!isDocument(citation)) {
    const { url: uri, title } = citation.url_citation;
    return { web: { uri, title } };
  }
  const { title, content } = citation.document_citation;
  return { retrievedContext: { title, ...(content === undefined ? {} : { text: content }) } };
}
