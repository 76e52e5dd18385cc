// Web searches that the provider runs: what a request asks for, and what an answer tells of them.
import {
  asArray,
  asNumber,
  asObject,
  asString,
  isObject,
  type JsonObject,
  omitUndefined,
} from "../../../core/json/json.ts";
import { type ChangedAsk, NONE } from "../../form.ts";
import type { ChatRequest } from "../form.ts";
import type { FoundPage, SearchOptions, WebSearch } from "./search-form.ts";

/** The limit if the client sets none: without one, a provider may search endlessly. */
const USES_DEFAULT = 5;
/** More than any search finds. The rest is left out. */
const PAGES_MAX = 100;
const QUERIES_MAX = 20;

/** Returns whether the client offers the model a search, or demands one. Null if it does neither. */
export function findSearch({ web_search_options: options }: ChatRequest): "offered" | "forced" | null {
  if (options === undefined) return null;
  return options.is_forced === true ? "forced" : "offered";
}

/** Replaces a forced search where a model can't be forced to search. */
export const SEARCH_DEMAND = "In this answer, search the web first, and answer from what you find.";

/** The fields of a search, as `x-poundkey-dropped` names them. */
const NAME = "web_search_options";

/** Returns the request with a limit of searches, for APIs that keep to one. */
export function limitSearches(request: ChatRequest): ChatRequest {
  const options = request.web_search_options;
  if (options === undefined || options.max_uses !== undefined) return request;
  return { ...request, web_search_options: { ...options, max_uses: USES_DEFAULT } };
}

/** Returns the request without the options of a search that an API lacks, and names them. */
export function keepSearchOptions(
  request: ChatRequest,
  names: readonly (keyof SearchOptions)[],
): ChangedAsk<ChatRequest> {
  const { web_search_options: options } = request;
  if (options === undefined) return { ask: request, dropped: NONE };
  const lacking = Object.keys(options).filter((name) => name !== "is_forced" && !names.includes(name));
  if (lacking.length === 0) return { ask: request, dropped: NONE };
  const kept: SearchOptions = { ...options };
  for (const name of lacking) delete kept[name];
  return { ask: { ...request, web_search_options: kept }, dropped: lacking.map((name) => `${NAME}.${name}`) };
}

/** Returns the place of the user as OpenAI's Responses and Anthropic's Messages write it: beside the type. */
export function flattenPlace({ user_location: place }: SearchOptions): JsonObject {
  if (!isObject(place)) return {};
  const { type: _type, ...given } = asObject(place.approximate ?? place);
  return { user_location: { type: "approximate", ...given } };
}

/** Reads what a client's tool asks for, with the user's place and the hosts as Responses and Messages write them. */
export function readSearchOptions(asked: JsonObject, isForced: boolean): SearchOptions {
  return omitUndefined<SearchOptions>({
    search_context_size: asString(asked.search_context_size),
    user_location: nestPlace(asked.user_location),
    max_uses: asNumber(asked.max_uses),
    allowed_domains: readDomains(asked.allowed_domains),
    blocked_domains: readDomains(asked.blocked_domains),
    is_forced: isForced || undefined,
  });
}

/** Reads such a place. Nulls are as good as missing. */
function nestPlace(given: unknown): SearchOptions["user_location"] {
  if (given === undefined || given === null) return undefined;
  const { type: _type, ...place } = asObject(given);
  const fields = Object.entries(place).filter(([, value]) => value !== null);
  return { type: "approximate", approximate: Object.fromEntries(fields) };
}

/** Reads a list of hosts. Undefined if there are none. */
export function readDomains(value: unknown): readonly string[] | undefined {
  const domains = asArray(value).filter((one) => typeof one === "string");
  return domains.length > 0 ? domains : undefined;
}

/** A found page as given by the provider, unchecked. */
export interface GivenPage {
  readonly url: unknown;
  readonly title?: unknown;
  readonly page_age?: unknown;
  readonly snippet?: unknown;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** Returns a search with all of its pages that have a URL. */
export function makeSearch(
  queries: readonly unknown[],
  pages: readonly GivenPage[],
  error?: string,
): WebSearch {
  return omitUndefined<WebSearch>({
    queries: queries.filter(isText).slice(0, QUERIES_MAX),
    pages: pages.slice(0, PAGES_MAX).flatMap(makePage),
    error,
  });
}

function makePage(given: GivenPage): readonly FoundPage[] {
  const url = asString(given.url);
  if (!url) return [];
  const page_age = asString(given.page_age) || undefined;
  const snippet = asString(given.snippet) || undefined;
  return [omitUndefined<FoundPage>({ url, title: asString(given.title) || url, page_age, snippet })];
}

/** Returns a search of an earlier turn as text, for models of other vendors. */
export function writeSearchText(...told: Parameters<typeof makeSearch>): string {
  const { queries, pages, error } = makeSearch(...told);
  const asked = queries.length > 0 ? ` for ${queries.map((query) => JSON.stringify(query)).join(", ")}` : "";
  if (error !== undefined) return `[Searched the web${asked}: ${error}]`;
  const found = pages.map(({ title, url }) => (title === url ? `- ${url}` : `- ${title}: ${url}`));
  return found.length === 0
    ? `[Searched the web${asked}]`
    : `[Searched the web${asked}. Found:\n${found.join("\n")}]`;
}
