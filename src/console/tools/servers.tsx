// The tool servers with their state, the protocol that they speak, and their calls of the last 30 days.
import type { UsageSums, UsageView } from "../../admin/log/usage.ts";
import type { ToolServerView } from "../../admin/tools/tool-servers.ts";
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
import { Badge, type Tone } from "../parts/states.tsx";
import { type Column, makeColumn, makeHeadColumn, makeNumberColumn, Table } from "../parts/table.tsx";

const EVERY_MS = 30_000;
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
    <Card title="Servers" note="Calls of the last 30 days" isFlush>
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
      {url !== undefined && <div class="small faint text">{url}</div>}
      {error !== null && <div class="small text">{error}</div>}
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
  makeColumn("Protocol", ({ version }) => version ?? "–"),
  makeColumn("Tools", (server) => <Counts server={server} />),
  makeNumberColumn("Calls", ({ usage }) => (usage ? formatCompact(usage.requests) : "–")),
  makeNumberColumn("Errors", ({ usage }) =>
    usage && usage.requests > 0 ? formatPercent(usage.errors / usage.requests) : "–",
  ),
  makeNumberColumn("Median", ({ usage }) =>
    usage?.first_token_ms ? formatDuration(usage.first_token_ms.p50) : "–",
  ),
  makeNumberColumn("Cost", ({ usage }) => (usage ? formatUsd(usage.cost_usd) : "–")),
];

function Counts({ server: { tools, left_out: leftOut } }: { readonly server: ToolServerView }) {
  return (
    <div>
      {formatCount(tools)}
      {leftOut.length > 0 && (
        <details>
          <summary class="small">{formatCount(leftOut.length)} left out</summary>
          <ul class="small">
            {leftOut.slice(0, LEFT_OUT_SHOWN_MAX).map(({ name, reason }) => (
              <li key={`${name} ${reason}`}>
                <span class="strong">{name === "" ? "(no name)" : name}</span>: {reason}
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
