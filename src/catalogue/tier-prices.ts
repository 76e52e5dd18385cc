// Prices of services that a provider may serve in place of its usual one, as the configuration and lists write them.
import { type Price, SERVICE_TIERS, type ServiceTier } from "../core/models/card.ts";
import { overlayRates } from "./overlaid.ts";
import { type RateFields, viewRates } from "./rates.ts";

/** The rates that differ from the usual ones. */
export type ServiceFields = Readonly<Partial<Record<ServiceTier, Partial<RateFields>>>>;

export function isServiceTier(name: string): name is ServiceTier {
  return SERVICE_TIERS.some((tier) => tier === name);
}

export function buildService(fields: ServiceFields, usual: Price): ReadonlyMap<ServiceTier, Price> {
  const known = SERVICE_TIERS.flatMap((tier) => {
    const rates = fields[tier];
    return rates === undefined ? [] : [[tier, overlayRates(usual, rates)] as const];
  });
  return new Map(known);
}

export function viewService(service: ReadonlyMap<ServiceTier, Price>): ServiceFields {
  return Object.fromEntries([...service].map(([tier, price]) => [tier, viewRates(price)]));
}
