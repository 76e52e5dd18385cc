// The most searches that a request may trigger.

import { asArray, asObject, asString, type JsonObject } from "../../../core/json/json.ts";
import type { ModelCard } from "../../../core/models/card.ts";
import { remember } from "../../../core/world/remember.ts";
import { NONE } from "../../form.ts";
import type { ChatRequest } from "../form.ts";

/** An agent takes up to 10 steps (docs.perplexity.ai, `max_steps`), a researching one more. */
const SEARCHES_MAX = 10;
const RESEARCH_SEARCHES_MAX = 50;
/** The fields with which clients request a search: OpenAI's, xAI's, Sonar's, Qwen's. */
const SEARCH_FIELDS = [
  "web_search_options",
  "search_parameters",
  "search_domain_filter",
  "search_recency_filter",
  "search_after_date_filter",
  "search_before_date_filter",
  "last_updated_after_filter",
  "last_updated_before_filter",
  "num_search_results",
  "enable_search",
  "search_options",
];
const IS_SEARCH_FIELD: ReadonlySet<string> = new Set(SEARCH_FIELDS);
/** Models that search by default. Perplexity also serves other makers' models (`openai/gpt-6`), which don't. */
const SEARCHING = /^perplexity#[^/]+$|perplexity\/|sonar|[-/]search|:online|compound/;
const RESEARCHING = /research|#(medium|high|xhigh)$/;

/** Returns the most searches that the provider may run and bill per choice, 0 if none is requested. */
export function searchesMax(request: ChatRequest, card: ModelCard): number {
  if (request.disable_search === true && request.tools === undefined) return 0;
  const { searching, researching } = findKind(card);
  const asked = listSearchFields(request);
  const hasTool = asArray(request.tools).some(isSearchTool);
  if (asked.length === 0 && !hasTool && !searching) return 0;
  const most = researching ? RESEARCH_SEARCHES_MAX : SEARCHES_MAX;
  // Only where the API keeps to a limit is one left in the request.
  const limit = request.web_search_options?.max_uses;
  const isOnly = asked.length === 1 && !hasTool && !searching;
  return limit !== undefined && isOnly ? limit : Math.max(most, limit ?? 0);
}

function isSearchTool(tool: unknown): boolean {
  return asString(asObject(tool).type)?.includes("search") === true;
}

/** Lists the fields of a search that are set. Few requests have any, and none has as many fields as there are of those. */
function listSearchFields(body: Readonly<JsonObject>): readonly string[] {
  let asked: readonly string[] = NONE;
  for (const field in body)
    if (IS_SEARCH_FIELD.has(field) && body[field] !== undefined) asked = [...asked, field];
  return asked;
}

/**
 * Search tools of Anthropic, OpenAI, xAI, Groq and OpenRouter by type, and Gemini's by field. Providers that run no
 * searches fetch no pages either.
 */
const SEARCH_TOOL = /(web|x|live|browser)_search|googleSearch|web_fetch/;

/** True if the card has a price for searches, or searches anyway, or costs nothing. */
export function maySearch(card: ModelCard): boolean {
  const isPriced = card.price === null || card.price.perSearch !== undefined;
  return isPriced || findKind(card).searching;
}

interface SearchChanges {
  readonly changes: Readonly<JsonObject>;
  readonly dropped: readonly string[];
}

const UNCHANGED: SearchChanges = { changes: {}, dropped: [] };

/**
 * Returns the changes to a request, in the form of any API, without which its provider would bill searches that the card
 * has no price for, and the fields left out. Nothing is left out for a card without any price, which nobody is charged
 * for, and for a model that searches anyway.
 */
export function leaveOutUnpricedSearch(body: Readonly<JsonObject>, card: ModelCard): SearchChanges {
  if (maySearch(card)) return UNCHANGED;
  const dropped: string[] = [];
  const changes: JsonObject = {};
  for (const field of listSearchFields(body)) {
    if (!body[field]) continue;
    changes[field] = undefined;
    dropped.push(field);
  }
  if (hasSearch(body)) {
    const { isChosen, ...without } = leaveOutSearchTools(body);
    Object.assign(changes, without);
    dropped.push("tools", ...(isChosen && body.tool_choice !== undefined ? ["tool_choice"] : []));
  }
  // Codex adds tools within the conversation.
  const items = asArray(body.input).map(asObject);
  if (items.some(hasSearch)) {
    changes.input = items.map((item) =>
      hasSearch(item) ? { ...item, tools: leaveOutSearch(item.tools) } : item,
    );
    dropped.push("input.tools");
  }
  return { changes, dropped };
}

function leaveOutSearchTools(body: Readonly<JsonObject>) {
  const tools = leaveOutSearch(body.tools);
  const isChosen = tools.length === 0 || SEARCH_TOOL.test(JSON.stringify(body.tool_choice ?? ""));
  return {
    isChosen,
    tools: tools.length > 0 ? tools : undefined,
    // The limit of calls was for searches, which are the only tools that a provider runs here.
    max_tool_calls: undefined,
    ...(isChosen ? { tool_choice: undefined } : {}),
  };
}

function hasSearch({ tools }: JsonObject): boolean {
  return asArray(tools).some(isSearch);
}

/** True for a tool that searches, or a group of tools with one that does. */
export function isSearch(tool: unknown): boolean {
  const given = asObject(tool);
  if (hasSearch(given)) return true;
  return SEARCH_TOOL.test(asString(given.type) ?? Object.keys(given).join());
}

/** Gemini's functions may stand beside a search in one tool. */
function leaveOutSearch(tools: unknown): readonly unknown[] {
  return asArray(tools).flatMap((tool) => {
    const { functionDeclarations, ...given } = asObject(tool);
    if (!isSearch(tool)) return [tool];
    if (hasSearch(given)) return [{ ...given, tools: leaveOutSearch(given.tools) }];
    return functionDeclarations === undefined ? [] : [{ functionDeclarations }];
  });
}

interface SearchKind {
  readonly searching: boolean;
  readonly researching: boolean;
}

/** The facts implied by a card's name. */
const findKind = remember((card: ModelCard): SearchKind => {
  const id = readToolName(card);
  return { searching: SEARCHING.test(id), researching: RESEARCHING.test(id) };
});

/** Returns the provider and name in lower case, which identify models here. */
export function readToolName(card: ModelCard): string {
  return `${card.provider}#${card.name}`.toLowerCase();
}
