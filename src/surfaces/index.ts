// Every path that a surface serves, in one table: the source of routes, 405 answers and each path's error form.
import type { Form } from "../operations/form.ts";
import { ANTHROPIC_MESSAGES } from "./anthropic-messages/surface.ts";
import type { OperationId } from "./descriptions.ts";
import { GEMINI_EMBEDDING } from "./gemini/embeddings.ts";
import { GEMINI, VERBS } from "./gemini/surface.ts";
import { INTERACTIONS } from "./interactions/surface.ts";
import { MODERATIONS } from "./moderations/surface.ts";
import { OPENAI_CHAT } from "./openai-chat/surface.ts";
import { OPENAI_COMPLETIONS } from "./openai-completions/surface.ts";
import { OPENAI_EMBEDDINGS } from "./openai-embeddings/surface.ts";
import { OPENAI_IMAGES } from "./openai-images/surface.ts";
import { COMPACTIONS } from "./openai-responses/compaction/surface.ts";
import { OPENAI_RESPONSES } from "./openai-responses/surface.ts";
import { OPENAI_SPEECH } from "./openai-speech/surface.ts";
import { OPENAI_TRANSCRIPTIONS } from "./openai-transcriptions/surface.ts";
import { RERANKING } from "./rerank/surface.ts";
import { type AnySurface, makeAny, type Surface } from "./surface.ts";

interface SurfacePath {
  readonly path: string;
  readonly surface: AnySurface;
  /** The surfaces of other verbs, which follow the path's last colon. */
  readonly verbs?: Readonly<Record<string, AnySurface>>;
  /** Its descriptions in the OpenAPI document, or the path that it is an alias for. */
  readonly docs: readonly OperationId[] | `/${string}`;
}

function serve<F extends Form>(
  path: string,
  surface: Surface<F>,
  docs: SurfacePath["docs"],
  verbs?: SurfacePath["verbs"],
): SurfacePath {
  return { path, surface: makeAny(surface), docs, ...(verbs && { verbs }) };
}

const EMBED = makeAny(GEMINI_EMBEDDING);
const EMBED_VERBS = { embedContent: EMBED, batchEmbedContents: EMBED };

export const SURFACES: readonly SurfacePath[] = [
  serve("/v1/chat/completions", OPENAI_CHAT, ["createChatCompletion"]),
  serve("/chat/completions", OPENAI_CHAT, "/v1/chat/completions"),
  serve("/v1/messages", ANTHROPIC_MESSAGES, ["createMessage"]),
  serve("/v1/v1/messages", ANTHROPIC_MESSAGES, "/v1/messages"),
  serve("/messages", ANTHROPIC_MESSAGES, "/v1/messages"),
  // LiteLLM's way through to Anthropic.
  serve("/anthropic/v1/messages", ANTHROPIC_MESSAGES, "/v1/messages"),
  serve("/v1/messages/count_tokens", ANTHROPIC_MESSAGES, ["countMessageTokens"]),
  serve("/v1/responses", OPENAI_RESPONSES, ["createResponse"]),
  serve("/responses", OPENAI_RESPONSES, "/v1/responses"),
  serve("/v1/responses/input_tokens", OPENAI_RESPONSES, ["countResponseTokens"]),
  serve("/v1/responses/compact", COMPACTIONS, ["compactResponse"]),
  serve("/v1/completions", OPENAI_COMPLETIONS, ["createCompletion"]),
  serve("/v1/embeddings", OPENAI_EMBEDDINGS, ["createEmbeddings"]),
  serve("/embeddings", OPENAI_EMBEDDINGS, "/v1/embeddings"),
  serve("/v1/images/generations", OPENAI_IMAGES, ["createImage"]),
  serve("/v1/images/edits", OPENAI_IMAGES, ["editImage"]),
  serve("/v1/audio/speech", OPENAI_SPEECH, ["createSpeech"]),
  serve("/v1/audio/transcriptions", OPENAI_TRANSCRIPTIONS, ["createTranscription"]),
  serve("/v1/audio/translations", OPENAI_TRANSCRIPTIONS, ["createTranslation"]),
  serve("/v1/rerank", RERANKING, ["rerank"]),
  serve("/v2/rerank", RERANKING, "/v1/rerank"),
  serve("/rerank", RERANKING, "/v1/rerank"),
  serve("/v1/moderations", MODERATIONS, ["createModeration"]),
  serve("/v1/interactions", INTERACTIONS, ["createInteraction"]),
  serve("/v1beta/interactions", INTERACTIONS, "/v1/interactions"),
  serve("/v1beta/models/*", GEMINI, VERBS, EMBED_VERBS),
  serve("/v1/models/*", GEMINI, "/v1beta/models/*", EMBED_VERBS),
  // The AI SDK leaves out `models` before an id with a slash.
  serve("/v1beta/:provider/*", GEMINI, "/v1beta/models/*", EMBED_VERBS),
];

/** Paths, served or not, whose errors aren't in OpenAI's form. */
const FORMS: readonly { readonly paths: RegExp; readonly surface: AnySurface }[] = [
  { paths: /^(\/anthropic)?(\/v1){0,2}\/messages(\/|$)/, surface: makeAny(ANTHROPIC_MESSAGES) },
  { paths: /^(\/v1)?\/responses(\/|$)/, surface: makeAny(OPENAI_RESPONSES) },
  { paths: /^\/v1(beta)?\/interactions(\/|$)/, surface: makeAny(INTERACTIONS) },
  { paths: /^\/(v1beta|upload)(\/|$)|^\/v1\/models\/.*:[a-zA-Z]+$/, surface: makeAny(GEMINI) },
];

const USUAL = makeAny(OPENAI_CHAT);

/** Returns the surface whose error form a path uses. */
export function findSurface(path: string): AnySurface {
  return FORMS.find(({ paths }) => paths.test(path))?.surface ?? USUAL;
}

/** Paths that the APIs of several vendors have in common. */
const SHARED = /^(\/v1){0,2}\/(files|batches)(\/|$)/;

/** The forms of requests at shared paths. */
type Asker = "openai" | "anthropic" | "google";

const ASKERS: Readonly<Record<Asker, AnySurface>> = {
  openai: USUAL,
  anthropic: makeAny(ANTHROPIC_MESSAGES),
  google: makeAny(GEMINI),
};

/** Returns whose SDK sent a request to a shared path, as its headers tell. */
export function findAsker(headers: Headers): Asker {
  if (headers.has("anthropic-version")) return "anthropic";
  return headers.has("x-goog-api-key") ? "google" : "openai";
}

/** Returns the surface whose error form the answer to a request has. */
export function findErrorForm(path: string, headers: Headers): AnySurface {
  return SHARED.test(path) ? ASKERS[findAsker(headers)] : findSurface(path);
}
