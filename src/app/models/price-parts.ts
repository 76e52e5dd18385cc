// The parts of the admin routes of the watched list of prices.
import type { PriceReviewParts } from "../../admin/models/price-review.ts";
import { readStanding } from "../../catalogue/file/standing.ts";
import type { Settings } from "../../core/settings.ts";
import { clock } from "../world.ts";
import { writeApart } from "./catalogue-apart.ts";
import { changeCatalogueFile } from "./catalogue-file.ts";
import type { PriceWatch } from "./catalogue-watch.ts";

interface PriceParts {
  readonly live: { readonly settings: Settings };
  readonly prices: Pick<PriceWatch, "waiting" | "last" | "list">;
}

export function createPriceParts({ live, prices }: PriceParts): PriceReviewParts {
  return {
    compared: () => prices.last,
    list: () => prices.list,
    file: () => live.settings.catalogueFile,
    standing: () => readStanding(live.settings),
    enabled: () => new Set(live.settings.providers.map(({ name }) => name)),
    async write({ format, list: numbered, asOf, sha256 }, accepted) {
      const { catalogueFile = "" } = live.settings;
      const list = { format, serial: numbered?.serial ?? null, asOf, sha256 };
      const nowMs = clock.nowMs();
      await changeCatalogueFile(catalogueFile, (before) => writeApart({ before, accepted, list, nowMs }));
    },
  };
}
