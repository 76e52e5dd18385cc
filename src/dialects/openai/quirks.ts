// The differences between chat-completions servers, as data: one value of this type per provider.

import type { JsonObject } from "../../core/json/json.ts";
import type { ModelCard } from "../../core/models/card.ts";
import { applyRules, type DialectRules } from "../../core/models/refusal-rules.ts";
import { hasRules, isRefused, listEfforts, type Refusal } from "../../core/models/refusals.ts";
import type { ErrorRule } from "../../core/models/upstream.ts";
import { EFFORTS } from "../../core/models/words/efforts.ts";
import type { ReasoningEffort } from "../../operations/chat/form.ts";
import { type Bounds, CHAT_BOUNDS } from "../_chat/bounds.ts";

/** The ways to control how long a model thinks. */
export interface EffortQuirks {
  /**
   * Accepted values of `reasoning_effort`. A request's value is moved to the nearest. Empty if it has no such field.
   */
  readonly values: readonly ReasoningEffort[];
  /**
   * The field that turns thinking on and off: `thinking: {type}` (DeepSeek, Moonshot, Z.ai; on by default) or
   * `enable_thinking` (Qwen). Missing if there is none.
   */
  readonly toggle?: "thinking" | "enable_thinking";
  /** True if it thinks only on request. */
  readonly offByDefault?: true;
}

/** Ways to direct tool use other than `auto`. */
type ToolDirection = "none" | "required" | "named" | "allowed_tools";

export interface OpenaiQuirks {
  /** At most this many choices per call. 1 also if only some of its models return more. */
  readonly choicesMax: number;
  readonly bounds: Bounds;
  readonly limitField: "max_tokens" | "max_completion_tokens";
  /** Fields of the chat-completions API that it refuses or ignores. They are left out and named. */
  readonly refuses: readonly string[];
  /** Fields outside the chat-completions API that it documents. All others are left out and named. */
  readonly extras: readonly string[];
  /** Fields that it refuses unless thinking is turned off. */
  readonly refusesThinking: readonly string[];
  /** Ranges narrower than OpenAI's. Values outside are moved to the nearest end. */
  readonly ranges: Readonly<Record<string, readonly [number, number]>>;
  readonly stopsMax: number;
  /** True if it accepts `stream_options.include_usage`. The others report usage without it. */
  readonly streamUsage: boolean;
  readonly developerRole: boolean;
  /** The orders of roles that it refuses. */
  readonly refusesTurns: ReadonlySet<Refusal>;
  /** True if messages may have a `name`. */
  readonly names: boolean;
  /** Accepted fields of assistant messages beside content, name and tool_calls; "any": all but those of replies. */
  readonly messageFields: readonly string[] | "any";
  /** The field in which it accepts earlier thinking. "any" passes the client's fields. */
  readonly thoughts: "reasoning_content" | "reasoning" | "reasoning_details" | "any" | null;
  /** The format of its own `reasoning_details`, if it reads no other. */
  readonly detailsFormat: string | null;
  /** True if, while thinking, it refuses messages with tool calls but no thinking: another model's get a blank one. */
  readonly thoughtsRequired: boolean;
  /** The field for cache marks on parts, tools and messages. Other marks are left out, since they change no answer. */
  readonly cacheMark: "cache_control" | "prompt_cache_breakpoint" | null;
  /** True if the gateway may set marks of `cacheMark`, for the clients that set none. */
  readonly marksPrompts: boolean;
  /** True if Anthropic's mark on a part becomes OpenAI's. Older models refuse that. */
  readonly crossesMarks: boolean;
  readonly customTools: boolean;
  /** True if a function's schema may have `anyOf`, `oneOf` or `allOf` at its top. */
  readonly toolUnions: boolean;
  /** True if it accepts tools while the model thinks. The others' models don't think if they have tools. */
  readonly toolsWhileThinking: boolean;
  /** True if a function must have parameters. One without is sent those of an empty object. */
  readonly parametersRequired: boolean;
  /** True if functions may be `strict`. */
  readonly strictTools: boolean;
  readonly directions: readonly ToolDirection[];
  /** True if it accepts `response_format: json_schema`. The others accept `json_object`. */
  readonly jsonSchema: boolean;
  /** True if it accepts `response_format: json_object`. The others are sent the schema of any object. */
  readonly jsonObject: boolean;
  /** True if it may repeat the message of the assistant's that a conversation ends with. */
  readonly repeatsPrefix: boolean;
  /** True if it enforces a schema that is `strict`. The others refuse the field or ignore it. */
  readonly strictFormat: boolean;
  /** True if it accepts a JSON response format together with tools. */
  readonly jsonWithTools: boolean;
  /** True if it fetches images by URL. The others accept only data: URLs. */
  readonly imageUrls: boolean;
  /** True if it fetches files by a URL in `file_data`. OpenAI's API takes only data there. */
  readonly fileUrls: boolean;
  /** The JSON Schema that it accepts. Moonshot's validator knows a subset. */
  readonly schema: "any" | "moonshot";
  readonly effort: EffortQuirks;
  /** Features that it refuses while thinking. Thinking is turned off for them, or they are left out if it can't be. */
  readonly thinkingExcludes: readonly ("required" | "named" | "json" | "unstreamed")[];
  /** Extension fields that are sent unless the client set them. */
  readonly adds: JsonObject;
  /** Like `adds`, for streamed requests with tools. */
  readonly addsForStreamedTools: JsonObject;
  /** Like `adds`, while it thinks and is sent earlier thinking. An object is put together with that of the request. */
  readonly addsForThoughts: JsonObject | null;
  /** Its errors with a misleading status. */
  readonly errors: readonly ErrorRule[];
  /** Exceptions by model name. The first match overrides the rest. */
  readonly models: readonly ModelQuirks[];
}

