// Hooks: what the operator has asked about the texts of requests and answers, from the configuration.
import type { NetworkRules } from "../world/network.ts";

/** The id of the built-in key by which hooks ask models. Its rows are the operator's, and it is never charged. */
export const HOOKS_KEY = "hooks";

export const HOOK_PLACES = ["request", "answer"] as const;
export type HookPlace = (typeof HOOK_PLACES)[number];

/** The one that is asked: a server that speaks LiteLLM's protocol for guardrails, or a moderation model of the catalogue. */
export type HookTarget =
  | {
      readonly kind: "server";
      /** The address before the protocol's path, without a trailing slash. */
      readonly url: string;
      /** Sent as `Authorization: Bearer`. Null for none. */
      readonly secret: string | null;
      readonly network?: NetworkRules;
    }
  | {
      readonly kind: "moderation";
      readonly model: string;
      /** The score of a category from which a text is refused. Null to go by what the model flags. */
      readonly threshold: number | null;
    };

export interface HookRule {
  readonly name: string;
  readonly target: HookTarget;
  readonly at: readonly HookPlace[];
  /** True if the server also gets the conversation as messages. */
  readonly sendsMessages: boolean;
  /** Patterns of names and ids. */
  readonly keys: readonly string[];
  readonly accounts: readonly string[];
  /** Patterns of the model asked for, or of one that may answer. */
  readonly models: readonly string[];
  readonly timeoutMs: number;
  /** True if a text passes at which the hook fails. One that found no room at the hook doesn't. */
  readonly passesOnFailure: boolean;
  /** False if it never changes a text, so that streams are released as they come. */
  readonly masks: boolean;
  /** True if requests with pictures, sounds and files are refused, which no hook sees. */
  readonly refusesAttachments: boolean;
  /** A digest of all of it, because another hook of the same name may judge otherwise. */
  readonly version: string;
}

/** A hook as a process has found it. */
export interface HookState {
  readonly name: string;
  /** That of its breaker, for all payers. */
  readonly state: "closed" | "open" | "half_open";
  /** The way in which it failed last. It names no address. */
  readonly reason: string;
}
