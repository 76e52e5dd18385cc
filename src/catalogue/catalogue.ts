// The catalogue: every card that clients can ask for, and the meaning of a client's `model`.
import { type Alias, isPolicy } from "../core/models/alias.ts";
import type { Benchmark } from "../core/models/benchmark.ts";
import { CHAT_ONLY, type GroupMember, type ModelCard } from "../core/models/card.ts";
import { SELECTORS, type Selector } from "../core/models/selector.ts";
import { UNSTEERED } from "../core/models/steering.ts";
import type { ModelOverlay, ProviderSetup } from "../core/settings.ts";
import { findNearest } from "../core/text/nearest.ts";
import { matchesPattern } from "../core/text/pattern.ts";
import { listReplacements } from "./alike.ts";
import { dateCard, findNextChange, hasEnded, keepLasting } from "./dated.ts";
import { applyFactors, type Pricing } from "./factored.ts";
import { findPriceDay } from "./file/standing.ts";
import { applyFreePrice } from "./free-price.ts";
import { applyOverlay } from "./overlay.ts";
import { type ResolvedPolicy, readPolicy } from "./policy.ts";
import { Families } from "./priced-like.ts";
import { loadShippedCards } from "./rows.ts";
import { dashName, listSpellings } from "./spellings.ts";
import { makeUnlistedCard, priceUnlisted } from "./unlisted.ts";

const SELECTOR_PROVIDER = "Router";

export type Resolution =
  | { readonly kind: "card"; readonly card: ModelCard }
  | ({ readonly kind: "selector" } & ResolvedPolicy)
  /** The group's available models, by descending weight. */
  | { readonly kind: "group"; readonly members: readonly GroupMember[] }
  | UnknownModel;

export interface UnknownModel {
  readonly kind: "unknown";
  readonly nearest: readonly string[];
  /** The provider that would serve it but isn't enabled. Null if there is none. */
  readonly off: string | null;
  /** True if it has credentials, and all of them are switched off. */
  readonly isPaused?: true;
  /** The day of the catalogue's prices, if the provider is enabled and the catalogue lacks only the model. */
  readonly lackedOn?: string;
}

/** A provider and the models it offers. */
type CatalogueOffering = Pick<
  ProviderSetup,
  | "name"
  | "unlistedModels"
  | "unlistedAfter"
  | "dialects"
  | "listsConfiguredOnly"
  | "unlistedPrefixes"
  | "discovers"
  | "unlistedHoldUsd"
  | "familyPrice"
> &
  Pricing;

export interface CatalogueInput {
  /** Enabled providers only. */
  readonly providers: readonly CatalogueOffering[];
  readonly pausedProviders?: readonly string[];
  readonly overlay: readonly ModelOverlay[];
  readonly operatorModels: readonly ModelCard[];
  /** From the operator's catalogue file. */
  readonly newerModels?: readonly ModelCard[];
  /** The day of that file's prices. */
  readonly catalogueAsOf?: string;
  /** The last list that the file was compared with. */
  readonly catalogueList?: { readonly asOf: string };
  /** From the operator's file of benchmarks, by card id. */
  readonly benchmarks?: ReadonlyMap<string, Benchmark>;
  readonly aliases: Readonly<Record<string, Alias>>;
  /** When those were made that aren't of the configuration file, in Unix milliseconds. Missing for none. */
  readonly aliasTimes?: Readonly<Record<string, number>>;
  /** The time whose prices apply, Unix milliseconds. If missing, no announced price applies, and no model ends. */
  readonly nowMs?: number;
}

const PROVIDER_CHARACTERS_MAX = 64;
/** Unknown names that may pass to a provider. Names of dots alone would change the path of an address. */
const UNLISTED_NAME = /^(?!\.{1,2}$)[^\s\p{C}]{1,200}$/u;
const NEAREST_MAX = 3;
/** A model that costs more than this many times another's price is in a dearer tier. */
const SAME_TIER_FACTOR = 1.25;

export function buildCatalogue(input: CatalogueInput): Catalogue {
  return new Catalogue(input);
}

/**
 * Returns every card by canonical id. The operator's catalogue file replaces shipped cards of the same id; the
 * operator's own models replace both. All have the operator's benchmark results, if any.
 */
export function collectCards(
  operatorModels: readonly ModelCard[],
  newerModels: readonly ModelCard[] = [],
  benchmarks: CatalogueInput["benchmarks"] = new Map(),
): ReadonlyMap<string, ModelCard> {
  const all = [...loadShippedCards(), ...newerModels, ...operatorModels];
  return new Map(all.map((card) => [card.id, addBenchmark(card, benchmarks)]));
}

