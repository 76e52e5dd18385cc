// The differences between servers of the chat-completions API, as data: one value of this type is one provider.

import type { JsonObject } from "../../core/json.ts";
import type { ErrorRule } from "../../core/upstream.ts";
import type { ReasoningEffort } from "../../operations/chat/form.ts";

/** The way to tell a model how long to think. */
export interface EffortQuirks {
  /** The values of `reasoning_effort` it takes; a request's is moved to the nearest. Empty: it has no such field. */
  readonly values: readonly ReasoningEffort[];
  /**
   * A field that turns thinking on and off: `thinking: {type}` (DeepSeek, Moonshot, Z.ai; on unless turned off),
   * `enable_thinking` (Qwen). Left out: it has none.
   */
  readonly toggle?: "thinking" | "enable_thinking";
  /** It doesn't think unless it is asked to. */
  readonly offByDefault?: true;
}

/** Ways to direct tool use besides `auto`. */
type ToolDirection = "none" | "required" | "named" | "allowed_tools";

export interface OpenaiQuirks {
  /** The number of choices that one call gives; 1 also if only some of its models give more. */
  readonly choicesMax: number;
  readonly limitField: "max_tokens" | "max_completion_tokens";
  /** Fields of the chat-completions API that it refuses or ignores: left out, and named. */
  readonly refuses: readonly string[];
  /** Extension fields of other servers that it refuses: left out, and named. */
  readonly refusesUnknown: readonly string[];
  /** Fields that are refused unless thinking is turned off. */
  readonly refusesThinking: readonly string[];
  /** The values it takes, where its range is narrower than OpenAI's: others are moved to the nearest end. */
  readonly ranges: Readonly<Record<string, readonly [number, number]>>;
  readonly stopsMax: number;
  /** True if it takes `stream_options.include_usage`; the others report usage without being asked. */
  readonly streamUsage: boolean;
  readonly developerRole: boolean;
  /** True if messages may have a `name`. */
  readonly names: boolean;
  /** Fields of assistant messages that it takes beside content, name and tool_calls; "any": all but what replies add. */
  readonly messageFields: readonly string[] | "any";
  /** The field in which it takes earlier thinking back; "any": the fields that the client sends. */
  readonly thoughts: "reasoning_content" | "reasoning" | "reasoning_details" | "any" | null;
  /** While thinking it refuses messages with tool calls and no thinking: another model's get a blank one. */
  readonly thoughtsRequired: boolean;
  /** The field in which it takes cache marks on parts, tools and messages; elsewhere they are left out, for they change no answer. */
  readonly cacheMark: "cache_control" | "prompt_cache_breakpoint" | null;
  readonly customTools: boolean;
  /** True if functions may be `strict`. */
  readonly strictTools: boolean;
  readonly directions: readonly ToolDirection[];
  /** True if it takes `response_format: json_schema`; the others take `json_object`. */
  readonly jsonSchema: boolean;
  /** True if it takes a JSON response format together with tools. */
  readonly jsonWithTools: boolean;
  /** True if it fetches images by their address; the others take data: URLs only. */
  readonly imageUrls: boolean;
  /** The JSON Schema that it takes: Moonshot's validator knows a subset. */
  readonly schema: "any" | "moonshot";
  readonly effort: EffortQuirks;
  /** Features that the server refuses while a model thinks. Thinking is turned off for them; where it can't be, they are left out. */
  readonly thinkingExcludes: readonly ("required" | "named" | "json" | "unstreamed")[];
  /** Extension fields sent along unless the client set them. */
  readonly adds: JsonObject;
  /** As `adds`, for streamed requests with tools. */
  readonly addsForStreamedTools: JsonObject;
  /** Its errors whose status misleads. */
  readonly errors: readonly ErrorRule[];
  /** Exceptions by the model's name: the first that matches is laid over the rest. */
  readonly models: readonly ModelQuirks[];
}

export interface ModelQuirks {
  readonly names: RegExp;
  readonly quirks: Partial<Omit<OpenaiQuirks, "models">>;
}

export const NO_EFFORT: EffortQuirks = { values: [] };

/** The fields that OpenAI alone is known to take; at other providers they name features of OpenAI's own. */
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

/** Extensions of other servers, which those that check their requests refuse. */
export const OTHERS_ONLY: readonly string[] = [
  "chat_template_kwargs",
  "clear_thinking",
  "disable_reasoning",
  "enable_thinking",
  "guided_json",
  "include_reasoning",
  "keep_alive",
  "min_p",
  "min_tokens",
  "options",
  "prompt_mode",
  "random_seed",
  "reasoning",
  "reasoning_format",
  "repetition_penalty",
  "safe_prompt",
  "safety_settings",
  "thinking",
  "thinking_budget",
  "tool_stream",
  "top_a",
  "top_k",
  "transforms",
];

/** The quirks of a provider that has none. */
export const PLAIN: OpenaiQuirks = {
  choicesMax: 1,
  limitField: "max_tokens",
  refuses: OPENAI_ONLY,
  refusesUnknown: [],
  refusesThinking: [],
  ranges: {},
  stopsMax: 4,
  streamUsage: true,
  developerRole: false,
  names: true,
  messageFields: [],
  thoughts: null,
  thoughtsRequired: false,
  cacheMark: null,
  customTools: false,
  strictTools: true,
  directions: ["none", "required", "named"],
  jsonSchema: true,
  jsonWithTools: true,
  imageUrls: true,
  schema: "any",
  effort: NO_EFFORT,
  thinkingExcludes: [],
  adds: {},
  addsForStreamedTools: {},
  errors: [],
  models: [],
};

/** The quirks that hold for one model. */
export function findQuirks(quirks: OpenaiQuirks, name: string): OpenaiQuirks {
  const exception = quirks.models.find((model) => model.names.test(name));
  return exception === undefined ? quirks : { ...quirks, ...exception.quirks };
}
