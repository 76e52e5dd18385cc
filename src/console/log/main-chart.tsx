// One chart of a period's figures over time: what it measures is chosen by the tiles, and what it is stacked by beside it.
import { useState } from "preact/hooks";
import type { FiguresView } from "../../admin/log/figures.ts";
import type { Overview } from "../../admin/log/overview.ts";
import type { UsageSums, UsageView } from "../../admin/log/usage.ts";
import { nowMs } from "../browser.ts";
import { withQuery } from "../frame/api.ts";
import {
  DAY_MS,
  formatCompact,
  formatDuration,
  formatPercent,
  formatUsd,
  formatUsdCompact,
} from "../frame/format.ts";
import { useNames, usePeople } from "../frame/names.ts";
import { useResource } from "../frame/resource.ts";
import { navigate } from "../frame/route.ts";
import type { Filters } from "../frame/scope.ts";
import { may } from "../frame/session.ts";
import { Segments } from "../parts/button.tsx";
import { Chart } from "../parts/chart.tsx";
import { Card } from "../parts/page.tsx";
import { chooseColors, THINGS_MAX } from "../parts/thing-colors.ts";
import { Forecast } from "./forecast.tsx";

/** With its heading, its legend and its note. */
export const CHART_HEIGHT = 328;

export type Measure = "cost" | "requests" | "tokens" | "errors" | "time";
export type Group = "model" | "provider" | "key" | "account" | "member" | "tag";

const GROUPS = [
  { value: "model", label: "Model" },
  { value: "provider", label: "Provider" },
  { value: "key", label: "Key" },
  { value: "account", label: "Account" },
  { value: "member", label: "Person" },
  { value: "tag", label: "Tag" },
] as const;
const OTHERS_COLOR = "--text-faint";
const GHOST_COLOR = "--text-soft";
const HOUR_MS = DAY_MS / 24;
const WEEK_MS = 7 * DAY_MS;

interface MeasureRow {
  readonly title: string;
  readonly pick: (figures: FiguresView) => number;
  readonly format: (value: number) => string;
  /** Describes the chart to screen readers. */
  readonly describe: (totals: FiguresView) => string;
  readonly isWhole?: true;
}

const MEASURES: Readonly<Record<Exclude<Measure, "time">, MeasureRow>> = {
  cost: {
    title: "Cost",
    pick: ({ cost_usd }) => cost_usd,
    format: formatUsdCompact,
    describe: ({ cost_usd }) => `Cost over time, ${formatUsd(cost_usd)} in total`,
  },
  requests: {
    title: "Requests",
    pick: ({ requests }) => requests,
    format: formatCompact,
    describe: ({ requests, errors }) => `Requests over time, ${requests} in total, ${errors} failed`,
    isWhole: true,
  },
  tokens: {
    title: "Tokens",
    pick: ({ tokens }) => tokens.prompt + tokens.completion,
    format: formatCompact,
    describe: () => "Tokens over time",
    isWhole: true,
  },
  errors: {
    title: "Errors",
    pick: ({ errors }) => errors,
    format: formatCompact,
    describe: ({ errors, requests }) =>
      `Errors over time, ${errors} in total, ${formatPercent(requests === 0 ? 0 : errors / requests)} of all`,
    isWhole: true,
  },
};

interface MainChartProps {
  readonly data: Overview;
  readonly filters: Filters;
  readonly measure: Measure;
  readonly first: Group;
}

export function MainChart({ data, filters, measure, first }: MainChartProps) {
  const [group, setGroup] = useState<Group>(first);
  const { series, step } = data;
  // Each step ends where the next one begins: some days have 23 or 25 hours.
  const endOf = (at: number) => series[at + 1]?.at ?? data.to;
  const steps = series.map(({ at, day }, index) => ({
    placeMs: Date.parse(day ?? at),
    endMs: Date.parse(endOf(index)),
  }));
  const onSpan = (from: number, to: number) => {
    const start = series[from]?.at;
    if (start !== undefined) navigate("/activity", { ...filters, from: start, to: endOf(to) });
  };
  const around = { steps, step, onSpan };
  if (measure === "time") {
    return (
      <Card title="Time to first token">
        <Chart {...around} {...makeTimes(data)} />
      </Card>
    );
  }
  const { title, describe, format, isWhole } = MEASURES[measure];
  return (
    <Card
      title={title}
      actions={<Segments label="Stacked by" options={listGroups()} value={group} onChange={setGroup} />}
    >
      <Stacked
        {...around}
        label={describe(data.totals)}
        {...{ data, filters, group, measure, format, isWhole }}
      />
      {measure === "cost" && <Forecast filters={filters} />}
    </Card>
  );
}

function listGroups() {
  return GROUPS.filter(({ value }) => value !== "member" || may("members.read"));
}

function makeTimes({ series, totals }: Overview) {
  const line = (label: string, color: string, pick: (figures: FiguresView) => number | null) => ({
    label,
    color,
    values: series.map(pick),
  });
  const { first_token_ms: first } = totals;
  return {
    label: `Time to the first token over time${first ? `, 50% within ${formatDuration(first.p50)}` : ""}`,
    format: formatDuration,
    isWhole: true,
    lines: [
      line("50% within", "--c1", ({ first_token_ms }) => first_token_ms?.p50 ?? null),
      line("95% within", "--c3", ({ first_token_ms }) => first_token_ms?.p95 ?? null),
    ],
  };
}

