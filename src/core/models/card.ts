// A model card: one model as one provider serves it.

import type { FailureKind } from "../faults/failure-kinds.ts";
import type { Benchmark } from "./benchmark.ts";
import type { DialectName } from "./dialect-names.ts";
import type { RefusalRules } from "./refusals.ts";
import type { SkillRow } from "./skill.ts";

/**
 * `tools` supports tools and forced calls. `tools_auto` supports tools but can't be forced to call one. `search` has the
 * provider search the web.
 */
export const CAPABILITIES = [
  "tools",
  "tools_auto",
  "vision",
  "files",
  "audio",
  "structured",
  "reasoning",
  "search",
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** The operations that a model may support. */
export const OPERATIONS = [
  "chat",
  "embeddings",
  "rerank",
  "images",
  "speech",
  "transcription",
  "moderation",
  "completion",
] as const;

/** A call of a tool is a request like those to models, but no model serves it. */
export const TOOL_OPERATION = "tool";
export type OperationName = (typeof OPERATIONS)[number] | typeof TOOL_OPERATION;

/**
 * Kinds of models that selectors don't choose by default: a `preview` may change or end at short notice, and one for
 * `completion` is made to continue code.
 */
export const MODEL_KINDS = ["preview", "completion"] as const;
type ModelKind = (typeof MODEL_KINDS)[number];

/** The default for models whose row names no operations. */
export const CHAT_ONLY: ReadonlySet<OperationName> = new Set(["chat"]);

/** USD per million tokens, exact to 6 decimals. A missing rate defaults to the input or output rate it belongs to. */
export interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number;
  readonly cacheWrite?: number;
  /** Defaults to `cacheWrite`. */
  readonly cacheWrite1h?: number;
  /** Defaults to `cacheWrite`. */
  readonly cacheWrite12h?: number;
  readonly reasoning?: number;
  readonly inputAudio?: number;
  readonly outputAudio?: number;
  readonly inputImage?: number;
  readonly outputImage?: number;
}

/** USD per request, search and so on. Missing ones are free. */
export interface UnitPrices {
  readonly perRequest?: number;
  readonly perSearch?: number;
  readonly perImage?: number;
  readonly perMinute?: number;
  readonly perCharacterMillion?: number;
  readonly perSearchUnit?: number;
  readonly perPage?: number;
}

export interface Price extends Rates, UnitPrices {
  /** If the prompt has more than `aboveTokens` tokens, the whole request is priced at the highest such tier. */
  readonly tiers?: readonly (Rates & { readonly aboveTokens: number })[];
  /** The prices of some hours. The price itself applies outside them. */
  readonly hours?: readonly HourlyPrice[];
  /** The prices of what a provider may serve in place of its usual service, each whole. */
  readonly service?: ReadonlyMap<ServiceTier, Price>;
}

/** Services with prices of their own, by the words of answers: faster or slower ones. */
export const SERVICE_TIERS = ["priority", "flex", "fast", "ultrafast"] as const;
export type ServiceTier = (typeof SERVICE_TIERS)[number];

/** A whole price that applies at some hours of the week. */
export interface HourlyPrice {
  /** The days of the week in UTC, Sunday is 0. */
  readonly days: ReadonlySet<number>;
  /** The first minute of the day in UTC. */
  readonly fromMinute: number;
  /** The first minute that is over, up to 1440. */
  readonly toMinute: number;
  readonly price: Price;
}

/** A price that takes effect at a given time. */
export interface LaterPrice {
  /** Unix milliseconds. */
  readonly fromMs: number;
  /** The time at which the price before it applies again. Missing if it stays. */
  readonly untilMs?: number;
  /** Null if no price is known from then on. */
  readonly price: Price | null;
}

/** A card before its provider's price factor, and those of the provider's credentials. */
interface UnfactoredCard {
  readonly card: ModelCard;
  readonly factor: number;
  /** The highest factor of the credentials, by which the card's prices are multiplied too. */
  readonly highest: number;
  /** True if clients see the prices before the factors. */
  readonly isShown?: true;
}

/** The terms for starting a second attempt beside a slow one. */
export interface HedgeRules {
  /** After this percentile of the card's recent times to first token, or after a fixed time. */
  readonly after: { readonly percentile: number } | { readonly ms: number };
  /** The largest share of the card's requests to hedge, 0…1. */
  readonly shareMax: number;
}

