// Settings → Accounts: who pays, and what is left.
import { useState } from "preact/hooks";
import type { AccountView } from "../../admin/money/accounts.ts";
import { formatDay, formatUsd } from "../frame/format.ts";
import { usePages } from "../frame/resource.ts";
import { makeHref, navigate } from "../frame/route.ts";
import { may } from "../frame/session.ts";
import { Button } from "../parts/button.tsx";
import { PageHead } from "../parts/page.tsx";
import { Empty } from "../parts/states.tsx";
import { type Column, List, makeColumn, makeHeadColumn, makeNumberColumn } from "../parts/table.tsx";
import { toast } from "../parts/toast.tsx";
import { AccountForm, TopUp } from "./account-forms.tsx";

const EVERY_MS = 10_000;

export function AccountsPage() {
  const accounts = usePages<AccountView>("/accounts", {}, EVERY_MS);
  const [isAdding, setAdding] = useState(false);
  const [toppedUp, setToppedUp] = useState<AccountView | null>(null);
  const add = may("accounts.create") && (
    <Button label="Add account" kind="main" icon="plus" onClick={() => setAdding(true)} />
  );
  const done = (account: AccountView) => {
    setAdding(false);
    toast(`${account.name} was created`);
    void accounts.reload();
  };
  return (
    <>
      <PageHead title="Accounts" actions={add}>
        Accounts pay for requests beyond the allowance. Balances are prepaid and never fall below zero.
      </PageHead>
      <List
        label="Accounts"
        of={accounts}
        columns={makeColumns(setToppedUp)}
        keyOf={({ id }) => id}
        onOpen={({ id }) => navigate(`/settings/accounts/${id}`)}
        empty={<Empty icon="account" title="No accounts" action={add} />}
      />
      {isAdding && <AccountForm onSaved={done} onClose={() => setAdding(false)} />}
      {toppedUp && <TopUp account={toppedUp} onClose={() => setToppedUp(null)} onDone={accounts.reload} />}
    </>
  );
}

function makeColumns(onTopUp: (account: AccountView) => void): readonly Column<AccountView>[] {
  return [
    makeHeadColumn("Name", ({ id, name }) => (
      <a class="strong" href={makeHref(`/settings/accounts/${id}`)}>
        {name}
      </a>
    )),
    makeNumberColumn("Balance", ({ balance_usd }) => (
      <span class={balance_usd > 0 ? "strong" : "faint"}>{formatUsd(balance_usd)}</span>
    )),
    makeNumberColumn("Held", ({ held_usd }) => (
      <span class={held_usd > 0 ? "" : "faint"}>{formatUsd(held_usd)}</span>
    )),
    makeColumn("Created", ({ created_at }) => (created_at ? formatDay(created_at) : "–")),
    {
      label: "",
      as: "narrow",
      cell: (account) =>
        may("money.move", account.id) && (
          <Button label="Top up" about={account.name} isTiny icon="plus" onClick={() => onTopUp(account)} />
        ),
    },
  ];
}
