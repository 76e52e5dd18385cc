// The rules of each generation of Claude models, as one table of name patterns.
import type { ModelCard } from "../../core/models/card.ts";
import type { Mending } from "../../core/models/dialect.ts";
import { applyRules, type DialectRules } from "../../core/models/refusal-rules.ts";
import { listEfforts, type Refusal } from "../../core/models/refusals.ts";
import { remember } from "../../core/world/remember.ts";

export type Effort = "low" | "medium" | "high" | "xhigh" | "max";

export interface Traits {
  /** Accepts each of these at all. */
  readonly temperature: boolean;
  readonly topP: boolean;
  readonly topK: boolean;
  /** Accepts temperature and top_p in one request. */
  readonly samplingPair: boolean;
  /** The way to request thinking: by effort, by a token budget, or not at all. */
  readonly thinking: "adaptive" | "budget" | "none";
  /** Accepts `thinking.type: "enabled"` with a budget, whether or not that is the way to request thinking. */
  readonly budgets: boolean;
  /** Thinking takes no other temperature, no `top_k`, no low `top_p` and no prefill ("Extended thinking"). */
  readonly thinksAlone: boolean;
  /** Values of `output_config.effort`, lowest first. */
  readonly efforts: readonly Effort[];
  /** The highest effort that it accepts with thinking turned off. Null for any. */
  readonly quietEffort: Effort | null;
  /** The way to turn thinking off: nothing to do (off unless requested), by a `thinking.type`, never, or in any way. */
  readonly off: "unasked" | "disabled" | "between_tools" | "never" | "any";
  /** Returns thinking without text unless `thinking.display` requests a summary. */
  readonly hidesThinking: boolean;
  /** Answers 400 to thinking after a changed prefix, unless asked to drop it. */
  readonly bindsThinking: boolean;
  /** Takes the request to drop it then. */
  readonly bindingControls: boolean;
  /** Accepts `tool_choice` any and tool. */
  readonly forcedUse: boolean;
  /** Accepts `output_config.format` and strict tools. */
  readonly structured: boolean;
  /** Continues a trailing assistant message. */
  readonly prefill: boolean;
  /** Takes a system message behind a turn of the user's. */
  readonly lateSystem: boolean;
  /** Takes a message there that adds and removes tools. */
  readonly lateTools: boolean;
}

/** Lowest first. */
export const EFFORTS: readonly Effort[] = ["low", "medium", "high", "xhigh", "max"];

/** The strictest traits, also for unknown Claude names, since each generation has refused more. */
const NEWEST: Traits = {
  temperature: false,
  topP: false,
  topK: false,
  samplingPair: false,
  thinking: "adaptive",
  budgets: false,
  thinksAlone: true,
  efforts: EFFORTS,
  quietEffort: null,
  off: "never",
  hidesThinking: true,
  bindsThinking: true,
  bindingControls: true,
  forcedUse: false,
  structured: true,
  prefill: false,
  lateSystem: true,
  lateTools: true,
};
/** Tools and system messages stand before the first turn alone. */
const OLDER = { lateSystem: false, lateTools: false };
const CLAUDE_5: Traits = { ...NEWEST, off: "disabled", bindsThinking: false, forcedUse: true };
const CLAUDE_4_6: Traits = {
  ...CLAUDE_5,
  ...OLDER,
  temperature: true,
  topP: true,
  topK: true,
  budgets: true,
  efforts: ["low", "medium", "high", "max"],
  off: "unasked",
  hidesThinking: false,
};
const CLAUDE_4_5: Traits = { ...CLAUDE_4_6, thinking: "budget", efforts: [], prefill: true };
const CLAUDE_4_0: Traits = { ...CLAUDE_4_5, samplingPair: true, structured: false };
const CLAUDE_3: Traits = { ...CLAUDE_4_0, thinking: "none", budgets: false };
/** A client's own request to a model of which nothing is known. */
const TAKES_ALL: Traits = {
  ...CLAUDE_4_0,
  thinking: "adaptive",
  thinksAlone: false,
  efforts: EFFORTS,
  off: "any",
  lateSystem: true,
  lateTools: true,
};

/**
 * The first match of `<family>-<major>.<minor>` counts. Sources: Anthropic's model pages and migration guides (4.6 to
 * 5.5), the AI SDK's table of model capabilities (@ai-sdk/anthropic 4.0.105), recorded traffic for the refusal of a
 * prefill and of forced tool use; the page "Effort" for opus-4.5, and for opus-5 without thinking ("Migrating to Claude
 * Opus 5", July 2026).
 */