/** The operator's words about refusals are missing if there are none. */
export interface ModelCard extends RefusalRules {
  /** `<Provider>#<name>`, the canonical id. */
  readonly id: string;
  readonly provider: string;
  /** Identifies the model's rules, and is sent to the provider unless there is a deployment. */
  readonly name: string;
  /** The operator's deployment name, sent to the provider instead of `name`. Missing if they are equal. */
  readonly deployment?: string;
  /** The better-known id of exactly the same model, that of its maker. Missing if there is none. */
  readonly like?: string;
  /** The id of the relative whose price it has. Set only if a client made up the name, and the model's own is unknown. */
  readonly pricedLike?: string;
  /** Release date in Unix seconds, for the list of models. */
  readonly created: number;
  /** The last day on which its provider answers, as `YYYY-MM-DD`. Missing if no end is announced. */
  readonly shutdownDate?: string;
  /** The id of the model that follows it. Missing if none does, or no end is announced. */
  readonly successor?: string;
  /** `soon` in the last 30 days before the shutdown, `over` after that day. Missing before, and without a date. */
  readonly ending?: "soon" | "over";
  /** Missing for a model of general use. */
  readonly kind?: ModelKind;
  /** Results from the operator's file of benchmarks. */
  readonly benchmark?: Benchmark;
  readonly ownedBy: string;
  readonly contextTokensMax: number | null;
  readonly outputTokensMax: number | null;
  /** Null if the price is unknown, so the model can't be charged for. */
  readonly price: Price | null;
  /** The usual price with those of other hours, if it depends on the hour: then `price` is the one of now. */
  readonly timedPrice?: Price;
  /** Announced price changes, earliest first. */
  readonly laterPrices?: readonly LaterPrice[];
  /** The card without the factors that its prices are multiplied by. Missing if there are none. */
  readonly unfactored?: UnfactoredCard;
  /** True if the operator states what it costs, so that no list price and no region's factor applies. */
  readonly isPriceStated?: true;
  readonly capabilities: ReadonlySet<Capability>;
  /** The supported operations. Missing if unknown: then any may be sent. */
  readonly operations?: ReadonlySet<OperationName>;
  /** The provider's dialects that serve it. Missing for all. */
  readonly dialects?: readonly DialectName[];
  /** False if the model's capabilities are unknown (`unlisted_models`): then no request is refused on their account. */
  readonly listed: boolean;
  /** Set if a client made up the name, and no table has it. */
  readonly isNamedByClient?: true;
  /** Set if its price is only what a request holds, since what it costs is known from its answer alone. */
  readonly isHoldPriced?: true;
  /** Ids of cards that the operator declared to be the same model elsewhere. */
  readonly fallbacks: readonly string[];
  /** The failures that lead to a fallback, by its id. Those that are missing have the usual ones. */
  readonly fallbackFailures?: ReadonlyMap<string, readonly FailureKind[]>;
  /** Set by the operator: the probability of a good answer by kind of task, 0…1. */
  readonly skills?: SkillRow;
  /** Missing if slow attempts are never hedged. */
  readonly hedge?: HedgeRules;
}

/** A member of a group, with its share of the load relative to the others'. */
export interface GroupMember {
  readonly card: ModelCard;
  readonly weight: number;
}

function isSearchPriced({ price }: ModelCard): boolean {
  return price === null || price.perSearch !== undefined;
}

/**
 * Returns the id under which sums count a model. Names that clients made up count as one for each provider, or for each
 * relative whose price they have.
 */
export function countAs({ id, provider, isNamedByClient, pricedLike }: ModelCard): string {
  return isNamedByClient || pricedLike ? nameUnlisted(provider, pricedLike) : id;
}

const UNLISTED_LIKE = /^([^#]+)#\(unlisted, like (.+)\)$/;

function nameUnlisted(provider: string, like: string | undefined): string {
  return like === undefined
    ? `${provider}#(unlisted)`
    : `${provider}#(unlisted, like ${like.slice(provider.length + 1)})`;
}

/** Returns the id of the relative by whose price such a name is counted. Null for any other. */
export function readRelative(counted: string): string | null {
  const [, provider, name] = UNLISTED_LIKE.exec(counted) ?? [];
  return provider === undefined ? null : `${provider}#${name}`;
}

/** Returns the provider in a model's id. */
export function readProvider(id: string): string {
  return id.slice(0, id.indexOf("#"));
}

/**
 * True if the card has the capability. Cards with unknown capabilities count as having all but searches, which are
 * billed each: a card with a price must have one for them.
 */
export function can(card: ModelCard, capability: Capability): boolean {
  if (capability === "search" && (!card.capabilities.has(capability) || !isSearchPriced(card))) return false;
  if (!card.listed || card.capabilities.has(capability)) return true;
  return capability === "tools_auto" && card.capabilities.has("tools");
}
