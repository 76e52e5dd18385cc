// One key: its limits, the addresses that it is used from, its refusals and its latest requests.
import { useEffect, useState } from "preact/hooks";
import type { CheckedKeyDetailView } from "../../admin/keys/key-warnings.ts";
import type { RequestView } from "../../admin/log/request-schema.ts";
import { formatCount, formatFullTime, formatTime } from "../frame/format.ts";
import { useNames } from "../frame/names.ts";
import { usePages, useResource } from "../frame/resource.ts";
import { makeHref, route, setQuery } from "../frame/route.ts";
import { LimitBars, sortFullest } from "../limits/limit-bars.tsx";
import { Refusals } from "../log/refusals.tsx";
import { UsageSection } from "../log/usage-section.tsx";
import { Card, PageHead } from "../parts/page.tsx";
import { Badge, Empty, Loaded } from "../parts/states.tsx";
import { type Column, makeColumn, makeHeadColumn, makeNumberColumn, Table } from "../parts/table.tsx";
import { Allowance, KeyFacts, Leaked } from "./key-facts.tsx";
import { Actions, KeyDialog, type OpenDialog } from "./keys.tsx";

const EVERY_MS = 10_000;
/** The requests from which addresses are collected. */
const LATEST = 200;

interface AddressUse {
  readonly address: string;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly requests: number;
}

export function KeyPage({ id }: { readonly id: string }) {
  const key = useResource<CheckedKeyDetailView>(`/keys/${id}`, EVERY_MS);
  const names = useNames();
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const { data } = key;
  // A link of this page asks for it, too.
  const isAsked = route.value.query.get("edit") === "yes";
  useEffect(() => {
    if (data && isAsked) {
      setQuery({ edit: null }, { isTyping: true });
      setOpen({ kind: "edit", key: data });
    }
  }, [data === undefined, isAsked]);
  return (
    <>
      <PageHead
        back={{ path: "/settings/router", label: "Keys" }}
        title={data?.name ?? id}
        actions={
          <>
            <a class="button" href={makeHref("/activity", { key_id: id })}>
              Requests
            </a>
            {data && <Actions of={data} onOpen={setOpen} reload={key.reload} />}
          </>
        }
      >
        {data && (
          <>
            <Badge text={data.state} tone={data.state === "active" ? undefined : "warn"} /> ends in{" "}
            {data.last4}, pays from{" "}
            <a href={makeHref(`/settings/accounts/${data.account_id}`)}>{names.account(data.account_id)}</a>
          </>
        )}
      </PageHead>
      <Loaded of={key} rows={6}>
        {(shown) => <KeyBody of={shown} onOpen={setOpen} />}
      </Loaded>
      {open && <KeyDialog open={open} setOpen={setOpen} reload={key.reload} />}
    </>
  );
}

interface KeyBodyProps {
  readonly of: CheckedKeyDetailView;
  readonly onOpen: (dialog: OpenDialog) => void;
}

function KeyBody({ of, onOpen }: KeyBodyProps) {
  const { id, limits } = of;
  const names = useNames();
  const requests = usePages<RequestView>("/requests", { key_id: id, limit: LATEST }, EVERY_MS);
  const isLeaked = route.value.query.get("leaked") === "yes";
  const addresses = (
    <Card title="Used from" note={`In its latest ${LATEST} requests`} isFlush>
      <Loaded of={requests} rows={2}>
        {(rows) => <Addresses uses={listAddresses(rows)} />}
      </Loaded>
    </Card>
  );
  return (
    <div class="stack">
      {isLeaked && <Leaked of={of} onOpen={onOpen} />}
      <Allowance of={of} />
      {limits.length > 0 && (
        <Card title="Limits" note="Of this key, and of its account">
          <LimitBars limits={sortFullest(limits)} of="key" />
        </Card>
      )}
      <KeyFacts of={of} />
      {isLeaked && addresses}
      <UsageSection filters={{ key_id: id }} />
      {!isLeaked && addresses}
      <Refusals title="Refused" query={{ key: id }} names={names} />
    </div>
  );
}

function Addresses({ uses }: { readonly uses: readonly AddressUse[] }) {
  if (uses.length === 0) return <Empty icon="search" title="No addresses yet" />;
  return <Table label="Addresses" rows={uses} columns={ADDRESS_COLUMNS} keyOf={({ address }) => address} />;
}

const ADDRESS_COLUMNS: readonly Column<AddressUse>[] = [
  makeHeadColumn("Address", ({ address }) => <a href={makeHref("/activity", { address })}>{address}</a>),
  makeColumn("First seen", ({ firstAt }) => (
    <span title={formatFullTime(firstAt)}>{formatTime(firstAt)}</span>
  )),
  makeColumn("Last seen", ({ lastAt }) => <span title={formatFullTime(lastAt)}>{formatTime(lastAt)}</span>),
  makeNumberColumn("Requests", ({ requests }) => formatCount(requests)),
];

/** The rows are newest first. */
function listAddresses(rows: readonly RequestView[]): readonly AddressUse[] {
  const uses = new Map<string, AddressUse>();
  for (const { address, at } of rows) {
    if (address === null) continue;
    const known = uses.get(address);
    const requests = (known?.requests ?? 0) + 1;
    uses.set(address, { address, firstAt: at, lastAt: known?.lastAt ?? at, requests });
  }
  return [...uses.values()];
}
