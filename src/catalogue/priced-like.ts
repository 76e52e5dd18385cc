// The cards of names that no card has, at providers whose names come in families: a relative's card under the asked name.
import type { ModelCard } from "../core/models/card.ts";
import { raisePrices } from "../core/money/factors.ts";
import type { ProviderSetup } from "../core/settings.ts";
import { applyFactors, type Pricing } from "./factored.ts";
import { findRelative } from "./relative.ts";

/** Clients may make up names. Beyond this many, the oldest are looked up again. */
const NAMES_MAX = 1000;

type Provider = Pick<ProviderSetup, "name" | "familyPrice"> & Pricing;

export class Families {
  /** Cards with the prices of now, without their providers' factors, by provider. */
  readonly #cards: ReadonlyMap<string, readonly ModelCard[]>;
  /** By id. Null for names without a relative. */
  readonly #found = new Map<string, ModelCard | null>();

  /** `cards` have the prices of now, without their providers' factors. */
  constructor(providers: readonly Provider[], cards: readonly ModelCard[]) {
    const open = providers.filter(({ familyPrice }) => familyPrice !== undefined);
    this.#cards = new Map(
      open.map(({ name }) => [name, cards.filter(({ provider }) => provider === name)] as const),
    );
  }

  /** Returns the card of a name that the provider has no card for. Null if it has no relative. */
  find(provider: Provider, name: string): ModelCard | null {
    const { familyPrice } = provider;
    if (!familyPrice?.names.test(name)) return null;
    const id = `${provider.name}#${name}`;
    const known = this.#found.get(id);
    if (known !== undefined) return known;
    const relative = findRelative(name, this.#cards.get(provider.name) ?? []);
    const found =
      relative && applyFactors(likenCard(raisePrices(relative, familyPrice.times), id, name), provider);
    for (const oldest of this.#found.keys()) {
      if (this.#found.size < NAMES_MAX) break;
      this.#found.delete(oldest);
    }
    this.#found.set(id, found);
    return found;
  }
}

/** Returns what holds of the relative for a name of the same family: its limits, abilities, refusals and prices. */
function likenCard(relative: ModelCard, id: string, name: string): ModelCard {
  const { refuses, accepts, dialects, timedPrice, laterPrices, isPriceStated, operations } = relative;
  return {
    id,
    provider: relative.provider,
    name,
    created: 0,
    ownedBy: relative.ownedBy,
    contextTokensMax: relative.contextTokensMax,
    outputTokensMax: relative.outputTokensMax,
    price: relative.price,
    ...(timedPrice ? { timedPrice } : {}),
    ...(laterPrices ? { laterPrices } : {}),
    ...(isPriceStated ? { isPriceStated } : {}),
    capabilities: relative.capabilities,
    ...(operations ? { operations } : {}),
    ...(dialects ? { dialects } : {}),
    ...(refuses ? { refuses } : {}),
    ...(accepts ? { accepts } : {}),
    listed: relative.listed,
    fallbacks: [],
    pricedLike: relative.id,
  };
}
