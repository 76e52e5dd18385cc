// Activity: the request log with filters, and new requests at the top as they end.
import { useState } from "preact/hooks";
import type { RequestView } from "../../admin/log/request-schema.ts";
import { splitModelId } from "../frame/format.ts";
import { useLive } from "../frame/live.ts";
import { type Names, SELECTORS, useNames } from "../frame/names.ts";
import { type Pages, usePages } from "../frame/resource.ts";
import { makeHref, route, setQuery } from "../frame/route.ts";
import { SavedViews } from "../frame/saved-views.tsx";
import { type Filters, type LogScope, useScope } from "../frame/scope.ts";
import { CustomChip, PeriodPicker } from "../frame/scope-bar.tsx";
import { REQUEST_FIELDS, ScopeFilters } from "../frame/scope-fields.tsx";
import { may } from "../frame/session.ts";
import { Check } from "../parts/field.tsx";
import { PageHead, QueryFilter } from "../parts/page.tsx";
import { Empty, Live } from "../parts/states.tsx";
import { ColumnsButton, useChosenColumns } from "./chosen-columns.tsx";
import { LogHistogram } from "./histogram.tsx";
import { Peek, usePeek } from "./peek.tsx";
import { Refusals } from "./refusals.tsx";
import { type ColumnName, isFailure } from "./request-columns.tsx";
import { RequestList } from "./request-rows.tsx";

/** Bounds the rows added live since the page was opened. */
const LIVE_ROWS_MAX = 200;
const OUTCOMES = [
  { value: "", label: "Any outcome" },
  { value: "answered", label: "Answered" },
  { value: "failed", label: "Failed" },
  { value: "refused", label: "Refused by a step" },
  { value: "left", label: "Client left" },
];
const STATUSES = [
  { value: "", label: "Any status" },
  { value: "ok", label: "Answered" },
  { value: "error", label: "Failed" },
  { value: "499", label: "Client disconnected" },
  { value: "429", label: "429 too many requests" },
  { value: "502", label: "502 provider failed" },
  { value: "503", label: "503 no provider available" },
  { value: "504", label: "504 timed out" },
];
const SELECTOR_OPTIONS = [
  { value: "", label: "Any selector" },
  ...SELECTORS.map(({ id }) => ({ value: splitModelId(id).name, label: id })),
];

export function ActivityPage() {
  const { query } = route.value;
  const scope = useScope();
  const isTailing = query.get("tail") !== "off";
  const isRefused = query.get("show") === "refused";
  const names = useNames();
  const columns = useChosenColumns();
  const { log, rows, isLive } = useLog(scope, isTailing);
  const isFiltered = Object.keys(scope.filters).length + Object.keys(scope.period).length > 0;
  return (
    <>
      <PageHead
        title="Activity"
        actions={
          <HeadActions isRefused={isRefused} isTailing={isTailing} isLive={isLive} columns={columns} />
        }
      >
        {isRefused ? ABOUT_REFUSED : "All requests that were passed to a provider."}
      </PageHead>
      <div class="stack controls">
        <div class="row">
          <PeriodPicker scope={scope} hasAny />
          <CustomChip scope={scope} />
        </div>
        {isRefused ? (
          <ScopeFilters filters={pickShared(scope)} fields={REFUSAL_FIELDS} />
        ) : (
          <LogFilters filters={scope.filters} />
        )}
        <SavedViews />
      </div>
      {isRefused ? (
        <Refusals query={{ ...pickShared(scope), ...scope.period }} names={names} />
      ) : (
        <Log
          scope={scope}
          of={{ ...log, data: rows }}
          names={names}
          isFiltered={isFiltered}
          columns={columns.shown}
        />
      )}
    </>
  );
}

interface HeadActionsProps {
  readonly isRefused: boolean;
  readonly isTailing: boolean;
  readonly isLive: boolean;
  readonly columns: ReturnType<typeof useChosenColumns>;
}

function HeadActions({ isRefused, isTailing, isLive, columns }: HeadActionsProps) {
  const setRefused = (isOn: boolean) => setQuery({ show: isOn ? "refused" : null });
  const setTailing = (isOn: boolean) => setQuery({ tail: isOn ? null : "off" });
  return (
    <>
      {isTailing && !isRefused && <Live isOn={isLive} />}
      <Check label="Refused" isOn={isRefused} onChange={setRefused} />
      {!isRefused && <Check label="Follow" isOn={isTailing} onChange={setTailing} />}
      {!isRefused && <ColumnsButton {...columns} />}
    </>
  );
}

interface LogProps {
  readonly scope: LogScope;
  readonly of: Pages<RequestView>;
  readonly names: Names;
  readonly isFiltered: boolean;
  readonly columns: readonly ColumnName[];
}

/** The requests over time, their list, and the one that is looked at beside it. */
function Log({ scope, of, names, isFiltered, columns }: LogProps) {
  const peek = usePeek((of.data ?? []).map(({ id }) => id));
  return (
    <>
      <LogHistogram scope={scope} />
      <RequestList
        label="Requests"
        of={of}
        skeletons={8}
        names={names}
        columns={columns}
        onPeek={peek.open}
        peeked={peek.id}
        empty={<EmptyLog isFiltered={isFiltered} />}
      />
      <Peek {...peek} />
    </>
  );
}

