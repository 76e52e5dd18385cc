// A completion's citations: pages as `annotations`, all that OpenAI's clients accept, and documents as `citations`.
import { asArray, asObject, type JsonObject } from "../../core/json.ts";

/** Returns the message or delta with citations of documents in a field of their own. */
export function separateCitations<Message extends JsonObject>(message: Message): Message {
  const { pages, citations } = Object.groupBy(asArray(message.annotations), (one) =>
    asObject(one).type === "document_citation" ? "citations" : "pages",
  );
  // JSON omits undefined fields.
  return citations ? { ...message, annotations: pages, citations } : message;
}

/** Does the same for a streamed chunk. */
export function separateChunkCitations<Chunk extends { readonly choices: readonly JsonObject[] }>(
  chunk: Chunk,
): Chunk {
  if (!chunk.choices.some(({ delta }) => asObject(delta).annotations)) return chunk;
  const choices = chunk.choices.map((choice) => ({
    ...choice,
    delta: separateCitations(asObject(choice.delta)),
  }));
  return { ...chunk, choices };
}
