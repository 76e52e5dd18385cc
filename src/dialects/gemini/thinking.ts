// Gemini's `thinkingConfig`: chosen for an effort, and fitted into an output limit.
import { changeFields, type JsonObject } from "../../core/json/json.ts";
import type { ReasoningEffort } from "../../operations/chat/form.ts";
import { type GeminiThinking, LEVELS, type Level } from "./models.ts";

/**
 * Thoughts count towards the output limit. This many tokens of it are left for the answer: without them nothing might be.
 * If fewer than this remain for thoughts, there are none, or as few as the model can.
 */
const TOKENS_MIN = 1024;

/** Token budgets by effort, as in Google's own OpenAI-compatible endpoint (Gemini API, "OpenAI compatibility"). */
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
  xhigh: "XHIGH",
  max: "XHIGH",
};

const EFFORTS = { MINIMAL: "minimal", LOW: "low", MEDIUM: "medium", HIGH: "high", XHIGH: "xhigh" } as const;

type BudgetThinking = Extract<GeminiThinking, { by: "budget" }>;

interface ThinkingChoice {
  readonly config: JsonObject;
  /** True if the model lacks the requested setting, or the limit leaves no room for it, and it got the nearest one. */
  readonly changed: boolean;
}

/** Chooses the `thinkingConfig` for an effort. Thoughts are requested unless there are none or the effort is `none`. */
export function chooseThinking(
  thinking: GeminiThinking,
  effort: ReasoningEffort,
  outputTokens: number,
): ThinkingChoice {
  const roomTokens = computeRoom(outputTokens);
  const isShown = effort !== "none";
  if (thinking.by === "budget") {
    const wanted = Math.min(BUDGETS[effort], roomTokens);
    const budget = clamp(wanted, thinking);
    return {
      config: makeBudgeted(budget, isShown ? { includeThoughts: true } : {}),
      changed: budget > BUDGETS[effort] || budget < Math.min(BUDGETS[effort], thinking.most),
    };
  }
  const level = findLevel(thinking.levels, roomTokens === 0 ? "MINIMAL" : WANTED[effort]);
  return {
    config: { thinkingLevel: level, ...(isShown ? { includeThoughts: true } : {}) },
    changed: isOther(level, WANTED[effort]),
  };
}

/**
 * Returns the client's own `thinkingConfig` in the form that the model takes: the same object if it is in that form.
 * Undefined if the model takes none.
 */
export function adaptThinking(given: JsonObject, thinking: GeminiThinking | null): JsonObject | undefined {
  const { thinkingBudget: budget, thinkingLevel } = given;
  const asked = LEVELS.find((level) => level === String(thinkingLevel).toUpperCase());
  if (thinking === null) return Object.values(given).some((value) => value ?? false) ? undefined : given;
  if (thinking.by === "level") {
    if (asked === undefined || thinking.levels.includes(asked)) return given;
    return changeFields(given, { thinkingLevel: findLevel(thinking.levels, asked) });
  }
  if (typeof budget === "number") return clampBudget(given, budget, thinking);
  if (asked === undefined) return given;
  const { thinkingLevel: _level, ...others } = given;
  return makeBudgeted(clamp(BUDGETS[EFFORTS[asked]], thinking), others);
}

/** A negative budget leaves it to the model. */
function clampBudget(given: JsonObject, budget: number, thinking: BudgetThinking): JsonObject {
  const thinkingBudget = budget < 0 ? budget : clamp(budget, thinking);
  const isLevelled = (given.thinkingLevel ?? null) !== null;
  if (thinkingBudget === budget && !isLevelled) return given;
  return changeFields(given, { thinkingBudget, ...(isLevelled ? { thinkingLevel: undefined } : {}) });
}

function clamp(budget: number, { least, most }: BudgetThinking): number {
  return Math.min(most, Math.max(least, budget));
}

/** Returns the client's own `thinkingConfig` within a lowered limit: the same object if it fits. */
export function fitThinking(
  given: JsonObject,
  thinking: GeminiThinking | null,
  outputTokens: number,
): JsonObject {
  const { thinkingBudget: budget, thinkingLevel, ...others } = given;
  if (thinking === null) return given;
  const roomTokens = computeRoom(outputTokens);
  if (thinking.by === "level" && roomTokens === 0) {
    const level = findLevel(thinking.levels, "MINIMAL");
    const isLow = String(thinkingLevel).toUpperCase() === level || budget === 0;
    const isNamed = typeof thinkingLevel === "string" || typeof budget === "number";
    return isLow || !isNamed ? given : { ...others, thinkingLevel: level };
  }
  if (typeof budget !== "number") return given;
  const { least, most } = thinking.by === "budget" ? thinking : { least: 0, most: Number.POSITIVE_INFINITY };
  const fitting = Math.max(least, roomTokens);
  // With -1, the model decides for itself.
  return (budget < 0 ? most : budget) <= fitting ? given : makeBudgeted(fitting, others);
}

/** A model's highest level is what efforts above `high` ask for. */
function isOther(level: Level, wanted: Level): boolean {
  return level !== wanted && !(level === "HIGH" && wanted === "XHIGH");
}

/** Returns the most tokens for thoughts within an output limit. */
function computeRoom(outputTokens: number): number {
  const left = outputTokens - TOKENS_MIN;
  return left < TOKENS_MIN ? 0 : left;
}

/** Thoughts can't be requested where there are none ("include_thoughts is only enabled when thinking is enabled"). */
function makeBudgeted(thinkingBudget: number, { includeThoughts, ...others }: JsonObject): JsonObject {
  return thinkingBudget === 0 || includeThoughts === undefined
    ? { ...others, thinkingBudget }
    : { ...others, thinkingBudget, includeThoughts };
}

/** Returns the lowest of a model's levels that is at least this one, or else its highest. */
function findLevel(levels: readonly Level[], wanted: Level): Level {
  const least = LEVELS.indexOf(wanted);
  return levels.find((each) => LEVELS.indexOf(each) >= least) ?? levels.at(-1) ?? "HIGH";
}
