// Requests that ask for what other gateways and vendors have fields for, at each surface.
import { asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import type { UnderTest } from "../../harness/harness.ts";

const SAY = "say: good day";
const MESSAGES = [{ role: "user", content: SAY }];

interface AskedSurface {
  /** `MODEL` stands for the model, where the path names it. */
  readonly path: string;
  readonly body: JsonObject;
  /** A model whose provider gets the client's own request. Missing if there is none. */
  readonly native?: string;
  readonly translated: string;
}

/** A request to each surface that works. */
export const SURFACES = {
  chat: {
    path: "/v1/chat/completions",
    body: { messages: MESSAGES },
    translated: "Anthropic#claude-sonnet-4-6",
    native: "OpenAI#gpt-4.1",
  },
  messages: {
    path: "/v1/messages",
    body: { messages: MESSAGES, max_tokens: 100 },
    native: "Anthropic#claude-sonnet-4-6",
    translated: "OpenAI#gpt-4.1",
  },
  responses: {
    path: "/v1/responses",
    body: { input: SAY },
    native: "Responses#gpt-4.1",
    translated: "Local#some-model",
  },
  gemini: {
    path: "/v1beta/models/MODEL:generateContent",
    body: { contents: [{ role: "user", parts: [{ text: SAY }] }] },
    native: "Google#gemini-3.6-flash",
    translated: "OpenAI#gpt-4.1",
  },
  interactions: {
    path: "/v1/interactions",
    body: { input: SAY },
    translated: "Google#gemini-3.6-flash",
  },
  completions: { path: "/v1/completions", body: { prompt: SAY }, translated: "Local#some-model" },
  embeddings: { path: "/v1/embeddings", body: { input: "a" }, translated: "Local#embed" },
  rerank: {
    path: "/v1/rerank",
    body: { query: "a", documents: ["a", "b"] },
    translated: "Cohere#rerank-v3.5",
  },
  moderations: { path: "/v1/moderations", body: { input: "a" }, translated: "Local#moderate" },
  images: { path: "/v1/images/generations", body: { prompt: "a cat" }, translated: "Local#gpt-image-2" },
  speech: { path: "/v1/audio/speech", body: { input: "a", voice: "alloy" }, translated: "Local#tts-1" },
} as const satisfies Readonly<Record<string, AskedSurface>>;

export type SurfaceWord = keyof typeof SURFACES;
export const SURFACE_WORDS = Object.keys(SURFACES).filter((word): word is SurfaceWord => word in SURFACES);

export interface Answered {
  readonly status: number;
  readonly code: unknown;
  readonly param: unknown;
  readonly message: string;
  readonly dropped: string | null;
  /** The upstream calls. */
  readonly calls: readonly JsonObject[];
  readonly text: string;
  readonly id: string;
}

/** Sends a request to a surface, and says what became of it. */
export async function ask(
  world: UnderTest,
  surface: SurfaceWord,
  model: string,
  more: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  const { path, body } = SURFACES[surface];
  const isNamed = path.includes("MODEL");
  return askAt(
    world,
    path.replace("MODEL", encodeURIComponent(model)),
    { ...(isNamed ? {} : { model }), ...body, ...more },
    headers,
  );
}

export async function askAt(
  world: UnderTest,
  path: string,
  body: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  const before = world.simulator.calls.all().length;
  const response = await fetch(world.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${world.secret}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const { error = {} } = asObject(parseJson(text));
  const { code, type, details, param, message, status } = asObject(error);
  return {
    status: response.status,
    code: response.headers.get("x-poundkey-error") ?? code ?? type ?? status,
    param: param ?? asObject(details).param,
    message: String(message ?? ""),
    dropped: response.headers.get("x-poundkey-dropped"),
    calls: world.simulator.calls
      .all()
      .slice(before)
      .map(({ body: sent }) => asObject(sent)),
    text,
    id: String(response.headers.get("x-request-id")),
  };
}
