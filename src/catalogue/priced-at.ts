// The price of a model at a time by the live configuration, for rows that are priced again.
import type { ModelCard, Price } from "../core/models/card.ts";
import type { ProviderSetup, Settings } from "../core/settings.ts";
import { collectCards } from "./catalogue.ts";
import { dateCard } from "./dated.ts";
import { applyFactors } from "./factored.ts";
import { applyFreePrice } from "./free-price.ts";
import { applyOverlay } from "./overlay.ts";

const HOUR_MS = 3_600_000;
/** More than a month of a hundred models that are used each hour. */
const KEPT_MAX = 100_000;

type PriceSettings = Pick<Settings, "providers" | "overlay" | "operatorModels" | "newerModels">;

export class PriceHistory {
  readonly #cards = new Map<string, ModelCard>();
  readonly #providers: ReadonlyMap<string, ProviderSetup>;
  readonly #found = new Map<string, Price | null>();

  constructor({ providers, overlay, operatorModels, newerModels }: PriceSettings) {
    this.#providers = new Map(providers.map((provider) => [provider.name, provider]));
    const changes = new Map(overlay.map((change) => [change.id, change]));
    for (const card of collectCards(operatorModels, newerModels).values()) {
      const changed = applyOverlay(card, changes.get(card.id));
      if (changed) this.#cards.set(card.id, changed);
    }
  }

  /** Returns the price at that time, Unix milliseconds, of an hour at once. Null if none is known, or the model is gone. */
  find(id: string, atMs: number): Price | null {
    const hour = Math.floor(atMs / HOUR_MS);
    const place = `${hour} ${id}`;
    const known = this.#found.get(place);
    if (known !== undefined) return known;
    const price = this.#price(id, hour * HOUR_MS);
    if (this.#found.size >= KEPT_MAX) this.#found.clear();
    this.#found.set(place, price);
    return price;
  }

  has(id: string): boolean {
    return this.#cards.has(id);
  }

  /** True if the price depends on the credential that was called, which rows don't name. */
  dependsOnCredential(id: string): boolean {
    const provider = this.#providers.get(this.#cards.get(id)?.provider ?? "");
    return new Set(provider?.credentials.map((one) => one.priceFactor ?? 1)).size > 1;
  }

  #price(id: string, atMs: number): Price | null {
    const card = this.#cards.get(id);
    const provider = this.#providers.get(card?.provider ?? "");
    if (card === undefined || provider === undefined) return null;
    return applyFactors(applyFreePrice(dateCard(card, atMs), provider), provider).price;
  }
}
