// Every path that a surface serves, in one table: routes, 405 and the error form of a path come from it.
import type { ChatReply, ChatRequest } from "../operations/chat/form.ts";
import type { Part } from "../operations/chat/run.ts";
import { OPENAI_CHAT } from "./openai-chat/surface.ts";
import type { Surface } from "./surface.ts";

export interface SurfacePath {
  readonly path: string;
  readonly surface: Surface<ChatRequest, Part, ChatReply>;
}

export const SURFACES: readonly SurfacePath[] = [
  { path: "/v1/chat/completions", surface: OPENAI_CHAT },
  { path: "/chat/completions", surface: OPENAI_CHAT },
];
