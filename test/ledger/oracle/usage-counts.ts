// The counts of a request in the hourly sums.

import { isError, type RequestRecord } from "../../../src/core/log/record.ts";
import type { UsageSum } from "../../../src/core/log/usage-sum.ts";
import { addAmounts, NO_AMOUNTS } from "../../../src/core/money/units.ts";
import { negateAmounts } from "./ids.ts";

const NO_COUNTS = {
  requests: 0,
  errors: 0,
  amounts: NO_AMOUNTS,
  costNanoUsd: 0,
  markupNanoUsd: 0,
  chargedNanoUsd: 0,
  cached: 0,
  savedNanoUsd: 0,
} as const;
type Counts = Pick<UsageSum, keyof typeof NO_COUNTS>;

/** Adds a request, or takes it back. */
export function addCounts(before: Counts | undefined, record: RequestRecord, times: 1 | -1): Counts {
  const sum = before ?? NO_COUNTS;
  const amounts = times === 1 ? record.amounts : negateAmounts(record.amounts);
  return {
    requests: sum.requests + times,
    errors: sum.errors + (isError(record.status) ? times : 0),
    amounts: addAmounts(sum.amounts, amounts),
    costNanoUsd: sum.costNanoUsd + times * record.costNanoUsd,
    markupNanoUsd: sum.markupNanoUsd + times * record.markupNanoUsd,
    chargedNanoUsd: sum.chargedNanoUsd + times * record.chargedNanoUsd,
    cached: sum.cached + (record.cachedFrom === null ? 0 : times),
    savedNanoUsd: sum.savedNanoUsd + times * record.savedNanoUsd,
  };
}
