// One provider: its health and credentials, its usage, and the current state of its models.
import { useState } from "preact/hooks";
import type { ListPage } from "../../admin/list.ts";
import type { ProviderView } from "../../admin/models/providers.ts";
import { formatDuration, formatPercent } from "../frame/format.ts";
import { useResource } from "../frame/resource.ts";
import { makeHref } from "../frame/route.ts";
import { useScope } from "../frame/scope.ts";
import { Breakdown } from "../log/breakdown.tsx";
import { RequestsLink } from "../log/usage-charts.tsx";
import { UsageSection } from "../log/usage-section.tsx";
import { Card, PageHead } from "../parts/page.tsx";
import { Badge, Empty, Loaded } from "../parts/states.tsx";
import { type Column, GrowingTable, makeColumn, makeHeadColumn, makeNumberColumn } from "../parts/table.tsx";
import { ProviderCard } from "../providers/provider-card.tsx";
import { CredentialForm } from "./credentials.tsx";
import { describeBreaker } from "./provider-state.ts";

const EVERY_MS = 5000;
const SHOWN = { first: 20, step: 50 };

type ProviderModel = ProviderView["models"][number];

export function ProviderPage({ id: name }: { readonly id: string }) {
  const providers = useResource<ListPage<ProviderView>>("/providers?all=true", EVERY_MS);
  const [isAdding, setAdding] = useState(false);
  const { period } = useScope("30d");
  const reload = { current: async () => {} };
  const provider = providers.data?.data.find((one) => one.name === name);
  return (
    <>
      <PageHead
        back={{ path: "/settings/providers", label: "Providers" }}
        title={name}
        actions={<RequestsLink filters={{ provider: name }} />}
      />
      <div class="stack">
        <Loaded of={providers}>
          {() =>
            provider ? (
              <ProviderCard provider={provider} onAdd={() => setAdding(true)} reload={providers.reload} />
            ) : (
              <Empty icon="provider" title="There is no such provider" />
            )
          }
        </Loaded>
        <UsageSection filters={{ provider: name }} />
        <Breakdown query={{ ...period, provider: name }} reloadRef={reload} />
        {provider && provider.models.length > 0 && (
          <Card title="Models" note="Current state" isFlush>
            <GrowingTable
              label="Models"
              columns={COLUMNS}
              rows={sortModels(provider.models)}
              keyOf={({ id }) => id}
              {...SHOWN}
            />
          </Card>
        )}
      </div>
      {isAdding && provider && (
        <CredentialForm provider={provider} onClose={() => setAdding(false)} onSaved={providers.reload} />
      )}
    </>
  );
}

/** Those that fail come first, then those that were called. */
function sortModels(models: readonly ProviderModel[]): readonly ProviderModel[] {
  const rank = ({ open_for, error_rate }: ProviderModel) =>
    (open_for === "all" ? 4 : open_for === "some" ? 2 : 0) + (error_rate === null ? 0 : 1);
  return models.toSorted((one, other) => rank(other) - rank(one));
}

const COLUMNS: readonly Column<ProviderModel>[] = [
  makeHeadColumn("Model", ({ id }) => <a href={makeHref(`/models/${encodeURIComponent(id)}`)}>{id}</a>),
  makeColumn("State", (model) =>
    model.open_for === null && model.error_rate === null ? (
      <span class="faint">no recent calls</span>
    ) : (
      <Badge {...describeBreaker(model)} hasDot />
    ),
  ),
  makeNumberColumn("Recent errors", ({ error_rate }) =>
    error_rate === null ? "–" : formatPercent(error_rate),
  ),
  makeNumberColumn("First token", ({ first_token_ms: first }) => (first ? formatDuration(first.p50) : "–")),
  makeNumberColumn("In progress", ({ in_flight }) => in_flight),
];
