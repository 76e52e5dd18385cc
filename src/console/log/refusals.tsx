// Requests that were refused before any provider was called, each with its way out.
import type { RefusalView } from "../../admin/log/refusals.ts";
import type { Query } from "../frame/api.ts";
import { formatClock, formatCount, formatFullTime, formatUsd, nameDay } from "../frame/format.ts";
import type { Names } from "../frame/names.ts";
import { usePages } from "../frame/resource.ts";
import { makeHref } from "../frame/route.ts";
import { Badge, Empty } from "../parts/states.tsx";
import { type Column, List, makeColumn, makeHeadColumn, makeNumberColumn } from "../parts/table.tsx";

const EVERY_MS = 5000;

interface RefusalsProps {
  /** The filters of `/admin/v1/refusals`. */
  readonly query: Query;
  readonly names: Names;
  readonly title?: string;
}

export function Refusals({ query, names, title }: RefusalsProps) {
  const refusals = usePages<RefusalView>("/refusals", query, EVERY_MS);
  return (
    <List
      {...(title ? { title } : {})}
      label="Refusals"
      of={refusals}
      columns={makeColumns(names)}
      keyOf={({ id }) => id}
      headingOf={({ at }) => nameDay(at)}
      empty={
        <Empty icon="check" title="Nothing was refused">
          Requests without a valid key, without a model, or beyond a limit appear here within five seconds.
        </Empty>
      }
    />
  );
}

function makeColumns(names: Names): readonly Column<RefusalView>[] {
  return [
    makeColumn("Time", ({ at }) => (
      <span class="nowrap" title={formatFullTime(at)}>
        {formatClock(at)}
      </span>
    )),
    makeColumn("Status", ({ status }) => <Badge text={status} tone="warn" hasDot />),
    makeHeadColumn("Why", ({ code, limit, way_out }) => (
      <div>
        <div class="strong">{code}</div>
        {limit && <div class="small">{describeLimit(limit)}</div>}
        <div class="small faint">{way_out}</div>
      </div>
    )),
    makeColumn("Key", (row) => <Sender row={row} names={names} />),
    makeColumn("Asked for", ({ model_asked, route }) => <span title={route}>{model_asked ?? route}</span>),
    makeColumn("Address", ({ address }) => address ?? ""),
    makeNumberColumn("Requests", ({ count }) => formatCount(count)),
  ];
}

function describeLimit({ scope, kind, per, used, limit }: NonNullable<RefusalView["limit"]>): string {
  const format = kind === "budget" ? formatUsd : formatCount;
  const name = `${kind.replaceAll("_", " ")}${per ? ` per ${per}` : ""}`;
  return `${name} of the ${scope}: ${format(used)} of ${format(limit)} used`;
}

function Sender({ row, names }: { readonly row: RefusalView; readonly names: Names }) {
  const { key_id, last4, shape } = row;
  if (key_id !== null) return <a href={makeHref(`/settings/router/${key_id}`)}>{names.key(key_id)}</a>;
  return <span class="faint">{[last4 && `…${last4}`, shape ?? "no key"].filter(Boolean).join(", ")}</span>;
}
