// Refused: requests that never reached a provider, counted by the minute, each with its limit and the way out.
import type { RefusalView } from "../admin/refusals.ts";
import type { Query } from "./api.ts";
import { formatCount, formatFullTime, formatTime, formatUsd } from "./format.ts";
import { makeKeyHref, type Names, useNames } from "./names.ts";
import { type CardProps, PageHead, RemovableFilters } from "./parts/page.tsx";
import { Badge, Empty } from "./parts/states.tsx";
import { type Column, List, makeColumn, makeHeadColumn, makeNumberColumn } from "./parts/table.tsx";
import { usePages } from "./resource.ts";
import { makeHref, readQuery } from "./route.ts";

const EVERY_MS = 5000;
const FILTERS = ["key_id", "account_id", "model", "code", "address", "from", "to"] as const;

export function RefusedPage() {
  const names = useNames();
  const wanted = readQuery(FILTERS);
  const shown = {
    ...wanted,
    ...(wanted.key_id ? { key_id: names.key(wanted.key_id) } : {}),
    ...(wanted.account_id ? { account_id: names.account(wanted.account_id) } : {}),
  };
  return (
    <>
      <PageHead title="Refused">
        Requests that were refused before a provider was called, counted by key, model and reason within each
        minute.
      </PageHead>
      <RemovableFilters of={shown} />
      <RefusalList wanted={wanted} />
    </>
  );
}

interface RefusalListProps extends Pick<CardProps, "title" | "note"> {
  /** The filters of the list. */
  readonly wanted: Query;
}

export function RefusalList({ wanted, ...card }: RefusalListProps) {
  const names = useNames();
  const refusals = usePages<RefusalView>("/refusals", wanted, EVERY_MS);
  return (
    <List
      {...card}
      label="Refused requests"
      of={refusals}
      columns={makeColumns(names)}
      keyOf={({ id, at }) => `${id} ${at}`}
      empty={
        <Empty icon="check" title="Nothing was refused">
          Counts appear here within five seconds.
        </Empty>
      }
    />
  );
}

function makeColumns(names: Names): readonly Column<RefusalView>[] {
  return [
    makeColumn("Time", ({ at }) => (
      <span class="nowrap" title={formatFullTime(at)}>
        {formatTime(at)}
      </span>
    )),
    makeHeadColumn("Key", (row) => <KeyCell row={row} names={names} />),
    makeColumn("Reason", ({ code, status }) => (
      <a href={makeHref("/refused", { code })}>
        <Badge text={`${status} ${code}`} tone="warn" />
      </a>
    )),
    makeColumn("Limit", ({ limit }) => (limit ? describeLimit(limit) : "–")),
    makeColumn("Way out", ({ way_out }) => way_out),
    makeColumn("Model", ({ model_asked }) => model_asked ?? "–"),
    makeColumn("From", ({ address }) =>
      address === null ? "–" : <a href={makeHref("/refused", { address })}>{address}</a>,
    ),
    makeNumberColumn("Requests", ({ count }) => formatCount(count)),
  ];
}

/** A secret that no key has is known by its look and its end. */
function KeyCell({ row, names }: { readonly row: RefusalView; readonly names: Names }) {
  const { key_id, account_id, last4, shape } = row;
  if (key_id === null) {
    return (
      <span class="soft">
        {shape ?? "no key"} {last4 && <code class="faint">…{last4}</code>}
      </span>
    );
  }
  return (
    <div>
      <a class="strong" href={makeKeyHref(key_id)}>
        {names.key(key_id)}
      </a>
      {account_id && (
        <div class="small">
          <a href={makeHref(`/settings/accounts/${account_id}`)}>{names.account(account_id)}</a>
        </div>
      )}
    </div>
  );
}

function describeLimit({ scope, kind, per, used, limit }: NonNullable<RefusalView["limit"]>): string {
  const format = kind === "budget" ? formatUsd : formatCount;
  return `${kind.replaceAll("_", " ")}${per ? ` per ${per}` : ""} of the ${scope}: ${format(used)} of ${format(limit)} used`;
}