const TRAITS_BY_MODEL: readonly (readonly [RegExp, Traits])[] = [
  [/^(opus-5\.5|fable-5\.[12])$/, NEWEST],
  [/^sonnet-5\.5$/, { ...NEWEST, off: "between_tools" }],
  [/^haiku-5\.5$/, { ...NEWEST, off: "disabled", forcedUse: true }],
  [/^(fable|mythos)-5\.0$/, { ...CLAUDE_5, off: "never" }],
  [/^opus-5\.0$/, { ...CLAUDE_5, quietEffort: "high" }],
  [/^sonnet-5\.0$/, { ...CLAUDE_5, ...OLDER }],
  [/^opus-4\.8$/, { ...CLAUDE_5, off: "unasked" }],
  [/^opus-4\.7$/, { ...CLAUDE_5, off: "unasked", ...OLDER }],
  [/^\w+-4\.6$/, CLAUDE_4_6],
  [/^opus-4\.5$/, { ...CLAUDE_4_5, efforts: ["low", "medium", "high"] }],
  [/^(\w+-4\.5|opus-4\.1)$/, CLAUDE_4_5],
  [/^(\w+-4\.\d|sonnet-3\.7)$/, CLAUDE_4_0],
  [/^\w+-[123]\.\d$/, CLAUDE_3],
];

/** `claude-opus-4-20250514`, `claude-3-5-haiku-latest`, `claude-sonnet-4@20250514`, `anthropic/claude-opus-4.7`. */
const NAME = /claude-(?:([a-z]+)-)?v?(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?(?:-([a-z]+))?/;

/** Without adaptive thinking a model thinks by a budget, if it takes one: the second rule stands behind the first. */
const RULES: DialectRules<"anthropic", Traits> = {
  temperature: ({ temperature }, isRefused) => ({ temperature: !isRefused(!temperature) }),
  top_p: ({ topP }, isRefused) => ({ topP: !isRefused(!topP) }),
  top_k: ({ topK }, isRefused) => ({ topK: !isRefused(!topK) }),
  reasoning_effort: ({ efforts }, _isRefused, rules) => ({ efforts: listEfforts(rules, EFFORTS, efforts) }),
  thinking_adaptive: ({ thinking }, isRefused) => ({
    thinking: isRefused(thinking !== "adaptive") ? "budget" : "adaptive",
  }),
  thinking_budget({ budgets, thinking }, isRefused) {
    const isTaken = !isRefused(!budgets);
    const byBudget = isTaken ? "budget" : "none";
    return { budgets: isTaken, thinking: thinking === "adaptive" ? thinking : byBudget };
  },
  prefill: ({ prefill }, isRefused) => ({ prefill: !isRefused(!prefill) }),
  system_late: ({ lateSystem }, isRefused) => ({ lateSystem: !isRefused(!lateSystem) }),
  tools_late: ({ lateTools }, isRefused) => ({ lateTools: !isRefused(!lateTools) }),
  thinking_binding: ({ bindingControls }, isRefused) => ({ bindingControls: !isRefused(!bindingControls) }),
};

/** Finds a model's traits by its upstream name. */
export const findTraits = remember((card: ModelCard): Traits => {
  const { name } = card;
  const traits = applyRules(RULES, card, findListed(name) ?? (isClaude(name) ? NEWEST : readDeclared(card)));
  // A system message is what changes tools.
  return traits.lateSystem || !traits.lateTools ? traits : { ...traits, lateTools: false };
});

/** Returns the traits without what the model has refused. */
export function learnTraits(traits: Traits, refuses: ReadonlySet<Refusal> | undefined): Traits {
  if (refuses === undefined) return traits;
  const lateSystem = traits.lateSystem && !refuses.has("system_late");
  const lateTools = lateSystem && traits.lateTools && !refuses.has("tools_late");
  const bindingControls = traits.bindingControls && !refuses.has("thinking_binding");
  return { ...traits, lateSystem, lateTools, bindingControls };
}

/**
 * Other models on a server of this dialect get the oldest traits. An operator who declares that one gives structured answers
 * means the field of this API.
 */
function readDeclared({ listed, capabilities }: ModelCard): Traits {
  return listed && capabilities.has("structured") ? { ...CLAUDE_4_0, structured: true } : CLAUDE_4_0;
}

/**
 * Finds what a model takes of a client's own request. Other models on a server of this dialect are sent what the client
 * sent, and so are Claude models that the table doesn't have, unless the gateway chose them.
 */
export function findLaneTraits(card: ModelCard, mends: Mending): Traits {
  return mends === "refused" ? findChosen(card) : findNamed(card);
}

const findNamed = remember((card: ModelCard) => findSure(card, TAKES_ALL));
const findChosen = remember((card: ModelCard) => findSure(card, isClaude(card.name) ? NEWEST : TAKES_ALL));

function findSure(card: ModelCard, others: Traits): Traits {
  return applyRules(RULES, card, findListed(card.name) ?? others);
}

function isClaude(name: string): boolean {
  return name.toLowerCase().includes("claude");
}

/** Finds a Claude model's traits by its name. Undefined for a name that the table doesn't have. */
export function findListed(name: string): Traits | undefined {
  const match = NAME.exec(name.toLowerCase());
  if (!match) return undefined;
  const [, before, major, minor, after] = match;
  const key = `${before ?? after ?? "claude"}-${major}.${minor ?? "0"}`;
  return TRAITS_BY_MODEL.find(([pattern]) => pattern.test(key))?.[1];
}
