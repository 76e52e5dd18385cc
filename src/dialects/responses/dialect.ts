// OpenAI's Responses API as an upstream dialect (OpenAI API reference, "Responses" and "Streaming").

import type { Fault } from "../../core/faults/fault.ts";
import { asArray, asObject, isObject, type JsonObject } from "../../core/json/json.ts";
import { can } from "../../core/models/card.ts";
import type { ChatForm } from "../../operations/chat/decoder.ts";
import type { ChatRequest, Delta, Usage } from "../../operations/chat/form.ts";
import { dropThinking } from "../../operations/chat/prompt/refused-thinking.ts";
import { makeSearch } from "../../operations/chat/prompt/web-search.ts";
import type { AnswerCodec } from "../../operations/codec.ts";
import { type Bounds, boundCodec, USUAL_BOUNDS } from "../_chat/bounds.ts";
import { explainChat } from "../_chat/error.ts";
import { namesUpTo } from "../_chat/tool-names.ts";
import { listCustomNames } from "../_chat/tools.ts";
import { parseCount } from "../_chat/usage.ts";
import type { CallType } from "../_responses/events.ts";
import { parseResponseUsage } from "../_responses/fields.ts";
import { type OutputForm, REASONING_FORMAT, ResponseReader } from "../_responses/output.ts";
import type { ChatDialect } from "../dialect.ts";
import { encode, fit } from "./encode.ts";
import { findFacts } from "./models.ts";

class ResponsesOutput implements OutputForm {
  readonly #customTools: ReadonlySet<string>;
  #searches = 0;

  constructor(request: ChatRequest) {
    this.#customTools = listCustomNames(request);
  }

  /** Servers report runs of their own tools as custom calls too (xAI's searches). The client can't answer those. */
  callName(name: string, type: CallType): string | null {
    return type === "function_call" || this.#customTools.has(name) ? name : null;
  }

  /** Only a search of the web counts. Opening a found page is not billed. */
  other(item: JsonObject): Delta | null {
    const { type, queries, query, sources } = asObject(item.action);
    if (item.type !== "web_search_call" || (type !== undefined && type !== "search")) return null;
    this.#searches++;
    const asked = asArray(queries).length > 0 ? asArray(queries) : [query];
    const pages = asArray(sources).map((one) => ({ url: asObject(one).url, title: asObject(one).title }));
    const error = item.status === "failed" ? "unavailable" : undefined;
    return { web_searches: [makeSearch(asked, pages, error)] };
  }

  closing(): { delta: Delta; extras: JsonObject } {
    return { delta: {}, extras: {} };
  }

  /** xAI reports what it bills. For other servers the items are counted. */
  usage(given: JsonObject): Usage {
    const billed = given.server_side_tool_usage_details;
    const { web_search_calls: web, x_search_calls: posts } = asObject(billed);
    const searches = isObject(billed) ? parseCount(web) + parseCount(posts) : this.#searches;
    return parseResponseUsage(given, searches);
  }
}

/** OpenAI's 404 for reasoning that it neither encrypted nor stored. */
const UNKNOWN_REASONING = /^Item with id 'rs_/;

/** True for a 400 about encrypted reasoning of another organisation, and for OpenAI's 404 about another server's. */
export function isReasoningRefused({ code, message, details }: Fault): boolean {
  if (code === "model_not_found") return UNKNOWN_REASONING.test(message);
  const isAboutReasoning =
    details.shownCode === "invalid_encrypted_content" || /encrypted[_ ]content/i.test(message);
  return code === "upstream_rejected" && isAboutReasoning;
}

/** OpenAI's API description, "FunctionToolParam". Other servers' bounds are unknown. */
const OPENAI_BOUNDS: Bounds = { ...USUAL_BOUNDS, toolNames: namesUpTo(128) };

/** Reads answers to requests as they were sent. */
export const READING: AnswerCodec<ChatForm> = {
  decoder: (_card, request) => new ResponseReader(new ResponsesOutput(request)),
  reply: (body, _card, request) => new ResponseReader(new ResponsesOutput(request)).reply(body),
};

export const responses: ChatDialect = {
  name: "responses",
  chat: boundCodec(
    {
      ...READING,
      answersPerCall: () => 1,
      changesTools: (card) => findFacts(card).addsTools,
      fit,
      encode,
      searches: (card) => can(card, "search"),
      repair: (request, fault) =>
        isReasoningRefused(fault) ? dropThinking(request, REASONING_FORMAT) : null,
    },
    (card) => (findFacts(card).openAi ? OPENAI_BOUNDS : USUAL_BOUNDS),
  ),
  explain: explainChat,
};
