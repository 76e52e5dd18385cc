// Recorded images, speech and transcripts as test material, and the ones outside the suite with the reason.
import { makeUnlistedCard } from "../../../src/catalogue/unlisted.ts";
import { asObject, asString, isObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { ModelCard } from "../../../src/core/models/card.ts";
import type { Dialect } from "../../../src/dialects/dialect.ts";
import { findDialect, PROVIDERS } from "../../../src/providers/index.ts";
import { fixturesFolder } from "../../recorded/load.ts";
import { readRows } from "../../recorded/rows.ts";

export const MEDIA_APIS = [
  "images-generations",
  "images-edits",
  "audio-speech",
  "audio-transcriptions",
  "audio-translations",
] as const;
type MediaApi = (typeof MEDIA_APIS)[number];

/** The fixture files by their provider's name. An unknown server is configured with OpenAI's dialect. */
const FILES: Readonly<Record<string, string>> = {
  gemini: "Google",
  groq: "Groq",
  mistral: "Mistral",
  openai: "OpenAI",
  openrouter: "OpenRouter",
  venice: "Venice",
  vertexai: "Vertex",
  xai: "xAI",
};

export interface MediaRecording {
  readonly id: string;
  readonly api: MediaApi;
  readonly provider: string;
  readonly dialect: Dialect;
  readonly baseUrl: string;
  readonly card: ModelCard;
  readonly url: string | null;
  /** JSON, or null if the recorder kept none. */
  readonly request: JsonObject | null;
  /** The fields of a form. */
  readonly fields: JsonObject | null;
  readonly status: number;
  readonly headers: Headers;
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly isStream: boolean;
}

export interface MediaTraffic {
  readonly recordings: readonly MediaRecording[];
  /** One line for each skipped recording, with the reason. */
  readonly skipped: readonly string[];
}

export function readMediaTraffic(): MediaTraffic {
  const recordings: MediaRecording[] = [];
  const skipped: string[] = [];
  for (const { file, row } of readRows(fixturesFolder())) {
    const api = MEDIA_APIS.find((one) => one === row.api);
    if (!api) continue;
    const provider = FILES[file];
    const reason = provider === undefined ? "a provider's own API for media" : findReason(row);
    if (provider === undefined || reason !== null) skipped.push(`${String(row.id)}: ${reason}`);
    else recordings.push(readRow(row, api, provider));
  }
  return { recordings, skipped };
}

function findReason(row: JsonObject): string | null {
  const isOwn = asString(asObject(row.request).url)?.endsWith("/image/generate");
  return isOwn ? "a provider's own API for media" : null;
}

function readRow(row: JsonObject, api: MediaApi, provider: string): MediaRecording {
  const known = PROVIDERS.find(({ name }) => name === provider);
  const dialect = known?.dialects[0] ?? findDialect("openai");
  const { url, body, fields } = asObject(row.request);
  const response = asObject(row.response);
  return {
    id: String(row.id),
    api,
    provider,
    dialect,
    baseUrl: known?.baseUrl || readBase(asString(url) ?? ""),
    card: makeCard(provider, asString(row.model) ?? "whisper-1", api),
    url: asString(url) ?? null,
    request: isObject(body) ? body : null,
    fields: isObject(fields) ? fields : null,
    status: Number(response.status),
    headers: new Headers(
      Object.entries(asObject(response.headers)).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]),
    ),
    body: readBody(response),
    isStream: row.stream === true,
  };
}

/** The part of the address before a cloud's or a server's own path. */
function readBase(url: string): string {
  return url.replace(/\/(publishers|audio)\/.*$/, "");
}

function readBody({ body, body_base64 }: JsonObject): string | Uint8Array<ArrayBuffer> {
  if (typeof body_base64 === "string") return Uint8Array.fromBase64(body_base64);
  return typeof body === "string" ? body : JSON.stringify(body);
}

function makeCard(provider: string, name: string, api: MediaApi): ModelCard {
  const operation = api.startsWith("images") ? "images" : api === "audio-speech" ? "speech" : "transcription";
  return {
    ...makeUnlistedCard(provider, name),
    price: { input: 1, output: 1, perImage: 0.01, perMinute: 0.006 },
    operations: new Set([operation]),
  };
}
