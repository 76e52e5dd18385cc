// Every path that a surface serves, in one table: routes, 405 and the error form of a path come from it.
import type { ChatReply, ChatRequest } from "../operations/chat/form.ts";
import type { Part } from "../operations/chat/run.ts";
import { ANTHROPIC_MESSAGES } from "./anthropic-messages/surface.ts";
import { GEMINI } from "./gemini/surface.ts";
import { OPENAI_CHAT } from "./openai-chat/surface.ts";
import { OPENAI_RESPONSES } from "./openai-responses/surface.ts";
import type { Surface } from "./surface.ts";

export type ChatSurface = Surface<ChatRequest, Part, ChatReply>;

export interface SurfacePath {
  readonly path: string;
  readonly surface: ChatSurface;
}

export const SURFACES: readonly SurfacePath[] = [
  { path: "/v1/chat/completions", surface: OPENAI_CHAT },
  { path: "/chat/completions", surface: OPENAI_CHAT },
  { path: "/v1/messages", surface: ANTHROPIC_MESSAGES },
  { path: "/v1/v1/messages", surface: ANTHROPIC_MESSAGES },
  { path: "/messages", surface: ANTHROPIC_MESSAGES },
  { path: "/v1/messages/count_tokens", surface: ANTHROPIC_MESSAGES },
  { path: "/v1/responses", surface: OPENAI_RESPONSES },
  { path: "/responses", surface: OPENAI_RESPONSES },
  { path: "/v1/responses/input_tokens", surface: OPENAI_RESPONSES },
  { path: "/v1beta/models/*", surface: GEMINI },
  { path: "/v1/models/*", surface: GEMINI },
];

/** The paths whose errors are in another form than OpenAI's, served or not. */
const FORMS: readonly { readonly paths: RegExp; readonly surface: ChatSurface }[] = [
  { paths: /^(\/v1){0,2}\/messages(\/|$)/, surface: ANTHROPIC_MESSAGES },
  { paths: /^(\/v1)?\/responses(\/|$)/, surface: OPENAI_RESPONSES },
  { paths: /^\/v1beta(\/|$)|^\/v1\/models\/.*:[a-zA-Z]+$/, surface: GEMINI },
];

/** The surface in whose form a path's errors are. */
export function surfaceOfPath(path: string): ChatSurface {
  return FORMS.find(({ paths }) => paths.test(path))?.surface ?? OPENAI_CHAT;
}
