// The figures of one key, person, account, model or provider over a period, as part of its page.
import type { Overview } from "../../admin/log/overview.ts";
import { withQuery } from "../frame/api.ts";
import { chooseStep } from "../frame/period.ts";
import { useResource } from "../frame/resource.ts";
import { type Filters, useScope } from "../frame/scope.ts";
import { CustomChip, PeriodPicker } from "../frame/scope-bar.tsx";
import { Card } from "../parts/page.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { LoadingCharts, UsageCharts } from "./usage-charts.tsx";

const EVERY_MS = 30_000;

/** The period is the page's own, from its address. */
export function UsageSection({ filters }: { readonly filters: Filters }) {
  const scope = useScope("30d", filters.account_id);
  const { period } = scope;
  const path = withQuery("/overview", { ...filters, ...period, step: chooseStep(period) });
  const overview = useResource<Overview>(path, EVERY_MS);
  return (
    <section class="stack" aria-label="Usage">
      <div class="row">
        <PeriodPicker scope={scope} />
        <CustomChip scope={scope} />
      </div>
      {overview.isLoading ? (
        <LoadingCharts />
      ) : (
        <Loaded of={overview}>
          {(data) =>
            data.totals.requests + data.previous.requests === 0 ? (
              <Card>
                <Empty icon="activity" title="No requests in this period">
                  Choose a longer one.
                </Empty>
              </Card>
            ) : (
              <UsageCharts data={data} filters={filters} by={filters.account_id ? "key" : "model"} />
            )
          }
        </Loaded>
      )}
    </section>
  );
}
