// The costs of keys in the running month.
import type { KeyInUseView } from "../../admin/keys/keys-in-use.ts";
import type { UsageSums, UsageView } from "../../admin/log/usage.ts";
import { withQuery } from "../frame/api.ts";
import { formatUsd } from "../frame/format.ts";
import { useResource } from "../frame/resource.ts";
import { readRange } from "../frame/scope.ts";
import { may, readDayRules } from "../frame/session.ts";

const EVERY_MS = 10_000;

/** The requests of the running month, summed by key. Null until they are known, and for those who may not see them. */
export function useKeySums(): readonly UsageView[] | null {
  const { from = "", to = "" } = readRange(new URLSearchParams(), "month", readDayRules()).period;
  const path = may("usage.read") ? withQuery("/usage", { group_by: "key", from, to }) : null;
  return useResource<UsageSums>(path, EVERY_MS).data?.data ?? null;
}

interface CostProps {
  readonly of: KeyInUseView;
  /** Missing if the key wasn't used. */
  readonly sum: UsageView | undefined;
}

export function Cost({ of: { spend_limit_usd }, sum }: CostProps) {
  const { cost_usd = 0, charged_usd = 0 } = sum ?? {};
  return (
    <div>
      {formatUsd(cost_usd)}
      {charged_usd > 0 && <div class="small faint">{formatUsd(charged_usd)} charged</div>}
      {spend_limit_usd !== null && <div class="small faint">limit {formatUsd(spend_limit_usd)}</div>}
    </div>
  );
}
