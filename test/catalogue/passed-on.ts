// Prices that follow from another one: of the same model at another host, and of other services.
import { SERVICES } from "./added.ts";
import type { PriceFacts } from "./sources.ts";

/** Another host has neither the maker's services nor its searches. */
export function passOn(price: PriceFacts, factor: number, isOwn: boolean): PriceFacts {
  const { per_search: search, service: _service, tiers, ...rates } = price;
  const multiply = <Rates extends object>(given: Rates): Rates => ({
    ...given,
    ...Object.fromEntries(
      Object.entries(given).flatMap(([name, value]) =>
        typeof value === "number" && name !== "above_tokens"
          ? [[name, Math.round(value * factor * DIGITS) / DIGITS]]
          : [],
      ),
    ),
  });
  return {
    ...multiply(rates),
    ...(isOwn && search !== undefined ? { per_search: search } : {}),
    ...(tiers ? { tiers: tiers.map(multiply) } : {}),
  };
}
const DIGITS = 1e6;

/** Returns the price with those of the services that the model's provider offers on that day. */
export function addServices(id: string, price: PriceFacts, day: string): PriceFacts {
  const found = SERVICES.filter(({ ids, from = "" }) => ids.test(id) && from <= day);
  if (found.length === 0) return price;
  const service = Object.assign({}, ...found.map((one) => one.service));
  const { per_search: _search, tiers: _tiers, hours: _hours, service: _old, ...rates } = price;
  const tiers = Object.entries(service).map(([tier, factor]) => [tier, passOn(rates, Number(factor), false)]);
  return { ...price, service: Object.fromEntries(tiers) };
}
