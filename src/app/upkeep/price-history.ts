// Keeps the prices that requests were charged by, so that a row's price can be shown for as long as the row.
import type { PriceBook } from "../../catalogue/price-book.ts";
import type { Store } from "../../core/store.ts";
import type { Clock } from "../../core/world/world.ts";

interface PriceHistoryParts {
  readonly store: Pick<Store, "changeSetting">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly priceBook: PriceBook;
}

/** Writes the prices that were used for the first time since they were last written. Other nodes write theirs beside them. */
export async function writePrices({ store, clock, priceBook }: PriceHistoryParts): Promise<void> {
  if (!priceBook.hasNew) return;
  const nowMs = clock.nowMs();
  priceBook.forget(await store.changeSetting("price_history", (kept) => priceBook.addTo(kept, nowMs)));
}
