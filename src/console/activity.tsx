// Activity: the request log with filters, and new requests at the top as they end.
import { useState } from "preact/hooks";
import type { RequestView } from "../admin/request-schema.ts";
import {
  describeUnits,
  formatCompact,
  formatDuration,
  formatFullTime,
  formatTime,
  formatUsd,
  splitModelId,
} from "./format.ts";
import { useLive } from "./live.ts";
import { type Names, SELECTORS, useModels, useNames } from "./names.ts";
import { Check, SuggestField } from "./parts/field.tsx";
import { PageHead, QueryFilter } from "./parts/page.tsx";
import { Badge, Empty, Live, type Tone } from "./parts/states.tsx";
import { type Column, List, makeColumn, makeHeadColumn, makeNumberColumn } from "./parts/table.tsx";
import { Refusals } from "./refusals.tsx";
import { usePages } from "./resource.ts";
import { makeHref, navigate, route, setQuery } from "./route.ts";
import { may } from "./session.ts";

/** Bounds the rows added live since the page was opened. */
const LIVE_ROWS_MAX = 200;
const FILTERS = [
  ...(["key_id", "account_id", "model", "provider", "selector", "status", "outcome"] as const),
  ...(["address", "session", "trace_id", "q", "from", "to"] as const),
] as const;
/** Filters set by links, for which the page has no field. */
const LINKED = ["address", "session", "trace_id", "q", "from", "to"] as const;
const OUTCOMES = [
  { value: "", label: "Any outcome" },
  { value: "answered", label: "Answered" },
  { value: "failed", label: "Failed" },
  { value: "refused", label: "Refused by a step" },
  { value: "left", label: "Client left" },
];
type ActiveFilters = Readonly<Partial<Record<(typeof FILTERS)[number], string>>>;

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

function readFilters(query: URLSearchParams): ActiveFilters {
  const given = FILTERS.map((name) => [name, query.get(name) ?? ""] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ""));
}

export function ActivityPage() {
  const { query } = route.value;
  const wanted = readFilters(query);
  const isTailing = query.get("tail") !== "off";
  const isRefused = query.get("show") === "refused";
  const names = useNames();
  const { log, rows, isLive } = useLog(wanted, isTailing);
  const longestMs = Math.max(...(rows ?? []).map(({ total_ms }) => total_ms), 1);
  const setRefused = (isOn: boolean) => setQuery({ show: isOn ? "refused" : null });
  const setTailing = (isOn: boolean) => setQuery({ tail: isOn ? null : "off" });
  return (
    <>
      <PageHead
        title="Activity"
        actions={
          <>
            <Check label="Refused" isOn={isRefused} onChange={setRefused} />
            {isTailing && <Live isOn={isLive} />}
            <Check label="Follow" isOn={isTailing} onChange={setTailing} />
          </>
        }
      >
        {isRefused ? ABOUT_REFUSED : "All requests that were passed to a provider."}
      </PageHead>
      <Filters wanted={wanted} names={names} />
      {isRefused ? (
        <Refusals query={pickShared(wanted)} names={names} />
      ) : (
        <List
          label="Requests"
          of={{ ...log, data: rows }}
          skeletons={8}
          columns={makeColumns(names, longestMs)}
          keyOf={({ id }) => id}
          onOpen={({ id }) => navigate(`/activity/${id}`)}
          empty={<EmptyLog isFiltered={Object.keys(wanted).length > 0} />}
        />
      )}
    </>
  );
}

const ABOUT_REFUSED =
  "Requests that were refused before any provider was called, counted by key, model and minute.";

/** The log's rows, with those that have ended since in front. */
function useLog(wanted: ActiveFilters, isTailing: boolean) {
  const log = usePages<RequestView>("/requests", wanted);
  const identity = JSON.stringify(wanted);
  const [fresh, setFresh] = useState<{ readonly of: string; readonly rows: readonly RequestView[] }>({
    of: identity,
    rows: [],
  });
  const onRow = (row: RequestView) => {
    if (!isWanted(row, wanted)) return;
    setFresh((now) => {
      const rows = now.of === identity ? now.rows : [];
      return { of: identity, rows: [row, ...rows].slice(0, LIVE_ROWS_MAX) };
    });
  };
  const rows = log.data && mergeRows(fresh.of === identity ? fresh.rows : [], log.data);
  const isLive = useLive(isTailing, { onRow, onGap: () => void log.reload() });
  return { log, rows, isLive };
}

/** Returns the filters that refusals have too. */
function pickShared({ key_id, account_id, model, address, from, to }: ActiveFilters) {
  return { key_id, account_id, model, address, from, to };
}