const ABOUT_REFUSED =
  "Requests that were refused before any provider was called, counted by key, model and minute.";

function LogFilters({ filters }: { readonly filters: Filters }) {
  // A part of a model's name is searched for in all that a request says about its models and its error.
  const search = (q: string) => setQuery({ q, model: null });
  return (
    <ScopeFilters
      filters={filters}
      fields={REQUEST_FIELDS}
      shown={["selector", "status", "outcome"]}
      onText={search}
    >
      <QueryFilter name="selector" label="Selector" options={SELECTOR_OPTIONS} />
      <QueryFilter name="status" label="Status" options={STATUSES} />
      <QueryFilter name="outcome" label="Outcome" options={OUTCOMES} />
    </ScopeFilters>
  );
}

/** The log's rows, with those that have ended since in front. */
function useLog({ filters, period }: LogScope, isTailing: boolean) {
  const log = usePages<RequestView>("/requests", { ...filters, ...period });
  const identity = JSON.stringify([filters, period]);
  const [fresh, setFresh] = useState<{ readonly of: string; readonly rows: readonly RequestView[] }>({
    of: identity,
    rows: [],
  });
  const onRow = (row: RequestView) => {
    if (!isWanted(row, filters) || (period.to && row.at >= period.to)) return;
    setFresh((now) => {
      const rows = now.of === identity ? now.rows : [];
      return { of: identity, rows: [row, ...rows].slice(0, LIVE_ROWS_MAX) };
    });
  };
  const rows = log.data && mergeRows(fresh.of === identity ? fresh.rows : [], log.data);
  const isLive = useLive(isTailing, { onRow, onGap: () => void log.reload() });
  return { log, rows, isLive };
}

/** Refused requests reached no provider. */
const REFUSAL_FIELDS = ["model", "key_id", "member", "account_id"] as const;

/** Returns the filters that refusals have too. */
function pickShared({ filters }: LogScope): Filters {
  const shared = [...REFUSAL_FIELDS, "address"] as const;
  return Object.fromEntries(shared.flatMap((name) => (filters[name] ? [[name, filters[name]]] : [])));
}

function EmptyLog({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty
        icon="search"
        title="No matching requests"
        action={
          <a class="button" href={makeHref("/activity")}>
            Show all requests
          </a>
        }
      >
        Take back a filter, or choose a longer period. Refused requests are under Refused.
      </Empty>
    );
  return (
    <Empty
      icon="activity"
      title="No requests yet"
      action={
        may("playground.use") ? (
          <a class="button main" href={makeHref("/playground")}>
            Open the playground
          </a>
        ) : (
          may("own.keys.write") && (
            <a class="button main" href={makeHref("/settings/router")}>
              Make a key
            </a>
          )
        )
      }
    >
      Requests appear here as soon as they end.
    </Empty>
  );
}

/** Puts the live rows first, without those that the list already has. */
function mergeRows(fresh: readonly RequestView[], rows: readonly RequestView[]): readonly RequestView[] {
  const known = new Set(rows.map(({ id }) => id));
  return [...fresh.filter(({ id }) => !known.has(id)), ...rows];
}

function hasTag({ tags }: RequestView, wanted: string): boolean {
  if (tags === null) return wanted === "untagged";
  return Object.entries(tags).some(([name, value]) => `${name}=${value}` === wanted);
}

/** Filters of rows that have the value itself. */
const SAME_FIELDS = [
  ...(["key_id", "account_id", "outcome", "address", "session"] as const),
  ...(["operation", "surface", "transport", "server", "tool"] as const),
] as const;

function isWanted(row: RequestView, wanted: Filters): boolean {
  const models = [row.model_asked, row.model_tried, row.model_used];
  const providerOf = (id: string | null) => (id === null ? "" : splitModelId(id).provider);
  const { status } = wanted;
  const isSame = SAME_FIELDS.filter((name) => wanted[name]).every((name) => row[name] === wanted[name]);
  return (
    isSame &&
    // Only the gateway knows what these match.
    !wanted.q &&
    (!wanted.member || row.member_id === wanted.member) &&
    (!wanted.model || models.includes(wanted.model)) &&
    (!wanted.provider || [row.model_tried, row.model_used].map(providerOf).includes(wanted.provider)) &&
    (!wanted.batch || row.batch_id === wanted.batch) &&
    (!wanted.trace_id || [row.trace_id, row.parent_trace_id].includes(wanted.trace_id)) &&
    (!wanted.socket || row.socket_id === wanted.socket) &&
    (!wanted.response || row.response_id === wanted.response) &&
    (!wanted.finding || row.guard.some(({ detector }) => detector === wanted.finding)) &&
    (!wanted.tag || hasTag(row, wanted.tag)) &&
    (!wanted.selector || row.selector === `Router#${wanted.selector}`) &&
    (!status ||
      (status === "ok"
        ? row.status < 400
        : status === "error"
          ? isFailure(row)
          : isOfStatus(row.status, status)))
  );
}

/** `4xx` is a class. */
function isOfStatus(status: number, wanted: string): boolean {
  return wanted.endsWith("xx") ? Math.floor(status / 100) === Number(wanted[0]) : status === Number(wanted);
}
