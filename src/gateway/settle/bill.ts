// The bill of an answer.
import type { UnsettledRecord } from "../../core/log/record.ts";
import type { BillLine, NanoUsd } from "../../core/money/money.ts";
import { sumBill } from "../../core/money/price.ts";

export interface Bill extends Pick<UnsettledRecord, "amounts" | "costNanoUsd"> {
  readonly lines: readonly BillLine[];
  /** The services and regions of the answer that no price is known for: `service_tier=priority`. Missing if there are none. */
  readonly unpriced?: readonly string[];
  /** Those that were charged by a price of their own. Missing if there are none. */
  readonly served?: readonly string[];
  /** The cost that the provider reported, without markup. Missing if it reported none that counts. */
  readonly claimedNanoUsd?: NanoUsd;
  /** True if the reported cost or the price of what was served is above the hold. */
  readonly isBeyondHold?: true;
}

/** Returns the part of the cost that the markup adds. Below 0 if the operator bears a part of the provider's. */
export function findMarkup({ costNanoUsd, lines, isBeyondHold }: Bill, markup: number): NanoUsd {
  return markup === 1 && isBeyondHold === undefined ? 0 : costNanoUsd - sumBill(lines, 1);
}
