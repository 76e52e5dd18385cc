// The guard: the operator's rules about personal data, secrets and words in texts, and what they found in a request.
import type { GatewayKey } from "../keys/key.ts";
import type { HookRule } from "./hook.ts";

/** From the strictest to the mildest: the first that applies to a finding counts. */
export const GUARD_ACTIONS = ["refuse", "mask", "swap", "report"] as const;
export type GuardAction = (typeof GUARD_ACTIONS)[number];

export const GUARD_PLACES = ["request", "answer"] as const;
export type GuardPlace = (typeof GUARD_PLACES)[number];

export interface GuardRule {
  readonly name: string;
  /** Names of detectors, and `words:NAME`: groups are taken apart, and those with `!` taken away. In the detectors' order. */
  readonly detect: readonly string[];
  readonly action: GuardAction;
  readonly at: readonly GuardPlace[];
  /** Patterns of names and ids. */
  readonly keys: readonly string[];
  readonly accounts: readonly string[];
  /** Patterns of the model asked for, or of one that may answer. Calls of tools match only those that begin with `mcp:`. */
  readonly models: readonly string[];
  /** Patterns of the providers of the models that may answer. One with `!` takes away. */
  readonly providers: readonly string[];
  /** True if requests with pictures, sounds and files are refused, which it can't search. */
  readonly refusesAttachments: boolean;
}

/** The lists of the operator's words, by name. */
export type GuardWords = ReadonlyMap<string, readonly string[]>;

/** The section `guard` of the configuration. */
export interface GuardSettings {
  /** A digest of rules, words and allowed values. */
  readonly version: string;
  readonly rules: readonly GuardRule[];
  readonly words: GuardWords;
  /** Values that are never found. `*` stands for any characters, and case is ignored. */
  readonly allow: readonly string[];
}

/** The rules of the operator about the texts of requests and answers. */
export interface TextRules {
  readonly hooks: readonly HookRule[];
  /** Missing if there are no rules. */
  readonly guard?: GuardSettings;
}

/** A part of a request's row: how many different values a detector found, never which. */
export interface GuardFinding {
  /** A detector's name, or `words:NAME`. */
  readonly detector: string;
  readonly action: GuardAction;
  readonly at: GuardPlace;
  readonly count: number;
  /** The first of the rules with that action. */
  readonly rule: string;
}

/** Hides in names that clients give, such as a session's, what the rules let nobody keep. */
export interface NameKeeper {
  hide(key: GatewayKey, name: string): string;
}
