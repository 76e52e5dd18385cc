// Aliases: the operator's own names for models.
import type { CacheSetting } from "./caching.ts";
import type { Selector } from "./selector.ts";

/** A member of a group, with its share of the load relative to the others'. */
export interface AliasTarget {
  readonly model: string;
  readonly weight: number;
}

/** A selector, and what its choice must keep to. */
export interface SelectorPolicy {
  readonly selector: Selector;
  /** The share of the best quality, 0…1, that `fair` keeps. */
  readonly quality?: number;
  /** Patterns of the models to choose from. Missing for all. */
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly maxCostUsd?: number;
  readonly maxMs?: number;
  /** For how long its answers are kept. Missing if the alias says nothing of it. */
  readonly cache?: CacheSetting;
}

/** Returns why a policy can't have its quality, or null. */
export function refuseQuality({ selector, quality }: Readonly<{ selector: Selector; quality?: unknown }>) {
  if (quality === undefined || selector === "fair") return null;
  return "has no effect: only the selector fair keeps to a quality";
}

/** A model id, `Router#…`, the models of a group that share the load, or a selector with a policy. */
export type Alias = string | readonly AliasTarget[] | SelectorPolicy;

export function isPolicy(alias: Alias): alias is SelectorPolicy {
  return typeof alias !== "string" && "selector" in alias;
}

/** Bounds on a ceiling. */
export const MAX_COST_USD = 1_000_000;
export const MAX_MS = 86_400_000;
/** Bounded because every request looks at all of them. */
export const PATTERNS_MAX = 50;

/**
 * `*` in a name stands for any text. A name of stars alone would take every misspelled model, and `__proto__` would
 * disappear where aliases are fields of an object.
 */
export const ALIAS_NAME = /^(?!\*+$|__proto__$)[^\s]{1,200}$/;
export const ALIAS_EXPECTED = "1 to 200 characters without spaces, but not only * and not __proto__";
/** Bounds on a weight. */
export const WEIGHT_MIN = 0.001;
export const WEIGHT_MAX = 1000;
/** Bounded because every request looks at all of them. */
export const GROUP_MAX = 50;
