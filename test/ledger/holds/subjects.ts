// Every operation with its surfaces and requests, and every provider's cards that serve it.
import type { TSchema } from "@sinclair/typebox";
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { ModelCard, OperationName, Price } from "../../../src/core/models/card.ts";
import type { ProviderSetup } from "../../../src/core/settings.ts";
import type { Dialect } from "../../../src/dialects/dialect.ts";
import type { Form } from "../../../src/operations/form.ts";
import type { Operation } from "../../../src/operations/operation.ts";
import { PROVIDERS } from "../../../src/providers/index.ts";
import { embedSchema, GEMINI_EMBEDDING } from "../../../src/surfaces/gemini/embeddings.ts";
import { MODERATIONS, moderationRequestSchema } from "../../../src/surfaces/moderations/surface.ts";
import { chatRequestSchema } from "../../../src/surfaces/openai-chat/schema.ts";
import { OPENAI_CHAT } from "../../../src/surfaces/openai-chat/surface.ts";
import {
  completionRequestSchema,
  OPENAI_COMPLETIONS,
} from "../../../src/surfaces/openai-completions/surface.ts";
import {
  embeddingsRequestSchema,
  OPENAI_EMBEDDINGS,
} from "../../../src/surfaces/openai-embeddings/surface.ts";
import { imagesRequestSchema, OPENAI_IMAGES } from "../../../src/surfaces/openai-images/surface.ts";
import { OPENAI_SPEECH, speechRequestSchema } from "../../../src/surfaces/openai-speech/surface.ts";
import { RERANKING, rerankRequestSchema } from "../../../src/surfaces/rerank/surface.ts";
import type { Surface } from "../../../src/surfaces/surface.ts";
import { makeModelCard } from "../../harness/cards.ts";
import { incoming } from "../../surfaces/recorded.ts";

/** Every unit costs something, each its own amount, so that whatever changes a count changes the cost. */
const PRICE: Price = {
  input: 1,
  output: 7,
  cachedInput: 0.3,
  cacheWrite: 1.3,
  cacheWrite1h: 2.1,
  reasoning: 7.7,
  inputAudio: 11,
  outputAudio: 13,
  inputImage: 17,
  outputImage: 19,
  perRequest: 0.0001,
  perSearch: 0.01,
  perImage: 0.03,
  perMinute: 0.06,
  perCharacterMillion: 15,
  perSearchUnit: 0.002,
};
const { perSearch: _unpriced, ...PRICE_WITHOUT_SEARCH } = PRICE;

/** Models whose providers' codecs know them by name, beside `model`. */
const NAMES: Readonly<Partial<Record<OperationName, readonly string[]>>> = {
  chat: [
    "gpt-5.5",
    "claude-sonnet-5",
    "gemini-3.1-pro",
    "sonar-pro",
    "deepseek-chat",
    "glm-4.7",
    "qwen3-max",
  ],
  embeddings: [
    "gemini-embedding-001",
    "gemini-embedding-2",
    "cohere.embed-v4:0",
    "amazon.titan-embed-text-v1",
    "amazon.titan-embed-text-v2:0",
    "amazon.nova-2-embeddings",
  ],
  images: [
    "dall-e-2",
    "dall-e-3",
    "gpt-image-1",
    "gpt-image-2",
    "gpt-image-2.5-flare",
    "imagen-4.0",
    "gemini-3-pro-image",
  ],
  speech: ["gpt-4o-mini-tts", "tts-1"],
};

/** A surface with the requests to change: each field is added to each of them. */
export interface Asked<F extends Form> {
  readonly operation: Operation<F>;
  readonly schema: TSchema;
  /** Fields beyond the schema, which are passed on to those servers that may know them. */
  readonly extras: readonly (readonly [string, unknown])[];
  readonly bodies: readonly JsonObject[];
  /** Throws a Fault if the surface refuses the request. */
  read(body: JsonObject): F["ask"];
}

/** An operation of any form, for tables. */
interface AnyAsked {
  readonly name: string;
  readonly operation: OperationName;
  use<Result>(task: <F extends Form>(asked: Asked<F>) => Result): Result;
}

function makeAsked<F extends Form>(
  surface: Surface<F>,
  path: string,
  schema: TSchema,
  bodies: readonly JsonObject[],
  extras: Asked<F>["extras"] = [],
): AnyAsked {
  const { operation } = surface;
  const read = (body: JsonObject) => surface.read(incoming(body, path)).ask;
  const asked: Asked<F> = { operation, schema, extras, bodies, read };
  return { name: surface.name, operation: operation.name, use: (task) => task(asked) };
}

