// A completion's citations: pages as `annotations`, all that OpenAI's clients accept, and documents as `citations`. Its
// searches aren't shown, since the API has no form for them.
import { asArray, asObject, type JsonObject } from "../../core/json.ts";

/** Returns the message or delta with citations of documents in a field of their own, and without searches. */
export function separateCitations<Message extends JsonObject>(given: Message): Message {
  const message = given.web_searches === undefined ? given : { ...given, web_searches: undefined };
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
  const isMore = (delta: JsonObject) => delta.annotations !== undefined || delta.web_searches !== undefined;
  if (!chunk.choices.some(({ delta }) => isMore(asObject(delta)))) return chunk;
  const choices = chunk.choices.map((choice) => ({
    ...choice,
    delta: separateCitations(asObject(choice.delta)),
  }));
  return { ...chunk, choices };
}
