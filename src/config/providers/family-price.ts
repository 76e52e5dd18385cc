// Reads `price: family`: a model without a card costs what a model of its family costs, times a factor.
import type { KnownProvider, ProviderSetup } from "../../core/settings.ts";
import type { Issues, Path } from "../errors.ts";
import type { ProviderConfig } from "./provider-schema.ts";

interface FamilyPriceEntry {
  readonly row: KnownProvider | undefined;
  /** The provider's place in the file. */
  readonly path: Path;
  readonly issues: Issues;
}

/** An unknown price is better too high than too low: what is charged too much can be given back. */
const USUAL_TIMES = 2;

export function readFamilyPrice(
  { row, path, issues }: FamilyPriceEntry,
  unlisted: ProviderConfig["unlisted_models"],
): Pick<ProviderSetup, "familyPrice"> {
  if (typeof unlisted !== "object") return {};
  const { price, times, hold_usd: hold } = unlisted;
  const here = [...path, "unlisted_models"];
  if (price === undefined) {
    if (times !== undefined) issues.atKey([...here, "times"], "needs price: family");
    else if (hold === undefined) issues.atValue(here, "has no effect: it is empty");
    return {};
  }
  if (hold !== undefined)
    issues.atKey([...here, "hold_usd"], "has no effect beside price: family, which says what is held");
  const names = row?.familyNames;
  if (names === undefined) {
    issues.atValue([...here, "price"], "names of models don't come in families at this provider");
    return {};
  }
  return { familyPrice: { times: times ?? USUAL_TIMES, names } };
}
