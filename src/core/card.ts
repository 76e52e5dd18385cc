// One model as one provider serves it: what the catalogue holds, routing reads and providers encode for.

import type { DialectName } from "./dialect.ts";
import type { SkillRow } from "./skill.ts";

/** `tools` takes tools, and can be forced to call one; `tools_auto` takes them and calls them as it likes. */
export const CAPABILITIES = [
  "tools",
  "tools_auto",
  "vision",
  "files",
  "audio",
  "structured",
  "reasoning",
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** The requests that a model may serve. */
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
export type OperationName = (typeof OPERATIONS)[number];

/** A model's operations where its row names none. */
export const CHAT_ONLY: ReadonlySet<OperationName> = new Set(["chat"]);

/** USD per million tokens, exact to 6 decimals. A rate that is left out is that of the kind it belongs to: input, or output. */
export interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number;
  readonly cacheWrite?: number;
  /** Left out: as `cacheWrite`. */
  readonly cacheWrite1h?: number;
  readonly reasoning?: number;
  readonly inputAudio?: number;
  readonly outputAudio?: number;
  readonly inputImage?: number;
  readonly outputImage?: number;
}

/** USD for each request, search and so on; left out: those cost nothing. */
export interface PiecePrices {
  readonly perRequest?: number;
  readonly perSearch?: number;
  readonly perImage?: number;
  readonly perMinute?: number;
  readonly perCharacterMillion?: number;
  readonly perSearchUnit?: number;
  readonly perPage?: number;
}

export interface Price extends Rates, PiecePrices {
  /** A request whose prompt has more tokens than `aboveTokens` is priced whole at the highest such tier. */
  readonly tiers?: readonly (Rates & { readonly aboveTokens: number })[];
}

/** A price that takes the place of the one before at a time. */
export interface LaterPrice {
  /** Unix milliseconds. */
  readonly fromMs: number;
  readonly price: Price;
}

/** The terms on which a second attempt is started beside a slow first one. */
export interface HedgeRules {
  /** After this percentile of the card's recent times to the first token, or after a fixed time. */
  readonly after: { readonly percentile: number } | { readonly ms: number };
  /** At most this share of the card's requests, 0…1. */
  readonly shareMax: number;
}

export interface ModelCard {
  /** `<Provider>#<name>`, the canonical id. */
  readonly id: string;
  readonly provider: string;
  /** The name by which the model's rules are known, and as the provider's API takes it unless there is a deployment. */
  readonly name: string;
  /** The operator's name of it, which a platform's API takes in the name's place; left out: they are the same. */
  readonly deployment?: string;
  /** The id under which the very same model is known better: its maker's. Left out: this is the only one, or the best known. */
  readonly like?: string;
  /** Unix seconds of the release, for the model list. */
  readonly created: number;
  /** `YYYY-MM-DD` on which the provider switches it off, when that is announced. */
  readonly shutdownDate?: string;
  readonly ownedBy: string;
  readonly contextTokensMax: number | null;
  readonly outputTokensMax: number | null;
  /** null: not priced, so it can't be charged for. */
  readonly price: Price | null;
  /** Announced prices, the earliest first; left out: none. */
  readonly laterPrices?: readonly LaterPrice[];
  readonly capabilities: ReadonlySet<Capability>;
  /** The requests that it serves; left out: nothing is known about that, so any may be sent. */
  readonly operations?: ReadonlySet<OperationName>;
  /** The provider's dialects that it is served in; left out: all. */
  readonly dialects?: readonly DialectName[];
  /** False where nothing is known about what the model can do, as for `unlisted_models`: then nothing is refused for it. */
  readonly listed: boolean;
  /** Ids of cards that the operator declared to be the same model elsewhere. */
  readonly fallbacks: readonly string[];
  /** The operator's own: the probability of a good answer by kind of task, 0…1. */
  readonly skills?: SkillRow;
  /** Left out: a slow attempt is waited for. */
  readonly hedge?: HedgeRules;
}

/** A model of a group, with its share of the group's load, relative to the others'. */
export interface GroupMember {
  readonly card: ModelCard;
  readonly weight: number;
}

/** True if the card can do it; an unlisted one is given the benefit of the doubt. */
export function can(card: ModelCard, capability: Capability): boolean {
  if (!card.listed || card.capabilities.has(capability)) return true;
  return capability === "tools_auto" && card.capabilities.has("tools");
}
