// Usage by model, provider, key, account, person or tag, as bars.
import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import type { UsageSums, UsageView } from "../../admin/log/usage.ts";
import { type Query, withQuery } from "../frame/api.ts";
import { formatCompact, formatDuration, formatPercent, formatUsd } from "../frame/format.ts";
import { type Names, type People, useNames, usePeople } from "../frame/names.ts";
import { useResource } from "../frame/resource.ts";
import { makeHref, route } from "../frame/route.ts";
import { keepScope } from "../frame/scope.ts";
import { OTHER_TAGS } from "../frame/scope-fields.tsx";
import { may, readDayRules } from "../frame/session.ts";
import { Segments } from "../parts/button.tsx";
import { Card } from "../parts/page.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import {
  type Column,
  GrowingTable,
  giveWay,
  leaveOutNarrow,
  makeHeadColumn,
  makeNumberColumn,
} from "../parts/table.tsx";

const GROUPS = [
  { value: "model", label: "Model" },
  { value: "provider", label: "Provider" },
  { value: "key", label: "Key" },
  { value: "account", label: "Account" },
  { value: "member", label: "Person" },
  { value: "tag", label: "Tag" },
] as const;
type BreakdownGroup = (typeof GROUPS)[number]["value"];
const SHOWN = { first: 10, step: 50 };

interface BreakdownProps {
  /** The period and the filters, as `/admin/v1/usage` takes them. */
  readonly query: Query;
  readonly reloadRef: RefObject<() => Promise<void>>;
  /** The grouping that is chosen at first. */
  readonly first?: BreakdownGroup;
}

export function Breakdown({ query, reloadRef, first = "model" }: BreakdownProps) {
  const [group, setGroup] = useState<BreakdownGroup>(first);
  const usage = useResource<UsageSums>(withQuery("/usage", { ...query, group_by: group }));
  reloadRef.current = usage.reload;
  return (
    <Card
      title="Breakdown"
      note={group === "tag" ? ABOUT_TAGS : "The bars follow the column that the rows are sorted by"}
      isFlush
      actions={<Segments label="Group by" options={listGroups()} value={group} onChange={setGroup} />}
    >
      <Loaded of={usage}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty icon="activity" title="No requests in this period">
              Requests appear here as soon as a key is used.
            </Empty>
          ) : (
            <Rows rows={data} group={group} query={query} />
          )
        }
      </Loaded>
    </Card>
  );
}

function listGroups() {
  return GROUPS.filter(({ value }) => value !== "member" || may("members.read"));
}

const ABOUT_TAGS = "A request with several tags is in the row of each";

interface BreakdownRowsProps {
  readonly rows: readonly UsageView[];
  readonly group: BreakdownGroup;
  readonly query: Query;
}

/** The figures that rows can be sorted by, the largest first. */
const MEASURES = {
  requests: ({ requests }: UsageView) => requests,
  errors: ({ errors }: UsageView) => errors,
  tokens: ({ tokens }: UsageView) => tokens.prompt + tokens.completion,
  cost: ({ cost_usd }: UsageView) => cost_usd,
} as const;
type BreakdownMeasure = keyof typeof MEASURES;
const MEASURE_NAMES: readonly BreakdownMeasure[] = ["requests", "errors", "tokens", "cost"];

function getId(row: UsageView): string {
  return row.model ?? row.provider ?? row.key_id ?? row.member_id ?? row.account_id ?? row.tag ?? "";
}

interface ShareProps {
  readonly names: Names;
  readonly people: People;
  readonly row: UsageView;
  readonly group: BreakdownGroup;
  /** The row's part of the largest row, from 0 to 1. */
  readonly share: number;
}

/** A row's name, which leads to its requests, on a bar of its size. */
function Share({ names, people, row, group, share }: ShareProps) {
  const id = getId(row);
  const nameOf = () => {
    if (row.key_id !== undefined) return names.key(row.key_id);
    if (row.account_id !== undefined) return names.account(row.account_id);
    if (row.member_id !== undefined) return id === "" ? "Service keys" : people.nameOf(id);
    return id === "" ? "Refused before a provider was called" : id;
  };
  const field = { [row.key_id || row.account_id ? `${group}_id` : group]: id };
  return (
    <span class="share">
      <span class="share-bar" style={{ width: `${share * 100}%` }} />
      {id === "" || id === OTHER_TAGS ? (
        <span class="clip">{nameOf()}</span>
      ) : (
        <a class="clip" href={makeHref("/activity", { ...keepScope(route.value.query), ...field })}>
          {nameOf()}
        </a>
      )}
    </span>
  );
}

/** Returns the names behind a row's ids, for a file. */
function nameOwners({ key_id, account_id, member_id }: UsageView, names: Names, people: People) {
  return {
    ...(member_id ? { person: people.nameOf(member_id) } : {}),
    ...(account_id ? { account: names.account(account_id) } : {}),
    ...(key_id ? { key: names.key(key_id) } : {}),
  };
}

const FIRST_TOKEN: Column<UsageView> = giveWay(
  3,
  leaveOutNarrow(
    makeNumberColumn("First token", ({ first_token_ms }) =>
      first_token_ms ? formatDuration(first_token_ms.p50) : "–",
    ),
  ),
);

function Rows({ rows, group, query }: BreakdownRowsProps) {
  const names = useNames();
  const people = usePeople(group === "member");
  const [chosen, choose] = useState<BreakdownMeasure | null>(null);
  // Bars show what the rows are sorted by: cost, or requests if everything was free.
  const isFree = rows.every(({ cost_usd }) => cost_usd === 0);
  const by = chosen ?? (isFree ? "requests" : "cost");
  const sizeOf = MEASURES[by];
  const sorted = rows.toSorted((a, b) => sizeOf(b) - sizeOf(a));
  const most = Math.max(...rows.map(sizeOf), Number.MIN_VALUE);
  const { timeZone } = readDayRules();
  const nameOwner = (row: UsageView) => nameOwners(row, names, people);
  const onSort = (name: string) => choose(MEASURE_NAMES.find((one) => one === name) ?? null);
  const columns: readonly Column<UsageView>[] = [
    makeHeadColumn(GROUPS.find(({ value }) => value === group)?.label ?? "", (row) => (
      <Share names={names} people={people} row={row} group={group} share={sizeOf(row) / most} />
    )),
    makeNumberColumn("Requests", ({ requests }) => formatCompact(requests), "requests"),
    leaveOutNarrow(
      makeNumberColumn(
        "Errors",
        ({ errors, requests }) => (
          <span class={errors ? "" : "faint"}>{formatPercent(errors / requests)}</span>
        ),
        "errors",
      ),
    ),
    leaveOutNarrow(makeNumberColumn("Tokens", (row) => formatCompact(MEASURES.tokens(row)), "tokens")),
    makeNumberColumn("Cost", ({ cost_usd }) => formatUsd(cost_usd), "cost"),
    FIRST_TOKEN,
  ];
  return (
    <GrowingTable
      label={`Figures by ${group}`}
      columns={columns}
      rows={sorted}
      keyOf={getId}
      sorting={{ by, isDown: true, onSort }}
      toFile={(row) => ({ ...nameOwner(row), from: query.from, to: query.to, time_zone: timeZone, ...row })}
      {...SHOWN}
    />
  );
}
