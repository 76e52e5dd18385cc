// The keys of an account, the one that cost most first.
import type { KeyInUseView } from "../../admin/keys/keys-in-use.ts";
import type { UsageSums } from "../../admin/log/usage.ts";
import { withQuery } from "../frame/api.ts";
import { formatUsd } from "../frame/format.ts";
import { usePages, useResource } from "../frame/resource.ts";
import { readRange } from "../frame/scope.ts";
import { may, readDayRules } from "../frame/session.ts";
import { KEY_NAME, LAST_USED } from "../keys/key-columns.tsx";
import { Empty, NoFigure } from "../parts/states.tsx";
import { type Column, List, makeNumberColumn } from "../parts/table.tsx";

export function AccountKeys({ id }: { readonly id: string }) {
  const keys = usePages<KeyInUseView>("/keys", { account_id: id, limit: 200 });
  const { from = "", to = "" } = readRange(new URLSearchParams(), "30d", readDayRules()).period;
  const query = { group_by: "key", account: id, from, to };
  const usage = useResource<UsageSums>(may("usage.read", id) ? withQuery("/usage", query) : null);
  const sums = usage.data?.data ?? null;
  const costs = new Map(sums?.map(({ key_id, cost_usd }) => [key_id, cost_usd]));
  const costOf = ({ id: key }: KeyInUseView) => costs.get(key) ?? 0;
  const showCost = (key: KeyInUseView) =>
    sums === null ? <NoFigure isLoading={usage.isLoading} /> : formatUsd(costOf(key));
  const sorted = keys.data && { ...keys, data: keys.data.toSorted((a, b) => costOf(b) - costOf(a)) };
  return (
    <List
      title="Keys"
      label="Keys of the account"
      of={sorted ?? keys}
      columns={makeColumns(showCost)}
      keyOf={(key) => key.id}
      empty={
        <Empty icon="key" title="No keys yet">
          Keys that this account pays for appear here.
        </Empty>
      }
    />
  );
}

function makeColumns(showCost: Column<KeyInUseView>["cell"]): readonly Column<KeyInUseView>[] {
  return [KEY_NAME, makeNumberColumn("Cost, 30 days", showCost), LAST_USED];
}