/** A model that is the same as a better-known one has the results of that one. */
function addBenchmark(card: ModelCard, benchmarks: ReadonlyMap<string, Benchmark>): ModelCard {
  const benchmark = benchmarks.get(card.id) ?? benchmarks.get(card.like ?? "");
  return benchmark === undefined ? card : { ...card, benchmark };
}

interface ModelName {
  readonly provider: string;
  readonly name: string;
}

/** Splits the text at the first `#`, else at the first `/`. Null for a bare name. */
export function splitId(text: string): ModelName | null {
  const hash = text.indexOf("#");
  const at = hash === -1 ? text.indexOf("/") : hash;
  if (at < 1 || at > PROVIDER_CHARACTERS_MAX || at === text.length - 1) return null;
  return { provider: text.slice(0, at), name: text.slice(at + 1) };
}

/** Returns the selector that the text names, or null. */
export function findSelector(text: string): Selector | null {
  const parts = splitId(text);
  if (parts?.provider.toLowerCase() !== SELECTOR_PROVIDER.toLowerCase()) return null;
  return SELECTORS.find((name) => name === parts.name) ?? null;
}

function makeKey(provider: string, name: string): string {
  return `${provider.toLowerCase()}#${name}`;
}

/** Returns the id without its provider. For a deployment this is the operator's name. */
export function stripProvider({ id, provider }: ModelCard): string {
  return id.slice(provider.length + 1);
}

function isListed({ name }: ModelCard, offering: CatalogueOffering | undefined): boolean {
  if (offering?.listsConfiguredOnly) return false;
  return !offering?.unlistedPrefixes?.some((prefix) => name.startsWith(prefix));
}

function isOffered({ dialects }: ModelCard, provider: CatalogueOffering | undefined): boolean {
  if (provider === undefined) return false;
  const spoken = provider.dialects;
  return !spoken || !dialects || dialects.some((dialect) => spoken.includes(dialect));
}

export class Catalogue {
  /** The time of the next change of a price or of a model's end, Unix milliseconds. Infinity if none is known. */
  readonly changesAtMs: number;
  /** Ended models that the configuration doesn't name. They aren't listed, but still answer to their names. */
  readonly #ended: readonly ModelCard[];
  readonly #cards: readonly ModelCard[];
  readonly #byKey = new Map<string, ModelCard>();
  /** The cards that requests have named by their ids. */
  readonly #asked = new Map<string, Resolution>();
  /** Ids by their names without the provider, and by the last path segment of those, as `listSpellings` writes them. */
  readonly #byName = new Map<string, string[]>();
  /** The cards of providers that aren't enabled. */
  readonly #off: readonly ModelCard[];
  readonly #paused: readonly string[];
  readonly #disabled: ReadonlySet<string>;
  /** The names of enabled providers, by those in lower case. */
  readonly #on: ReadonlyMap<string, string>;
  /** The keys of their cards that aren't served here, for whatever reason. */
  readonly #hidden: ReadonlySet<string>;
  readonly #pricesOf: string;
  /** Providers that accept unlisted names, by their name in lower case. */
  readonly #open: ReadonlyMap<string, CatalogueOffering>;
  readonly #families: Families;
  readonly #aliases: ReadonlyMap<string, Alias>;
  readonly #aliasTimes: Readonly<Record<string, number>>;
  /** Aliases that contain `*`. The first match counts. */
  readonly #patterns: readonly { readonly names: string; readonly target: Alias }[];

  constructor(input: CatalogueInput) {
    const { providers, overlay, operatorModels, newerModels, benchmarks, aliases, nowMs = 0 } = input;
    const on = new Map(providers.map((provider) => [provider.name, provider]));
    const changes = new Map(overlay.map((change) => [change.id, change]));
    const known = [...collectCards(operatorModels, newerModels, benchmarks).values()];
    this.#off = known.filter(({ provider }) => !on.has(provider));
    this.#paused = input.pausedProviders ?? [];
    const dated = known
      .filter((card) => isOffered(card, on.get(card.provider)))
      .flatMap((card) => applyOverlay(card, changes.get(card.id)) ?? [])
      .map((card) => dateCard(card, nowMs));
    const offered = dated.map((card) => {
      const provider = on.get(card.provider);
      return applyFactors(applyFreePrice(card, provider), provider);
    });
    this.#families = new Families(providers, dated);
    const own = new Set(operatorModels.map(({ id }) => id));
    const listed = offered.filter((card) => own.has(card.id) || isListed(card, on.get(card.provider)));
    this.#ended = listed.filter((card) => hasEnded(card) && !own.has(card.id) && !changes.has(card.id));
    const hidden = new Set(this.#ended);
    this.#cards = listed.filter((card) => !hidden.has(card));
    this.changesAtMs = findNextChange(listed, nowMs);
    this.#disabled = new Set(overlay.filter((change) => change.disabled).map((change) => change.id));
    this.#open = new Map(
      providers.filter((one) => one.unlistedModels).map((one) => [one.name.toLowerCase(), one]),
    );
    this.#aliases = new Map(Object.entries(aliases).map(([alias, target]) => [alias, sortByWeight(target)]));
    this.#aliasTimes = input.aliasTimes ?? {};
    this.#patterns = [...this.#aliases].flatMap(([names, target]) =>
      names.includes("*") ? [{ names, target }] : [],
    );
    for (const card of offered) this.#byKey.set(makeKey(card.provider, stripProvider(card)), card);
    this.#on = new Map(providers.map(({ name }) => [name.toLowerCase(), name]));
    const keys = known.map((card) => makeKey(card.provider, stripProvider(card)));
    this.#hidden = new Set(keys.filter((key) => !this.#byKey.has(key)));
    this.#pricesOf = findPriceDay(input);
    for (const card of this.#cards) this.#index(card);
  }

