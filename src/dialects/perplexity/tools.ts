// The tools of an Agent API call: the client's functions, and the web search that makes a model behave as Sonar did.

import { asArray, asNumber, asObject, asString, isObject, type JsonObject } from "../../core/json.ts";
import type { ChatRequest } from "../../operations/chat/form.ts";
import { type PlainChoice, simplifyChoice } from "../../operations/chat/tool-choice.ts";
import { toFunction } from "../_chat/tools.ts";
import { flattenTool } from "../_responses/input.ts";
import type { Served } from "./models.ts";
import type { ToolNames } from "./names.ts";

/** Sonar's fields that are filters of the search tool now, by the same names. */
const FILTERS = [
  "search_recency_filter",
  "search_after_date_filter",
  "search_before_date_filter",
  "last_updated_after_filter",
  "last_updated_before_filter",
] as const;

/** The client's fields that say something about the search. */
export const SEARCH_FIELDS = [
  ...FILTERS,
  "search_domain_filter",
  "num_search_results",
  "web_search_options",
] as const;

const DOMAINS_MAX = 20;
const RESULTS_MAX = 50;
const PLACE_FIELDS = ["latitude", "longitude", "country", "region", "city"] as const;

/** `tools`, `tool_choice` and `max_tool_calls` of the body. Custom tools go as functions of one string. */
export function makeToolFields(request: ChatRequest, served: Served, names: ToolNames): JsonObject {
  const { choice, allowed } = simplifyChoice(request.tool_choice);
  const searchesItself = "preset" in served.selects;
  // "none" would silence the search as well, and the client meant its own functions: they are not sent.
  const silenced = choice === "none" && (served.searches || searchesItself);
  const functions = silenced ? [] : (request.tools ?? []).map(toFunction);
  const own = functions
    .filter((tool) => allowed === null || allowed.has(tool.function.name))
    .map((tool) => flattenTool(tool, names.upstream(tool.function.name)));
  if (request.disable_search === true) {
    return { ...makeToolList(own, choice, names), ...switchOffCalls(own, searchesItself) };
  }
  const asked = SEARCH_FIELDS.some((field) => request[field] !== undefined);
  // A forced call must be one of the client's functions: beside them the search could take its place.
  const inTheWay = own.length > 0 && (choice === "required" || isObject(choice));
  const search = !inTheWay && (served.searches || asked) ? [makeSearchTool(request)] : [];
  const tools = [...search, ...own];
  if (own.length > 0 || !served.searches) return makeToolList(tools, silenced ? undefined : choice, names);
  // Merely offered, the search is often left unused; Sonar searched on every call.
  return { tools, tool_choice: { type: "web_search" } };
}

/** A preset's tools can't be removed: with no other tool, only all calls together can be switched off. */
function switchOffCalls(own: readonly JsonObject[], searchesItself: boolean): JsonObject {
  return searchesItself && own.length === 0 ? { max_tool_calls: 0 } : {};
}

function makeToolList(
  tools: readonly JsonObject[],
  choice: PlainChoice["choice"],
  names: ToolNames,
): JsonObject {
  if (tools.length === 0) return {};
  if (choice === undefined) return { tools };
  const named = typeof choice === "string" ? choice : { name: names.upstream(choice.function.name) };
  return { tools, tool_choice: named };
}

function makeSearchTool(request: ChatRequest): JsonObject {
  const filters: JsonObject = {};
  for (const field of FILTERS) if (request[field] !== undefined) filters[field] = request[field];
  const domains = asArray(request.search_domain_filter).filter((one) => typeof one === "string");
  if (domains.length > 0) filters.search_domain_filter = domains.slice(0, DOMAINS_MAX).map(dropScheme);
  const options = asObject(request.web_search_options);
  const size = asString(options.search_context_size);
  const place = readPlace(options.user_location);
  const results = asNumber(request.num_search_results);
  return {
    type: "web_search",
    ...(Object.keys(filters).length > 0 ? { filters } : {}),
    ...(size === undefined ? {} : { search_context_size: size }),
    ...(Object.keys(place).length > 0 ? { user_location: place } : {}),
    ...(results === undefined
      ? {}
      : { max_results: Math.min(RESULTS_MAX, Math.max(1, Math.round(results))) }),
  };
}

/** A leading `-` denies a domain. The API refuses a domain with a scheme. */
function dropScheme(domain: string): string {
  return domain.replace(/^(-?)https?:\/\//, "$1");
}

/** OpenAI nests the place under `approximate`, Sonar did not. */
function readPlace(location: unknown): JsonObject {
  const given = asObject(asObject(location).approximate ?? location);
  const place: JsonObject = {};
  for (const field of PLACE_FIELDS) if (given[field] !== undefined) place[field] = given[field];
  return place;
}
