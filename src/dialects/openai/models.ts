// The rules of OpenAI's own models, by name pattern (OpenAI API reference and @ai-sdk/openai 4.0).
import { can, type ModelCard } from "../../core/models/card.ts";
import { isRefused } from "../../core/models/refusals.ts";
import { remember } from "../../core/world/remember.ts";
import type { ChatRequest } from "../../operations/chat/form.ts";
import { hasFileUrl } from "../../operations/chat/prompt/media.ts";
import { findSearch } from "../../operations/chat/prompt/web-search.ts";
import { thinksWithTools } from "./plan.ts";
import { findQuirks, type ModelQuirks, NO_EFFORT, type OpenaiQuirks, PLAIN } from "./quirks.ts";

const PENALTIES = ["presence_penalty", "frequency_penalty", "logit_bias"];
const SAMPLING = ["temperature", "top_p", "logprobs", "top_logprobs"];
/** Only audio models accept these, and only search models `web_search_options`. */
const SOUND = ["audio", "modalities"];
const SEARCH = "web_search_options";

/** Models that don't think. They support neither custom tools nor lists of allowed tools. */
const TALKS = {
  refuses: [...SOUND, SEARCH, "verbosity"],
  refusesThinking: [],
  effort: NO_EFFORT,
  customTools: false,
  developerRole: true,
  directions: ["none", "required", "named"],
} as const satisfies ModelQuirks["quirks"];

/** Models that always think, and so accept no sampling fields. */
const THINKS = { refuses: [...PENALTIES, ...SAMPLING, "stop", "prediction", ...SOUND, SEARCH] } as const;
/** Models from gpt-5.1 on, which accept sampling fields once thinking is turned off. */
const THINKS_AT_WILL = {
  refuses: [...PENALTIES, "top_logprobs", "stop", "prediction", ...SOUND, SEARCH],
  refusesThinking: ["temperature", "top_p", "logprobs"],
} as const;

/** OpenAI's own models by name, including fine-tuned ones: platforms serve other vendors' models too. */
export const OPENAI_MODEL = /^(ft:)?(gpt-\d|chatgpt|o\d|codex|computer-use)/;
/** From gpt-5.6 on. Unknown later ones are among them. */
const NEWEST = /^(ft:)?gpt-(5\.([6-9]|\d\d)|[6-9]|\d\d)/;
/** Available only at `/responses`. */
const RESPONSES_ONLY = /(^|-)(pro|codex|deep-research)(-|$)|^computer-use/;

interface ReportedNames {
  readonly names: RegExp;
  readonly source: string;
  /** The month of the latest report. */
  readonly seen: string;
}

/** At `/chat/completions` they accept tools only while thinking is turned off. The tests' strict provider reads it too. */
export const TOOLS_OR_THINKING: readonly ReportedNames[] = [
  {
    names: /^(ft:)?gpt-5\.4/,
    source: "pipecat, issue 4043; openai-openapi, issue 541; dotnet/extensions, issue 7407",
    seen: "2026-05",
  },
  {
    names: /^(ft:)?gpt-5\.5/,
    source: "crush, issue 2913; Aether, issue 1026; llm-memory-api, pull request 178",
    seen: "2026-06",
  },
  {
    names: NEWEST,
    source: "webmcp-tools, issue 417; LiteLLM, pull request 34569; OpenAI's pages of models",
    seen: "2026-11",
  },
];

function isToolsOrThinking({ name }: ModelCard): boolean {
  for (const { names } of TOOLS_OR_THINKING) if (names.test(name)) return true;
  return false;
}
/** They search at `/chat/completions`, on every request. */
export const SEARCHES_IN_CHAT = /search/;
const CAN_STOP_THINKING = /^(ft:)?gpt-(5\.|6-(luna|sol)|6\.1-terra)/;