  #index(card: ModelCard): void {
    const name = stripProvider(card).toLowerCase();
    const last = name.slice(name.lastIndexOf("/") + 1);
    for (const key of new Set([name, last, dashName(name), dashName(last)])) {
      this.#byName.set(key, [...(this.#byName.get(key) ?? []), card.id]);
    }
  }

  /** The cards of enabled providers, except disabled ones, ended ones and those that must be deployed first. */
  list(): readonly ModelCard[] {
    return this.#cards;
  }

  /** The same with the models that have ended. */
  listWithEnded(): readonly ModelCard[] {
    return [...this.#cards, ...this.#ended];
  }

  /** The names of the groups that clients can ask for, without patterns. */
  groups(): readonly string[] {
    return [...this.#aliases.keys()].filter(
      (name) => !name.includes("*") && this.resolve(name).kind === "group",
    );
  }

  /** As `AliasNames` says: a list of models names the alias that has exactly this name. */
  findAlias(name: string): number | null {
    if (!this.#aliases.has(name) || name.includes("*") || this.#findNamed(name) !== null) return null;
    return Object.hasOwn(this.#aliasTimes, name) ? (this.#aliasTimes[name] ?? 0) : 0;
  }

  /** Returns the meaning of a client's `model`. The work is bounded for a text of any length. */
  resolve(text: string): Resolution {
    const asked = this.#asked.get(text);
    if (asked !== undefined) return asked;
    const named = this.#findNamed(text);
    // No other spelling is kept, because clients may invent those.
    if (named?.kind === "card" && named.card.id === text) this.#asked.set(text, named);
    return named ?? this.#findAliased(text) ?? this.#makeUnlisted(text) ?? this.#explain(text);
  }

  /** Returns the id that a name would have, if an enabled provider's cards lack it and nothing else stands for it. */
  findLacked(text: string): string | null {
    const parts = splitId(text);
    if (parts === null || !this.#isLacking(parts)) return null;
    const found = this.#findNamed(text) ?? this.#findAliased(text) ?? this.#makeUnlisted(text);
    return found === null ? `${this.#on.get(parts.provider.toLowerCase())}#${parts.name}` : null;
  }

  #findNamed(text: string): Resolution | null {
    const selector = findSelector(text);
    if (selector !== null) return { kind: "selector", selector, steering: UNSTEERED };
    const parts = splitId(text);
    const card = parts === null ? undefined : this.#byKey.get(makeKey(parts.provider, parts.name));
    return card === undefined ? null : { kind: "card", card };
  }

  /** Models of a group that aren't available now are left out, as are those that end soon if there are others. */
  #findAliased(text: string): Resolution | null {
    const alias =
      this.#aliases.get(text) ?? this.#patterns.find(({ names }) => matchesPattern(names, text))?.target;
    if (alias === undefined) return null;
    if (typeof alias === "string") return this.#findNamed(alias) ?? this.#makeUnlisted(alias);
    if (isPolicy(alias)) return { kind: "selector", ...readPolicy(alias) };
    const members = alias.flatMap(({ model, weight }) => {
      const found = this.#findNamed(model) ?? this.#makeUnlisted(model);
      return found?.kind === "card" && !found.card.pricedLike ? [{ card: found.card, weight }] : [];
    });
    return members.length === 0 ? null : { kind: "group", members: keepLasting(members) };
  }

  /** Returns a card for a name that isn't in the catalogue, if its provider accepts such names: a relative's, or one without facts. */
  #makeUnlisted(text: string): Resolution | null {
    const parts = splitId(text);
    const provider = parts === null ? undefined : this.#open.get(parts.provider.toLowerCase());
    if (parts === null || provider === undefined || !UNLISTED_NAME.test(parts.name)) return null;
    if (!this.#extendsListed(provider, parts.name)) return null;
    const isHidden = this.#hidden.has(makeKey(provider.name, parts.name));
    const like = isHidden ? null : this.#families.find(provider, parts.name);
    const named = { ...makeUnlistedCard(provider.name, parts.name), isNamedByClient: true } as const;
    const card = like ?? applyFreePrice(priceUnlisted(named, provider.unlistedHoldUsd), provider);
    return this.#disabled.has(card.id) ? null : { kind: "card", card };
  }

  /** True for every name if the provider passes on any. */
  #extendsListed({ name, unlistedAfter }: CatalogueOffering, asked: string): boolean {
    if (unlistedAfter === undefined) return true;
    const end = asked.indexOf(unlistedAfter);
    return end > 0 && this.#byKey.has(makeKey(name, asked.slice(0, end)));
  }

  #explain(text: string): UnknownModel {
    const parts = splitId(text);
    const bare = parts?.name ?? text;
    const cards = [...this.#cards, ...this.#off];
    const providers = new Set([...cards.map((card) => card.provider), ...this.#paused]);
    const [meantProvider] = parts ? findNearest(parts.provider, providers, 1) : [];
    const known = this.#off.filter((card) => !parts || card.provider === meantProvider);
    const exact = known.find((card) => stripProvider(card) === bare);
    const near = this.#nearest(text, bare, exact);
    const [spelled] = near.length > 0 ? [] : findNearest(bare, known.map(stripProvider), 1);
    const meant = exact ?? known.find((card) => stripProvider(card) === spelled);
    // Where the model itself is served, it doesn't matter who else would have it.
    const isServed = !parts && this.#byName.has(bare.toLowerCase());
    const offered = isServed ? undefined : (meant ?? (parts ? known[0] : undefined));
    const off = offered?.provider ?? this.#paused.find((name) => name === meantProvider) ?? null;
    const nearest = near.length > 0 ? near : this.#listAlike(meant);
    const lackedOn = parts && this.#isLacking(parts) ? { lackedOn: this.#pricesOf } : {};
    const paused = off !== null && this.#paused.includes(off) ? ({ isPaused: true } as const) : {};
    return { kind: "unknown", nearest, off, ...paused, ...lackedOn };
  }

  #isLacking({ provider, name }: ModelName): boolean {
    if (!this.#on.has(provider.toLowerCase()) || !UNLISTED_NAME.test(name)) return false;
    return !this.#hidden.has(makeKey(provider, name));
  }

  /** Returns the models for the same operation that cost about as much as one that isn't served, or less. */
  #listAlike(meant: ModelCard | undefined): readonly string[] {
    if (!meant?.price) return [];
    const [operation = "chat"] = meant.operations ?? CHAT_ONLY;
    const most = meant.price.output * SAME_TIER_FACTOR;
    const alike = this.#cards.flatMap(({ id, price, operations = CHAT_ONLY }) =>
      price && price.output <= most && operations.has(operation) ? [{ id, cost: price.output }] : [],
    );
    alike.sort((one, other) => other.cost - one.cost);
    return alike.slice(0, NEAREST_MAX).map(({ id }) => id);
  }

  /** Returns the same model at other providers, else those that replace a retired one, else those spelt similarly that cost no more than the one meant. */
  #nearest(text: string, name: string, meant: ModelCard | undefined): readonly string[] {
    const bare = name.slice(0, PROVIDER_CHARACTERS_MAX * 2).toLowerCase();
    for (const spelling of listSpellings(bare)) {
      const twins = this.#byName.get(spelling) ?? [];
      if (twins.length > 0) return twins.slice(0, NEAREST_MAX);
    }
    const replacements = listReplacements(bare, this.#cards);
    if (replacements !== null) return replacements.slice(0, NEAREST_MAX);
    const ids = findNearest(text, this.#byKey.keys(), NEAREST_MAX).flatMap(
      (key) => this.#byKey.get(key)?.id ?? [],
    );
    const names = findNearest(bare, this.#byName.keys(), NEAREST_MAX).flatMap(
      (one) => this.#byName.get(one) ?? [],
    );
    const near = [...new Set([...ids, ...names])].flatMap(
      (id) => this.#cards.find((card) => card.id === id) ?? [],
    );
    const most = ((meant ?? near[0])?.price?.output ?? Number.MAX_VALUE) * SAME_TIER_FACTOR;
    const fitting = near.filter(({ price }) => (price?.output ?? 0) <= most);
    return fitting.map(({ id }) => id).slice(0, NEAREST_MAX);
  }
}

function sortByWeight(alias: Alias): Alias {
  return typeof alias === "string" || isPolicy(alias) ? alias : alias.toSorted((a, b) => b.weight - a.weight);
}
