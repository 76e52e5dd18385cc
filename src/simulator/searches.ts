// Web searches that a simulated provider runs: if one is offered and the instructions or the last user's message say
// "search", or if it is demanded.
import { asArray, asObject, isObject, type JsonObject } from "../core/json/json.ts";
import type { Answer, Exchange } from "./types.ts";

export const QUERY = "simulated";

export const PAGES = [
  { id: 1, url: "https://example.com/one", title: "The first page", snippet: "First.", source: "web" },
  { id: 2, url: "https://example.com/two", title: "The second page", snippet: "Second.", source: "web" },
] as const;

/** True for Anthropic's and OpenAI's search tools of any version. */
export function isSearchTool(tool: unknown): boolean {
  return /^web_search/.test(String(asObject(tool).type));
}

/** True if the provider searches for an answer. */
export function isSearching({ body, prompt }: Exchange): boolean {
  const isOffered = asArray(body.tools).some((tool) => isSearchTool(tool) || asObject(tool).googleSearch);
  const choice = body.tool_choice;
  if (!isOffered || choice === "none" || asObject(choice).type === "none") return false;
  if (isObject(choice) && (isSearchTool(choice) || choice.name === "web_search")) return true;
  const asked = prompt.turns.filter(({ role }) => role === "system");
  const last = prompt.turns.findLast(({ role }) => role === "user");
  return [...asked, last].some((turn) => /search/i.test(turn?.text ?? ""));
}

type SearchBlock = JsonObject & { readonly type: "server_tool_use" | "web_search_tool_result" };

/** Returns Anthropic's blocks of a search, which come before the text that cites it. */
export function renderSearchBlocks(exchange: Exchange): readonly SearchBlock[] {
  const id = `srvtoolu_${exchange.id("search", 24)}`;
  const content = PAGES.map(({ url, title }) => ({
    type: "web_search_result",
    url,
    title,
    encrypted_content: `EqgC${exchange.id(url, 40)}`,
    page_age: null,
  }));
  return [
    { type: "server_tool_use", id, name: "web_search", input: { query: QUERY } },
    { type: "web_search_tool_result", tool_use_id: id, content },
  ];
}

/** Anthropic's citation of the first page. */
export function renderCitation(exchange: Exchange): JsonObject {
  const { url, title, snippet } = PAGES[0];
  const encrypted_index = `Eo8B${exchange.id("index", 40)}`;
  return { type: "web_search_result_location", url, title, cited_text: snippet, encrypted_index };
}

/** OpenAI's item of a search. */
export function renderSearchItem(exchange: Exchange): JsonObject {
  const sources = asArray(exchange.body.include).includes("web_search_call.action.sources")
    ? { sources: PAGES.map(({ url }) => ({ type: "url", url })) }
    : {};
  const action = { type: "search", query: QUERY, queries: [QUERY], ...sources };
  return { id: `ws_${exchange.id("search", 32)}`, type: "web_search_call", status: "completed", action };
}

/** OpenAI's citation of the first page for a whole text. */
export function renderAnnotation(text: string): JsonObject {
  const { url, title } = PAGES[0];
  return { type: "url_citation", start_index: 0, end_index: text.length, url, title };
}

/** Google's report, with the first page cited for the whole text. */
export function renderGrounding({ text }: Answer): JsonObject {
  const segment = { startIndex: 0, endIndex: Buffer.byteLength(text), text };
  return {
    groundingMetadata: {
      webSearchQueries: [QUERY],
      groundingChunks: PAGES.map(({ url: uri, title }) => ({ web: { uri, title } })),
      groundingSupports: [{ segment, groundingChunkIndices: [0] }],
    },
  };
}