function EmptyLog({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <Empty icon="search" title="No matching requests" />;
  return (
    <Empty icon="activity" title="No requests yet">
      Requests appear here as soon as they end.{may("playground.use") && " Try one in the playground."}
    </Empty>
  );
}

/** Puts the live rows first, without those that the list already has. */
function mergeRows(fresh: readonly RequestView[], rows: readonly RequestView[]): readonly RequestView[] {
  const known = new Set(rows.map(({ id }) => id));
  return [...fresh.filter(({ id }) => !known.has(id)), ...rows];
}

function isWanted(row: RequestView, wanted: ActiveFilters): boolean {
  const models = [row.model_asked, row.model_tried, row.model_used];
  const providerOf = (id: string | null) => (id === null ? "" : splitModelId(id).provider);
  const { status } = wanted;
  return (
    (!wanted.key_id || row.key_id === wanted.key_id) &&
    (!wanted.account_id || row.account_id === wanted.account_id) &&
    (!wanted.model || models.includes(wanted.model)) &&
    (!wanted.provider || [row.model_tried, row.model_used].map(providerOf).includes(wanted.provider)) &&
    (!wanted.outcome || row.outcome === wanted.outcome) &&
    (!wanted.address || row.address === wanted.address) &&
    (!wanted.session || row.session === wanted.session) &&
    (!wanted.trace_id || [row.trace_id, row.parent_trace_id].includes(wanted.trace_id)) &&
    // Only the gateway knows what these match.
    !wanted.q &&
    !wanted.to &&
    (!wanted.selector || row.selector === `Router#${wanted.selector}`) &&
    (!status ||
      (status === "ok"
        ? row.status < 400
        : status === "error"
          ? isFailure(row)
          : row.status === Number(status)))
  );
}

const CLIENT_LEFT = 499;

function isFailure({ status }: RequestView): boolean {
  return status >= 400 && status !== CLIENT_LEFT;
}

function Filters({ wanted, names }: { readonly wanted: ActiveFilters; readonly names: Names }) {
  const models = useModels().on.map(({ id }) => id);
  const keys = [
    { value: "", label: "Any key" },
    { value: "console", label: "Playground" },
    ...names.keys.map(({ id, name }) => ({ value: id, label: name })),
  ];
  const { key_id: wantedKey = "", provider, account_id: account } = wanted;
  // The list has only the latest keys, so the wanted one may be missing.
  if (!keys.some(({ value }) => value === wantedKey))
    keys.push({ value: wantedKey, label: names.key(wantedKey) });
  return (
    <div class="row filters">
      <SuggestField
        label="Model, e.g. OpenAI#gpt-5.4"
        value={wanted.model ?? ""}
        suggestions={models}
        onChange={(model) => setQuery({ model })}
      />
      <QueryFilter name="key_id" label="Key" options={keys} />
      <QueryFilter name="selector" label="Selector" options={SELECTOR_OPTIONS} />
      <QueryFilter name="status" label="Status" options={STATUSES} />
      <QueryFilter name="outcome" label="Outcome" options={OUTCOMES} />
      {LINKED.map((name) => {
        const value = wanted[name];
        return (
          value && (
            <RemovableFilter
              key={name}
              what={`${name} ${value}`}
              onRemove={() => setQuery({ [name]: null })}
            />
          )
        );
      })}
      {provider && <RemovableFilter what={provider} onRemove={() => setQuery({ provider: null })} />}
      {account && (
        <RemovableFilter what={names.account(account)} onRemove={() => setQuery({ account_id: null })} />
      )}
    </div>
  );
}

function RemovableFilter({ what, onRemove }: { readonly what: string; readonly onRemove: () => void }) {
  return (
    <button type="button" class="button" onClick={onRemove}>
      {what} <span aria-hidden="true">×</span>
      <span class="hidden-text">(remove this filter)</span>
    </button>
  );
}

export function chooseTone({ status }: Pick<RequestView, "status">): Tone {
  if (status < 400) return "ok";
  return status === CLIENT_LEFT || status === 429 ? "warn" : "bad";
}

function makeColumns(names: Names, longestMs: number): readonly Column<RequestView>[] {
  return [
    makeColumn("Time", ({ id, at }) => (
      <a class="nowrap" href={makeHref(`/activity/${id}`)} title={formatFullTime(at)}>
        {formatTime(at)}
      </a>
    )),
    makeColumn("Status", (row) => <Badge text={row.status} tone={chooseTone(row)} hasDot />),
    makeHeadColumn("Model", (row) => <ModelCell row={row} />),
    makeColumn("Key", ({ key_id }) => names.key(key_id)),
    makeNumberColumn("Tokens", ({ tokens, units }) => (
      <span class="nowrap" title={`${tokens.prompt} in the prompt, ${tokens.completion} in the answer`}>
        {describeUnits(units) ?? `${formatCompact(tokens.prompt)} → ${formatCompact(tokens.completion)}`}
      </span>
    )),
    makeNumberColumn("Cost", ({ cost_usd, charged_usd }) => (
      <span class={charged_usd > 0 ? "" : "soft"} title={`${formatUsd(charged_usd)} charged`}>
        {formatUsd(cost_usd)}
      </span>
    )),
    makeColumn("Duration", (row) => <DurationCell row={row} longestMs={longestMs} />),
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
  const share = (ms: number) => `${Math.max(1, (ms / longestMs) * 100)}%`;
  const first = row.first_token_ms ?? row.total_ms;
  return (
    <div class="took">
      <span class="nowrap">{formatDuration(row.total_ms)}</span>
      <span class="took-bar" aria-hidden="true">
        <span class="took-wait" style={{ width: share(first) }} />
        <span class="took-rest" style={{ width: share(Math.max(0, row.total_ms - first)) }} />
      </span>
    </div>
  );
}
