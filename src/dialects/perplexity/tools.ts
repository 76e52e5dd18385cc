// The tools of an Agent API call: the client's functions, their names, and the web search that makes it act like Sonar.

import { asArray, asNumber, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import type { ChatRequest, Tool } from "../../operations/chat/form.ts";
import { type PlainChoice, simplifyChoice } from "../../operations/chat/prompt/tool-choice.ts";
import { nestFields, pickFields } from "../_chat/outgoing.ts";
import { readToolName, toFunction } from "../_chat/tools.ts";
import { flattenTool } from "../_responses/input.ts";
import type { ModelTraits } from "./models.ts";

/**
 * Names of the API's own tools, refused as function names with a 400 (Perplexity, "Function calling and tools"; hermes-agent,
 * issue 114260, September 2026).
 */
const RESERVED: ReadonlySet<string> = new Set([
  "web_search",
  "search_web",
  "search_files",
  "people_search",
  "search_people",
  "fetch_url",
  "finance_search",
  "sandbox",
]);

export interface PerplexityToolNames {
  /** Returns the name that is sent for a client's name. */
  upstream(name: string): string;
  /** Returns the client's name of a called function, or null if the client declared no such function. */
  client(name: string): string | null;
}

/** Maps the names of a request, the same way for its encoding and its answer. */
export function listToolNames(request: ChatRequest): PerplexityToolNames {
  const declared = (request.tools ?? []).map(readToolName);
  const taken = new Set(declared);
  const upstream = (name: string): string => {
    if (!RESERVED.has(name)) return name;
    let renamed = `client_${name}`;
    while (taken.has(renamed)) renamed = `client_${renamed}`;
    return renamed;
  };
  const back = new Map(declared.map((name) => [upstream(name), name]));
  return { upstream, client: (name) => back.get(name) ?? null };
}

/** Sonar's fields that are now filters of the search tool, with the same names. */
const FILTERS = [
  "search_recency_filter",
  "search_after_date_filter",
  "search_before_date_filter",
  "last_updated_after_filter",
  "last_updated_before_filter",
] as const;

/** The client's fields about the search. */
export const SEARCH_FIELDS = [
  ...FILTERS,
  "search_domain_filter",
  "num_search_results",
  "web_search_options",
] as const;

const DOMAINS_MAX = 20;
const RESULTS_MAX = 50;
const PLACE_FIELDS = ["latitude", "longitude", "country", "region", "city"] as const;

/** Makes `tools`, `tool_choice` and `max_tool_calls`. Custom tools become functions of one string. */
export function makeToolFields(
  request: ChatRequest,
  served: ModelTraits,
  names: PerplexityToolNames,
): JsonObject {
  const { choice, allowed } = simplifyChoice(request.tool_choice);
  const searchesItself = "preset" in served.selects;
  // "none" would also disable the search, but the client meant its own functions, so these are not sent.
  const silenced = choice === "none" && (served.searches || searchesItself);
  const own = silenced ? [] : listOwnTools(request.tools, allowed, names);
  if (request.disable_search === true) {
    return { ...makeToolList(own, choice, names), ...limitCalls(searchesItself && own.length === 0) };
  }
  const isForced = request.web_search_options?.is_forced === true;
  const search = offersSearch(request, served, own.length > 0) ? [makeSearchTool(request)] : [];
  const tools = [...search, ...own];
  const isSonar = own.length === 0 && served.searches;
  if (!isForced && !isSonar) return makeToolList(tools, silenced ? undefined : choice, names);
  // If it is only offered, the search is often unused, but Sonar searched on every call.
  return { tools, tool_choice: { type: "web_search" } };
}

/** A forced call must be one of the client's functions, but the model could call the search instead. */
function offersSearch(request: ChatRequest, served: ModelTraits, hasOwn: boolean): boolean {
  const { choice } = simplifyChoice(request.tool_choice);
  const inTheWay = hasOwn && (choice === "required" || isObject(choice));
  const asked = SEARCH_FIELDS.some((field) => request[field] !== undefined);
  return !inTheWay && (served.searches || asked);
}

/** True if a call carries the request's search. */
export function searches(request: ChatRequest, served: ModelTraits): boolean {
  return request.disable_search !== true && offersSearch(request, served, request.tools !== undefined);
}

/** A preset's tools can't be removed. Without other tools, all calls together can be disabled. */
function limitCalls(areDisabled: boolean): JsonObject {
  return areDisabled ? { max_tool_calls: 0 } : {};
}

function listOwnTools(
  tools: readonly Tool[] = [],
  allowed: ReadonlySet<string> | null,
  names: PerplexityToolNames,
): readonly JsonObject[] {
  return tools
    .map(toFunction)
    .filter((tool) => allowed === null || allowed.has(tool.function.name))
    .map((tool) => flattenTool(tool, names.upstream(tool.function.name)));
}

function makeToolList(
  tools: readonly JsonObject[],
  choice: PlainChoice["choice"],
  names: PerplexityToolNames,
): JsonObject {
  if (tools.length === 0) return {};
  if (choice === undefined) return { tools };
  const named = typeof choice === "string" ? choice : { name: names.upstream(choice.function.name) };
  return { tools, tool_choice: named };
}

function makeSearchTool(request: ChatRequest): JsonObject {
  const filters = pickFields(request, FILTERS);
  const options = request.web_search_options ?? {};
  const domains = [
    ...asArray(request.search_domain_filter).filter((one) => typeof one === "string"),
    ...(options.allowed_domains ?? []),
    ...(options.blocked_domains ?? []).map((domain) => `-${domain}`),
  ];
  // A leading `-` excludes a domain. The API refuses a domain with a scheme.
  const plain = domains.map((domain) => domain.replace(/^(-?)https?:\/\//, "$1"));
  if (domains.length > 0) filters.search_domain_filter = plain.slice(0, DOMAINS_MAX);
  const size = asString(options.search_context_size);
  // OpenAI nests the location under `approximate`, Sonar did not.
  const place = asObject(options.user_location);
  const results = asNumber(request.num_search_results);
  return {
    type: "web_search",
    ...nestFields("filters", filters),
    search_context_size: size,
    ...nestFields("user_location", pickFields(asObject(place.approximate ?? place), PLACE_FIELDS)),
    max_results: results === undefined ? undefined : Math.min(RESULTS_MAX, Math.max(1, Math.round(results))),
  };
}
