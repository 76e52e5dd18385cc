// The citations of a chat completion: pages are OpenAI's `annotations`, of which its clients take no other kind; documents stand beside them.
import { asArray, asObject, type JsonObject } from "../../core/json.ts";

/** The message or delta with the citations of documents in a field of their own. */
export function showCitations<Said extends JsonObject>(said: Said): Said {
  const { pages, citations } = Object.groupBy(asArray(said.annotations), (one) =>
    asObject(one).type === "document_citation" ? "citations" : "pages",
  );
  // JSON leaves out what is undefined.
  return citations ? { ...said, annotations: pages, citations } : said;
}

/** The same for a chunk of a stream. */
export function showChunk<Chunk extends { readonly choices: readonly JsonObject[] }>(chunk: Chunk): Chunk {
  if (!chunk.choices.some(({ delta }) => asObject(delta).annotations)) return chunk;
  const choices = chunk.choices.map((choice) => ({
    ...choice,
    delta: showCitations(asObject(choice.delta)),
  }));
  return { ...chunk, choices };
}