const MODELS: readonly ModelQuirks[] = [
  { names: RESPONSES_ONLY, quirks: { choicesMax: 1 } },
  {
    names: SEARCHES_IN_CHAT,
    quirks: {
      ...TALKS,
      refuses: [...PENALTIES, ...SAMPLING, ...SOUND, "parallel_tool_calls", "seed", "verbosity"],
    },
  },
  { names: /audio/, quirks: { ...TALKS, refuses: [SEARCH, "verbosity"] } },
  { names: /^(ft:)?(gpt-3|gpt-4|chatgpt-|gpt-5-chat)/, quirks: TALKS },
  { names: /^gpt-5\.\d+-chat/, quirks: { effort: { values: ["medium"] } } },
  {
    names: /^(ft:)?o\d/,
    quirks: {
      ...THINKS,
      refuses: [...THINKS.refuses, "parallel_tool_calls", "verbosity"],
      effort: { values: ["low", "medium", "high"] },
      customTools: false,
      directions: TALKS.directions,
    },
  },
  {
    names: /^(ft:)?gpt-5(-|$)/,
    quirks: { ...THINKS, effort: { values: ["minimal", "low", "medium", "high"] } },
  },
  {
    names: /^(ft:)?gpt-5\.1/,
    quirks: { effort: { values: ["none", "low", "medium", "high"], offByDefault: true } },
  },
  {
    names: /^(ft:)?gpt-5\.[2-4]/,
    quirks: { effort: { values: ["none", "low", "medium", "high", "xhigh"], offByDefault: true } },
  },
  { names: /^(ft:)?gpt-5\.5/, quirks: { effort: { values: ["none", "low", "medium", "high", "xhigh"] } } },
  // With tools they use `/responses`, which returns one choice.
  { names: CAN_STOP_THINKING, quirks: { choicesMax: 1, crossesMarks: true } },
  {
    names: NEWEST,
    quirks: {
      ...THINKS,
      choicesMax: 1,
      crossesMarks: true,
      effort: { values: ["low", "medium", "high", "xhigh", "max"] },
    },
  },
];

/** OpenAI's own endpoint. Unknown names get the rules of the newest models. */
export const OPENAI: OpenaiQuirks = {
  ...PLAIN,
  ...THINKS_AT_WILL,
  choicesMax: 128,
  limitField: "max_completion_tokens",
  developerRole: true,
  messageFields: ["refusal", "audio"],
  cacheMark: "prompt_cache_breakpoint",
  customTools: true,
  toolUnions: false,
  directions: ["none", "required", "named", "allowed_tools"],
  effort: { values: ["none", "low", "medium", "high", "xhigh", "max"] },
  models: MODELS,
};

const quirksOf = remember((card: ModelCard) => findQuirks(OPENAI, card));

/** True if the request's web search will be sent, and must use `/responses`. */
export function needsResponsesToSearch(card: ModelCard, request: ChatRequest): boolean {
  return findSearch(request) !== null && can(card, "search") && !SEARCHES_IN_CHAT.test(card.name);
}

/** True if the provider has to fetch a file, which it does at `/responses` only. */
function needsResponsesToFetch(card: ModelCard, request: ChatRequest): boolean {
  return can(card, "files") && !SEARCHES_IN_CHAT.test(card.name) && hasFileUrl(request);
}

/**
 * True if a request must use `/responses`: because of its model, to search, for a file by URL, or because it has tools
 * and may think.
 */
export function needsResponses(card: ModelCard, request: ChatRequest): boolean {
  if (RESPONSES_ONLY.test(card.name) || needsResponsesToSearch(card, request)) return true;
  if (needsResponsesToFetch(card, request)) return true;
  if (request.tools === undefined || !isRefused(card, "tools_with_effort", isToolsOrThinking(card)))
    return false;
  return thinksWithTools(request, quirksOf(card));
}

/** Like `needsResponses`, but not for other vendors' models: their names may end alike. */
export function needsResponsesOnAzure(card: ModelCard, request: ChatRequest): boolean {
  return OPENAI_MODEL.test(card.name) && needsResponses(card, request);
}
