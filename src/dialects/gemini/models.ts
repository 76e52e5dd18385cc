// The facts needed for encoding, by patterns of model names: Gemini's API accepts different fields per generation.

import type { ModelCard } from "../../core/models/card.ts";
import { applyRules, type DialectRules } from "../../core/models/refusal-rules.ts";
import { remember } from "../../core/world/remember.ts";

/** The levels of thinking, from the lowest. */
export const LEVELS = ["MINIMAL", "LOW", "MEDIUM", "HIGH", "XHIGH"] as const;
export type Level = (typeof LEVELS)[number];

/** Generation 2.5 takes a token budget, 3 and later a level. Both together are answered with 400. */
export type GeminiThinking =
  | { readonly by: "budget"; readonly least: number; readonly most: number }
  | { readonly by: "level"; readonly levels: readonly Level[] };

export interface GeminiModelFacts {
  /** False if there is no `systemInstruction`: its text then precedes the first user turn. */
  readonly system: boolean;
  /** Support of `responseMimeType: "application/json"`: never, only without tools, or always. */
  readonly json: "never" | "alone" | "with tools";
  /** The maximum of `candidateCount`. */
  readonly choicesMax: number;
  /** Penalties and log probabilities are supported at both of Google's services, only on Vertex AI, or nowhere. */
  readonly scoring: "everywhere" | "vertex" | "nowhere";
  /** True if a call replayed in the current turn must carry its signature. Its id should match its response's. */
  readonly signed: boolean;
  /** True if the conversation may end with a model turn, which the answer then continues. */
  readonly prefill: boolean;
  /** True if a choice among some of the functions leaves the model free to call none (mode VALIDATED, not at Vertex AI's v1). */
  readonly limitsCalls: boolean;
  /** True if it can return images. */
  readonly draws: boolean;
  /** Null if the model refuses a `thinkingConfig`. */
  readonly thinking: GeminiThinking | null;
  /** Accepts each of these at all. */
  readonly temperature: boolean;
  readonly topP: boolean;
  readonly topK: boolean;
}

/** The facts of the newest generation, also used for any name not listed below (Gemini 3.6 and later, 4). */
const NEWEST: GeminiModelFacts = {
  system: true,
  json: "with tools",
  choicesMax: 1,
  scoring: "nowhere",
  signed: true,
  prefill: false,
  limitsCalls: true,
  draws: false,
  thinking: { by: "level", levels: ["LOW", "MEDIUM", "HIGH"] },
  temperature: true,
  topP: true,
  topK: true,
};
const THREE: GeminiModelFacts = { ...NEWEST, prefill: true };
const THREE_FLASH: GeminiModelFacts = {
  ...THREE,
  thinking: { by: "level", levels: ["MINIMAL", "LOW", "MEDIUM", "HIGH"] },
};
const TWO_FIVE: GeminiModelFacts = {
  ...THREE,
  json: "alone",
  choicesMax: 8,
  limitsCalls: false,
  scoring: "vertex",
  signed: false,
  thinking: { by: "budget", least: 0, most: 24_576 },
};
const TWO: GeminiModelFacts = { ...TWO_FIVE, scoring: "everywhere", thinking: null };
const GEMMA: GeminiModelFacts = {
  ...TWO,
  system: false,
  json: "never",
  choicesMax: 1,
  scoring: "nowhere",
};

/**
 * The first match counts. Sources: Gemini API reference and "What's new" pages (thinking levels, end of prefill with
 * 3.6 Flash and 3.5 Flash-Lite), "Developer's guide to Gemini 4 Neon" (November 2026), and the API's own refusals: "Thinking level MINIMAL is not supported", "Multiple
 * candidates is not enabled", "Penalty is not enabled", "Logprobs is not enabled", "Requests ending with a model turn
 * are not supported", "Function calling with a response mime type: 'application/json' is unsupported".
 */
const FACTS: readonly (readonly [RegExp, GeminiModelFacts])[] = [
  [/^gemma-3|^gemma-[12]/, GEMMA],
  [/^gemma/, { ...GEMMA, thinking: { by: "level", levels: ["MINIMAL", "HIGH"] } }],
  [/^gemini-2.*image/, { ...TWO_FIVE, choicesMax: 1, thinking: null, draws: true }],
  [/image|nano-banana/, { ...NEWEST, thinking: null, draws: true }],
  [/^gemini-2\.0.*thinking/, { ...TWO, thinking: TWO_FIVE.thinking }],
  [/^gemini-(1|2\.0|exp|pro$)|^learnlm/, TWO],
  [/^gemini-2\.5-pro/, { ...TWO_FIVE, thinking: { by: "budget", least: 128, most: 32_768 } }],
  [/^gemini-2|^gemini-robotics-er-1/, TWO_FIVE],
  [/^gemini-3-pro/, { ...THREE, thinking: { by: "level", levels: ["LOW", "HIGH"] } }],
  [/^gemini-3\.1-pro/, THREE],
  [/^gemini-3(\.[1-4])?-flash|^gemini-3\.5-flash(?!-lite)/, THREE_FLASH],
  [/^gemini-3\.[56]-flash/, { ...THREE_FLASH, prefill: false }],
  [/^gemini-4-neon/, { ...NEWEST, thinking: { by: "level", levels: ["LOW", "MEDIUM", "HIGH", "XHIGH"] } }],
];

const RULES: DialectRules<"gemini", GeminiModelFacts> = {
  temperature: ({ temperature }, isRefused) => ({ temperature: !isRefused(!temperature) }),
  top_p: ({ topP }, isRefused) => ({ topP: !isRefused(!topP) }),
  top_k: ({ topK }, isRefused) => ({ topK: !isRefused(!topK) }),
  thinking_budget: ({ thinking }, isRefused) =>
    thinking?.by === "budget" && isRefused() ? { thinking: null } : {},
  thinking_level: ({ thinking }, isRefused) =>
    thinking?.by === "level" && isRefused() ? { thinking: null } : {},
  prefill: ({ prefill }, isRefused) => ({ prefill: !isRefused(!prefill) }),
};

/** Finds a model's facts by its name, with the operator's words over them. */
export const findFacts = remember(
  (card: ModelCard): GeminiModelFacts => applyRules(RULES, card, findByName(card.name) ?? NEWEST),
);

/** True if a row has the model's name. */
export const isKnownModel = ({ name }: ModelCard): boolean => findByName(name) !== undefined;

/** Names may begin with `models/`. */
function findByName(modelName: string): GeminiModelFacts | undefined {
  const name = modelName.toLowerCase().replace(/^.*\//, "");
  return FACTS.find(([pattern]) => pattern.test(name))?.[1];
}

/** True for Vertex AI, which serves the same dialect with other limits. */
export function isVertex(baseUrl: string): boolean {
  return /\baiplatform\.googleapis\.com\b/.test(baseUrl);
}
