// Recorded embeddings, rerank and moderation with the codec that must read them, and the skipped ones with the reason.

import {
  asArray,
  asObject,
  asString,
  isObject,
  type JsonObject,
  parseJson,
} from "../../src/core/json/json.ts";
import type { ModelCard } from "../../src/core/models/card.ts";
import type { Dialect } from "../../src/dialects/dialect.ts";
import { findDialect, PROVIDERS } from "../../src/providers/index.ts";
import { makeModelCard } from "../harness/cards.ts";
import { fixturesFolder } from "./load.ts";
import { readRows } from "./rows.ts";

type BeyondChat = "embeddings" | "rerank" | "moderation";

const OPERATION_OF_API: Readonly<Record<string, BeyondChat>> = {
  embeddings: "embeddings",
  rerank: "rerank",
  moderations: "moderation",
};

/** Fixture files of providers with a row in the table. All others speak OpenAI's form. */
const PROVIDER_OF_FILE: Readonly<Record<string, string>> = {
  openai: "OpenAI",
  mistral: "Mistral",
  gemini: "Google",
  cohere: "Cohere",
  voyage: "Voyage",
  openrouter: "OpenRouter",
  ollama: "Ollama",
  vllm: "vLLM",
  vertexai: "Vertex",
  bedrock: "Bedrock",
};

export interface Exchange {
  readonly id: string;
  readonly operation: BeyondChat;
  readonly dialect: Dialect;
  readonly card: ModelCard;
  /** Null if only the answer was recorded. */
  readonly request: JsonObject | null;
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

export interface Recorded {
  readonly exchanges: readonly Exchange[];
  /** One line each, with the reason. */
  readonly skipped: readonly string[];
}

export function readBeyondChat(): Recorded {
  const exchanges: Exchange[] = [];
  const skipped: string[] = [];
  for (const { file, row } of readRows(fixturesFolder())) {
    const operation = OPERATION_OF_API[String(row.api)];
    if (!operation) continue;
    const reason = findReason(row);
    if (reason === null) exchanges.push(makeExchange(row, file, operation));
    else skipped.push(`${String(row.id)}: ${reason}`);
  }
  return { exchanges, skipped };
}

/** Returns why the codecs under test don't apply to a record, or null. */
function findReason(row: JsonObject): string | null {
  const request = asObject(row.request);
  const sent = asObject(request.body);
  const answer = asObject(parseJson(asString(asObject(row.response).body) ?? ""));
  const url = asString(request.url) ?? "";
  if (asArray(row.tags).includes("truncated")) return "the recorder cut the answer";
  if (url.includes("/api/embed") || answer.prompt_eval_count) return "Ollama's native API: its /v1 is spoken";
  if (sent.images) return "images can't be embedded";
  if (asArray(sent.embedding_types).includes("int8")) return "vectors of bytes are never asked for";
  if (asArray(sent.requests).some((one) => asArray(asObject(asObject(one).content).parts).length > 1))
    return "several parts of one input are never sent";
  if (String(row.id).startsWith("perplexity/")) return "Perplexity's bytes as base64 are never asked for";
  if (String(row.id).startsWith("vllm/")) return "vLLM is never asked for base64";
  return null;
}

function makeExchange(row: JsonObject, file: string, operation: BeyondChat): Exchange {
  const provider = PROVIDER_OF_FILE[file] ?? file;
  const { body } = asObject(row.request);
  const { status, body: answer, headers } = asObject(row.response);
  const name = asString(asObject(body).model) ?? decodeURIComponent(asString(row.model) ?? "unknown");
  const known = PROVIDERS.find((one) => one.name === provider)?.dialects ?? [findDialect("openai")];
  return {
    id: String(row.id),
    operation,
    dialect: known.find((one) => one[operation]) ?? findDialect("openai"),
    card: makeModelCard(`${provider}#${name}`),
    request: isObject(body) ? body : null,
    status: Number(status),
    headers: new Headers(Object.entries(asObject(headers)).map(([field, value]) => [field, String(value)])),
    body: asString(answer) ?? "",
  };
}
