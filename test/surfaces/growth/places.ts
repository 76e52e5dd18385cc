// Requests of any size, by surface and by the place in which they grow.
import type { Places } from "./place.ts";
import { ANTHROPIC_PLACES } from "./places-anthropic.ts";
import { GEMINI_PLACES } from "./places-gemini.ts";
import { INTERACTION_PLACES } from "./places-interactions.ts";
import { CHAT_PLACES } from "./places-openai.ts";
import { RESPONSES_PLACES } from "./places-responses.ts";

export const PLACES = {
  chat: CHAT_PLACES,
  messages: ANTHROPIC_PLACES,
  responses: RESPONSES_PLACES,
  gemini: GEMINI_PLACES,
  interactions: INTERACTION_PLACES,
} as const satisfies Readonly<Record<string, Places>>;
export type SurfaceWord = keyof typeof PLACES;
