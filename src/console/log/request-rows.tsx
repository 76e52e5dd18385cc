// Requests as rows of a table, which several pages show.
import type { RequestView } from "../../admin/log/request-schema.ts";
import {
  describeUnits,
  formatClock,
  formatCompact,
  formatDuration,
  formatFullTime,
  formatUsd,
  nameDay,
  splitModelId,
} from "../frame/format.ts";
import type { Names } from "../frame/names.ts";
import { makeHref, navigate } from "../frame/route.ts";
import { Badge, type Tone } from "../parts/states.tsx";
import {
  type Column,
  List,
  type ListProps,
  makeColumn,
  makeHeadColumn,
  makeMinorColumn,
  makeNumberColumn,
} from "../parts/table.tsx";

const CLIENT_LEFT = 499;

export function isFailure({ status }: RequestView): boolean {
  return status >= 400 && status !== CLIENT_LEFT;
}

interface RequestListProps extends Omit<ListProps<RequestView>, "columns" | "keyOf" | "onOpen"> {
  readonly names: Names;
  /** Missing if a click on a row opens its page. */
  readonly onPeek?: (id: string) => void;
  /** The row that is looked at beside the list. */
  readonly peeked?: string | null;
}

let latest: readonly string[] = [];

/** The ids of the list that was shown last, newest first, so that one can go on from request to request. */
export function listLatest(): readonly string[] {
  return latest;
}

export function RequestList({ names, onPeek, peeked = null, ...list }: RequestListProps) {
  latest = list.of.data?.map(({ id }) => id) ?? [];
  const longestMs = findScale((list.of.data ?? []).map(({ total_ms }) => total_ms));
  return (
    <List
      {...list}
      columns={makeColumns(names, longestMs)}
      keyOf={({ id }) => id}
      headingOf={({ at }) => nameDay(at)}
      onOpen={({ id }) => (onPeek ? onPeek(id) : navigate(`/activity/${id}`))}
      isMarked={({ id }) => id === peeked}
    />
  );
}

const SCALE_SHARE = 0.95;

/** One outlier would make all other bars dust, so the longest twentieth fills its bar. */
function findScale(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return Math.max(sorted[Math.floor((sorted.length - 1) * SCALE_SHARE)] ?? 0, 1);
}

export function chooseTone({ status }: Pick<RequestView, "status">): Tone {
  if (status < 400) return "ok";
  return status === CLIENT_LEFT || status === 429 ? "warn" : "bad";
}

function makeColumns(names: Names, longestMs: number): readonly Column<RequestView>[] {
  return [
    makeColumn("Time", ({ id, at }) => (
      <a class="nowrap" href={makeHref(`/activity/${id}`)} title={formatFullTime(at)}>
        {formatClock(at)}
      </a>
    )),
    makeColumn("Status", (row) => <Badge text={row.status} tone={chooseTone(row)} hasDot />),
    makeHeadColumn("Model", (row) => <ModelCell row={row} />),
    makeColumn("Key", ({ key_id, account_id }) => (
      <div>
        <div class="clip name" title={names.key(key_id)}>
          {names.key(key_id)}
        </div>
        <div class="small faint clip name">{names.account(account_id)}</div>
      </div>
    )),
    makeMinorColumn(
      "Tokens",
      ({ tokens, units }) => (
        <span class="nowrap" title={`${tokens.prompt} in the prompt, ${tokens.completion} in the answer`}>
          {describeUnits(units) ?? `${formatCompact(tokens.prompt)} → ${formatCompact(tokens.completion)}`}
        </span>
      ),
      "end",
    ),
    makeNumberColumn("Cost", ({ cost_usd, charged_usd }) => (
      <span class={charged_usd > 0 ? "" : "soft"} title={`${formatUsd(charged_usd)} charged`}>
        {formatUsd(cost_usd)}
      </span>
    )),
    makeNumberColumn("Duration", (row) => <DurationCell row={row} longestMs={longestMs} />),
  ];
}

function ModelCell({ row }: { readonly row: RequestView }) {
  const served = row.model_used ?? row.model_tried;
  const { provider, name } = splitModelId(served ?? row.model_asked);
  return (
    <div>
      <div>
        <span class="faint">{provider && `${provider}#`}</span>
        <span class="strong">{name}</span>
      </div>
      <div class="small faint">
        {[
          row.selector && `chosen by ${row.selector}`,
          row.stream && "streamed",
          row.transport === "ws" && "WebSocket",
          row.compaction && "compaction",
          row.attempts > 1 && `${row.attempts} attempts`,
          row.error_code,
        ]
          .filter(Boolean)
          .join(" · ")}
      </div>
    </div>
  );
}

/** The time to the first token and the time after it, as shares of the longest request shown. */
function DurationCell({ row, longestMs }: { readonly row: RequestView; readonly longestMs: number }) {
  const share = (ms: number) => `${Math.min(100, Math.max(1, (ms / longestMs) * 100))}%`;
  const first = Math.min(row.first_token_ms ?? row.total_ms, longestMs);
  return (
    <div class="took">
      <span class="nowrap">{formatDuration(row.total_ms)}</span>
      <span class="took-bar" aria-hidden="true">
        <span class="took-wait" style={{ width: share(first) }} />
        <span
          class="took-rest"
          style={{ width: share(Math.max(0, Math.min(row.total_ms, longestMs) - first)) }}
        />
      </span>
    </div>
  );
}
