// Every path that a surface serves, in one table: the source of routes, 405 answers and each path's error form.
import { ANTHROPIC_MESSAGES } from "./anthropic-messages/surface.ts";
import { DESCRIPTIONS, type Description, GEMINI_VERBS } from "./descriptions.ts";
import { GEMINI_EMBEDDING } from "./gemini/embeddings.ts";
import { GEMINI } from "./gemini/surface.ts";
import { MODERATIONS } from "./moderations/surface.ts";
import { OPENAI_CHAT } from "./openai-chat/surface.ts";
import { OPENAI_COMPLETIONS } from "./openai-completions/surface.ts";
import { OPENAI_EMBEDDINGS } from "./openai-embeddings/surface.ts";
import { OPENAI_IMAGES } from "./openai-images/surface.ts";
import { OPENAI_RESPONSES } from "./openai-responses/surface.ts";
import { OPENAI_SPEECH } from "./openai-speech/surface.ts";
import { OPENAI_TRANSCRIPTIONS } from "./openai-transcriptions/surface.ts";
import { RERANKING } from "./rerank/surface.ts";
import { type AnySurface, makeAny } from "./surface.ts";

const CHAT_COMPLETIONS = makeAny(OPENAI_CHAT);
const MESSAGES = makeAny(ANTHROPIC_MESSAGES);
const RESPONSES = makeAny(OPENAI_RESPONSES);
const GENERATE = makeAny(GEMINI);
const COMPLETIONS = makeAny(OPENAI_COMPLETIONS);
const EMBEDDINGS = makeAny(OPENAI_EMBEDDINGS);
const IMAGES = makeAny(OPENAI_IMAGES);
const SPEECH = makeAny(OPENAI_SPEECH);
const TRANSCRIPTIONS = makeAny(OPENAI_TRANSCRIPTIONS);
const RERANK = makeAny(RERANKING);
const MODERATION = makeAny(MODERATIONS);
const EMBED = makeAny(GEMINI_EMBEDDING);
const EMBED_VERBS = { embedContent: EMBED, batchEmbedContents: EMBED };

export interface SurfacePath {
  readonly path: string;
  readonly surface: AnySurface;
  /** The surfaces of other verbs, which follow the path's last colon. */
  readonly verbs?: Readonly<Record<string, AnySurface>>;
  /** Its descriptions in the OpenAPI document, or the path that it is an alias for. */
  readonly docs: readonly Description[] | string;
}

export const SURFACES: readonly SurfacePath[] = [
  { path: "/v1/chat/completions", surface: CHAT_COMPLETIONS, docs: [DESCRIPTIONS.createChatCompletion] },
  { path: "/chat/completions", surface: CHAT_COMPLETIONS, docs: "/v1/chat/completions" },
  { path: "/v1/messages", surface: MESSAGES, docs: [DESCRIPTIONS.createMessage] },
  { path: "/v1/v1/messages", surface: MESSAGES, docs: "/v1/messages" },
  { path: "/messages", surface: MESSAGES, docs: "/v1/messages" },
  { path: "/v1/messages/count_tokens", surface: MESSAGES, docs: [DESCRIPTIONS.countMessageTokens] },
  { path: "/v1/responses", surface: RESPONSES, docs: [DESCRIPTIONS.createResponse] },
  { path: "/responses", surface: RESPONSES, docs: "/v1/responses" },
  { path: "/v1/responses/input_tokens", surface: RESPONSES, docs: [DESCRIPTIONS.countResponseTokens] },
  { path: "/v1/completions", surface: COMPLETIONS, docs: [DESCRIPTIONS.createCompletion] },
  { path: "/v1/embeddings", surface: EMBEDDINGS, docs: [DESCRIPTIONS.createEmbeddings] },
  { path: "/embeddings", surface: EMBEDDINGS, docs: "/v1/embeddings" },
  { path: "/v1/images/generations", surface: IMAGES, docs: [DESCRIPTIONS.createImage] },
  { path: "/v1/images/edits", surface: IMAGES, docs: [DESCRIPTIONS.editImage] },
  { path: "/v1/audio/speech", surface: SPEECH, docs: [DESCRIPTIONS.createSpeech] },
  { path: "/v1/audio/transcriptions", surface: TRANSCRIPTIONS, docs: [DESCRIPTIONS.createTranscription] },
  { path: "/v1/audio/translations", surface: TRANSCRIPTIONS, docs: [DESCRIPTIONS.createTranslation] },
  { path: "/v1/rerank", surface: RERANK, docs: [DESCRIPTIONS.rerank] },
  { path: "/v2/rerank", surface: RERANK, docs: "/v1/rerank" },
  { path: "/rerank", surface: RERANK, docs: "/v1/rerank" },
  { path: "/v1/moderations", surface: MODERATION, docs: [DESCRIPTIONS.createModeration] },
  { path: "/v1beta/models/*", surface: GENERATE, verbs: EMBED_VERBS, docs: GEMINI_VERBS },
  { path: "/v1/models/*", surface: GENERATE, verbs: EMBED_VERBS, docs: "/v1beta/models/*" },
];

/** Paths, served or not, whose errors aren't in OpenAI's form. */
const FORMS: readonly { readonly paths: RegExp; readonly surface: AnySurface }[] = [
  { paths: /^(\/v1){0,2}\/messages(\/|$)/, surface: MESSAGES },
  { paths: /^(\/v1)?\/responses(\/|$)/, surface: RESPONSES },
  { paths: /^\/v1beta(\/|$)|^\/v1\/models\/.*:[a-zA-Z]+$/, surface: GENERATE },
];

/** Returns the surface whose error form a path uses. */
export function findSurface(path: string): AnySurface {
  return FORMS.find(({ paths }) => paths.test(path))?.surface ?? CHAT_COMPLETIONS;
}
