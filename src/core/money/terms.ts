// The words of an answer about its own price: the service and the region that it came from, and its cost.
import { type Price, SERVICE_TIERS, type ServiceTier } from "../models/card.ts";
import { multiplyPrice } from "./factors.ts";

/** The fields in which answers name what was served. */
type ServedField = "service_tier" | "speed" | "inference_geo" | "trafficType";

interface ServedWord {
  readonly field: ServedField;
  readonly word: string;
}

export interface AnswerTerms {
  /** The words for anything but the usual service. Missing if there are none. */
  readonly served?: readonly ServedWord[];
  /** The cost of the answer by its provider, in USD. Missing if it doesn't say. */
  readonly costUsd?: number;
}

/** Words for the usual service, at the usual price. */
const USUAL: Readonly<Record<ServedField, ReadonlySet<string>>> = {
  service_tier: new Set(["", "auto", "default", "standard", "standard_only", "on_demand"]),
  speed: new Set(["", "standard", "normal"]),
  inference_geo: new Set(["", "global", "not_available"]),
  trafficType: new Set(["", "ON_DEMAND", "TRAFFIC_TYPE_UNSPECIFIED"]),
};

/** Words that are counted by their own name. All others count as one, because a server may say anything. */
const KNOWN: ReadonlySet<string> = new Set([
  "service_tier=batch",
  "service_tier=fast",
  "service_tier=flex",
  "service_tier=priority",
  "service_tier=scale",
  "service_tier=ultrafast",
  "speed=fast",
  "inference_geo=us",
  "inference_geo=eu",
  "trafficType=ON_DEMAND_FLEX",
  "trafficType=ON_DEMAND_PRIORITY",
  "trafficType=PROVISIONED_THROUGHPUT",
]);

/** Google Cloud's words for services that others name in lower case ("UsageMetadata.trafficType"). */
const GOOGLE_TIERS: ReadonlyMap<string, ServiceTier> = new Map([
  ["ON_DEMAND_PRIORITY", "priority"],
  ["ON_DEMAND_FLEX", "flex"],
]);

type WordFields = Readonly<Partial<Record<ServedField, unknown>>>;

/** Reads what was served. Undefined if the answer names only what is usual, as most do. */
export function readServed(given: WordFields): AnswerTerms["served"] {
  const { service_tier: tier, speed, inference_geo: geo, trafficType: traffic } = given;
  if (isUsual("service_tier", tier) && isUsual("speed", speed) && isUsual("inference_geo", geo))
    return isUsual("trafficType", traffic) ? undefined : [{ field: "trafficType", word: String(traffic) }];
  const words = [
    ["service_tier", tier],
    ["speed", speed],
    ["inference_geo", geo],
    ["trafficType", traffic],
  ] as const;
  return words.flatMap(([field, word]) => (isUsual(field, word) ? [] : [{ field, word: String(word) }]));
}

function isUsual(field: ServedField, word: unknown): boolean {
  return typeof word !== "string" || USUAL[field].has(word);
}

/** Returns the terms with those of another call, if both have any. */
export function addTerms(
  one: AnswerTerms | undefined,
  other: AnswerTerms | undefined,
): AnswerTerms | undefined {
  if (one === undefined && other === undefined) return undefined;
  const served = [...(one?.served ?? []), ...(other?.served ?? [])];
  const hasCosts = one?.costUsd !== undefined && other?.costUsd !== undefined;
  return {
    ...(served.length > 0 ? { served } : {}),
    ...(hasCosts ? { costUsd: (one.costUsd ?? 0) + (other.costUsd ?? 0) } : {}),
  };
}

/** A price by an answer's own words. */
interface ServedPrice {
  readonly price: Price;
  /** The words that no price is known for, as they are counted: `service_tier=priority`. */
  readonly unpriced: readonly string[];
  /** Those that the price is for. */
  readonly priced: readonly string[];
}

/** Returns the price of what was served: the card's, of the services and regions that it has prices of. */
export function findServedPrice(
  usual: Price,
  served: NonNullable<AnswerTerms["served"]>,
  findGeo: (word: string) => RegionPrice | undefined,
): ServedPrice {
  let price = usual;
  const unpriced: string[] = [];
  const priced: string[] = [];
  // A region's factor counts on the service's price, whichever word comes first.
  const ordered = served.toSorted((one, other) => rankField(one.field) - rankField(other.field));
  for (const { field, word } of ordered) {
    const geo = field === "inference_geo" ? findGeo(word) : undefined;
    const tier = field === "inference_geo" ? null : readTier(word);
    const other = tier === null ? undefined : usual.service?.get(tier);
    if (geo !== undefined) price = multiplyPrice(price, { tokens: geo.factor, pieces: 1 });
    else if (other !== undefined) price = other;
    const isPriced = geo !== undefined || other !== undefined;
    (isPriced ? priced : unpriced).push(nameWord(field, word));
  }
  return { price, unpriced, priced };
}

function rankField(field: ServedField): number {
  return field === "inference_geo" ? 1 : 0;
}

function readTier(word: string): ServiceTier | null {
  return SERVICE_TIERS.find((tier) => tier === word) ?? GOOGLE_TIERS.get(word) ?? null;
}

function nameWord(field: ServedField, word: string): string {
  const name = `${field}=${word}`;
  return KNOWN.has(name) ? name : `${field}=other`;
}

/** The factor of a region on the token prices of the models with these names. */
export interface RegionPrice {
  readonly factor: number;
  readonly models: RegExp;
}
