// The findings of the guard's rules over a time, by detector, action and account.
import { useState } from "preact/hooks";
import type { UsageSums, UsageView } from "../../admin/log/usage.ts";
import { withQuery } from "../frame/api.ts";
import { formatCount } from "../frame/format.ts";
import { useNames } from "../frame/names.ts";
import { useResource } from "../frame/resource.ts";
import { makeHref, route } from "../frame/route.ts";
import { keepScope, useScope } from "../frame/scope.ts";
import { CustomChip, PeriodPicker } from "../frame/scope-bar.tsx";
import { Segments } from "../parts/button.tsx";
import { Card } from "../parts/page.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { type Column, GrowingTable, makeColumn, makeHeadColumn, makeNumberColumn } from "../parts/table.tsx";
import { ActionBadge } from "./actions.tsx";

const EVERY_MS = 30_000;
const SHOWN = { first: 20, step: 50 };
const GROUPS = [
  { value: "finding", label: "Detector" },
  { value: "finding,account", label: "Account" },
] as const;

export function FindingsCard() {
  const [group, setGroup] = useState<(typeof GROUPS)[number]["value"]>("finding");
  const scope = useScope("7d");
  const usage = useResource<UsageSums>(withQuery("/usage", { ...scope.period, group_by: group }), EVERY_MS);
  return (
    <>
      <div class="row">
        <PeriodPicker scope={scope} />
        <CustomChip scope={scope} />
      </div>
      <Card
        title="Findings"
        note="Requests in which something was found. One with several findings counts in each row"
        isFlush
        actions={<Segments label="Group by" options={GROUPS} value={group} onChange={setGroup} />}
      >
        <Loaded of={usage}>
          {({ data }) => <Rows rows={data.filter(({ detector = "" }) => detector !== "")} />}
        </Loaded>
      </Card>
    </>
  );
}

function Rows({ rows }: { readonly rows: readonly UsageView[] }) {
  const names = useNames();
  const sorted = rows.toSorted((one, other) => other.requests - one.requests);
  const hasAccounts = rows.some(({ account_id: id }) => id !== undefined);
  const account: Column<UsageView> = makeColumn("Account", ({ account_id: id = "" }) => names.account(id));
  if (rows.length === 0)
    return (
      <Empty icon="check" title="Nothing found">
        No request of this period holds what the rules look for.
      </Empty>
    );
  return (
    <GrowingTable
      label="Findings"
      columns={[DETECTOR, ...(hasAccounts ? [account] : []), ...COLUMNS]}
      rows={sorted}
      keyOf={({ detector, action, at, account_id: id }) => [detector, action, at, id].join(" ")}
      {...SHOWN}
    />
  );
}

const DETECTOR: Column<UsageView> = makeHeadColumn("Detector", ({ detector = "", account_id: id }) => (
  <a href={makeHref("/activity", { ...keepScope(route.value.query), finding: detector, account_id: id })}>
    {detector}
  </a>
));

const COLUMNS: readonly Column<UsageView>[] = [
  makeColumn("Action", ({ action = "" }) => <ActionBadge action={action} />),
  makeColumn("Found in", ({ at = "" }) => `the ${at}`),
  makeNumberColumn("Requests", ({ requests }) => formatCount(requests)),
];
