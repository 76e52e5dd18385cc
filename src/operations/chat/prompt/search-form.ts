// Web searches in the canonical form: what a request asks for, and what an answer tells.
import type { JsonObject } from "../../../core/json/json.ts";

/**
 * A request to have the provider search the web: OpenAI's options of chat completions, with those that other vendors'
 * search tools have.
 */
export interface SearchOptions extends JsonObject {
  search_context_size?: string;
  user_location?: { type: "approximate"; approximate: JsonObject };
  /** The most searches. */
  max_uses?: number;
  /** Names of hosts, without a scheme. */
  allowed_domains?: readonly string[];
  blocked_domains?: readonly string[];
  /** True if the client demands a search. Only surfaces set it. */
  is_forced?: true;
}

/** A page that a search found. */
export interface FoundPage extends JsonObject {
  url: string;
  /** The URL if the provider names no title. */
  title: string;
  /** The provider's words for its date, such as `3 days ago`. */
  page_age?: string;
  snippet?: string;
}

/** A web search that the provider ran for an answer. */
export interface WebSearch extends JsonObject {
  /** Empty if the provider doesn't report them. */
  queries: readonly string[];
  /** Empty if nothing was found, or the provider doesn't report it. */
  pages: readonly FoundPage[];
  /** The provider's word for what went wrong. */
  error?: string;
}
