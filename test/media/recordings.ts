// Recorded images, speech and transcripts as test material, with what lies outside the suite and why.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { makeUnlistedCard } from "../../src/catalogue/unlisted.ts";
import type { ModelCard } from "../../src/core/card.ts";
import { asObject, asString, isObject, type JsonObject } from "../../src/core/json.ts";
import type { Dialect } from "../../src/dialects/dialect.ts";
import { PROVIDERS } from "../../src/providers/index.ts";
import { fixturesFolder } from "../recorded/load.ts";

const APIS = [
  "images-generations",
  "images-edits",
  "audio-speech",
  "audio-transcriptions",
  "audio-translations",
] as const;
type MediaApi = (typeof APIS)[number];

/** The fixture files of known providers, by the provider's name. */
const FILES: Readonly<Record<string, string>> = {
  gemini: "Google",
  groq: "Groq",
  mistral: "Mistral",
  openai: "OpenAI",
  openrouter: "OpenRouter",
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
  /** JSON, or null where the recorder kept none. */
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
  /** Numbers of recordings by the reason why they are left out. */
  readonly skipped: ReadonlyMap<string, number>;
}

/** null: the recordings aren't there. */
export function readMediaTraffic(): MediaTraffic | null {
  const folder = fixturesFolder();
  if (folder === null) return null;
  const recordings: MediaRecording[] = [];
  const skipped = new Map<string, number>();
  for (const name of readdirSync(folder).filter((one) => one.endsWith(".jsonl"))) {
    const provider = FILES[name.replace(/\.jsonl$/, "")];
    const rows = readFileSync(join(folder, name), "utf8")
      .split("\n")
      .map((line) => asObject(line === "" ? null : JSON.parse(line)));
    for (const row of rows) {
      const api = APIS.find((one) => one === row.api);
      if (!api) continue;
      if (provider === undefined) count(skipped, "no provider of ours");
      else recordings.push(readRow(row, api, provider));
    }
  }
  return { recordings, skipped };
}

function count(counts: Map<string, number>, reason: string): void {
  counts.set(reason, (counts.get(reason) ?? 0) + 1);
}

function readRow(row: JsonObject, api: MediaApi, provider: string): MediaRecording {
  const known = PROVIDERS.find(({ name }) => name === provider);
  const dialect = known?.dialects[0];
  if (!known || !dialect) throw new Error(`${provider} is no provider.`);
  const { url, body, fields } = asObject(row.request);
  const response = asObject(row.response);
  return {
    id: String(row.id),
    api,
    provider,
    dialect,
    baseUrl: known.baseUrl,
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
