// Money → Accounts: who pays, what each one spends, and what is left.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { AccountView } from "../../admin/money/accounts.ts";
import type { SpendingView } from "../../admin/money/spending.ts";
import { formatCount, formatMoney, formatUsd, nameMonth } from "../frame/format.ts";
import { type Pages, usePages, useResource } from "../frame/resource.ts";
import { makeHref, navigate } from "../frame/route.ts";
import { may } from "../frame/session.ts";
import { useAdd } from "../lists/asked.ts";
import { CHOSEN_ACCOUNTS } from "../lists/chosen-accounts.ts";
import { useChosenOrder } from "../lists/chosen-order.ts";
import { ChoiceBox, ChosenBar, type ChosenRows, useChosen } from "../lists/chosen-rows.tsx";
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
  const { sorting, order, query } = useChosenOrder("accounts");
  const accounts = usePages<AccountView>("/accounts", query, EVERY_MS);
  const chosen = useChosen();
  const [isAdding, setAdding] = useState(false);
  useAdd("yes", () => setAdding(true));
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
        <MonthWords sums={sums} />
      </PageHead>
      <ChosenBar
        choice={CHOSEN_ACCOUNTS}
        chosen={chosen}
        shown={accounts.data ?? []}
        reload={accounts.reload}
      />
      <List
        label="Accounts"
        of={order ? accounts : sortBySpending(accounts, byId)}
        columns={makeColumns({
          spentOf: (id) => byId.get(id),
          isLoading: spending.isLoading,
          onTopUp: setToppedUp,
          chosen,
        })}
        keyOf={({ id }) => id}
        sorting={sorting}
        onOpen={({ id }) => navigate(`/settings/accounts/${id}`)}
        empty={<Empty icon="account" title="No accounts" action={add} />}
      />
      {isAdding && <AccountForm onSaved={done} onClose={() => setAdding(false)} />}
      {toppedUp && <TopUp account={toppedUp} onClose={() => setToppedUp(null)} onDone={accounts.reload} />}
    </>
  );
}

function MonthWords({ sums }: { readonly sums: SpendingView | undefined }) {
  if (!sums || sums.data.length === 0)
    return (
      <>Accounts pay for requests beyond the allowance. Balances are prepaid and never fall below zero.</>
    );
  const { total_usd, total_forecast_usd, month } = sums;
  return (
    <>
      <span class="strong">{formatMoney(total_usd)}</span> in {nameMonth(month)}
      {total_forecast_usd !== null && `, about ${formatMoney(total_forecast_usd)} by its end`}. Balances are
      prepaid and never fall below zero.
    </>
  );
}

/** The most expensive first: they are who somebody looks for. */
function sortBySpending(
  accounts: Pages<AccountView>,
  byId: ReadonlyMap<string, AccountSpending>,
): Pages<AccountView> {
  const costOf = ({ id }: AccountView) => byId.get(id)?.cost_usd ?? 0;
  return { ...accounts, data: accounts.data?.toSorted((a, b) => costOf(b) - costOf(a)) };
}

type AccountSpending = SpendingView["data"][number];

interface AccountListParts {
  /** Undefined until it is known, and for accounts whose figures one doesn't see. */
  readonly spentOf: (id: string) => AccountSpending | undefined;
  readonly isLoading: boolean;
  readonly onTopUp: (account: AccountView) => void;
  readonly chosen: ChosenRows;
}

/** Phones have no room for these. */
function makeCounts(
  count: (pick: (row: AccountSpending) => number) => (account: AccountView) => ComponentChildren,
) {
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

function Name({ of, chosen }: { readonly of: AccountView; readonly chosen: ChosenRows }) {
  return (
    <div class="row tight">
      <ChoiceBox of={of} choice={CHOSEN_ACCOUNTS} chosen={chosen} />
      <a class="strong clip name" href={makeHref(`/settings/accounts/${of.id}`)} title={of.name}>
        {of.name}
      </a>
      {of.state !== "open" && <Badge text={of.state} tone="warn" />}
    </div>
  );
}

function makeColumns({
  spentOf,
  isLoading,
  onTopUp,
  chosen,
}: AccountListParts): readonly Column<AccountView>[] {
  const count = (pick: (row: AccountSpending) => number) => (account: AccountView) => {
    const row = spentOf(account.id);
    return row ? formatCount(pick(row)) : <NoFigure isLoading={isLoading} />;
  };
  return [
    makeHeadColumn("Name", (account) => <Name of={account} chosen={chosen} />, "name"),
    makeNumberColumn("This month", ({ id }) => <Spent row={spentOf(id)} isLoading={isLoading} />, "cost"),
    makeColumn("Budget", ({ id }) => <BudgetBar row={spentOf(id)} isLoading={isLoading} />),
    ...makeCounts(count),
    leaveOutNarrow(
      makeNumberColumn(
        "Balance",
        ({ balance_usd, held_usd }) => (
          <span
            class={balance_usd > 0 ? "" : "faint"}
            title={held_usd > 0 ? `${formatUsd(held_usd)} held for requests in progress` : undefined}
          >
            {formatMoney(balance_usd)}
          </span>
        ),
        "balance",
      ),
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
