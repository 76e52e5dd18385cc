// The highest price of what a provider may serve although the request doesn't ask for it, which is held.
import type { ModelCard, Price } from "../../core/models/card.ts";
import { multiplyPrice } from "../../core/money/factors.ts";
import { mergeHighest } from "../../core/money/highest.ts";
import type { ProviderSetup } from "../../core/settings.ts";

type ServedProvider = Pick<ProviderSetup, "geo" | "leavesTier" | "extraFields">;

/** By the catalogue's card, because each request needs it. The rules of a provider don't change without its cards. */
const known = new WeakMap<ServedProvider, WeakMap<ModelCard, ModelCard>>();

/** Returns the card with the price to hold. The same card if the provider serves nothing unasked, as usual. */
export function priceServed(card: ModelCard, provider: ServedProvider): ModelCard {
  if (provider.geo === undefined && !mayServe(provider)) return card;
  const cards = known.getOrInsertComputed(provider, () => new WeakMap());
  return cards.getOrInsertComputed(card, () => raisePrices(card, provider));
}

/** Services are only sent if the operator lets clients ask for them, or leaves them to the provider. */
function mayServe({ leavesTier, extraFields = [] }: ServedProvider): boolean {
  return leavesTier === true || extraFields.includes("service_tier");
}

function raisePrices(card: ModelCard, provider: ServedProvider): ModelCard {
  const raise = (price: Price) => raisePrice(price, card, provider);
  const { price, timedPrice, laterPrices } = card;
  return {
    ...card,
    price: price && raise(price),
    ...(timedPrice ? { timedPrice: raise(timedPrice) } : {}),
    ...(laterPrices
      ? {
          laterPrices: laterPrices.map((later) => ({ ...later, price: later.price && raise(later.price) })),
        }
      : {}),
  };
}

function raisePrice(price: Price, card: ModelCard, provider: ServedProvider): Price {
  const services = mayServe(provider) ? [...(price.service?.values() ?? [])] : [];
  const highest = services.reduce(mergeHighest, price);
  const raised = multiplyPrice(highest, { tokens: findGeoFactor(card, provider), pieces: 1 });
  const { hours } = price;
  if (hours === undefined) return raised;
  return {
    ...raised,
    hours: hours.map((hour) => ({ ...hour, price: raisePrice(hour.price, card, provider) })),
  };
}

/** A price that the operator states is already the one of the region. */
function findGeoFactor({ name, isPriceStated }: ModelCard, { geo }: ServedProvider): number {
  if (geo === undefined || isPriceStated) return 1;
  const factors = [...geo.values()].map(({ models, factor }) => (models.test(name) ? factor : 1));
  return Math.max(1, ...factors);
}
