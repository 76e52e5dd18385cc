// The most searches that a request may trigger.
import type { ModelCard } from "../../core/card.ts";
import { asArray, asObject, asString } from "../../core/json.ts";
import type { ChatRequest } from "./form.ts";

/** An agent takes up to 10 steps (docs.perplexity.ai, `max_steps`), a researching one more. */
const [SEARCHES_MAX, RESEARCH_SEARCHES_MAX] = [10, 50];
/** The fields with which clients request a search: OpenAI's, xAI's, Sonar's, Qwen's. */
const SEARCH_FIELDS = [
  ...["web_search_options", "search_parameters", "search_domain_filter", "search_recency_filter"],
  ...["search_after_date_filter", "search_before_date_filter", "last_updated_after_filter"],
  ...["last_updated_before_filter", "num_search_results", "enable_search", "search_options"],
];
/** Models that search by default. Perplexity also serves other makers' models (`openai/gpt-6`), which don't. */
const SEARCHING = /^perplexity#[^/]+$|perplexity\/|sonar|[-/]search|:online|compound/;
const RESEARCHING = /research|#(medium|high|xhigh)$/;

/** Returns the most searches that the provider may run and bill per choice, 0 if none is requested. */
export function searchesMax(request: ChatRequest, card: ModelCard): number {
  if (request.disable_search === true && request.tools === undefined) return 0;
  const { searching, researching } = kinds.getOrInsertComputed(card, findKind);
  const asked =
    SEARCH_FIELDS.some((field) => request[field] !== undefined) ||
    asArray(request.tools).some((tool) => asString(asObject(tool).type)?.includes("search"));
  if (!asked && !searching) return 0;
  return researching ? RESEARCH_SEARCHES_MAX : SEARCHES_MAX;
}

interface Kind {
  readonly searching: boolean;
  readonly researching: boolean;
}

/** The facts implied by a card's name are computed once. */
const kinds = new WeakMap<ModelCard, Kind>();

function findKind(card: ModelCard): Kind {
  const id = readToolName(card);
  return { searching: SEARCHING.test(id), researching: RESEARCHING.test(id) };
}

/** Returns the provider and name in lower case, which identify models here. */
export function readToolName(card: ModelCard): string {
  return `${card.provider}#${card.name}`.toLowerCase();
}
