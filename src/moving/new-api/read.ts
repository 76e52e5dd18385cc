// The database of new-api or One API, or its tokens alone, as a plan.
import { asObject } from "../../core/json/json.ts";
import type { ForeignRow } from "../columns.ts";
import { readForeign } from "../foreign-text.ts";
import { priceFreeModels } from "../free-models.ts";
import { Groups } from "../groups.ts";
import type { PlannedConfig, PlannedOwners } from "../plan.ts";
import { Providers } from "../providers.ts";
import type { Report } from "../report.ts";
import { readChannels } from "./channels.ts";
import { reportOptions } from "./options.ts";
import { type NewApiTables, readOwners } from "./owners.ts";
import { reportColumns } from "./schema.ts";
import { findFlavour } from "./types.ts";

interface NewApiParts {
  readonly report: Report;
  readonly nowMs: number;
  /** True if keys keep a daily free allowance. */
  readonly isFree: boolean;
}

/** Prices stay those of the catalogue: new-api's ratios are reported. */
export function readNewApi(
  given: NewApiTables & { readonly channels: readonly ForeignRow[] },
  { report, nowMs, isFree }: NewApiParts,
): { readonly config: PlannedConfig; readonly owners: PlannedOwners } {
  // Channels become the configuration's providers; people's names and keys don't.
  const channels = given.channels.map((row) => asObject(readForeign(row, report)));
  const tables = { ...given, channels };
  const providers = new Providers();
  const groups = new Groups();
  const flavour = findFlavour(tables);
  const { fallbacks, models: ofGroups } = readChannels(tables.channels, {
    report,
    providers,
    groups,
    types: flavour.types,
  });
  providers.report(report);
  const owners = readOwners(tables, {
    report,
    nowMs,
    flavour,
    find: (name) => groups.find(name),
    ofGroups,
  });
  reportOptions(tables.options, report);
  for (const table of ["users", "tokens", "channels"] as const) reportColumns(table, tables[table], report);
  const models = Object.fromEntries([...fallbacks].map(([id, list]) => [id, { fallbacks: list }]));
  const plain = { providers: providers.list(), models, aliases: providers.listAliases(groups, report) };
  const config = priceFreeModels(plain, owners, report);
  return { config: isFree ? config : { ...config, billing: { charge: "always" } }, owners };
}
