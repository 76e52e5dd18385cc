// The prices of a provider's calls, as the operator and the provider's row state them.
import { TIERLESS_DIALECTS } from "../../core/models/dialect-names.ts";
import { type CostReport, USUAL_REPORT } from "../../core/money/cost-report.ts";
import type { RegionPrice } from "../../core/money/terms.ts";
import type { KnownProvider, ProviderSetup } from "../../core/settings.ts";
import type { Issues, Path } from "../errors.ts";
import type { ProviderConfig } from "./provider-schema.ts";

interface PricedEntry {
  readonly entry: ProviderConfig;
  readonly row: KnownProvider | undefined;
  readonly known: readonly KnownProvider[];
  readonly baseUrl: string;
  readonly path: Path;
  readonly issues: Issues;
}

type ProviderPricing = Pick<
  ProviderSetup,
  | "priceFactor"
  | "hidesPriceFactor"
  | "region"
  | "geo"
  | "reportsCost"
  | "unlistedHoldUsd"
  | "sendsTier"
  | "leavesTier"
>;

export function readPricing({ entry, row, known, baseUrl, path, issues }: PricedEntry): ProviderPricing {
  const { unlisted_models: unlisted, price_factor: given, service_tier: tier } = entry;
  const reportsCost = readReport(entry.reports_cost, row?.reportsCost, [...path, "reports_cost"], issues);
  const hold = typeof unlisted === "object" ? unlisted.hold_usd : undefined;
  if (hold !== undefined && reportsCost === undefined) {
    const message =
      "the provider reports no cost, so that what its models really cost is unknown; set reports_cost: true if it does";
    issues.atValue([...path, "unlisted_models", "hold_usd"], message);
  }
  if (tier !== undefined && !row?.hasTierWord)
    issues.atKey([...path, "service_tier"], "has no effect: only OpenAI's projects have a setting for it");
  const factor = typeof given === "object" ? given.factor : (given ?? 1);
  return {
    ...(factor === 1 ? {} : { priceFactor: factor }),
    ...(typeof given === "object" ? { hidesPriceFactor: true as const } : {}),
    ...(reportsCost ? { reportsCost } : {}),
    ...(hold === undefined ? {} : { unlistedHoldUsd: hold }),
    ...readTier(entry, row),
    ...readRegions(row, known, baseUrl),
  };
}

/** `true` is the provider's own report, if its row has one. */
function readReport(
  config: ProviderConfig["reports_cost"],
  known: CostReport | undefined,
  path: Path,
  issues: Issues,
): CostReport | undefined {
  if (config === undefined) return known;
  if (typeof config === "boolean") return config ? (known ?? USUAL_REPORT) : undefined;
  const { field, header, per_usd: perUsd = 1 } = config;
  if (field === undefined && header === undefined)
    issues.atValue(path, "needs a field or a header in which an answer says what it cost");
  return {
    ...(field === undefined ? {} : { field: field.split(".") }),
    ...(header === undefined ? {} : { header }),
    perUsd,
  };
}

export function readTier(
  { dialect, service_tier: tier = "default" }: Pick<ProviderConfig, "dialect" | "service_tier">,
  row: KnownProvider | undefined,
): Pick<ProviderPricing, "sendsTier" | "leavesTier"> {
  if (row?.hasTierWord) return tier === "default" ? { sendsTier: true } : { leavesTier: true };
  const spoken = dialect ?? row?.dialects?.[0]?.name;
  return spoken !== undefined && TIERLESS_DIALECTS.has(spoken) ? { leavesTier: true } : {};
}

/**
 * Returns the region of a provider's address, whatever name the operator gives the provider, and the regions that its
 * answers may name.
 */
export function readRegions(
  row: KnownProvider | undefined,
  known: readonly KnownProvider[],
  baseUrl: string,
): Pick<ProviderSetup, "region" | "geo"> {
  const all = known.flatMap(({ regions = [] }) => regions);
  const region: RegionPrice | undefined = all.find(({ addresses }) => addresses.test(baseUrl));
  const geo = row?.geo;
  return { ...(region ? { region } : {}), ...(geo ? { geo } : {}) };
}
