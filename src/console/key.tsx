// One key: its limits, where its newest requests came from, and its refused requests, each with the way out.
import { useState } from "preact/hooks";
import type { CheckedKeyDetailView } from "../admin/key-warnings.ts";
import type { Listed } from "../admin/list.ts";
import type { RequestView } from "../admin/request-schema.ts";
import { withQuery } from "./api.ts";
import { formatCount, formatFullTime, formatTime } from "./format.ts";
import { KeyDialog, makeKeyColumns, type OpenDialog } from "./keys.tsx";
import { LimitBars } from "./limit-bars.tsx";
import { useNames } from "./names.ts";
import { Card, PageHead } from "./parts/page.tsx";
import { Loaded, Warnings } from "./parts/states.tsx";
import { type Column, makeColumn, makeHeadColumn, makeNumberColumn, Table } from "./parts/table.tsx";
import { RefusalList } from "./refused.tsx";
import { useResource } from "./resource.ts";
import { makeHref } from "./route.ts";

const EVERY_MS = 5000;
/** The requests whose addresses are counted. */
const NEWEST = 200;

export function KeyPage({ id }: { readonly id: string }) {
  const key = useResource<CheckedKeyDetailView>(`/keys/${encodeURIComponent(id)}`, EVERY_MS);
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const names = useNames();
  const columns = makeKeyColumns(names, { onOpen: setOpen, reload: key.reload });
  const requests = <a href={makeHref("/activity", { key_id: id })}>All its requests</a>;
  return (
    <>
      <PageHead back={{ path: "/settings/router", label: "Router" }} title={key.data?.name ?? "Key"}>
        {requests}
      </PageHead>
      <Loaded of={key}>
        {(data) => (
          <div class="stack">
            <Warnings of={data.warnings ?? []} />
            <Card isFlush>
              <Table label="Key" rows={[data]} columns={columns} keyOf={(row) => row.id} />
            </Card>
            {data.limits.length > 0 && (
              <Card title="Limits">
                <LimitBars limits={data.limits} of="key" />
              </Card>
            )}
            <UsedFrom id={id} />
            <RefusalList title="Refused" note="Counted by the minute" wanted={{ key_id: id }} />
          </div>
        )}
      </Loaded>
      {open && <KeyDialog open={open} setOpen={setOpen} reload={key.reload} />}
    </>
  );
}

interface Place {
  readonly address: string;
  readonly requests: number;
  readonly firstAt: string;
  readonly lastAt: string;
}

/** Counts requests by the address that they came from, the latest address first. The requests are newest first. */
function countPlaces(requests: readonly RequestView[]): readonly Place[] {
  const places = new Map<string, Place>();
  for (const { address, at } of requests) {
    if (address === null) continue;
    const { requests: before = 0, lastAt = at } = places.get(address) ?? {};
    places.set(address, { address, requests: before + 1, firstAt: at, lastAt });
  }
  return [...places.values()];
}

function UsedFrom({ id }: { readonly id: string }) {
  const newest = useResource<Listed<RequestView>>(
    withQuery("/requests", { key_id: id, limit: NEWEST }),
    EVERY_MS,
  );
  const places = countPlaces(newest.data?.data ?? []);
  if (places.length === 0) return null;
  return (
    <Card title="Used from" note={`By its newest ${NEWEST} requests`} isFlush>
      <Table
        label="Addresses"
        rows={places}
        keyOf={({ address }) => address}
        columns={makePlaceColumns(id)}
      />
    </Card>
  );
}

function makePlaceColumns(id: string): readonly Column<Place>[] {
  return [
    makeHeadColumn("Address", ({ address }) => (
      <a href={makeHref("/activity", { key_id: id, address })}>{address}</a>
    )),
    makeColumn("First", ({ firstAt }) => <span title={formatFullTime(firstAt)}>{formatTime(firstAt)}</span>),
    makeColumn("Last", ({ lastAt }) => <span title={formatFullTime(lastAt)}>{formatTime(lastAt)}</span>),
    makeNumberColumn("Requests", ({ requests }) => formatCount(requests)),
  ];
}
