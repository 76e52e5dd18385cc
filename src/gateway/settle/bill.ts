// The bill of an answer.
import type { UnsettledRecord } from "../../core/log/record.ts";
import type { BillLine, NanoUsd } from "../../core/money/money.ts";

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