const TEXT = "some text 1,000 ".repeat(40);
const messages = [{ role: "user", content: TEXT }];
const tools = [{ type: "function", function: { name: "look", parameters: { type: "object" } } }];
const picture = { image_url: "data:image/png;base64,aaaa" };

/** Extensions of chat's form that some servers know. */
const CHAT_EXTRAS = [
  ["disable_search", true],
  ["enable_search", true],
  ["web_search_options", { search_context_size: TEXT }],
  ["search_domain_filter", [TEXT]],
  ["service_tier", "priority"],
  ["cache_control", { type: "ephemeral", ttl: "1h" }],
  ["thinking", { type: "enabled", budget_tokens: 2000 }],
  ["thinking_budget", 2000],
  ["guided_json", { description: TEXT }],
  ["prediction", { type: "content", content: TEXT }],
  ["verbosity", TEXT],
  ["whatever", TEXT],
] as const;

export const ASKED: readonly AnyAsked[] = [
  makeAsked(
    OPENAI_CHAT,
    "/v1/chat/completions",
    chatRequestSchema,
    [
      { model: "P#m", messages },
      { model: "P#m", messages, tools },
    ],
    CHAT_EXTRAS,
  ),
  makeAsked(OPENAI_COMPLETIONS, "/v1/completions", completionRequestSchema, [{ model: "P#m", prompt: TEXT }]),
  makeAsked(OPENAI_EMBEDDINGS, "/v1/embeddings", embeddingsRequestSchema, [
    { model: "P#m", input: ["a", TEXT] },
  ]),
  makeAsked(GEMINI_EMBEDDING, "/v1beta/models/P%23m:embedContent", embedSchema, [
    { content: { parts: [{ text: TEXT }] } },
    { content: { parts: [{ text: TEXT }] }, taskType: "RETRIEVAL_DOCUMENT" },
  ]),
  makeAsked(OPENAI_IMAGES, "/v1/images/generations", imagesRequestSchema, [
    { model: "P#m", prompt: TEXT },
    { model: "P#m", prompt: TEXT, stream: true },
  ]),
  makeAsked(OPENAI_IMAGES, "/v1/images/edits", imagesRequestSchema, [
    { model: "P#m", prompt: TEXT, images: [picture], mask: picture },
  ]),
  makeAsked(OPENAI_SPEECH, "/v1/audio/speech", speechRequestSchema, [{ model: "P#m", input: TEXT }]),
  makeAsked(RERANKING, "/v1/rerank", rerankRequestSchema, [
    { model: "P#m", query: TEXT, documents: [TEXT, TEXT.repeat(20)] },
  ]),
  makeAsked(MODERATIONS, "/v1/moderations", moderationRequestSchema, [{ model: "P#m", input: TEXT }]),
];

/** Cards of a provider, under names that its codecs tell apart, with and without a price for searches. */
export function makeCards(
  { provider, dialect }: ProviderDialect,
  operation: OperationName,
): readonly ModelCard[] {
  const fields = { contextTokensMax: 100_000, outputTokensMax: 5000, listed: false };
  return listNames(dialect, operation).flatMap((name) => [
    makeModelCard(`${provider}#${name}`, { ...fields, price: PRICE }),
    ...(operation === "chat"
      ? [makeModelCard(`${provider}#${name}`, { ...fields, price: PRICE_WITHOUT_SEARCH })]
      : []),
  ]);
}

/** A dialect may serve only models with certain names. */
function listNames({ names }: Dialect, operation: OperationName): readonly string[] {
  const all = ["model", "maker/model", ...(NAMES[operation] ?? [])];
  return all.filter((name) => names?.test(name) ?? true);
}

/** The settings of a provider that don't matter here. */
export const PLAIN_SETUP: Omit<ProviderSetup, "name" | "baseUrl"> = {
  dialect: "openai",
  headers: {},
  unlistedModels: true,
  credentials: [{ secret: "s", weight: 1 }],
  timeouts: { connectMs: 10_000, firstByteMs: null, idleMs: 60_000, totalMs: 600_000 },
};

export const PROVIDER_DIALECTS = PROVIDERS.flatMap(({ name, baseUrl, dialects }) =>
  dialects.map((dialect) => ({ provider: name, baseUrl: baseUrl || "https://cloud.test/v1", dialect })),
);

export type ProviderDialect = (typeof PROVIDER_DIALECTS)[number];
