// The requests of a session, such as an agent's work on one task, in their order and with their cost.
import type { RequestView } from "../../admin/log/request-schema.ts";
import { formatClock, formatCompact, formatDuration, formatFullTime, formatUsd } from "../frame/format.ts";
import { usePages } from "../frame/resource.ts";
import { makeHref, navigate } from "../frame/route.ts";
import { Card } from "../parts/page.tsx";
import { Badge } from "../parts/states.tsx";
import { type Column, makeColumn, makeHeadColumn, makeNumberColumn, Table } from "../parts/table.tsx";
import { chooseTone } from "./request-rows.tsx";

const SHOWN_MAX = 200;

interface SessionCardProps {
  readonly session: string;
  /** The request that is shown. */
  readonly id: string;
}

export function SessionCard({ session, id }: SessionCardProps) {
  const found = usePages<RequestView>("/requests", { session, limit: SHOWN_MAX });
  const rows = (found.data ?? []).toReversed();
  if (rows.length < 2) return null;
  const cost = rows.reduce((sum, { cost_usd }) => sum + cost_usd, 0);
  const count = found.more === null ? `${rows.length} requests` : `The newest ${rows.length} requests`;
  return (
    <Card
      title="Session"
      note={`${count}, ${formatUsd(cost)} in all`}
      actions={<a href={makeHref("/activity", { session })}>In Activity</a>}
      isFlush
    >
      <Table
        label="Requests of the session"
        columns={makeColumns(id)}
        rows={rows}
        keyOf={(row) => row.id}
        onOpen={(row) => navigate(`/activity/${row.id}`)}
      />
    </Card>
  );
}

function makeColumns(id: string): readonly Column<RequestView>[] {
  return [
    makeColumn("Time", (row) => (
      <a class="nowrap" href={makeHref(`/activity/${row.id}`)} title={formatFullTime(row.at)}>
        {formatClock(row.at)}
      </a>
    )),
    makeHeadColumn("Model", (row) => (
      <span class="row">
        {row.model_used ?? row.model_tried ?? row.model_asked}
        {row.id === id && <Badge text="this one" tone="accent" />}
      </span>
    )),
    makeColumn("Status", (row) => <Badge text={row.status} tone={chooseTone(row)} hasDot />),
    makeNumberColumn(
      "Tokens",
      ({ tokens }) => `${formatCompact(tokens.prompt)} → ${formatCompact(tokens.completion)}`,
    ),
    makeNumberColumn("Cost", ({ cost_usd }) => formatUsd(cost_usd)),
    makeNumberColumn("Duration", ({ total_ms }) => formatDuration(total_ms)),
  ];
}
