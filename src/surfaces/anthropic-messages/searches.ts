// Web searches in the form of the Messages API: the tool, the blocks of an answer, and those that come back.
import { asArray, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import { isDocument } from "../../operations/chat/answer/citations.ts";
import type { Citation } from "../../operations/chat/form.ts";
import type { FoundPage, SearchOptions, WebSearch } from "../../operations/chat/prompt/search-form.ts";
import { readSearchOptions, writeSearchText } from "../../operations/chat/prompt/web-search.ts";
import { SEARCH_TOOLS } from "./known.ts";

const TYPES: ReadonlySet<unknown> = new Set(SEARCH_TOOLS);
const NAME = "web_search";

/** The names of the tool's options by those of the chat form. */
export const SEARCH_NAMES = {
  max_uses: "max_uses",
  user_location: "user_location",
  allowed_domains: "allowed_domains",
  blocked_domains: "blocked_domains",
};

/** Returns the first search among the tools, and its place. Null if there is none. */
export function findSearchTool(tools: unknown): { readonly tool: JsonObject; readonly path: string } | null {
  const all = asArray(tools);
  for (let at = 0; at < all.length; at++) {
    const tool = asObject(all[at]);
    if (TYPES.has(tool.type)) return { tool, path: `tools[${at}]` };
  }
  return null;
}

/** Returns what the tool asks for. Undefined if the choice forbids it. */
export function readSearchTool(
  tool: JsonObject,
  choice: JsonObject,
  hasFunctions: boolean,
): SearchOptions | undefined {
  if (choice.type === "none") return undefined;
  const isNamed = choice.type === "tool" && choice.name === (tool.name ?? NAME);
  const { user_location, max_uses, allowed_domains, blocked_domains } = tool;
  return readSearchOptions(
    { user_location, max_uses, allowed_domains, blocked_domains },
    isNamed || (choice.type === "any" && !hasFunctions),
  );
}

/** Marks the gateway's own searches: Anthropic refuses their results, which it hasn't sealed. */
const OWN_ID = "srvtoolu_pk1_";
const CALLER = { type: "direct" };

/** Writes the searches of one answer. */
export class SearchWriter {
  readonly #answerId: string;
  #count = 0;
  /** The searches whose results the provider doesn't report. */
  readonly #open: string[] = [];
  readonly #cited = new Map<string, FoundPage>();

  constructor(answerId: string) {
    this.#answerId = answerId;
  }

  /** Records the pages that the answer cites: their titles, and results that the provider doesn't report. */
  cite(citations: readonly Citation[]): void {
    for (const citation of citations) {
      if (isDocument(citation)) continue;
      const { url, title } = citation.url_citation;
      if (!this.#cited.has(url)) this.#cited.set(url, { url, title });
    }
  }

  /** Returns the call and its result. A result that isn't reported is missing: then `end` returns one. */
  write(search: WebSearch): readonly JsonObject[] {
    const id = `${OWN_ID}${this.#answerId.replace(/^msg_/, "")}_${this.#count++}`;
    const input = { query: search.queries.join("; ") };
    const call = { type: "server_tool_use", id, name: NAME, input, caller: CALLER };
    if (search.error !== undefined) return [call, makeResult(id, writeError(search.error))];
    if (search.pages.length > 0) return [call, makeResult(id, search.pages.map(this.#writePage))];
    this.#open.push(id);
    return [call];
  }

  /** Returns the results that were not reported: the pages that the answer cites, with the last search. */
  end(): readonly JsonObject[] {
    const last = this.#open.length - 1;
    const cited = [...this.#cited.values()].map(this.#writePage);
    return this.#open.splice(0).map((id, at) => makeResult(id, at === last ? cited : []));
  }

  readonly #writePage = ({ url, title, page_age }: FoundPage): JsonObject => ({
    type: "web_search_result",
    url,
    title: title === url ? (this.#cited.get(url)?.title ?? title) : title,
    encrypted_content: "",
    page_age: page_age ?? null,
  });
}

function makeResult(id: string, content: JsonObject | readonly JsonObject[]): JsonObject {
  return { type: "web_search_tool_result", tool_use_id: id, content, caller: CALLER };
}

/** The API's words (Messages API, "Web search tool", errors). */
const ERRORS: ReadonlySet<string> = new Set([
  "invalid_tool_input",
  "unavailable",
  "max_uses_exceeded",
  "too_many_requests",
  "query_too_long",
  "request_too_large",
]);

function writeError(error: string): JsonObject {
  const code = ERRORS.has(error) ? error : "unavailable";
  return { type: "web_search_tool_result_error", error_code: code };
}

/** Reads the searches of an earlier turn as texts. A result follows its call. */
export class SearchReader {
  readonly #queries = new Map<unknown, unknown>();

  /** Returns a result as text. Undefined for a block that has nothing to do with searches, and for a call null. */
  read(block: JsonObject): string | null | undefined {
    if (block.type === "server_tool_use" && block.name === NAME) {
      this.#queries.set(block.id, asObject(block.input).query);
      return null;
    }
    if (block.type !== "web_search_tool_result") return undefined;
    const query = this.#queries.get(block.tool_use_id);
    const { content } = block;
    const pages = asArray(content)
      .map(asObject)
      .map(({ url, title }) => ({ url, title }));
    const error = isObject(content) ? (asString(content.error_code) ?? "unavailable") : undefined;
    return writeSearchText([query], pages, error);
  }
}

/** Returns the blocks with the gateway's own searches as texts. */
export function restoreSearches(blocks: readonly unknown[]): readonly unknown[] {
  const reader = new SearchReader();
  return blocks.flatMap((one): readonly unknown[] => {
    const block = asObject(one);
    const id = asString(block.type === "server_tool_use" ? block.id : block.tool_use_id) ?? "";
    const text = id.startsWith(OWN_ID) ? reader.read(block) : undefined;
    if (text === undefined) return [one];
    return text === null ? [] : [{ type: "text", text }];
  });
}
