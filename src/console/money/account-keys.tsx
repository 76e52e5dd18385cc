// The keys of an account, the one that cost most first.
import type { KeyInUseView } from "../../admin/keys/keys-in-use.ts";
import type { UsageSums } from "../../admin/log/usage.ts";
import { withQuery } from "../frame/api.ts";
import { formatRelativeTime, formatUsd } from "../frame/format.ts";
import { usePages, useResource } from "../frame/resource.ts";
import { makeHref } from "../frame/route.ts";
import { readRange } from "../frame/scope.ts";
import { may, readDayRules } from "../frame/session.ts";
import { Badge, Empty } from "../parts/states.tsx";
import { type Column, List, makeColumn, makeHeadColumn, makeNumberColumn } from "../parts/table.tsx";

export function AccountKeys({ id }: { readonly id: string }) {
  const keys = usePages<KeyInUseView>("/keys", { account_id: id, limit: 200 });
  const { from = "", to = "" } = readRange(new URLSearchParams(), "30d", readDayRules()).period;
  const query = { group_by: "key", account: id, from, to };
  const sums =
    useResource<UsageSums>(may("usage.read", id) ? withQuery("/usage", query) : null).data?.data ?? [];
  const costs = new Map(sums.map(({ key_id, cost_usd }) => [key_id, cost_usd]));
  const costOf = ({ id: key }: KeyInUseView) => costs.get(key) ?? 0;
  const sorted = keys.data && { ...keys, data: keys.data.toSorted((a, b) => costOf(b) - costOf(a)) };
  return (
    <List
      title="Keys"
      label="Keys of the account"
      of={sorted ?? keys}
      columns={makeColumns(costOf)}
      keyOf={(key) => key.id}
      empty={
        <Empty icon="key" title="No keys yet">
          Keys that this account pays for appear here.
        </Empty>
      }
    />
  );
}

function makeColumns(costOf: (key: KeyInUseView) => number): readonly Column<KeyInUseView>[] {
  return [
    makeHeadColumn("Name", ({ id, name, last4, state }) => (
      <div class="row tight">
        <a class="strong clip name" href={makeHref(`/settings/router/${id}`)}>
          {name}
        </a>
        <code class="faint">…{last4}</code>
        {state !== "active" && <Badge text={state} tone="warn" />}
      </div>
    )),
    makeNumberColumn("Cost, 30 days", (key) => formatUsd(costOf(key))),
    makeColumn("Last used", ({ last_used_at }) =>
      last_used_at ? formatRelativeTime(last_used_at) : <span class="faint">never</span>,
    ),
  ];
}
