// Refusals of a single form or field of a request's body, in whatever dialect it is sent, and what is never left out of one.

import { isBetaWord } from "./beta-refusal.ts";

/** The words for forms that can be written in another way. */
export const BODY_REFUSALS = {
  tool_choice_object: {
    meaning: "an object as `tool_choice`: `required` is sent with that tool alone",
    source: "lmstudio-bug-tracker, issue 670; oh-my-pi, issue 6925",
    seen: "2026-07",
  },
  text_parts: {
    meaning: "texts in parts: they are joined",
    source: "OpenHands, issue 4643 (Groq); PyRIT, issue 704",
    seen: "2025-02",
  },
  max_tokens: {
    meaning: "`max_tokens`: sent as `max_completion_tokens`",
    source: "opencode, issue 37964; gollm, issue 33",
    seen: "2026-07",
  },
  max_completion_tokens: {
    meaning: "`max_completion_tokens`: sent as `max_tokens`",
    source: "eca, issue 231; OpenHands, issue 6777",
    seen: "2025-12",
  },
  forced_thinking: {
    meaning: "forced calls while thinking: `thinking` is off",
    source: "oh-my-pi, issue 1077 (Moonshot); Kode-CLI, pull request 182 (DeepSeek)",
    seen: "2026-06",
  },
  forced_enable_thinking: {
    meaning: "forced calls while thinking: `enable_thinking` is false",
    source: "qwen-code, issue 7659; eino, issue 994",
    seen: "2026-07",
  },
  unstreamed_thinking: {
    meaning: "unstreamed thinking: `enable_thinking` is false",
    source:
      "langchain4j, issue 3974; UltraRAG, issue 287 (DashScope); claude-code-router, issue 948 (ModelScope)",
    seen: "2026-04",
  },
  thoughts_required: {
    meaning: "calls without `reasoning_content` while thinking: they get a blank one",
    source: "pi, issue 3636; cc-switch-cli, issue 170; continue, issue 12691 (DeepSeek)",
    seen: "2026-06",
  },
  json_object: {
    meaning: "answers in JSON without a schema: that of any object is sent",
    source: "lmstudio-bug-tracker, issue 189; OpenBiliClaw, issue 12 (LM Studio)",
    seen: "2026-08",
  },
  call_arguments: {
    meaning: "earlier calls whose arguments aren't a JSON object: put into one",
    source: "pentagi, issue 313; club-3090, issue 1195 (llama.cpp)",
    seen: "2026-09",
  },
  tool_schema: {
    meaning: "tools' schemas with references or untyped values: written out",
    source: "kimi-cli, issue 2061; pi, issue 5822 (Moonshot)",
    seen: "2026-06",
  },
  tool_names: {
    meaning:
      "names of tools other than up to 64 letters, digits, `_` and `-`, with a letter first: they are sent by others",
    source: "kimi-cli, issue 1773; typescript-sdk, issue 413 (Anthropic)",
    seen: "2026-04",
  },
} as const;

export type BodyWord = keyof typeof BODY_REFUSALS;
export const BODY_WORDS: readonly BodyWord[] = Object.keys(BODY_REFUSALS).filter((name) => isBodyWord(name));

/** A field that is left out, by its path: `field:tools[].strict`. */
export type FieldWord = `field:${string}`;

const FIELD_PREFIX = "field:";
const PATH_CHARACTERS_MAX = 100;
const PATH = /^[A-Za-z_][\w-]*(?:\[\])*(?:\.[A-Za-z_][\w-]*(?:\[\])*)*$/;

/** The form in which the operator writes it, for the schema. */
export const FIELD_WORDS = {
  pattern: /^-?field:[A-Za-z_][\w.[\]-]{0,99}$/,
  example: "field:tools[].strict",
  meaning: "a field by its path: left out",
} as const;

export function isBodyWord(text: string): text is BodyWord {
  return Object.hasOwn(BODY_REFUSALS, text);
}

export function isFieldWord(text: string): text is FieldWord {
  return text.startsWith(FIELD_PREFIX) && isPath(text.slice(FIELD_PREFIX.length));
}

/** True for a refusal of a single form, field or beta. */
export function isBodyRefusal(text: string): boolean {
  return isBodyWord(text) || isFieldWord(text) || isBetaWord(text);
}

/** Returns the path's names, `[]` for every item of a list. */
export function readPath(word: FieldWord): readonly string[] {
  return splitPath(word.slice(FIELD_PREFIX.length));
}

/** Returns the word for a path as a server writes it, such as `body.tools.0.strict`. Null if that is never left out. */
export function makeFieldWord(given: string): FieldWord | null {
  const path = given
    .replace(/^body\./, "")
    .replace(/\[\d+\]/g, "[]")
    .replace(/\.\d+(?=\.|$)/g, "[]");
  return isPath(path) ? `${FIELD_PREFIX}${path}` : null;
}

function isPath(path: string): boolean {
  return path.length <= PATH_CHARACTERS_MAX && PATH.test(path) && mayBeLeftOut(splitPath(path));
}

function splitPath(path: string): readonly string[] {
  return path.replaceAll("[]", ".[]").split(".");
}

/** Names of the request itself, and of who may see, keep and answer it: none of them is left out or changed. */
const NEVER: ReadonlySet<string> = new Set(
  [
    "model anthropic_version messages input contents system system_instruction instructions prompt",
    "previous_response_id conversation query documents",
    // Forms of the answer.
    "tools tool_config tool_choice functions function_call response_format format output_format json_schema",
    "response_schema response_json_schema response_mime_type response_modalities modalities stop stop_sequences",
    "stream n candidate_count web_search_options search_parameters mcp_servers container background",
    // Protection and price.
    "store service_tier inference_geo speed prompt_cache_retention safety_settings safe_prompt safety_mode",
    "guardrails guardrail guardrail_config provider provider_options litellm_metadata disable_fallbacks allow_fallbacks",
    "cache data_collection zdr zero_data_retention disallow_prompt_training only ignore quantizations max_price",
    "require_parameters enforce_distillable_text allowed_callers allowed_domains blocked_domains",
  ].flatMap((names) => names.split(" ")),
);
/** Bounds on what an answer costs, and checks of it. */
const BOUND = /^max_|_max$|budget|(^|_)limit|^moderat/;

/** Fields within tools and turns that say nothing of their own. All else there is the conversation. */
const WITHIN: ReadonlySet<string> = new Set(
  [
    "strict defer_loading eager_input_streaming input_examples cache_control scope ttl",
    "reasoning_content reasoning reasoning_details phase status annotations logprobs timestamp metadata extra_content",
  ].flatMap((names) => names.split(" ")),
);
const HELD: ReadonlySet<string> = new Set(["tools", "messages", "input", "contents", "system", "functions"]);

/** Servers write the same names with small and large letters. */
export function normalizeName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/^_/, "");
}

/** True for a name that stands for something that must not be lost, wherever it stands. */
export function isKept(name: string): boolean {
  const plain = normalizeName(name);
  return NEVER.has(plain) || BOUND.test(plain);
}

function mayBeLeftOut(path: readonly string[]): boolean {
  const names = path.filter((name) => name !== "[]");
  const [first = "", ...rest] = names;
  const last = names.at(-1) ?? "";
  if (names.includes("__proto__") || isKept(last)) return false;
  if (HELD.has(normalizeName(first)) && rest.length > 0) return WITHIN.has(normalizeName(last));
  return !names.some(isKept);
}

/** True for fields that may be left out of tools and turns. */
export function isWithin(name: string): boolean {
  return WITHIN.has(normalizeName(name));
}
