// Requests of the simulator's tests in each dialect's wire format, without the gateway's encoders.
import { asObject, type JsonObject, parseJson } from "../../src/core/json/json.ts";
import { toEvents } from "../recorded/aws-frames.ts";
import type { Simulator } from "./server.ts";

interface Kit {
  readonly path: (model: string, streamed: boolean) => string;
  readonly keyHeader: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: (model: string, text: string, stream: boolean) => JsonObject;
  /** The path of the text in a whole answer, and of a piece of text in an event. */
  readonly whole: string;
  readonly piece: string;
}

const BEARER = "authorization";
const chat = (model: string, content: string, stream: boolean): JsonObject => ({
  model,
  messages: [{ role: "user", content }],
  stream,
});
const choices = {
  keyHeader: BEARER,
  body: chat,
  whole: "choices.0.message.content",
  piece: "choices.0.delta.content",
};
const items = {
  keyHeader: BEARER,
  body: (model: string, input: string, stream: boolean): JsonObject => ({ model, input, stream }),
  whole: "output.0.content.0.text",
  piece: "delta",
};

export const KITS = {
  openai: { ...choices, path: () => "/openai/v1/chat/completions" },
  responses: { ...items, path: () => "/openai/v1/responses" },
  anthropic: {
    path: () => "/anthropic/v1/messages",
    keyHeader: "x-api-key",
    headers: { "anthropic-version": "2023-06-01" },
    body: (model, text, stream) => ({ ...chat(model, text, stream), max_tokens: 5000 }),
    whole: "content.0.text",
    piece: "delta.text",
  },
  gemini: {
    path: (model, streamed) =>
      `/gemini/v1beta/models/${model}:${streamed ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    keyHeader: "x-goog-api-key",
    body: (_model, text) => ({ contents: [{ role: "user", parts: [{ text }] }] }),
    whole: "candidates.0.content.parts.0.text",
    piece: "candidates.0.content.parts.0.text",
  },
  mistral: { ...choices, path: () => "/mistral/v1/chat/completions" },
  perplexity: { ...items, path: () => "/perplexity/v1/agent" },
  cohere: {
    path: () => "/cohere/v2/chat",
    keyHeader: BEARER,
    body: chat,
    whole: "message.content.0.text",
    piece: "delta.message.content.text",
  },
  bedrock: {
    path: (model, streamed) =>
      `/bedrock/model/${encodeURIComponent(model)}/${streamed ? "converse-stream" : "converse"}`,
    keyHeader: BEARER,
    body: (_model, text) => ({ messages: [{ role: "user", content: [{ text }] }] }),
    whole: "output.message.content.0.text",
    piece: "delta.text",
  },
} as const satisfies Record<string, Kit>;
export type KitName = keyof typeof KITS;
export const KIT_NAMES: readonly KitName[] = [
  "openai",
  "responses",
  "anthropic",
  "gemini",
  "mistral",
  "perplexity",
  "cohere",
  "bedrock",
];

/** Returns the value at `a.0.b`, or undefined if there is none. */
export function at(value: unknown, path: string): unknown {
  let found = value;
  for (const step of path.split("."))
    found = Array.isArray(found) ? found[Number(step)] : asObject(found)[step];
  return found;
}

export interface Asked {
  readonly model?: string;
  readonly text?: string;
  readonly streamed?: boolean;
  /** Null if none is sent. */
  readonly key?: string | null;
  /** Fields added to the body, replacing those of the same name. */
  readonly with?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent instead of JSON. */
  readonly raw?: string;
  readonly signal?: AbortSignal;
}

/** Sends one request in a dialect. Doesn't follow redirects. */
export function send(sim: Pick<Simulator, "url">, name: KitName, asked: Asked = {}): Promise<Response> {
  const kit: Kit = KITS[name];
  const { model = "sim-mini", text = "hello", streamed = false, key = "a-key" } = asked;
  const secret = kit.keyHeader === BEARER ? `Bearer ${key}` : String(key);
  return fetch(sim.url + kit.path(model, streamed), {
    method: "POST",
    redirect: "manual",
    headers: {
      "content-type": "application/json",
      ...kit.headers,
      ...(key === null ? {} : { [kit.keyHeader]: secret }),
      ...asked.headers,
    },
    body: asked.raw ?? JSON.stringify({ ...kit.body(model, text, streamed), ...asked.with }),
    ...(asked.signal ? { signal: asked.signal } : {}),
  });
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: JsonObject;
  /** The JSON of each `data` line. */
  readonly events: readonly unknown[];
}

/** Sends a request and reads the whole answer. Rejects if the connection breaks. */
export async function ask(sim: Pick<Simulator, "url">, name: KitName, asked: Asked = {}): Promise<Reply> {
  const response = await send(sim, name, asked);
  const text = await readText(response);
  const lines = [...text.matchAll(/^data: (.*?)\r?$/gm)].map((match) => parseJson(match[1] ?? ""));
  const events = lines.filter((event) => event !== undefined);
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: asObject(parseJson(text)),
    events,
  };
}

/** Only frames begin with a zero byte. */
async function readText(response: Response): Promise<string> {
  const bytes = await response.bytes();
  return bytes[0] === 0 ? toEvents(bytes) : new TextDecoder().decode(bytes);
}

/** Returns the streamed text. */
export function spoken(name: KitName, { events }: Reply): string {
  const pieces = events.map((event) => at(event, KITS[name].piece));
  return pieces.filter((piece) => typeof piece === "string").join("");
}
