// The tool servers with their state, the protocol that they speak, and their calls.

import type { ListPage } from "../../admin/list.ts";
import type { RequestView } from "../../admin/log/request-schema.ts";
import type { UsageSums, UsageView } from "../../admin/log/usage.ts";
import type { ToolServerView } from "../../admin/tools/tool-servers.ts";
import { showInvisible } from "../../core/text/names.ts";
import { Origin } from "../configuration/origin.tsx";
import { withQuery } from "../frame/api.ts";
import {
  formatCompact,
  formatCount,
  formatDuration,
  formatFullTime,
  formatPercent,
  formatRelativeTime,
  formatUsd,
} from "../frame/format.ts";
import { useResource } from "../frame/resource.ts";
import { makeHref } from "../frame/route.ts";
import { useScope } from "../frame/scope.ts";
import { Card } from "../parts/page.tsx";
import { Badge, NoFigure, type Tone } from "../parts/states.tsx";
import {
  type Column,
  leaveOutNarrow,
  makeColumn,
  makeHeadColumn,
  makeNumberColumn,
  Table,
} from "../parts/table.tsx";

const EVERY_MS = 30_000;
const RECENT = 100;
const LEFT_OUT_SHOWN_MAX = 20;

interface ServerRow extends ToolServerView {
  /** Missing before the first call. */
  readonly usage?: UsageView | undefined;
}

export function ServersCard({ servers }: { readonly servers: readonly ToolServerView[] }) {
  const { period } = useScope("30d");
  const usage = useResource<UsageSums>(
    withQuery("/usage", { ...period, operation: "tool", group_by: "provider" }),
    EVERY_MS,
  );
  const rows = servers.map((server): ServerRow => {
    const used = usage.data?.data.find(({ provider }) => provider === nameProvider(server.name));
    return { ...server, usage: used };
  });
  return (
    <Card
      title="Servers"
      note="Calls and cost of the last 30 days, errors and median of the last 100 calls"
      isFlush
    >
      <Table label="Servers" columns={COLUMNS} rows={rows} keyOf={({ name }) => name} />
    </Card>
  );
}

/** The provider under which a server's calls stand in the log. */
function nameProvider(server: string): string {
  return `mcp:${server}`;
}

const STATES: Readonly<Record<ToolServerView["state"], { readonly text: string; readonly tone?: Tone }>> = {
  up: { text: "up", tone: "ok" },
  down: { text: "down", tone: "bad" },
  unknown: { text: "not asked yet" },
};

const COLUMNS: readonly Column<ServerRow>[] = [
  makeHeadColumn("Server", ({ name, url, error }) => (
    <div>
      <a href={makeHref("/activity", { provider: nameProvider(name) })}>{name}</a>
      {url !== undefined && <div class="small faint own-words">{url}</div>}
      <Origin path={["mcp", "servers", name]} />
      {error !== null && <div class="small own-words">{showInvisible(error)}</div>}
    </div>
  )),
  makeColumn("State", ({ state, checked_at: checkedAt }) => (
    <div>
      <Badge {...STATES[state]} hasDot />
      {checkedAt !== null && (
        <div class="small faint" title={formatFullTime(checkedAt)}>
          {formatRelativeTime(checkedAt)}
        </div>
      )}
    </div>
  )),
  leaveOutNarrow(
    makeColumn("Protocol", ({ era, version }) => (
      <div>
        <span class="nowrap">{era ?? "–"}</span>
        {version !== null && <div class="small faint own-words">server {showInvisible(version)}</div>}
      </div>
    )),
  ),
  makeColumn("Tools", (server) => <Counts server={server} />),
  makeNumberColumn("Calls", ({ usage }) => (usage ? formatCompact(usage.requests) : "–")),
  leaveOutNarrow(
    makeNumberColumn("Errors", ({ name, usage }) => (
      <Recent server={name} isUsed={Boolean(usage)} of={formatErrors} />
    )),
  ),
  leaveOutNarrow(
    makeNumberColumn("Median", ({ name, usage }) => (
      <Recent server={name} isUsed={Boolean(usage)} of={formatMedian} />
    )),
  ),
  makeNumberColumn("Cost", ({ usage }) => (usage ? formatUsd(usage.cost_usd) : "–")),
];

interface RecentProps {
  readonly server: string;
  /** False if it wasn't called, so that nothing needs to be asked. */
  readonly isUsed: boolean;
  readonly of: (calls: readonly RequestView[]) => string;
}

/** A figure of the server's last calls. Those of one server ask once. */
function Recent({ server, isUsed, of }: RecentProps) {
  const path = isUsed ? withQuery("/requests", { server, limit: RECENT }) : null;
  const { data, isLoading } = useResource<ListPage<RequestView>>(path, EVERY_MS);
  const calls = data?.data ?? [];
  if (calls.length === 0) return <NoFigure isLoading={isLoading} />;
  return <span>{of(calls)}</span>;
}

/** A result that says so is an error too: the call itself was answered. */
function formatErrors(calls: readonly RequestView[]): string {
  return formatPercent(calls.filter(({ tool_error: error }) => error !== null).length / calls.length);
}

function formatMedian(calls: readonly RequestView[]): string {
  const sorted = calls.map(({ total_ms: ms }) => ms).toSorted((one, other) => one - other);
  return formatDuration(sorted[Math.floor(sorted.length / 2)] ?? 0);
}

function Counts({ server: { tools, left_out: leftOut } }: { readonly server: ToolServerView }) {
  return (
    <div>
      {formatCount(tools)} {tools === 1 ? "tool" : "tools"}
      {leftOut.length > 0 && (
        <details>
          <summary class="small">{formatCount(leftOut.length)} left out</summary>
          <ul class="small">
            {leftOut.slice(0, LEFT_OUT_SHOWN_MAX).map(({ name, reason }) => (
              <li key={`${name} ${reason}`}>
                <span class="strong">{name === "" ? "(no name)" : showInvisible(name)}</span>: {reason}
              </li>
            ))}
            {leftOut.length > LEFT_OUT_SHOWN_MAX && (
              <li class="faint">{formatCount(leftOut.length - LEFT_OUT_SHOWN_MAX)} more</li>
            )}
          </ul>
        </details>
      )}
    </div>
  );
}
