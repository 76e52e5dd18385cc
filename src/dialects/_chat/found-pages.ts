// Searches of chat-completions servers, which tell nothing of them but the pages that the answer cites: an answer with a cited
// page had at least one.
import { isDocument } from "../../operations/chat/answer/citations.ts";
import type { Decoder } from "../../operations/chat/decoder.ts";
import type { ChatChunk, ChatReply, ChunkChoice, Citation, Usage } from "../../operations/chat/form.ts";
import { type GivenPage, makeSearch } from "../../operations/chat/prompt/web-search.ts";

function listPages(citations: readonly Citation[]): readonly GivenPage[] {
  return citations.flatMap((citation) => (isDocument(citation) ? [] : [citation.url_citation]));
}

function countSearch(usage: Usage): Usage {
  const requests = usage.server_tool_use?.web_search_requests ?? 0;
  return requests > 0 ? usage : { ...usage, server_tool_use: { web_search_requests: 1 } };
}

/** Returns the answer to a request with a search, which tells of it. */
export function tellSearch(reply: ChatReply): ChatReply {
  let isFound = false;
  const choices = reply.choices.map((choice) => {
    const { message } = choice;
    const pages = listPages(message.annotations ?? []);
    if (pages.length === 0 || message.web_searches) return choice;
    isFound = true;
    return { ...choice, message: { ...message, web_searches: [makeSearch([], dropRepeated(pages))] } };
  });
  if (!isFound) return reply;
  return { ...reply, choices, ...(reply.usage ? { usage: countSearch(reply.usage) } : {}) };
}

/** An answer may cite a page many times. */
function dropRepeated(pages: readonly GivenPage[]): readonly GivenPage[] {
  return [...new Map(pages.map((page) => [page.url, page])).values()];
}

/** Tells the search with the finish of each choice, when all of its pages are known. */
export class SearchingDecoder implements Decoder {
  readonly #inner: Decoder;
  readonly #pages = new Map<number, GivenPage[]>();
  readonly #told = new Set<number>();
  #usage: Usage | undefined;

  constructor(inner: Decoder) {
    this.#inner = inner;
  }

  get done(): boolean {
    return this.#inner.done;
  }

  push(...given: Parameters<Decoder["push"]>): readonly ChatChunk[] {
    return this.#inner.push(...given).map((chunk) => this.#pass(chunk, false));
  }

  end(): readonly ChatChunk[] {
    const last = this.#inner.end().map((chunk) => this.#pass(chunk, true));
    const isUncounted = this.#usage !== undefined && this.#told.size > 0;
    return isUncounted && this.#usage ? [...last, { choices: [], usage: countSearch(this.#usage) }] : last;
  }

  #pass(chunk: ChatChunk, isLast: boolean): ChatChunk {
    const choices = chunk.choices.map((choice) => this.#passChoice(choice, isLast));
    if (!chunk.usage) return { ...chunk, choices };
    const usage = this.#pages.size > 0 ? countSearch(chunk.usage) : chunk.usage;
    this.#usage = usage === chunk.usage ? usage : undefined;
    return { ...chunk, choices, usage };
  }

  #passChoice(choice: ChunkChoice, isLast: boolean): ChunkChoice {
    const { index, delta, finish_reason } = choice;
    if (delta.web_searches) this.#told.add(index);
    const found = listPages(delta.annotations ?? []);
    if (found.length > 0) {
      const known = this.#pages.getOrInsertComputed(index, () => []);
      for (const page of found) known.push(page);
    }
    const pages = this.#pages.get(index);
    const isDue = isLast || finish_reason !== null;
    if (!pages || !isDue || this.#told.has(index)) return choice;
    this.#told.add(index);
    return { ...choice, delta: { ...delta, web_searches: [makeSearch([], dropRepeated(pages))] } };
  }
}
