// The parts of the admin routes of the watched list of prices.
import type { PriceReviewParts } from "../../admin/models/price-review.ts";
import type { Settings } from "../../core/settings.ts";
import { clock } from "../world.ts";
import { writeApart } from "./catalogue-apart.ts";
import { replaceCatalogueFile } from "./catalogue-file.ts";
import type { PriceWatch } from "./catalogue-watch.ts";

interface PriceParts {
  readonly live: { readonly settings: Settings };
  readonly prices: Pick<PriceWatch, "waiting" | "last">;
}

export function createPriceParts({ live, prices }: PriceParts): PriceReviewParts {
  return {
    compared: () => prices.last,
    asOf: () => live.settings.catalogueAsOf,
    file: () => live.settings.catalogueFile,
    async write({ known }, proposals) {
      const { catalogueFile = "", newerModels = [] } = live.settings;
      const ids = new Set(proposals.map(({ id }) => id));
      const changed = new Map([...known].filter(([id]) => ids.has(id)));
      const text = await writeApart({ proposals, known: changed, newerModels, nowMs: clock.nowMs() });
      replaceCatalogueFile(catalogueFile, text);
    },
  };
}
