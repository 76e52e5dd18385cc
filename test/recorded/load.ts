// Recorded provider traffic as test material, or else the project's own exchanges: finds and reads it, and gives the reasons
// for what is left out.
import { join } from "node:path";
import { asArray, asObject, asString, isObject, type JsonObject } from "../../src/core/json/json.ts";
import { findRecordings } from "../harness/beside.ts";
import { isMissing } from "../harness/tools.ts";
import { toEvents, toFrames } from "./aws-frames.ts";
import { splitEvents } from "./events.ts";
import { readRows } from "./rows.ts";

export const CHAT_APIS = [
  "openai-chat",
  "openai-responses",
  "anthropic-messages",
  "vertex-rawPredict",
  "gemini-generateContent",
  "gemini-streamGenerateContent",
  "cohere-v2",
  "perplexity-agent",
  "bedrock-converse",
  "bedrock-converse-stream",
  "bedrock-invoke",
  "bedrock-invoke-stream",
] as const;
export type ChatApi = (typeof CHAT_APIS)[number];

/** One recorded exchange. `#2` in the id marks the second of several answers that the recorder put into one body. */
export interface Recording {
  readonly id: string;
  /** The provider, by the fixture file's name. */
  readonly file: string;
  readonly api: ChatApi;
  readonly model: string;
  readonly tags: readonly string[];
  readonly url: string;
  /** Null if the recorder kept no request, or one that is not JSON. */
  readonly request: JsonObject | null;
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** The raw body if it is in Amazon's frames. `body` has their events as server-sent events. */
  readonly frames: Uint8Array | null;
  /** True if the body is server-sent events. */
  readonly streamed: boolean;
}

export interface Skipped {
  readonly file: string;
  readonly api: string;
  readonly reason: string;
}

export interface Traffic {
  readonly recordings: readonly Recording[];
  readonly skipped: readonly Skipped[];
}

export const OWN_FOLDER = join(import.meta.dir, "own");

/** Returns the recordings in POUNDKEY_FIXTURES, or beside the checkout, or else the few that the project made itself. */
export function fixturesFolder(): string {
  return findRecordings() ?? OWN_FOLDER;
}

/** True if the tests read recordings of real providers. */
export const HAS_OUTSIDE = !isMissing("no recordings of real providers", findRecordings() !== null);
/** The end of a skipped row's title. */
export const NO_OUTSIDE = "none at ../shared/data/fixtures, nor where POUNDKEY_FIXTURES says";

/** Returns how many recordings a test must find: so many of real providers, or one of the project's own. */
export function atLeast(outside: number): number {
  return HAS_OUTSIDE ? outside : 1;
}

export function readTraffic(folder = fixturesFolder()): Traffic {
  const recordings: Recording[] = [];
  const skipped: Skipped[] = [];
  for (const { file, row } of readRows(folder)) {
    const api = CHAT_APIS.find((one) => one === row.api);
    const reason = api ? outside(row) : otherApi(String(row.api));
    if (!api || reason) skipped.push({ file, api: String(row.api), reason: reason ?? "" });
    else recordings.push(...split(recordingOf(row, file, api)));
  }
  return { recordings, skipped };
}

function otherApi(api: string): string {
  if (api === "cohere-v1") return "retired: the dialect speaks Cohere v2";
  if (api.startsWith("ollama-")) return "Ollama's native API: the gateway uses its /v1";
  return "no chat exchange";
}

/** Returns why a chat record can't be judged, or null if it can. */
function outside(row: JsonObject): string | null {
  const { body: text, body_base64: binary } = asObject(row.response);
  const body = asString(text);
  if (String(row.api).startsWith("bedrock-invoke")) return outsideInvoke(row);
  if (body === undefined && binary === undefined) return "the body is not text";
  if (body === undefined) return row.api === "bedrock-converse-stream" ? null : "the body is not text";
  // `functions` are sent as `tools`, so no upstream answers with the deprecated message.function_call.
  if (row.api === "openai-chat" && /"function_call": ?\{/.test(body))
    return "answer to deprecated `functions`";
  return null;
}

/** By InvokeModel, the gateway only calls Claude's Messages API. */
function outsideInvoke(row: JsonObject): string | null {
  if (!/anthropic\.claude|claude/.test(String(row.model)))
    return "InvokeModel of other models: the gateway uses Converse";
  const { body } = asObject(row.request);
  return isObject(body) && body.messages !== undefined
    ? null
    : "InvokeModel without messages: a retired API of Claude's";
}

function recordingOf(row: JsonObject, file: string, api: ChatApi): Recording {
  const request = asObject(row.request);
  const response = asObject(row.response);
  const frames = readFrames(response, api);
  const body = frames ? toEvents(frames) : asAsked(asString(response.body) ?? "", api);
  const headers = new Headers();
  for (const [name, value] of Object.entries(asObject(response.headers))) headers.set(name, String(value));
  return {
    id: String(row.id),
    file,
    api,
    model: asString(row.model) ?? /\/models\/([^/:]+):/.exec(asString(request.url) ?? "")?.[1] ?? "unknown",
    tags: asArray(row.tags).map(String),
    url: asString(request.url) ?? "",
    request: isObject(request.body) ? request.body : null,
    status: Number(response.status),
    headers,
    body,
    frames,
    streamed: Number(response.status) < 400 && /^\uFEFF?\s*(data|event|:)/.test(body),
  };
}

/** The project's own exchanges have the events of their frames as text, so that they can be read and changed. */
function readFrames({ body, body_base64, headers }: JsonObject, api: ChatApi): Uint8Array | null {
  if (typeof body_base64 === "string") return Uint8Array.fromBase64(body_base64);
  const isFramed = asObject(headers)["content-type"] === "application/vnd.amazon.eventstream";
  return isFramed && typeof body === "string" ? toFrames(body, api === "bedrock-invoke-stream") : null;
}

const GEMINI_FINISH_NUMBERS: Readonly<Record<string, string>> = { "1": "STOP", "2": "MAX_TOKENS" };

/**
 * Gemini answers in the form that the gateway requests. Some clients omitted `alt=sse` and got one JSON array, some
 * requested `enum-encoding=int`. The objects are the same.
 */
function asAsked(body: string, api: ChatApi): string {
  if (!api.startsWith("gemini-")) return body;
  const named = body.replace(/"finishReason":\s*(\d)\b/g, (whole, digit: string) => {
    const name = GEMINI_FINISH_NUMBERS[digit];
    return name ? `"finishReason": "${name}"` : whole;
  });
  if (api !== "gemini-streamGenerateContent" || !named.startsWith("[")) return named;
  const events = asArray(JSON.parse(named)).map((one) => `data: ${JSON.stringify(one)}\r\n\r\n`);
  return events.join("");
}

const FIRST_EVENTS: ReadonlySet<string> = new Set(["message_start", "response.created"]);

/** Some recorders put the answers of several turns into one body. Each is a separate exchange. */
function split(recording: Recording): Recording[] {
  if (!recording.streamed) return [recording];
  const starts = splitEvents(recording.body)
    .filter((event) => FIRST_EVENTS.has(event.event))
    .map((event) => event.start);
  if (starts.length < 2) return [recording];
  return starts.map((start, position) => ({
    ...recording,
    id: `${recording.id}#${position + 1}`,
    body: recording.body.slice(start, starts[position + 1]),
  }));
}
