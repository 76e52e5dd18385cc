// Web searches in the form of the Responses API: the tool, the item of an answer, and one that comes back.
import { asArray, asObject, type JsonObject } from "../../core/json/json.ts";
import type { SearchOptions, WebSearch } from "../../operations/chat/prompt/search-form.ts";
import { readSearchOptions, writeSearchText } from "../../operations/chat/prompt/web-search.ts";
import { SEARCH_TOOLS } from "./known.ts";

const TYPES: ReadonlySet<unknown> = new Set(SEARCH_TOOLS);
/** The field of a request by which it asks for a search's pages. */
const SOURCES = "web_search_call.action.sources";

/** The names of the tool's options by those of the chat form. */
export const SEARCH_NAMES = {
  search_context_size: "search_context_size",
  user_location: "user_location",
  allowed_domains: "filters.allowed_domains",
  blocked_domains: "filters.excluded_domains",
};

export function isSearchTool({ type }: JsonObject): boolean {
  return TYPES.has(type);
}

/** Returns what the tool asks for. Undefined if the choice forbids it. xAI's filter excludes domains too. */
export function readSearchTool(
  tool: JsonObject,
  { tool_choice: choice, max_tool_calls: max_uses }: JsonObject,
  hasOthers: boolean,
): SearchOptions | undefined {
  if (choice === "none") return undefined;
  const { search_context_size, user_location } = tool;
  const { allowed_domains, excluded_domains, blocked_domains: blocked } = asObject(tool.filters);
  const blocked_domains = excluded_domains ?? blocked;
  return readSearchOptions(
    { search_context_size, user_location, max_uses, allowed_domains, blocked_domains },
    isSearchTool(asObject(choice)) || (choice === "required" && !hasOthers),
  );
}

export function asksForSources({ include }: JsonObject): boolean {
  return asArray(include).includes(SOURCES);
}

/** Returns a search as an item. Its pages are shown if the client asked for them, as at OpenAI. */
export function writeSearchItem(id: string, search: WebSearch, showsSources: boolean): JsonObject {
  const { queries, pages, error } = search;
  const sources = pages.map(({ url }) => ({ type: "url", url }));
  const action = { type: "search", query: queries.join("; "), queries, ...(showsSources ? { sources } : {}) };
  return { id, type: "web_search_call", status: error === undefined ? "completed" : "failed", action };
}

/** Returns an earlier search as text. Null for an item that isn't one. */
export function readSearchItem(item: JsonObject): string | null {
  const { type, query, queries, sources } = asObject(item.action);
  if (item.type !== "web_search_call" || type !== "search") return null;
  const asked = asArray(queries).length > 0 ? asArray(queries) : [query];
  const pages = asArray(sources).map((one) => ({ url: asObject(one).url }));
  return writeSearchText(asked, pages);
}
