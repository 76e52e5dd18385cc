// One account: its balance, its limits, its usage, its keys, refusals and movements.
import { useState } from "preact/hooks";
import type { AccountDetailView, AccountView } from "../admin/accounts.ts";
import { AccountForm, TopUp } from "./account-forms.tsx";
import { Breakdown } from "./breakdown.tsx";
import { formatUsd } from "./format.ts";
import { Journal } from "./journal.tsx";
import { LimitBars } from "./limit-bars.tsx";
import { useNames } from "./names.ts";
import { Button } from "./parts/button.tsx";
import { Card, PageHead } from "./parts/page.tsx";
import { Loaded } from "./parts/states.tsx";
import { AccountPeople } from "./people.tsx";
import { Refusals } from "./refusals.tsx";
import { useResource } from "./resource.ts";
import { useScope } from "./scope.ts";
import { may } from "./session.ts";
import { RequestsLink } from "./usage-charts.tsx";
import { UsageSection } from "./usage-section.tsx";

const EVERY_MS = 5000;

export function AccountPage({ id }: { readonly id: string }) {
  const account = useResource<AccountDetailView>(`/accounts/${id}`, EVERY_MS);
  const [open, setOpen] = useState<"top-up" | "rename" | null>(null);
  const close = () => setOpen(null);
  const [journalAt, setJournalAt] = useState(0);
  const reload = async () => {
    setJournalAt((count) => count + 1);
    await account.reload();
  };
  const renamed = () => {
    close();
    void reload();
  };
  const { data } = account;
  return (
    <>
      <PageHead
        back={{ path: "/settings/accounts", label: "Accounts" }}
        title={data?.name ?? id}
        actions={
          data?.created_at && (
            <>
              {may("requests.read", id) && <RequestsLink filters={{ account_id: id }} />}
              {may("accounts.limit", id) && <Button label="Rename" onClick={() => setOpen("rename")} />}
              {may("money.move", id) && (
                <Button label="Top up" kind="main" icon="plus" onClick={() => setOpen("top-up")} />
              )}
            </>
          )
        }
      />
      <div class="stack">
        <Loaded of={account} rows={1}>
          {(one) => <Balance account={one} />}
        </Loaded>
        {data && data.limits.length > 0 && (
          <Card title="Limits" note="Of all its keys together">
            <LimitBars limits={data.limits} of="account" />
          </Card>
        )}
        {may("members.read", id) && <AccountPeople accountId={id} />}
        {may("journal.read", id) && <Journal key={journalAt} id={id} />}
        {data?.created_at && may("usage.read", id) && <AccountUse id={id} />}
      </div>
      {open === "top-up" && data && <TopUp account={data} onClose={close} onDone={reload} />}
      {open === "rename" && data && <AccountForm edited={data} onSaved={renamed} onClose={close} />}
    </>
  );
}

/** The account's figures, by key, and what was refused to its keys. */
function AccountUse({ id }: { readonly id: string }) {
  const names = useNames();
  const { period } = useScope("30d", id);
  const reload = { current: async () => {} };
  return (
    <>
      <UsageSection filters={{ account_id: id }} />
      <Breakdown query={{ ...period, account_id: id }} reloadRef={reload} first="key" />
      {may("requests.read", id) && <Refusals title="Refused" query={{ account: id }} names={names} />}
    </>
  );
}

function Balance({ account }: { readonly account: AccountView }) {
  return (
    <section class="card row balance" aria-label="Balance">
      <div>
        <div class="tile-label">Balance</div>
        <div class="tile-value">{formatUsd(account.balance_usd)}</div>
      </div>
      <div>
        <div class="tile-label">Held for requests in progress</div>
        <div class="tile-value">{formatUsd(account.held_usd)}</div>
      </div>
    </section>
  );
}
