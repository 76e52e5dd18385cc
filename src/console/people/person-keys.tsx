// The personal keys of one person, with what each has cost.
import type { KeyInUseView } from "../../admin/keys/keys-in-use.ts";
import type { UsageSums } from "../../admin/log/usage.ts";
import { withQuery } from "../frame/api.ts";
import { formatRelativeTime, formatUsd } from "../frame/format.ts";
import { usePages, useResource } from "../frame/resource.ts";
import { makeHref } from "../frame/route.ts";
import { readRange } from "../frame/scope.ts";
import { may, readDayRules } from "../frame/session.ts";
import { Badge, Empty, NoFigure } from "../parts/states.tsx";
import { type Column, List, makeColumn, makeHeadColumn, makeNumberColumn } from "../parts/table.tsx";

const EVERY_MS = 10_000;

export function PersonalKeys({ memberId }: { readonly memberId: string }) {
  const keys = usePages<KeyInUseView>("/keys", { member: memberId }, EVERY_MS);
  const costs = useKeyCosts(memberId);
  return (
    <List
      title="Personal keys"
      label="Personal keys"
      of={keys}
      columns={makeKeyColumns(costs)}
      keyOf={({ id }) => id}
      empty={<Empty icon="key" title="No personal keys" />}
    />
  );
}

interface KeyCosts {
  readonly isLoading: boolean;
  /** Null until they are known. */
  readonly costs: ReadonlyMap<string, number> | null;
}

/** The cost of each key in the last 30 days, with that of free requests. */
function useKeyCosts(memberId: string): KeyCosts {
  const { period } = readRange(new URLSearchParams(), "30d", readDayRules());
  const path = withQuery("/usage", { ...period, group_by: "key", member: memberId });
  const { data, isLoading } = useResource<UsageSums>(may("usage.read") ? path : null);
  const costs = data ? new Map(data.data.map(({ key_id = "", cost_usd }) => [key_id, cost_usd])) : null;
  return { isLoading, costs };
}

function makeKeyColumns({ costs, isLoading }: KeyCosts): readonly Column<KeyInUseView>[] {
  return [
    makeHeadColumn("Name", ({ id, name, last4 }) => (
      <div class="row">
        <a class="strong" href={makeHref(`/settings/router/${id}`)}>
          {name}
        </a>
        <code class="faint">…{last4}</code>
      </div>
    )),
    makeNumberColumn("Cost, 30 days", ({ id }) =>
      costs ? formatUsd(costs.get(id) ?? 0) : <NoFigure isLoading={isLoading} />,
    ),
    makeColumn("Last used", ({ last_used_at }) =>
      last_used_at ? formatRelativeTime(last_used_at) : "never",
    ),
    makeColumn("State", ({ state }) => (
      <Badge
        text={state}
        tone={state === "active" ? "ok" : state === "revoked" ? undefined : "warn"}
        hasDot
      />
    )),
  ];
}
