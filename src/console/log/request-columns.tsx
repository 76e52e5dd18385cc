// The columns of requests: those that are always there, the usual ones, and further ones that may be chosen.

import type { RequestView } from "../../admin/log/request-schema.ts";
import { formatTags } from "../../core/fields/tags-text.ts";
import { showInvisible } from "../../core/text/names.ts";
import {
  describeUnits,
  formatClock,
  formatCompact,
  formatDuration,
  formatFullTime,
  formatUsd,
  splitModelId,
} from "../frame/format.ts";
import type { Names } from "../frame/names.ts";
import { makeHref } from "../frame/route.ts";
import { DONE } from "../guard/actions.tsx";
import { Badge, type Tone } from "../parts/states.tsx";
import {
  type Column,
  giveWay,
  makeBareColumn,
  makeColumn,
  makeHeadColumn,
  makeMinorColumn,
} from "../parts/table.tsx";

const CLIENT_LEFT = 499;

export function isFailure({ status }: RequestView): boolean {
  return status >= 400 && status !== CLIENT_LEFT;
}

export function chooseTone({ status }: Pick<RequestView, "status">): Tone {
  if (status < 400) return "ok";
  return status === CLIENT_LEFT || status === 429 ? "warn" : "bad";
}

interface Drawing {
  readonly names: Names;
  /** The time that fills a bar. */
  readonly longestMs: number;
  /** Writes all costs with the same decimals. */
  readonly formatCost: (usd: number) => string;
}

type Make = (drawing: Drawing) => Column<RequestView>;

const TIME: Make = () =>
  makeColumn("Time", ({ id, at }) => (
    <a class="nowrap" href={makeHref(`/activity/${id}`)} title={formatFullTime(at)}>
      {formatClock(at)}
    </a>
  ));
const MODEL: Make = () => makeHeadColumn("Model", (row) => <ModelCell row={row} />);

/** Only what isn't normal has a colour. */
export function Status({ of }: { readonly of: Pick<RequestView, "status"> }) {
  if (of.status < 400) return <span class="soft">{of.status}</span>;
  return <Badge text={of.status} tone={chooseTone(of)} hasDot />;
}

/** In the order of the table. The time stands before them, and the model behind the status. */
const CHOICES = {
  status: () => makeColumn("Status", (row) => <Status of={row} />),
  key: ({ names }) =>
    makeColumn("Key", ({ key_id, account_id }) => (
      <div class="beside" title={`${names.key(key_id)}, ${names.account(account_id)}`}>
        <div class="clip name">{names.key(key_id)}</div>
        <div class="small faint clip name gives-1">{names.account(account_id)}</div>
      </div>
    )),
  tags: () => makeTextColumn("Tags", ({ tags }) => (tags === null ? "" : formatTags(tags))),
  surface: () => makeTextColumn("API", ({ surface }) => surface),
  address: () => makeTextColumn("Address", ({ address }) => address ?? ""),
  session: () => makeTextColumn("Session", ({ session }) => session ?? ""),
  guard: () =>
    makeTextColumn("Guard", ({ guard }) =>
      guard.map(({ detector, action }) => `${detector} ${DONE[action]}`).join(", "),
    ),
  request_id: () => makeTextColumn("Request ID", ({ request_id }) => request_id ?? ""),
  tokens: () =>
    giveWay(
      3,
      makeMinorColumn(
        "Tokens",
        ({ tokens, units }) => (
          <span class="nowrap" title={`${tokens.prompt} in the prompt, ${tokens.completion} in the answer`}>
            {describeUnits(units) ?? `${formatCompact(tokens.prompt)} → ${formatCompact(tokens.completion)}`}
          </span>
        ),
        "end",
      ),
    ),
  cost: ({ formatCost }) =>
    makeBareColumn("Cost", ({ cost_usd, charged_usd }) => (
      <span class={charged_usd > 0 ? "" : "soft"} title={`${formatUsd(charged_usd)} charged`}>
        {formatCost(cost_usd)}
      </span>
    )),
  charged: ({ formatCost }) =>
    giveWay(
      2,
      makeMinorColumn("Charged", ({ charged_usd }) => formatCost(charged_usd), "end"),
    ),
  first_token: () =>
    giveWay(
      2,
      makeMinorColumn(
        "First token",
        ({ first_token_ms }) => (first_token_ms === null ? "–" : formatDuration(first_token_ms)),
        "end",
      ),
    ),
  duration: ({ longestMs }) =>
    makeBareColumn("Duration", (row) => <DurationCell row={row} longestMs={longestMs} />),
} as const satisfies Readonly<Record<string, Make>>;

export type ColumnName = keyof typeof CHOICES;

const isColumnName = (name: string): name is ColumnName => Object.hasOwn(CHOICES, name);
export const COLUMN_NAMES: readonly ColumnName[] = Object.keys(CHOICES).filter(isColumnName);
export const USUAL_COLUMNS: readonly ColumnName[] = ["status", "key", "tokens", "cost", "duration"];

/** The heading of a column, for the list of those that may be chosen. */
export const COLUMN_LABELS: { readonly [Each in ColumnName]: string } = {
  status: "Status",
  key: "Key and account",
  tags: "Tags",
  surface: "API",
  address: "Address",
  session: "Session",
  guard: "Guard",
  request_id: "Request ID",
  tokens: "Tokens",
  cost: "Cost",
  charged: "Charged",
  first_token: "First token",
  duration: "Duration",
};

/** Returns the columns of these names, in the table's order, whatever theirs is. */
export function listColumns(shown: readonly ColumnName[], drawing: Drawing): readonly Column<RequestView>[] {
  const chosen = COLUMN_NAMES.filter((name) => shown.includes(name));
  const make = (name: ColumnName) => CHOICES[name](drawing);
  return [
    TIME(drawing),
    ...chosen.filter((name) => name === "status").map(make),
    MODEL(drawing),
    ...chosen.filter((name) => name !== "status").map(make),
  ];
}

function makeTextColumn(label: string, read: (row: RequestView) => string): Column<RequestView> {
  return giveWay(
    2,
    makeMinorColumn(label, (row) => {
      const text = read(row);
      return text === "" ? (
        <span class="faint">–</span>
      ) : (
        <span class="clip name" title={text}>
          {text}
        </span>
      );
    }),
  );
}

/** A request that was lost with its process may have nothing but its key and its time. */
export const UNKNOWN_MODEL = "unknown";

function ModelCell({ row }: { readonly row: RequestView }) {
  const served = row.model_used ?? row.model_tried;
  const { provider, name } = splitModelId(served ?? row.model_asked ?? UNKNOWN_MODEL);
  return (
    <div class="beside">
      <div class="nowrap">
        <span class="faint">{provider && `${provider}#`}</span>
        <span class="strong">{showInvisible(name)}</span>
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
