// A price as rates by their places: the usual ones, and those of tiers, hours and services.
import { type PriceFields, UNIT_FIELDS } from "../price.ts";
import { RATE_FIELDS } from "../rates.ts";
import { isServiceTier } from "../tier-prices.ts";
import type { StatedPrice } from "./feed.ts";

export const PLACE_FIELDS = [...RATE_FIELDS, ...UNIT_FIELDS] as const;
export type PlaceField = (typeof PLACE_FIELDS)[number];
export type PlaceRates = Readonly<Partial<Record<PlaceField, number>>>;

type Hours = NonNullable<PriceFields["hours"]>[number];
type RatePlace =
  | { readonly kind: "usual" }
  | { readonly kind: "tier"; readonly above: number }
  | { readonly kind: "service"; readonly service: string }
  | ({ readonly kind: "hours" } & Pick<Hours, "days" | "from" | "to">);

export interface PricePlace {
  /** As people read it. Empty for the usual rates. */
  readonly name: string;
  readonly place: RatePlace;
  readonly rates: PlaceRates;
}

/** The length of a prompt from which a price applies is the same if it differs by less: some lists count one token more. */
const TIER_TOLERANCE = 0.01;

export function isUnit(field: PlaceField): boolean {
  return field.startsWith("per_");
}

export function listPlaces({
  tiers = [],
  hours = [],
  service = {},
  ...usual
}: StatedPrice): readonly PricePlace[] {
  return [
    { name: "", place: { kind: "usual" }, rates: usual },
    ...tiers.map(({ above_tokens: above, ...rates }) => makeTier(above, rates)),
    ...Object.entries(service).map(([name, rates]) => ({
      name: `service ${name}`,
      place: { kind: "service", service: name } as const,
      rates,
    })),
    ...hours.map(({ days, from, to, ...rates }) => ({
      name: `hours ${[...(days ?? []), `${from}-${to}`].join(" ")}`,
      place: { kind: "hours", from, to, ...(days === undefined ? {} : { days }) } as const,
      rates,
    })),
  ];
}

function makeTier(above: number, rates: PlaceRates): PricePlace {
  return { name: `above ${above}`, place: { kind: "tier", above }, rates };
}

/** Returns the stated place as one of ours, if it is a tier that begins at nearly the same length. */
export function alignTier(stated: PricePlace, ours: readonly PricePlace[]): PricePlace {
  const { place, rates } = stated;
  if (place.kind !== "tier") return stated;
  const near = ours.find(
    (one) =>
      one.place.kind === "tier" && Math.abs(one.place.above - place.above) < TIER_TOLERANCE * one.place.above,
  );
  return near === undefined ? stated : { ...near, rates };
}

/** The inverse of `listPlaces`. */
export function joinPlaces(places: readonly PricePlace[]): PriceFields {
  const tiers: NonNullable<PriceFields["tiers"]>[number][] = [];
  const hours: Hours[] = [];
  const service: Record<string, PlaceRates> = {};
  let usual: PlaceRates = {};
  for (const { place, rates } of places) {
    const { input = 0, output = 0 } = rates;
    switch (place.kind) {
      case "usual":
        usual = rates;
        break;
      case "tier":
        tiers.push({ ...rates, above_tokens: place.above, input, output });
        break;
      case "service":
        if (isServiceTier(place.service)) service[place.service] = rates;
        break;
      case "hours": {
        const { kind: _kind, ...at } = place;
        hours.push({ ...rates, ...at });
      }
    }
  }
  return {
    ...usual,
    ...(tiers.length === 0 ? {} : { tiers }),
    ...(hours.length === 0 ? {} : { hours }),
    ...(Object.keys(service).length === 0 ? {} : { service }),
  };
}

/** A rate that a model doesn't have is another of its rates. Pieces without a price are free. */
export function readDefault(field: PlaceField, rates: PlaceRates): number | undefined {
  if (isUnit(field)) return undefined;
  if (field === "cache_write_1h" || field === "cache_write_12h") return rates.cache_write ?? rates.input;
  const isOutput = field === "output" || field === "reasoning" || field.startsWith("output_");
  return isOutput ? rates.output : rates.input;
}
