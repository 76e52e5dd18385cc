// A row's price with all that the lists leave out, on the catalogue's day and on later ones.
import { SERVICES } from "./added.ts";
import { ALSO_PRICED, BUILT_FOR, FREE } from "./corrections.ts";
import { addLongCaches, plain } from "./long-caches.ts";
import { addServices } from "./passed-on.ts";
import { LATER, REPRICED } from "./repriced.ts";
import type { PriceFacts } from "./sources.ts";

const FREE_PRICE: PriceFacts = { input: 0, output: 0 };

/** Returns the price of a row from the day on which the catalogue is built. */
export function finishPrice(id: string, listed: PriceFacts | null): PriceFacts | null {
  if (FREE.test(id)) return FREE_PRICE;
  return listed === null ? null : complete(id, { ...listed, ...REPRICED[id] }, BUILT_FOR);
}

/** Returns the prices that follow it, each with its first day. `listed` are the rates as long as none replace them. */
export function listLaterPrices(
  id: string,
  listed: PriceFacts | null,
): readonly (PriceFacts & { from: string })[] {
  const rates = LATER.filter(({ ids }) => ids.test(id));
  const services = SERVICES.filter(({ ids }) => ids.test(id));
  const days = [...rates, ...services].flatMap(({ from }) => from ?? []);
  return [...new Set(days)].toSorted().flatMap((from) => {
    const price = rates.findLast((one) => one.from <= from)?.price ?? listed;
    return price === null ? [] : [{ from, ...complete(id, price, from) }];
  });
}

function complete(id: string, listed: PriceFacts, day: string): PriceFacts {
  const also = ALSO_PRICED.filter(({ ids }) => ids.test(id)).map(({ price }) => price);
  return addServices(id, Object.assign(addLongCaches(id, plain(listed)), ...also), day);
}