export interface ModelQuirks {
  readonly names: RegExp;
  readonly quirks: Partial<Omit<OpenaiQuirks, "models">>;
}

export const NO_EFFORT: EffortQuirks = { values: [] };

/** Fields that only OpenAI is known to accept, since they name features of its own. */
export const OPENAI_ONLY: readonly string[] = [
  "audio",
  "metadata",
  "modalities",
  "moderation",
  "prediction",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "safety_identifier",
  "service_tier",
  "store",
  "verbosity",
  "web_search_options",
];

/** A provider without quirks. */
export const PLAIN: OpenaiQuirks = {
  choicesMax: 1,
  bounds: CHAT_BOUNDS,
  limitField: "max_tokens",
  refuses: OPENAI_ONLY,
  extras: [],
  refusesThinking: [],
  ranges: {},
  stopsMax: 4,
  streamUsage: true,
  developerRole: false,
  refusesTurns: new Set(),
  names: true,
  messageFields: [],
  thoughts: null,
  detailsFormat: null,
  thoughtsRequired: false,
  cacheMark: null,
  marksPrompts: false,
  crossesMarks: false,
  customTools: false,
  toolUnions: true,
  toolsWhileThinking: true,
  parametersRequired: false,
  strictTools: true,
  directions: ["none", "required", "named"],
  jsonSchema: true,
  jsonObject: true,
  repeatsPrefix: false,
  strictFormat: true,
  jsonWithTools: true,
  imageUrls: true,
  fileUrls: false,
  schema: "any",
  effort: NO_EFFORT,
  thinkingExcludes: [],
  adds: {},
  addsForStreamedTools: {},
  addsForThoughts: null,
  errors: [],
  models: [],
};

/** Returns the quirks for one model, with the operator's words over them. */
export function findQuirks(quirks: OpenaiQuirks, card: ModelCard): OpenaiQuirks {
  const exception = quirks.models.find((model) => model.names.test(card.name));
  return putWords(card, exception === undefined ? quirks : { ...quirks, ...exception.quirks });
}

const RULES: DialectRules<"openai", OpenaiQuirks> = {
  temperature: (quirks, isRefused) => changeField(quirks, "temperature", isRefused),
  top_p: (quirks, isRefused) => changeField(quirks, "top_p", isRefused),
  reasoning_effort: ({ effort }, _isRefused, rules) => ({
    effort: { ...effort, values: listEfforts(rules, EFFORTS, effort.values) },
  }),
  tools_with_effort: ({ toolsWhileThinking }, isRefused) => ({
    toolsWhileThinking: !isRefused(!toolsWhileThinking),
  }),
  schema_union: ({ toolUnions }, isRefused) => ({ toolUnions: !isRefused(!toolUnions) }),
  picture_url: ({ imageUrls }, isRefused) => ({ imageUrls: !isRefused(!imageUrls) }),
};

/** Leaves a field out, or lets it pass after all. */
function changeField(
  { refuses, refusesThinking }: OpenaiQuirks,
  field: string,
  isRefused: (isKnown?: boolean) => boolean,
): Partial<OpenaiQuirks> {
  if (isRefused()) return { refuses: [...refuses, field] };
  if (isRefused(true)) return {};
  const isOther = (one: string) => one !== field;
  return { refuses: refuses.filter(isOther), refusesThinking: refusesThinking.filter(isOther) };
}

/** The refused orders of roles come with each call, since a server's answers add to them; here some are taken back. */
function putWords(card: ModelCard, known: OpenaiQuirks): OpenaiQuirks {
  if (!hasRules(card)) return known;
  const refusesTurns = new Set([...known.refusesTurns].filter((word) => isRefused(card, word, true)));
  return { ...applyRules(RULES, card, known), refusesTurns };
}
