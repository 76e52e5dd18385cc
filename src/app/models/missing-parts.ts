// The parts of the admin routes about names that no card has, or had when they were charged.

import type { MissingModelsParts } from "../../admin/models/unlisted-models.ts";
import { FamilyPriced } from "../../admin/models/unlisted-prices.ts";
import type { Catalogue } from "../../catalogue/catalogue.ts";
import { PriceHistory } from "../../catalogue/priced-at.ts";
import type { Settings } from "../../core/settings.ts";
import type { OpenedStore } from "../start/open-store.ts";
import { clock } from "../world.ts";
import type { PriceWatch } from "./catalogue-watch.ts";

interface MissingParts {
  readonly opened: Pick<OpenedStore, "store">;
  readonly live: { readonly settings: Settings; readonly snapshot: { readonly catalogue: Catalogue } };
  readonly prices: Pick<PriceWatch, "last">;
}

export function createMissingParts({ opened, live, prices }: MissingParts): MissingModelsParts {
  return {
    store: opened.store,
    clock,
    catalogue: () => live.snapshot.catalogue,
    compared: () => prices.last,
  };
}

export function createFamilyPriced({ opened, live }: MissingParts): FamilyPriced {
  return new FamilyPriced({
    store: opened.store,
    clock,
    isKnown: (model) => {
      const found = live.snapshot.catalogue.resolve(model);
      return found.kind === "card" && !found.card.isNamedByClient && found.card.pricedLike === undefined;
    },
    prices: () => new PriceHistory(live.settings),
    timeZone: () => live.settings.quota.timeZone,
  });
}
