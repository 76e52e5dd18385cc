// Misspelt fields: what the vendors' SDKs, the providers' rows and other gateways' references have is never one, and each
// surface's own fields with a letter changed are.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DOCUMENTED_FIELDS } from "../../../src/app/models/dialects.ts";
import { WISHES } from "../../../src/surfaces/asked/constraints.ts";
import { findMisspelt } from "../../../src/surfaces/asked/misspelt.ts";
import { SURFACES } from "../../../src/surfaces/index.ts";
import { Declarations, MODULES } from "../declarations.ts";

const FIELDS = new Map(
  SURFACES.flatMap(({ surface }) => surface.use(({ name, fields }) => [[name, fields] as const])),
);

/** As the gateway asks: of what no surface has, the providers' rows are known too. */
function find(name: string, fields: ReadonlySet<string>) {
  return findMisspelt([name], fields, (field) => DOCUMENTED_FIELDS.has(field));
}

/** The bodies that the vendors' SDKs send: the declaration file, and its interfaces. */
const SDK_BODIES: readonly (readonly [string, ...string[]])[] = [
  ["openai/resources/chat/completions/completions.d.ts", "ChatCompletionCreateParamsBase"],
  ["openai/resources/responses/responses.d.ts", "ResponseCreateParamsBase", "ResponseCompactParams"],
  ["openai/resources/completions.d.ts", "CompletionCreateParamsBase"],
  ["openai/resources/embeddings.d.ts", "EmbeddingCreateParams"],
  ["openai/resources/moderations.d.ts", "ModerationCreateParams"],
  ["openai/resources/images.d.ts", "ImageGenerateParamsBase", "ImageEditParamsBase"],
  ["openai/resources/audio/speech.d.ts", "SpeechCreateParams"],
  ["openai/resources/audio/transcriptions.d.ts", "TranscriptionCreateParamsBase"],
  ["openai/resources/audio/translations.d.ts", "TranslationCreateParams"],
  [
    "@anthropic-ai/sdk/resources/messages/messages.d.ts",
    "MessageCreateParamsBase",
    "MessageCountTokensParams",
  ],
  [
    "@anthropic-ai/sdk/resources/beta/messages/messages.d.ts",
    "MessageCreateParamsBase",
    "MessageCountTokensParams",
  ],
  [
    "@google/genai/dist/genai.d.ts",
    ...["GenerateContentParameters", "GenerateContentConfig", "EmbedContentConfig"],
  ],
];

/** The bodies that OpenRouter's SDK sends. */
const OPENROUTER_BODIES = [
  ...(["chatrequest", "responsesrequest", "messagesrequest", "speechrequest", "sttrequest"] as const),
  ...(["operations/createembeddings", "operations/creatererank"] as const),
  "operations/createaudiotranscriptionsmultipart",
];

function listOpenRouterFields(): readonly string[] {
  return OPENROUTER_BODIES.flatMap((name) => {
    const path = join(MODULES, `@openrouter/sdk/esm/models/${name}.d.ts`);
    const text = readFileSync(path, "utf8");
    const bodies = text.matchAll(/Request(?:Body)?\$Outbound = \{\n([\s\S]*?)\n\};/g);
    return [...bodies].flatMap(([, body = ""]) =>
      [...body.matchAll(/^ {4}"?([\w-]+)"?\??:/gm)].flatMap(([, field]) => field ?? []),
    );
  });
}

/** The fields of requests in the references of OpenRouter and LiteLLM, and of the frameworks that send to them, November 2026. */
const REFERENCES = [
  ...[
    "models",
    "route",
    "provider",
    "plugins",
    "transforms",
    "preset",
    "usage",
    "reasoning",
    "include_reasoning",
  ],
  ...["top_k", "top_a", "min_p", "repetition_penalty", "structured_outputs", "session_id", "trace", "debug"],
  ...["image_config", "modalities", "cache_control", "prompt", "web_search_options", "verbosity"],
  ...[
    "guardrails",
    "litellm_metadata",
    "cache",
    "fallbacks",
    "context_window_fallback_dict",
    "disable_fallbacks",
  ],
  ...[
    "content_policy_fallbacks",
    "num_retries",
    "timeout",
    "request_timeout",
    "mock_response",
    "api_base",
    "api_key",
  ],
  ...[
    "api_version",
    "base_url",
    "custom_llm_provider",
    "deployment_id",
    "extra_headers",
    "drop_params",
    "thinking",
  ],
  ...[
    "additional_drop_params",
    "allowed_openai_params",
    "litellm_session_id",
    "litellm_trace_id",
    "prompt_id",
  ],
  ...["prompt_variables", "prompt_version_number", "tags", "enforced_params", "no-log", "user_api_key_dict"],
  ...[
    "secret_fields",
    "model_info",
    "input_cost_per_token",
    "output_cost_per_token",
    "max_budget",
    "caching",
  ],
  ...[
    "hf_model_name",
    "merge_reasoning_content_in_choices",
    "use_in_pass_through",
    "mock_timeout",
    "logger_fn",
  ],
  ...[
    "proxy_server_request",
    "preset_cache_key",
    "supports_system_message",
    "vector_store_ids",
    "safety_settings",
  ],
  ...[
    "client_metadata",
    "prompt_cache_retention",
    "prompt_cache_options",
    "stream_options",
    "providerOptions",
  ],
] as const;

