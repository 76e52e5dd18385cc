// Money → Reconciliation: what the providers were sent, by day and credential, to be laid beside their invoices.

import type { ReconciliationView } from "../../admin/money/reconciliation.ts";
import { makeGatewayUrl } from "../browser.ts";
import { withQuery } from "../frame/api.ts";
import {
  DAY_MS,
  formatCompact,
  formatCount,
  formatDay,
  formatPercent,
  formatUsd,
  makeUsdFormat,
} from "../frame/format.ts";
import { PERIODS, UTC_DAYS } from "../frame/period.ts";
import { useResource } from "../frame/resource.ts";
import { makeHref, route } from "../frame/route.ts";
import { readRange } from "../frame/scope.ts";
import { CustomChip, PeriodPicker } from "../frame/scope-bar.tsx";
import { may } from "../frame/session.ts";
import { Vitals } from "../parts/figures.tsx";
import { Card, PageHead, QueryFilter } from "../parts/page.tsx";
import { Empty, Loaded, Notice } from "../parts/states.tsx";
import {
  type Column,
  GrowingTable,
  giveWay,
  leaveOutNarrow,
  makeColumn,
  makeHeadColumn,
  makeNumberColumn,
} from "../parts/table.tsx";

type ReconciliationRow = ReconciliationView["data"][number];

const PATH = "/settings/reconciliation";
const FALLBACK = "month";
const ROWS_SHOWN = 60;

export function ReconciliationPage() {
  const { query } = route.value;
  const range = readRange(query, FALLBACK, UTC_DAYS);
  const sums = useResource<ReconciliationView>(withQuery("/reconciliation", { ...range.period }));
  const filters = { provider: query.get("provider") ?? "", credential: query.get("credential") ?? "" };
  return (
    <>
      <PageHead
        title="Reconciliation"
        actions={
          <a
            class="button"
            href={withQuery(makeGatewayUrl("/admin/v1/reconciliation.csv"), { ...range.period })}
            download
          >
            Export calls as CSV
          </a>
        }
      >
        What the providers were sent, to be laid beside their invoices: by day of UTC, with every failed and
        repeated call. <Manual />
      </PageHead>
      <div class="stack">
        <div class="row">
          <PeriodPicker scope={range} />
          <CustomChip scope={range} />
        </div>
        <Filters rows={sums.data?.data ?? []} chosen={filters} />
        <Loaded of={sums}>
          {({ data }) => <Sums rows={data.filter((row) => isWanted(row, filters))} />}
        </Loaded>
      </div>
    </>
  );
}

function Manual() {
  return (
    <a href={makeGatewayUrl("/docs/books#reconciliation")} target="_blank" rel="noreferrer">
      How to read it
    </a>
  );
}

interface ReconciliationFiltersProps {
  readonly rows: readonly ReconciliationRow[];
  readonly chosen: Pick<ReconciliationRow, "provider" | "credential">;
}

function Filters({ rows, chosen }: ReconciliationFiltersProps) {
  const providers = rows.map(({ provider }) => provider);
  const credentials = rows.map(({ credential }) => credential);
  return (
    <div class="row filters">
      <QueryFilter
        name="provider"
        label="Provider"
        options={listOptions("Any provider", providers, chosen.provider)}
      />
      <QueryFilter
        name="credential"
        label="Credential"
        options={listOptions("Any credential", credentials, chosen.credential)}
      />
    </div>
  );
}

/** The chosen value stays an option, though the period may have no rows of it. */
function listOptions(whole: string, values: readonly string[], chosen: string) {
  const named = [...new Set([...values, chosen])].filter((value) => value !== "").sort();
  return [{ value: "", label: whole }, ...named.map((value) => ({ value, label: value }))];
}

function isWanted(
  row: ReconciliationRow,
  filters: Pick<ReconciliationRow, "provider" | "credential">,
): boolean {
  return (["provider", "credential"] as const).every((name) => !filters[name] || filters[name] === row[name]);
}

function Sums({ rows }: { readonly rows: readonly ReconciliationRow[] }) {
  if (rows.length === 0) return <Nothing />;
  return (
    <>
      <PriceChanges rows={rows} />
      <Card>
        <Vitals rows={listTotals(rows)} />
      </Card>
      <Card title="By day, provider and credential" isFlush>
        <GrowingTable
          label="Reconciliation"
          columns={makeColumns(rows)}
          rows={rows.toReversed()}
          keyOf={({ day, provider, credential }) => `${day} ${provider} ${credential}`}
          headingOf={({ day }) => formatDay(day)}
          first={ROWS_SHOWN}
          step={ROWS_SHOWN}
        />
      </Card>
    </>
  );
}

