// A completion's citations: pages as `annotations`, all that OpenAI's clients accept, and documents as `citations`. Its
// searches aren't shown, since the API has no form for them.
import { asArray, asObject, hasOnly, isObject, type JsonObject } from "../../core/json/json.ts";
import type { Sealer } from "../../core/world/world.ts";
import { hasSaid, sealDetails } from "./said-entries.ts";

interface AnyChunk {
  readonly choices: readonly JsonObject[];
}

/** Returns the message or delta with citations of documents in a field of their own, and without searches. */
export function separateCitations<Message extends JsonObject>(given: Message): Message {
  const message = given.web_searches === undefined ? given : { ...given, web_searches: undefined };
  const { pages, citations } = Object.groupBy(asArray(message.annotations), (one) =>
    asObject(one).type === "document_citation" ? "citations" : "pages",
  );
  // JSON omits undefined fields.
  return citations ? { ...message, annotations: pages, citations } : message;
}

/** Returns a streamed chunk as a client gets it. Null if it held nothing but searches. */
export function showChunk<Chunk extends AnyChunk>(chunk: Chunk, seal: Sealer): Chunk | null {
  return chunk.choices.some(tellsMore) ? showMore(chunk, seal) : chunk;
}

/** Its closure makes a scope in each call: most chunks are shown as they are. */
function showMore<Chunk extends AnyChunk>(chunk: Chunk, seal: Sealer): Chunk | null {
  if (chunk.choices.every(isSearchAlone)) return null;
  const choices = chunk.choices.map((choice) => ({
    ...choice,
    delta: sealDetails(separateCitations(asObject(choice.delta)), seal),
  }));
  return { ...chunk, choices };
}

function tellsMore({ delta }: JsonObject): boolean {
  const { annotations, web_searches: searches, reasoning_details: details } = asObject(delta);
  return annotations !== undefined || searches !== undefined || (details !== undefined && hasSaid(details));
}

function isSearchAlone({ delta, finish_reason: reason }: JsonObject): boolean {
  return reason === null && isObject(delta) && hasOnly(delta, SEARCHES) && delta.web_searches !== undefined;
}

const SEARCHES: ReadonlySet<string> = new Set(["web_searches"]);