function listSdkFields(): readonly string[] {
  return SDK_BODIES.flatMap(([file, ...names]) => {
    const declarations = new Declarations(file);
    return names.flatMap((name) => declarations.listFields(name));
  });
}

test("no field that others have is misspelt, at any surface", () => {
  const ofOpenRouter = listOpenRouterFields();
  expect(ofOpenRouter.length).toBeGreaterThan(100);
  const names = new Set([
    ...[...listSdkFields(), ...ofOpenRouter],
    ...[...DOCUMENTED_FIELDS, ...REFERENCES, ...WISHES],
  ]);
  expect(names.size).toBeGreaterThan(250);
  const found = [...FIELDS].flatMap(([surface, fields]) =>
    [...names].flatMap((name) => {
      const misspelt = find(name, fields);
      return misspelt === null ? [] : [`${surface}: ${name} for ${misspelt.meant}`];
    }),
  );
  expect(found).toEqual([]);
});

test("the AI SDK's packages send no field that is misspelt", () => {
  const packages = [
    ...["@ai-sdk/openai", "@ai-sdk/openai-compatible", "@ai-sdk/anthropic", "@ai-sdk/google"],
    "@openrouter/ai-sdk-provider",
  ];
  const names = packages.flatMap((name) => readSent(`${name}/dist/index.js`));
  const chat = FIELDS.get("openai-chat") ?? new Set<string>();
  expect(names.flatMap((name) => find(name, chat)?.field ?? [])).toEqual([]);
  expect(names.length).toBeGreaterThan(100);
});

/** The names of a bundle's properties in snake case, among which are all fields of its bodies. */
function readSent(path: string): readonly string[] {
  const text = readFileSync(join(MODULES, path), "utf8");
  return [...new Set([...text.matchAll(/^\s+([a-z]+(?:_[a-z]+)+):/gm)].flatMap(([, name]) => name ?? []))];
}

test("each field of a surface with a letter doubled, lost or changed is misspelt", () => {
  const missed: string[] = [];
  for (const [surface, fields] of FIELDS)
    for (const field of fields)
      for (const wrong of misspell(field)) {
        const isOther = wrong.length < 5 || fields.has(wrong) || isKnown(wrong);
        if (!isOther && find(wrong, fields)?.field !== wrong) missed.push(`${surface}: ${wrong}`);
      }
  expect(missed).toEqual([]);
});

const isKnown = (name: string) =>
  DOCUMENTED_FIELDS.has(name) || [...FIELDS.values()].some((fields) => fields.has(name));

function misspell(field: string): readonly string[] {
  const last = field.at(-1) ?? "";
  const middle = Math.floor(field.length / 2);
  return [field + last, field.slice(0, -1), `${field.slice(0, middle)}z${field.slice(middle + 1)}`];
}

test.each([
  ["max_tokenss", "openai-chat", "max_tokens"],
  ["max_tokns", "anthropic-messages", "max_tokens"],
  ["temperatur", "openai-responses", "temperature"],
  ["generation_confg", "gemini", "generationConfig"],
  // One letter apart, of up to seven.
  ["topp", "openai-chat", null],
  ["toolz", "openai-chat", "tools"],
  ["toxlz", "openai-chat", null],
  ["max_tokenzzz", "openai-chat", null],
])("%s at %s means %s", (name, surface, meant) => {
  const fields = [...FIELDS].find(([one]) => one === surface)?.[1] ?? new Set<string>();
  expect(find(name, fields)?.meant ?? null).toBe(meant);
});

test("of very many unknown fields, only the first are compared: the others would take the loop's time", () => {
  const fields = FIELDS.get("openai-chat") ?? new Set();
  const unknown = Array.from({ length: 199 }, (_, at) => `unlike-any-of-them-${at}`);
  const look = (names: readonly string[]) => findMisspelt(names, fields, () => false)?.field ?? null;
  expect(look([...unknown, "max_tokenss"])).toBe("max_tokenss");
  expect(look([...unknown, "unlike-any-of-them", "max_tokenss"])).toBeNull();
});
