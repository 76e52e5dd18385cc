// Perplexity's Agent API as an upstream dialect (Perplexity, "Migrate from Sonar to the Agent API").
import { asArray, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import { makeCitation } from "../../operations/chat/answer/citations.ts";
import type { ChatRequest, Citation, Delta, Usage } from "../../operations/chat/form.ts";
import { findSearch, makeSearch } from "../../operations/chat/prompt/web-search.ts";
import { boundCodec, USUAL_BOUNDS } from "../_chat/bounds.ts";
import { explainChat } from "../_chat/error.ts";
import { readCustomCalls } from "../_chat/tools.ts";
import { parseCount } from "../_chat/usage.ts";
import { parseResponseUsage } from "../_responses/fields.ts";
import { type OutputForm, ResponseReader } from "../_responses/output.ts";
import type { ChatDialect } from "../dialect.ts";
import { encode, fit } from "./encode.ts";
import { isServedBy } from "./models.ts";
import { listToolNames, type PerplexityToolNames, searches } from "./tools.ts";

/** The text cites the result with id 7 as `[7]`. */
const MARK = /\[(\d+)\]/g;
const RESULT_ITEMS: ReadonlySet<unknown> = new Set(["search_results", "people_search_results"]);

/** Adds to the common items: search results, the citations made of them, billed searches. */
class AgentOutput implements OutputForm {
  readonly #names: PerplexityToolNames;
  readonly #results: JsonObject[] = [];
  readonly #isAsked: boolean;

  constructor(request: ChatRequest) {
    this.#isAsked = findSearch(request) !== null;
    this.#names = listToolNames(request);
  }

  /** Returns null for the API's own searches, which also appear as function calls. */
  callName(name: string): string | null {
    return this.#names.client(name);
  }

  other(item: JsonObject): Delta | null {
    if (!RESULT_ITEMS.has(item.type)) return null;
    const results = asArray(item.results).filter(isObject);
    this.#results.push(...results);
    // These models always search. Clients that offered no search take one for a call of an unknown tool.
    if (item.type !== "search_results" || !this.#isAsked) return null;
    const pages = results.map(({ url, title, date, snippet }) => ({ url, title, page_age: date, snippet }));
    return { web_searches: [makeSearch(asArray(item.queries), pages)] };
  }

  /** `citations` and `search_results` are beside the choices, as in Sonar. */
  closing(text: string, cited: boolean): { delta: Delta; extras: JsonObject } {
    const urls = this.#results.map((result) => asString(result.url)).filter((url) => url !== undefined);
    const extras = urls.length > 0 ? { citations: urls, search_results: this.#results } : {};
    const annotations = cited ? [] : this.#annotations(text);
    return { delta: annotations.length > 0 ? { annotations } : {}, extras };
  }

  /** Web searches are billed separately. Fetched pages and other tools don't count as searches. */
  usage(given: JsonObject): Usage {
    const { invocation } = asObject(asObject(given.tool_calls_details).search_web);
    return parseResponseUsage(given, parseCount(invocation));
  }

  #annotations(text: string): readonly Citation[] {
    const byId = new Map(this.#results.map((result) => [String(result.id), result]));
    return [...text.matchAll(MARK)].flatMap((mark) => {
      const { url, title, snippet } = asObject(byId.get(mark[1] ?? ""));
      return makeCitation(mark.index, mark.index + mark[0].length, { url, title, content: snippet });
    });
  }
}

export const perplexity: ChatDialect = {
  name: "perplexity",
  chat: boundCodec(
    {
      answersPerCall: () => 1,
      fit,
      encode,
      searches: (card, request) => searches(request, isServedBy(card.name)),
      ...readCustomCalls({
        decoder: (_card, request) => new ResponseReader(new AgentOutput(request)),
        reply: (body, _card, request) => new ResponseReader(new AgentOutput(request)).reply(body),
      }),
    },
    () => USUAL_BOUNDS,
  ),
  explain: explainChat,
};
