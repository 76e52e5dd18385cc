// Overview: requests, cost, tokens, errors and speed over a chosen period, live.
import { useRef } from "preact/hooks";
import type { ListPage } from "../../admin/list.ts";
import type { Overview } from "../../admin/log/overview.ts";
import type { ProviderView } from "../../admin/models/providers.ts";
import { runAfter } from "../browser.ts";
import { withQuery } from "../frame/api.ts";
import { Checklist } from "../frame/checklist.tsx";
import { useLive } from "../frame/live.ts";
import { chooseStep } from "../frame/period.ts";
import { useResource } from "../frame/resource.ts";
import { makeHref } from "../frame/route.ts";
import { SavedViews } from "../frame/saved-views.tsx";
import { type LogScope, SHARED_FILTERS, useScope } from "../frame/scope.ts";
import { CustomChip, PeriodPicker } from "../frame/scope-bar.tsx";
import { ScopeFilters } from "../frame/scope-fields.tsx";
import { may } from "../frame/session.ts";
import { NearingCard } from "../limits/nearing.tsx";
import { Card, PageHead } from "../parts/page.tsx";
import { Empty, Live, Loaded } from "../parts/states.tsx";
import { NoProvider } from "../providers/no-provider.tsx";
import { Breakdown } from "./breakdown.tsx";
import { SavingsCard } from "./savings.tsx";
import { SocketsCard } from "./sockets.tsx";
import { LoadingCharts, RequestsLink, UsageCharts } from "./usage-charts.tsx";

/** Figures are refreshed at most this often while requests end. */
const REFRESH_MS = 1500;
const EVERY_MS = 30_000;
const DEFAULT_RANGE = "30d";

/** Returns what sums can be asked for: they know fewer filters than single requests. */
function makeUsageQuery({ filters, period }: LogScope) {
  const shared = SHARED_FILTERS.map((name) => [name, filters[name]]);
  return { ...Object.fromEntries(shared), ...period };
}

/** Loads the figures again while requests end. Returns true while the page hears of them. */
function useRefresh(load: () => Promise<unknown>): boolean {
  const isDue = useRef(false);
  const refresh = () => {
    if (isDue.current) return;
    isDue.current = true;
    runAfter(REFRESH_MS, () => {
      isDue.current = false;
      void load();
    });
  };
  return useLive(true, { onRow: refresh, onGap: refresh });
}

export function OverviewPage() {
  const scope = useScope(DEFAULT_RANGE);
  const query = makeUsageQuery(scope);
  const path = withQuery("/overview", { ...query, step: chooseStep(scope.period) });
  const overview = useResource<Overview>(path, EVERY_MS);
  const breakdown = useRef<() => Promise<void>>(async () => {});
  const isLive = useRefresh(() => Promise.all([overview.reload(), breakdown.current()]));
  const isFiltered = SHARED_FILTERS.some((name) => scope.filters[name]);
  return (
    <div class="stack">
      <PageHead
        title="Overview"
        actions={
          <>
            <Live isOn={isLive} />
            <RequestsLink />
          </>
        }
      />
      <Checklist />
      <div class="row scope">
        <PeriodPicker scope={scope} />
        <CustomChip scope={scope} />
        <ScopeFilters filters={scope.filters} />
      </div>
      <SavedViews />
      {overview.isLoading ? (
        <LoadingCharts />
      ) : (
        <Loaded of={overview}>
          {(data) =>
            data.totals.requests + data.previous.requests === 0 ? (
              <NoTraffic isFiltered={isFiltered} />
            ) : (
              <UsageCharts data={data} filters={scope.filters} />
            )
          }
        </Loaded>
      )}
      <NearingCard />
      <Breakdown query={query} reloadRef={breakdown} />
      <SocketsCard />
      <SavingsCard />
    </div>
  );
}

function NoTraffic({ isFiltered }: { readonly isFiltered: boolean }) {
  const providers = useResource<ListPage<ProviderView>>(may("settings.read") ? "/providers?all=true" : null);
  const hasProvider = providers.data?.data.some(({ on }) => on) ?? true;
  if (!hasProvider) return <NoProvider />;
  const canAdd = may("own.keys.write") && !isFiltered;
  return (
    <Card>
      <Empty
        icon="overview"
        title="No traffic in this period"
        action={
          <>
            {canAdd && (
              <a class="button main" href={makeHref("/settings/router")}>
                Add a key
              </a>
            )}
            {canAdd && may("playground.own") && (
              <a class="button" href={makeHref("/playground")}>
                Try the playground
              </a>
            )}
          </>
        }
      >
        {isFiltered
          ? "Take back a filter, or choose another period."
          : "Requests appear here immediately: point an SDK or an agent at this address."}
      </Empty>
    </Card>
  );
}
