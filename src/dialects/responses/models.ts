// The rules of OpenAI's own models, by name pattern (OpenAI, model pages and the Node SDK's types; November 2026), and the
// efforts of xAI's.
import type { ModelCard } from "../../core/models/card.ts";
import { applyRules, type DialectRules } from "../../core/models/refusal-rules.ts";
import { listEfforts } from "../../core/models/refusals.ts";
import { remember } from "../../core/world/remember.ts";
import type { ReasoningEffort } from "../../operations/chat/form.ts";
import { HAS_BREAKPOINTS } from "../_chat/cache/cache-breakpoint.ts";
import { findGrokEfforts } from "./grok-efforts.ts";

interface ModelFamily {
  readonly pattern: RegExp;
  /** In ascending order. Empty if the family doesn't reason. */
  readonly efforts: readonly ReasoningEffort[];
  /** True if it accepts `text.verbosity` other than medium. */
  readonly verbosity: boolean;
  /** True for a row of models that may not exist yet. */
  readonly isGuess?: true;
}

const LOW_TO_HIGH = ["low", "medium", "high"] as const;
const LOW_TO_XHIGH = [...LOW_TO_HIGH, "xhigh"] as const;
const LOW_TO_MAX = [...LOW_TO_XHIGH, "max"] as const;

/** The first match counts, so exceptions come before their generation. Unknown later generations match the last row. */
const FAMILIES: readonly ModelFamily[] = [
  { pattern: /^(gpt-[34]|chatgpt|gpt-5-chat)/, efforts: [], verbosity: false },
  { pattern: /^gpt-5\.\d+-chat/, efforts: ["medium"], verbosity: false },
  { pattern: /^o\d/, efforts: LOW_TO_HIGH, verbosity: false },
  { pattern: /^gpt-5-pro/, efforts: ["high"], verbosity: true },
  { pattern: /^gpt-5\.\d+-pro/, efforts: ["medium", "high", "xhigh"], verbosity: true },
  { pattern: /^gpt-5(\.1)?-codex(?!-max)/, efforts: LOW_TO_HIGH, verbosity: true },
  { pattern: /codex/, efforts: LOW_TO_XHIGH, verbosity: true },
  { pattern: /^gpt-5(-|$)/, efforts: ["minimal", ...LOW_TO_HIGH], verbosity: true },
  { pattern: /^gpt-5\.1/, efforts: ["none", ...LOW_TO_HIGH], verbosity: true },
  { pattern: /^gpt-5\.[2-5]/, efforts: ["none", ...LOW_TO_XHIGH], verbosity: true },
  { pattern: /^gpt-(5\.|6-(luna|sol)|6\.1-terra)/, efforts: ["none", ...LOW_TO_MAX], verbosity: true },
  { pattern: /^gpt-6(\.[12])?(-|$)/, efforts: LOW_TO_MAX, verbosity: true },
  { pattern: /^gpt-\d/, efforts: LOW_TO_MAX, verbosity: true, isGuess: true },
];

/** They reason only if asked to (OpenAI, "Using GPT-5.2"). Those without effort `none` always do. */
const OFF_BY_DEFAULT = /^gpt-5\.[1-4]/;

/** They refuse a tool's schema with a union at its top (LiteLLM, issue 38792, August 2026). */
const REFUSES_UNIONS = /^(gpt-4|chatgpt-4|o[134])/;

/**
 * They mark what they say before a call as commentary, and stop early in conversations that come back without these marks
 * (OpenAI, "Using GPT-5.3-Codex", November 2026).
 */
const HAS_PHASES = /^gpt-(5\.([3-9]|\d\d)|[6-9]|\d\d)/;

/** They take items that add tools (OpenAI, "Keep the prefix unchanged"). */
const ADDS_TOOLS = /^gpt-([6-9]|\d\d)/;

/** Lowest first. */
export const EFFORTS: readonly ReasoningEffort[] = ["none", "minimal", ...LOW_TO_MAX];

type SamplingField = "temperature" | "top_p";

