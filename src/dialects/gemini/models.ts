// Gemini's API accepts different fields by model generation: the facts that encoding needs, by patterns of model names.

import type { JsonObject } from "../../core/json.ts";
import type { ReasoningEffort } from "../../operations/chat/form.ts";

const LEVELS = ["MINIMAL", "LOW", "MEDIUM", "HIGH"] as const;
type Level = (typeof LEVELS)[number];

/** Generation 2.5 takes a number of tokens, 3 and later a level; both at once is a 400. */
type Thinking =
  | { readonly by: "budget"; readonly least: number; readonly most: number }
  | { readonly by: "level"; readonly levels: readonly Level[] };

export interface ModelFacts {
  /** False: no `systemInstruction`, its text goes before the first user turn. */
  readonly system: boolean;
  /** `responseMimeType: "application/json"`: not at all, not beside tools, or always. */
  readonly json: "never" | "alone" | "with tools";
  /** The most that `candidateCount` may be. */
  readonly choicesMax: number;
  /** Penalties and log probabilities: on both of Google's surfaces, on Vertex AI alone, or on none. */
  readonly scoring: "everywhere" | "vertex" | "nowhere";
  /** A functionCall replayed in the current turn must carry its signature, and its id should match its response's. */
  readonly signed: boolean;
  /** The conversation may end with a model turn, which the answer then continues. */
  readonly prefill: boolean;
  /** Pictures can be asked for. */
  readonly draws: boolean;
  /** null: the model refuses a `thinkingConfig`. */
  readonly thinking: Thinking | null;
}

/** The facts of the newest generation, which hold for any name that is not listed below (Gemini 3.6 and later, 4). */
const NEWEST: ModelFacts = {
  system: true,
  json: "with tools",
  choicesMax: 1,
  scoring: "nowhere",
  signed: true,
  prefill: false,
  draws: false,
  thinking: { by: "level", levels: ["LOW", "MEDIUM", "HIGH"] },
};
const THREE: ModelFacts = { ...NEWEST, prefill: true };
const THREE_FLASH: ModelFacts = { ...THREE, thinking: { by: "level", levels: LEVELS } };
const TWO_FIVE: ModelFacts = {
  ...THREE,
  json: "alone",
  choicesMax: 8,
  scoring: "vertex",
  signed: false,
  thinking: { by: "budget", least: 0, most: 24_576 },
};
const TWO: ModelFacts = { ...TWO_FIVE, scoring: "everywhere", thinking: null };
const GEMMA: ModelFacts = {
  ...TWO,
  system: false,
  json: "never",
  choicesMax: 1,
  scoring: "nowhere",
};

/**
 * The first pattern that matches counts. Sources: Gemini API reference and "What's new" pages (thinking levels, end of
 * prefill with 3.6 Flash and 3.5 Flash-Lite), and the API's own refusals: "Thinking level MINIMAL is not supported",
 * "Multiple candidates is not enabled", "Penalty is not enabled", "Logprobs is not enabled", "Requests ending with a
 * model turn are not supported", "Function calling with a response mime type: 'application/json' is unsupported".
 */
const FACTS: readonly (readonly [RegExp, ModelFacts])[] = [
  [/^gemma-3|^gemma-[12]/, GEMMA],
  [/^gemma/, { ...GEMMA, thinking: { by: "level", levels: ["MINIMAL", "HIGH"] } }],
  [/^gemini-2.*image/, { ...TWO_FIVE, choicesMax: 1, thinking: null, draws: true }],
  [/image|nano-banana/, { ...NEWEST, thinking: null, draws: true }],
  [/^gemini-(1|2\.0|exp|pro$)|^learnlm/, TWO],
  [/^gemini-2\.5-pro/, { ...TWO_FIVE, thinking: { by: "budget", least: 128, most: 32_768 } }],
  [/^gemini-2|^gemini-robotics-er-1/, TWO_FIVE],
  [/^gemini-3-pro/, { ...THREE, thinking: { by: "level", levels: ["LOW", "HIGH"] } }],
  [/^gemini-3\.1-pro/, THREE],
  [/^gemini-3(\.[1-4])?-flash|^gemini-3\.5-flash(?!-lite)/, THREE_FLASH],
  [/^gemini-3\.[56]-flash/, { ...THREE_FLASH, prefill: false }],
];

/** The facts for a model by its name as the API takes it, with or without `models/`. */
export function findFacts(modelName: string): ModelFacts {
  const name = modelName.toLowerCase().replace(/^.*\//, "");
  return FACTS.find(([pattern]) => pattern.test(name))?.[1] ?? NEWEST;
}

/** Vertex AI serves the same dialect with other limits. */
export function isVertex(baseUrl: string): boolean {
  return /\baiplatform\.googleapis\.com\b/.test(baseUrl);
}

/** Tokens for an effort, as Google's own OpenAI-compatible endpoint maps it (Gemini API, "OpenAI compatibility"). */
const BUDGETS: Readonly<Record<ReasoningEffort, number>> = {
  none: 0,
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 32_768,
  max: 32_768,
};
const WANTED: Readonly<Record<ReasoningEffort, Level>> = {
  none: "MINIMAL",
  minimal: "MINIMAL",
  low: "LOW",
  medium: "MEDIUM",
  high: "HIGH",
  xhigh: "HIGH",
  max: "HIGH",
};

interface ThinkingChoice {
  readonly config: JsonObject;
  /** The model can't do what was asked; the nearest it can do was taken. */
  readonly changed: boolean;
}

/**
 * The `thinkingConfig` for an effort; thoughts are asked for unless the effort is `none`. A budget is at most `roomTokens`,
 * or the least that the model takes.
 */
export function chooseThinking(
  thinking: Thinking,
  effort: ReasoningEffort,
  roomTokens: number,
): ThinkingChoice {
  const shown = effort === "none" ? {} : { includeThoughts: true };
  if (thinking.by === "budget") {
    const wanted = Math.min(BUDGETS[effort], roomTokens);
    const budget = Math.min(thinking.most, Math.max(thinking.least, wanted));
    return {
      config: { thinkingBudget: budget, ...shown },
      changed: budget > BUDGETS[effort] || budget < Math.min(BUDGETS[effort], thinking.most),
    };
  }
  const wanted = LEVELS.indexOf(WANTED[effort]);
  const level =
    thinking.levels.find((each) => LEVELS.indexOf(each) >= wanted) ?? thinking.levels.at(-1) ?? "HIGH";
  return { config: { thinkingLevel: level, ...shown }, changed: level !== WANTED[effort] };
}
