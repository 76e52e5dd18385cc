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
import { Status, UNKNOWN_MODEL } from "./request-columns.tsx";

const SHOWN_MAX = 200;

type RelatedRequest = Pick<RequestView, "id" | "at" | "session" | "socket_id" | "response_id">;

/** By a card's title, if it isn't a session's. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ["Response", "response"],
  ["WebSocket", "WebSocket"],
]);

/** Responses take minutes at most, and no index finds their requests. */
const AROUND_MS = 3_600_000;

/** The other requests of a request's response, of its session and of its WebSocket. */
export function RelatedCards({ request }: { readonly request: RelatedRequest }) {
  const { id, at, response_id: response } = request;
  return (
    <>
      {response && <OneCard id={id} title="Response" by={{ response, ...listAround(at) }} />}
      <Conversation request={request} />
    </>
  );
}

/** Returns the time in which the other parts of a response stand. */
function listAround(at: string) {
  const atMs = Date.parse(at);
  const write = (ms: number) => new Date(ms).toISOString();
  return { from: write(atMs - AROUND_MS), to: write(atMs + AROUND_MS) };
}

/** Once where both have the same. */
function Conversation({ request }: { readonly request: RelatedRequest }) {
  const { id, session, socket_id: socket } = request;
  if (session && socket) return <SessionAndSocketCards id={id} session={session} socket={socket} />;
  if (session) return <OneCard id={id} title="Session" by={{ session }} />;
  return socket ? <OneCard id={id} title="WebSocket" by={{ socket }} /> : null;
}

/** The filter by which the log finds them. */
type By = Readonly<Record<string, string>>;

interface OneCardProps {
  readonly title: string;
  readonly by: By;
  /** The request that is shown. */
  readonly id: string;
}

function OneCard({ title, by, id }: OneCardProps) {
  return <RelatedCard title={title} by={by} id={id} found={useRelated(by)} />;
}

interface SessionAndSocketProps {
  readonly id: string;
  readonly session: string;
  readonly socket: string;
}

function SessionAndSocketCards({ id, session, socket }: SessionAndSocketProps) {
  const ofSession = useRelated({ session });
  const ofSocket = useRelated({ socket });
  // The second would only be taken away again.
  if (ofSession.data === undefined || ofSocket.data === undefined) return null;
  const isSame = listIds(ofSession.data) === listIds(ofSocket.data);
  const title = isSame ? "Session, on one WebSocket" : "Session";
  return (
    <>
      <RelatedCard title={title} by={{ session }} id={id} found={ofSession} />
      {!isSame && <RelatedCard title="WebSocket" by={{ socket }} id={id} found={ofSocket} />}
    </>
  );
}

const useRelated = (by: By) => usePages<RequestView>("/requests", { ...by, limit: SHOWN_MAX });

const listIds = (rows: readonly RequestView[]) =>
  rows
    .map(({ id }) => id)
    .toSorted()
    .join(" ");

interface RelatedCardProps extends OneCardProps {
  readonly found: ReturnType<typeof useRelated>;
}

function RelatedCard({ title, by, id, found }: RelatedCardProps) {
  const rows = (found.data ?? []).toReversed();
  if (rows.length < 2) return null;
  const cost = rows.reduce((sum, { cost_usd }) => sum + cost_usd, 0);
  const count = found.more === null ? `${rows.length} requests` : `The newest ${rows.length} requests`;
  return (
    <Card
      title={title}
      note={`${count}, ${formatUsd(cost)} in total`}
      actions={<a href={makeHref("/activity", by)}>In Activity</a>}
      isFlush
    >
      <Table
        label={`Requests of the ${LABELS.get(title) ?? "session"}`}
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
        {showInvisible(row.model_used ?? row.model_tried ?? row.model_asked ?? UNKNOWN_MODEL)}
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
