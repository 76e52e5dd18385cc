// One account: its balance, its limits, its usage, its keys, refusals and movements.
import { useState } from "preact/hooks";
import type { AccountDetailView, AccountView } from "../../admin/money/accounts.ts";
import { formatUsd } from "../frame/format.ts";
import { useNames } from "../frame/names.ts";
import { useResource } from "../frame/resource.ts";
import { route } from "../frame/route.ts";
import { useScope } from "../frame/scope.ts";
import { may } from "../frame/session.ts";
import { LimitBars, sortFullest } from "../limits/limit-bars.tsx";
import { Breakdown } from "../log/breakdown.tsx";
import { Refusals } from "../log/refusals.tsx";
import { RequestsLink } from "../log/usage-charts.tsx";
import { UsageSection } from "../log/usage-section.tsx";
import { Button } from "../parts/button.tsx";
import { Card, PageHead } from "../parts/page.tsx";
import { Loaded } from "../parts/states.tsx";
import { AccountPeople } from "../people/people.tsx";
import { AccountForm, TopUp } from "./account-forms.tsx";
import { AccountKeys } from "./account-keys.tsx";
import { Adjustment, Closing } from "./account-money.tsx";
import { CardTopUp, PaidNotice, useCardAmounts } from "./checkout.tsx";
import { Journal } from "./journal.tsx";
import { Statement } from "./statement.tsx";

const EVERY_MS = 5000;

type Dialog = "top-up" | "card" | "edit" | "adjust" | "close";

export function AccountPage({ id }: { readonly id: string }) {
  const account = useResource<AccountDetailView>(`/accounts/${id}`, EVERY_MS);
  const [open, setOpen] = useState<Dialog | null>(route.value.query.get("edit") === "yes" ? "edit" : null);
  const close = () => setOpen(null);
  const [journalAt, setJournalAt] = useState(0);
  const reload = async () => {
    setJournalAt((count) => count + 1);
    await account.reload();
  };
  const { data } = account;
  const amounts = useCardAmounts(id);
  return (
    <>
      <PageHead
        back={{ path: "/settings/accounts", label: "Accounts" }}
        title={data?.name ?? id}
        actions={
          data?.created_at && <Actions account={data} takesCards={amounts.length > 0} onOpen={setOpen} />
        }
      />
      <Loaded of={account} rows={6}>
        {(shown) => (
          <div class="stack">
            <PaidNotice />
            <Balance account={shown} />
            {shown.limits.length > 0 && (
              <Card title="Limits" note="Of all its keys together">
                <LimitBars limits={sortFullest(shown.limits)} of="account" />
              </Card>
            )}
            {shown.created_at && may("usage.read", id) && <AccountUse id={id} />}
            {may("keys.read", id) && <AccountKeys id={id} />}
            {may("members.read", id) && <AccountPeople accountId={id} />}
            {may("journal.read", id) && (
              <>
                {shown.created_at && <Statement id={id} since={shown.created_at} />}
                <Journal key={journalAt} id={id} />
              </>
            )}
          </div>
        )}
      </Loaded>
      {open && data && (
        <OpenDialog dialog={open} account={data} amounts={amounts} onClose={close} onDone={reload} />
      )}
    </>
  );
}

interface OpenDialogProps {
  readonly dialog: Dialog;
  readonly account: AccountDetailView;
  readonly amounts: ReturnType<typeof useCardAmounts>;
  readonly onClose: () => void;
  readonly onDone: () => Promise<void>;
}

function OpenDialog({ dialog, account, amounts, onClose, onDone }: OpenDialogProps) {
  const saved = () => {
    onClose();
    void onDone();
  };
  switch (dialog) {
    case "top-up":
      return <TopUp account={account} onClose={onClose} onDone={onDone} />;
    case "card":
      return <CardTopUp account={account} amounts={amounts} onClose={onClose} />;
    case "adjust":
      return <Adjustment account={account} onClose={onClose} onDone={onDone} />;
    case "close":
      return <Closing account={account} onClose={onClose} onDone={onDone} />;
    case "edit":
      return <AccountForm edited={account} onSaved={saved} onClose={onClose} />;
  }
}

interface AccountActionsProps {
  readonly account: AccountView;
  readonly takesCards: boolean;
  readonly onOpen: (dialog: Dialog) => void;
}

function Actions({ account, takesCards, onOpen }: AccountActionsProps) {
  const { id } = account;
  return (
    <>
      {may("requests.read", id) && <RequestsLink filters={{ account_id: id }} />}
      {may("accounts.limit", id) && <Button label="Edit" onClick={() => onOpen("edit")} />}
      {may("accounts.close", id) && (
        <Button
          label={account.state === "open" || account.state === "paused" ? "Close" : "Reopen"}
          onClick={() => onOpen("close")}
        />
      )}
      {may("money.move", id) && <Button label="Adjust" onClick={() => onOpen("adjust")} />}
      {takesCards && (
        <Button
          label={may("money.move", id) ? "Top up by card" : "Top up"}
          kind={may("money.move", id) ? undefined : "main"}
          icon="plus"
          onClick={() => onOpen("card")}
        />
      )}
      {may("money.move", id) && (
        <Button label="Top up" kind="main" icon="plus" onClick={() => onOpen("top-up")} />
      )}
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
      {account.due_usd > 0 && (
        <div>
          <div class="tile-label">Due after refunds and disputes</div>
          <div class="tile-value">{formatUsd(account.due_usd)}</div>
        </div>
      )}
    </section>
  );
}