interface StackedProps
  extends Pick<Parameters<typeof Chart>[0], "steps" | "step" | "onSpan" | "label" | "format"> {
  readonly data: Overview;
  readonly filters: Filters;
  readonly group: Group;
  readonly measure: Exclude<Measure, "time">;
  readonly isWhole: true | undefined;
}

/** The bars of the most, those of all others, and the period before as a dashed line. */
function Stacked({ data, filters, group, measure, isWhole, ...around }: StackedProps) {
  const { pick } = MEASURES[measure];
  const { from, to, step, series } = data;
  const sums = useResource<UsageSums>(
    withQuery("/usage", { ...filters, from, to, group_by: `${step},${group}` }),
  );
  const before = usePrevious(data, filters)?.series;
  const nameOf = useGroupNames(group);
  const bars = sums.data
    ? stack(sums.data.data, { data, group, pick, nameOf })
    : [{ label: MEASURES[measure].title, color: "--c1", values: series.map(pick) }];
  const ghost = before && {
    label: nameShift(data).replace(/^./, (first) => first.toUpperCase()),
    color: GHOST_COLOR,
    values: series.map((_, at) => (before[at] ? pick(before[at]) : null)),
    isGhost: true as const,
  };
  return (
    <Chart {...around} isBars {...(isWhole ? { isWhole } : {})} lines={ghost ? [...bars, ghost] : bars} />
  );
}

/** A period is compared with that of whole weeks before, so that weekends meet weekends, or of its own length if it is shorter. */
function findShiftMs({ from, to }: Overview): number {
  const lengthMs = Date.parse(to) - Date.parse(from);
  const weeks = Math.floor(lengthMs / WEEK_MS);
  return weeks === 0 ? lengthMs : weeks * WEEK_MS;
}

/** Names the period that figures are compared with. */
export function nameShift(data: Overview): string {
  const days = findShiftMs(data) / DAY_MS;
  return days % 7 === 0 ? `${days} days before` : "the period before";
}

/**
 * Returns the period that figures are compared with, as long as what has passed of the one that is shown: half a day isn't
 * compared with a whole one. Undefined until it is known, and if use began within it.
 */
export function usePrevious(data: Overview, filters: Filters): Overview | undefined {
  const { from, to, step, previous_is_whole: isWhole } = data;
  const passedMs = Math.min(Date.parse(to), Math.ceil(nowMs() / HOUR_MS) * HOUR_MS);
  const move = (ms: number) => new Date(ms - findShiftMs(data)).toISOString();
  const span = { from: move(Date.parse(from)), to: move(passedMs) };
  const path = withQuery("/overview", { ...filters, ...span, step });
  return useResource<Overview>(isWhole ? path : null).data;
}

interface StackParts {
  readonly data: Overview;
  readonly group: Group;
  readonly pick: (figures: FiguresView) => number;
  readonly nameOf: (id: string) => string;
}

function stack(rows: readonly UsageView[], { data, group, pick, nameOf }: StackParts) {
  const places = new Map(data.series.map(({ at, day }, index) => [day ?? at, index]));
  const byId = new Map<string, number[]>();
  for (const row of rows) {
    const place = places.get(row.day ?? row.hour ?? "");
    if (place === undefined) continue;
    const id = getId(row, group);
    const values = byId.get(id) ?? data.series.map(() => 0);
    byId.set(id, values);
    values[place] = (values[place] ?? 0) + pick(row);
  }
  const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
  const sorted = [...byId]
    .filter(([, values]) => sum(values) > 0)
    .toSorted(([, a], [, b]) => sum(b) - sum(a));
  const shown = sorted.slice(0, THINGS_MAX);
  const others = sorted.slice(THINGS_MAX);
  const colors = chooseColors(shown.map(([id]) => id));
  const lines = shown.map(([id, values]) => ({
    label: nameOf(id),
    color: colors.get(id) ?? OTHERS_COLOR,
    values,
  }));
  if (others.length === 0) return lines;
  const rest = data.series.map((_, at) => others.reduce((all, [, values]) => all + (values[at] ?? 0), 0));
  return [
    ...lines,
    { label: others.length === 1 ? "1 other" : `${others.length} others`, color: OTHERS_COLOR, values: rest },
  ];
}

function getId(row: UsageView, group: Group): string {
  const ids = {
    model: row.model,
    provider: row.provider,
    key: row.key_id,
    account: row.account_id,
    member: row.member_id,
    tag: row.tag,
  };
  return ids[group] ?? "";
}

function useGroupNames(group: Group): (id: string) => string {
  const names = useNames();
  const people = usePeople(group === "member");
  return (id) => {
    if (id === "") return group === "member" ? "service keys" : "no provider called";
    if (group === "key") return names.key(id);
    if (group === "account") return names.account(id);
    return group === "member" ? people.nameOf(id) : id;
  };
}
