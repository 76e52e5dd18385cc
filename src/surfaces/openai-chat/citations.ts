// A completion's citations: pages as `annotations`, all that OpenAI's clients accept, and documents as `citations`.
import { asArray, asObject, type JsonObject } from "../../core/json.ts";

/** Returns the message or delta with citations of documents in a field of their own. */
export function showCitations<Said extends JsonObject>(said: Said): Said {
  const { pages, citations } = Object.groupBy(asArray(said.annotations), (one) =>
    asObject(one).type === "document_citation" ? "citations" : "pages",
  );
  // JSON omits undefined fields.
  return citations ? { ...said, annotations: pages, citations } : said;
}

/** Does the same for a streamed chunk. */
export function showChunk<Chunk extends { readonly choices: readonly JsonObject[] }>(chunk: Chunk): Chunk {
  if (!chunk.choices.some(({ delta }) => asObject(delta).annotations)) return chunk;
  const choices = chunk.choices.map((choice) => ({
    ...choice,
    delta: showCitations(asObject(choice.delta)),
  }));
  return { ...chunk, choices };
}
