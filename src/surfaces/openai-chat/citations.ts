// A completion's citations: pages as `annotations`, all that OpenAI's clients accept, and documents as `citations`. Its
// searches aren't shown, since the API has no form for them.
import { asArray, asObject, hasOnly, isObject, type JsonObject } from "../../core/json/json.ts";

/** Returns the message or delta with citations of documents in a field of their own, and without searches. */
export function separateCitations<Message extends JsonObject>(given: Message): Message {
  const message = given.web_searches === undefined ? given : { ...given, web_searches: undefined };
  const { pages, citations } = Object.groupBy(asArray(message.annotations), (one) =>
    asObject(one).type === "document_citation" ? "citations" : "pages",
  );
  // JSON omits undefined fields.
  return citations ? { ...message, annotations: pages, citations } : message;
}

/** Does the same for a streamed chunk. Null if it held nothing but searches. */
export function separateChunkCitations<Chunk extends { readonly choices: readonly JsonObject[] }>(
  chunk: Chunk,
): Chunk | null {
  if (!chunk.choices.some(tellsMore)) return chunk;
  if (chunk.choices.every(isSearchAlone)) return null;
  const choices = chunk.choices.map((choice) => ({
    ...choice,
    delta: separateCitations(asObject(choice.delta)),
  }));
  return { ...chunk, choices };
}

function tellsMore({ delta }: JsonObject): boolean {
  const { annotations, web_searches: searches } = asObject(delta);
  return annotations !== undefined || searches !== undefined;
}

function isSearchAlone({ delta, finish_reason: reason }: JsonObject): boolean {
  return reason === null && isObject(delta) && hasOnly(delta, SEARCHES) && delta.web_searches !== undefined;
}

const SEARCHES: ReadonlySet<string> = new Set(["web_searches"]);
