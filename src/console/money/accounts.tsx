// Money → Accounts: who pays, what each one spends, and what is left.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { AccountView } from "../../admin/money/accounts.ts";
import type { SpendingView } from "../../admin/money/spending.ts";
import { formatCount, formatMoney, formatUsd, nameMonth } from "../frame/format.ts";
import { type Pages, usePages, useResource } from "../frame/resource.ts";
import { makeHref, navigate, route } from "../frame/route.ts";
import { may } from "../frame/session.ts";
import { Button } from "../parts/button.tsx";
import { PageHead } from "../parts/page.tsx";
import { Badge, Empty, NoFigure } from "../parts/states.tsx";
import {
  type Column,
  List,
  leaveOutNarrow,
  makeColumn,
  makeHeadColumn,
  makeMinorColumn,
  makeNumberColumn,
} from "../parts/table.tsx";
import { toast } from "../parts/toast.tsx";
import { AccountForm, TopUp } from "./account-forms.tsx";
import { BudgetBar, Spent } from "./spent.tsx";

const EVERY_MS = 10_000;

export function AccountsPage() {
  const accounts = usePages<AccountView>("/accounts", {}, EVERY_MS);
  const [isAdding, setAdding] = useState(route.value.query.get("add") === "yes");
  const [toppedUp, setToppedUp] = useState<AccountView | null>(null);
  const add = may("accounts.create") && (
    <Button label="Add account" kind="main" icon="plus" onClick={() => setAdding(true)} />
  );
  const spending = useResource<SpendingView>(may("usage.read") ? "/spending" : null);
  const { data: sums } = spending;
  const byId = new Map(sums?.data.map((row) => [row.account_id, row]));
  const done = (account: AccountView) => {
    setAdding(false);
    toast(`${account.name} was created`);
    void accounts.reload();
  };
  return (
    <>
      <PageHead title="Accounts" actions={add}>
        {sums && sums.data.length > 0 ? (
          <>
            <span class="strong">{formatMoney(sums.total_usd)}</span> in {nameMonth(sums.month)}
            {sums.total_forecast_usd !== null && `, about ${formatMoney(sums.total_forecast_usd)} by its end`}
            . Balances are prepaid and never fall below zero.
          </>
        ) : (
          "Accounts pay for requests beyond the allowance. Balances are prepaid and never fall below zero."
        )}
      </PageHead>
      <List
        label="Accounts"
        of={sortBySpending(accounts, byId)}
        columns={makeColumns({
          spentOf: (id) => byId.get(id),
          isLoading: spending.isLoading,
          onTopUp: setToppedUp,
        })}
        keyOf={({ id }) => id}
        onOpen={({ id }) => navigate(`/settings/accounts/${id}`)}
        empty={<Empty icon="account" title="No accounts" action={add} />}
      />
      {isAdding && <AccountForm onSaved={done} onClose={() => setAdding(false)} />}
      {toppedUp && <TopUp account={toppedUp} onClose={() => setToppedUp(null)} onDone={accounts.reload} />}
    </>
  );
}

/** The most expensive first: they are who somebody looks for. */
function sortBySpending(accounts: Pages<AccountView>, byId: ReadonlyMap<string, Row>): Pages<AccountView> {
  const costOf = ({ id }: AccountView) => byId.get(id)?.cost_usd ?? 0;
  return { ...accounts, data: accounts.data?.toSorted((a, b) => costOf(b) - costOf(a)) };
}

type Row = SpendingView["data"][number];

interface ListParts {
  /** Undefined until it is known, and for accounts whose figures one doesn't see. */
  readonly spentOf: (id: string) => Row | undefined;
  readonly isLoading: boolean;
  readonly onTopUp: (account: AccountView) => void;
}

/** Phones have no room for these. */
function makeCounts(count: (pick: (row: Row) => number) => (account: AccountView) => ComponentChildren) {
  return [
    makeMinorColumn(
      "Keys",
      count(({ keys }) => keys),
      "end",
    ),
    makeMinorColumn(
      "People",
      count(({ people }) => people),
      "end",
    ),
  ];
}

function makeColumns({ spentOf, isLoading, onTopUp }: ListParts): readonly Column<AccountView>[] {
  const count = (pick: (row: Row) => number) => (account: AccountView) => {
    const row = spentOf(account.id);
    return row ? formatCount(pick(row)) : <NoFigure isLoading={isLoading} />;
  };
  return [
    makeHeadColumn("Name", ({ id, name, state }) => (
      <>
        <a class="strong" href={makeHref(`/settings/accounts/${id}`)}>
          {name}
        </a>{" "}
        {state !== "open" && <Badge text={state} tone="warn" />}
      </>
    )),
    makeNumberColumn("This month", ({ id }) => <Spent row={spentOf(id)} isLoading={isLoading} />),
    makeColumn("Budget", ({ id }) => <BudgetBar row={spentOf(id)} isLoading={isLoading} />),
    ...makeCounts(count),
    leaveOutNarrow(
      makeNumberColumn("Balance", ({ balance_usd, held_usd }) => (
        <span
          class={balance_usd > 0 ? "" : "faint"}
          title={held_usd > 0 ? `${formatUsd(held_usd)} held for requests in progress` : undefined}
        >
          {formatMoney(balance_usd)}
        </span>
      )),
    ),
    {
      label: "",
      as: "narrow",
      cell: (account) =>
        may("money.move", account.id) && (
          <Button
            label="Top up"
            about={account.name}
            kind="quiet"
            isTiny
            icon="plus"
            isIconOnly
            onClick={() => onTopUp(account)}
          />
        ),
    },
  ];
}