/** Other prices in the watched list, which may explain a gap between these sums and an invoice. */
function PriceChanges({ rows }: { readonly rows: readonly ReconciliationRow[] }) {
  const changes = new Map(rows.map(({ provider, price_changes }) => [provider, price_changes]));
  const named = [...changes].filter(([, count]) => count > 0);
  if (named.length === 0) return null;
  const list = named.map(([provider, count]) => `${provider} (${formatCount(count)})`).join(", ");
  return (
    <Notice tone="warn">
      The watched list has other prices for models of {list}, which may explain a gap to the invoice.{" "}
      <a href={makeHref("/models")}>Review them</a>
    </Notice>
  );
}

function Nothing() {
  const isDefault = route.value.query.size === 0;
  return (
    <Card>
      <Empty
        icon="invoice"
        title={isDefault ? "No calls this month" : "No calls here"}
        action={
          <a class="button" href={makeHref(PATH, { range: PERIODS[3].value })}>
            Show 90 days
          </a>
        }
      >
        Every call to a provider counts from the moment it is settled. Take back a filter, or choose another
        period.
      </Empty>
    </Card>
  );
}

const sum = (rows: readonly ReconciliationRow[], read: (row: ReconciliationRow) => number) =>
  rows.reduce((total, row) => total + read(row), 0);

/** Left out of what is sent to those who see no cost without the markup. */
const readCost = ({ provider_cost_usd = 0 }: ReconciliationRow) => provider_cost_usd;

function listTotals(rows: readonly ReconciliationRow[]): readonly (readonly [string, string])[] {
  const cost = sum(rows, readCost);
  const estimated = sum(rows, ({ estimated_usd = 0 }) => estimated_usd);
  const costs = [
    ["Cost", formatUsd(cost)],
    ["Estimated", formatPercent(cost === 0 ? 0 : estimated / cost)],
  ] as const;
  return [
    ["Calls", formatCount(sum(rows, ({ calls }) => calls))],
    ["Failed", formatCount(sum(rows, ({ failed }) => failed))],
    ["Tokens in", formatCompact(sum(rows, ({ prompt_tokens }) => prompt_tokens))],
    ["Tokens out", formatCompact(sum(rows, ({ completion_tokens }) => completion_tokens))],
    ...(may("costs.read") ? costs : []),
  ];
}

function makeColumns(rows: readonly ReconciliationRow[]): readonly Column<ReconciliationRow>[] {
  const formatCost = makeUsdFormat(rows.map(readCost));
  const costs = [
    makeNumberColumn<ReconciliationRow>("Cost", (row) => formatCost(readCost(row))),
    giveWay(
      3,
      leaveOutNarrow(
        makeNumberColumn<ReconciliationRow>("Estimated", (row) => formatPercent(row.estimated_share ?? 0)),
      ),
    ),
  ];
  return [
    makeHeadColumn("Provider", ({ provider }) => <span class="strong">{provider}</span>),
    leaveOutNarrow(makeColumn("Credential", ({ credential }) => credential || "none")),
    makeNumberColumn("Calls", ({ day, provider, calls }) => (
      <a href={makeHref("/activity", { provider, ...nameDay(day) })} title="The requests that made them">
        {formatCount(calls)}
      </a>
    )),
    makeNumberColumn("Failed", ({ failed }) => formatCount(failed)),
    leaveOutNarrow(
      makeNumberColumn("Tokens in", ({ prompt_tokens, cached_tokens, cache_write_tokens }) => (
        <span title={`${cached_tokens} from a cache, ${cache_write_tokens} written to one`}>
          {formatCount(prompt_tokens)}
        </span>
      )),
    ),
    leaveOutNarrow(
      makeNumberColumn("Tokens out", ({ completion_tokens, reasoning_tokens }) => (
        <span title={`${reasoning_tokens} of them reasoning`}>{formatCount(completion_tokens)}</span>
      )),
    ),
    giveWay(3, leaveOutNarrow(makeColumn("Other usage", (row) => describeOthers(row)))),
    ...(may("costs.read") ? costs : []),
    {
      label: "",
      as: "narrow",
      cell: ({ day, provider, credential }) => (
        <a
          class="button quiet tiny"
          href={withQuery(makeGatewayUrl("/admin/v1/reconciliation.csv"), nameDay(day))}
          download
        >
          CSV<span class="hidden-text"> of the calls of {`${day}, ${provider} ${credential}`}</span>
        </a>
      ),
    },
  ];
}

const OTHERS = [
  { unit: "searches", name: "searches" },
  { unit: "images", name: "images" },
  { unit: "seconds", name: "seconds" },
  { unit: "characters", name: "characters" },
  { unit: "search_units", name: "search units" },
  { unit: "pages", name: "pages" },
] as const satisfies readonly { readonly unit: keyof ReconciliationRow; readonly name: string }[];

/** Lists what is billed by other units than tokens. */
function describeOthers(row: ReconciliationRow): string {
  const parts = OTHERS.flatMap(({ unit, name }) =>
    row[unit] > 0 ? [`${formatCount(row[unit])} ${name}`] : [],
  );
  return parts.join(", ") || "–";
}

function nameDay(day: string) {
  const startMs = Date.parse(day);
  return { from: new Date(startMs).toISOString(), to: new Date(startMs + DAY_MS).toISOString() };
}
