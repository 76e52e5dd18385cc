// The requests of a session, such as an agent's work on one task, or of a WebSocket, in their order and with their cost.

import type { RequestView } from "../../admin/log/request-schema.ts";
import { showInvisible } from "../../core/text/names.ts";
import {
  formatClock,
  formatCompact,
  formatDuration,
  formatFullTime,
  formatUsd,
  makeUsdFormat,
} from "../frame/format.ts";
import { usePages } from "../frame/resource.ts";
import { makeHref, navigate } from "../frame/route.ts";
import { Card } from "../parts/page.tsx";
import { Badge } from "../parts/states.tsx";
import { type Column, makeBareColumn, makeColumn, makeHeadColumn, Table } from "../parts/table.tsx";
import { Status } from "./request-columns.tsx";

const SHOWN_MAX = 200;

interface SessionCardProps {
  readonly session: string;
  /** The request that is shown. */
  readonly id: string;
}

export function SessionCard({ session, id }: SessionCardProps) {
  return <RelatedCard title="Session" by={{ session }} id={id} />;
}

interface SocketCardProps {
  readonly socket: string;
  /** The request that is shown. */
  readonly id: string;
}

/** Responses take minutes at most, and no index finds their requests. */
const AROUND_MS = 3_600_000;

interface ResponseCardProps {
  readonly response: string;
  readonly id: string;
  /** When the request began. */
  readonly at: string;
}

/** The questions to the model and the calls of tools that one response consisted of. */
export function ResponseCard({ response, id, at }: ResponseCardProps) {
  const from = new Date(Date.parse(at) - AROUND_MS).toISOString();
  const to = new Date(Date.parse(at) + AROUND_MS).toISOString();
  return <RelatedCard title="Response" by={{ response, from, to }} id={id} />;
}

/** The turns of the WebSocket on which a request came. */
export function SocketCard({ socket, id }: SocketCardProps) {
  return <RelatedCard title="WebSocket" by={{ socket }} id={id} />;
}

interface RelatedCardProps {
  readonly title: string;
  /** The filter by which the log finds them. */
  readonly by: Readonly<Record<string, string>>;
  readonly id: string;
}

function RelatedCard({ title, by, id }: RelatedCardProps) {
  const found = usePages<RequestView>("/requests", { ...by, limit: SHOWN_MAX });
  const rows = (found.data ?? []).toReversed();
  if (rows.length < 2) return null;
  const cost = rows.reduce((sum, { cost_usd }) => sum + cost_usd, 0);
  const count = found.more === null ? `${rows.length} requests` : `The newest ${rows.length} requests`;
  return (
    <Card
      title={title}
      note={`${count}, ${formatUsd(cost)} in all`}
      actions={<a href={makeHref("/activity", by)}>In Activity</a>}
      isFlush
    >
      <Table
        label={`Requests of the ${title === "WebSocket" ? title : title.toLowerCase()}`}
        columns={makeColumns(id, makeUsdFormat(rows.map(({ cost_usd }) => cost_usd)))}
        rows={rows}
        keyOf={(row) => row.id}
        onOpen={(row) => navigate(`/activity/${row.id}`)}
      />
    </Card>
  );
}

function makeColumns(id: string, formatCost: (usd: number) => string): readonly Column<RequestView>[] {
  return [
    makeColumn("Time", (row) => (
      <a class="nowrap" href={makeHref(`/activity/${row.id}`)} title={formatFullTime(row.at)}>
        {formatClock(row.at)}
      </a>
    )),
    makeHeadColumn("Model", (row) => (
      <span class="row">
        {showInvisible(row.model_used ?? row.model_tried ?? row.model_asked)}
        {row.id === id && <Badge text="this one" tone="accent" />}
        {row.compaction && <Badge text="compaction" />}
      </span>
    )),
    makeColumn("Status", (row) => <Status of={row} />),
    makeBareColumn(
      "Tokens",
      ({ tokens }) => `${formatCompact(tokens.prompt)} → ${formatCompact(tokens.completion)}`,
    ),
    makeBareColumn("Cost", ({ cost_usd }) => formatCost(cost_usd)),
    makeBareColumn("Duration", ({ total_ms }) => formatDuration(total_ms)),
  ];
}