export interface ModelFacts {
  /** Undefined if unknown: its reasoning is then neither refused nor relied on. */
  readonly reasons: boolean | undefined;
  /** Null if the client's effort is sent as it is. */
  readonly efforts: readonly ReasoningEffort[] | null;
  readonly verbosity: boolean;
  /** True if a tool's schema may have `anyOf`, `oneOf` or `allOf` at its top. */
  readonly toolUnions: boolean;
  readonly offByDefault: boolean;
  /** True if the assistant's messages have a phase. */
  readonly hasPhases: boolean;
  /** True if its messages' parts may mark what to cache. */
  readonly hasBreakpoints: boolean;
  /** True if an item of the input may add tools. */
  readonly addsTools: boolean;
  /** True for OpenAI's own models: they accept only sealed thinking, and sampling fields only if they don't reason. */
  readonly openAi: boolean;
  /** Sampling fields of which the operator says that the model takes them, or refuses them. Others depend on the effort. */
  readonly told: { readonly [Field in SamplingField]?: boolean };
  /** False if they are assumed, from the newest models that are known or from the card's capabilities. */
  readonly isSure: boolean;
}

const RULES: DialectRules<"responses", ModelFacts> = {
  temperature: ({ told }, isRefused) => ({ told: { ...told, temperature: readWord(isRefused) } }),
  top_p: ({ told }, isRefused) => ({ told: { ...told, top_p: readWord(isRefused) } }),
  reasoning_effort({ efforts: known, reasons }, _isRefused, rules) {
    const efforts = listEfforts(rules, EFFORTS, known ?? EFFORTS);
    return { efforts, reasons: efforts.length === 0 ? false : reasons };
  },
  schema_union: ({ toolUnions }, isRefused) => ({ toolUnions: !isRefused(!toolUnions) }),
};

/** Returns what the operator says of a field: that it is taken, or not. Undefined without a word. */
function readWord(isRefused: (isKnown?: boolean) => boolean): boolean | undefined {
  if (isRefused()) return false;
  return isRefused(true) ? undefined : true;
}

/** Finds a card's facts by name, with the operator's words over them. */
export const findFacts = remember((card: ModelCard): ModelFacts => applyRules(RULES, card, findByName(card)));

const NOTHING = {};

/** Names may have a vendor's prefix (`openai/gpt-5`, `openai.gpt-5`, `ft:gpt-4o:…`). */
function findByName(card: ModelCard): ModelFacts {
  const name = card.name.replace(/^(openai[./]|ft:)/, "");
  const family = FAMILIES.find(({ pattern }) => pattern.test(name));
  if (family) {
    const { efforts, verbosity, isGuess = false } = family;
    const offByDefault = OFF_BY_DEFAULT.test(name) && efforts.includes("none");
    const reasons = efforts.length > 0;
    const toolUnions = !REFUSES_UNIONS.test(name);
    const hasPhases = HAS_PHASES.test(name);
    const hasBreakpoints = HAS_BREAKPOINTS.test(name);
    const addsTools = ADDS_TOOLS.test(name);
    return {
      reasons,
      efforts,
      verbosity,
      toolUnions,
      offByDefault,
      hasPhases,
      hasBreakpoints,
      addsTools,
      openAi: true,
      told: NOTHING,
      isSure: !isGuess,
    };
  }
  const reasons = card.listed ? card.capabilities.has("reasoning") : undefined;
  const grok = findGrokEfforts(name);
  const efforts = reasons === false ? [] : (grok?.efforts ?? null);
  return {
    reasons,
    efforts,
    verbosity: true,
    toolUnions: true,
    offByDefault: false,
    hasPhases: false,
    hasBreakpoints: false,
    addsTools: false,
    openAi: false,
    told: NOTHING,
    isSure: grok !== undefined && !grok.isGuess,
  };
}

/** Chooses the accepted effort nearest to the requested one: the next higher, else the highest. */
export function chooseEffort(asked: ReasoningEffort, facts: ModelFacts): ReasoningEffort | undefined {
  const { efforts } = facts;
  if (efforts === null || efforts.includes(asked)) return asked;
  const rank = EFFORTS.indexOf(asked);
  return efforts.find((effort) => EFFORTS.indexOf(effort) > rank) ?? efforts.at(-1);
}

/** True if the model takes a sampling field: by the operator's word, or else unless its effort silences it. */
export function takesSampling({ told }: ModelFacts, field: SamplingField, isSilenced: boolean): boolean {
  return told[field] ?? !isSilenced;
}

/** OpenAI's models refuse sampling fields while they reason. Those with effort `none` accept them with it. */
export function refusesSampling(facts: ModelFacts, effort: unknown): boolean {
  if (!facts.openAi || !facts.reasons) return false;
  const isOff = effort === undefined ? facts.offByDefault : effort === "none";
  return !(isOff && facts.efforts?.includes("none"));
}
