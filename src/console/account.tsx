// One account: its balance and its movements.
import { useState } from "preact/hooks";
import type { AccountDetailView, AccountView } from "../admin/accounts.ts";
import type { EntryView } from "../admin/journal.ts";
import { AccountForm, TopUp } from "./account-forms.tsx";
import { Adjustment, Closing } from "./account-money.tsx";
import { formatFullTime, formatTime, formatUsd } from "./format.ts";
import { LimitBars } from "./limit-bars.tsx";
import { Button } from "./parts/button.tsx";
import { Card, PageHead } from "./parts/page.tsx";
import { Badge, Empty, Loaded, type Tone } from "./parts/states.tsx";
import { type Column, List, makeColumn, makeHeadColumn, makeNumberColumn } from "./parts/table.tsx";
import { AccountPeople } from "./people.tsx";
import { usePages, useResource } from "./resource.ts";
import { makeHref } from "./route.ts";
import { may } from "./session.ts";
import { Statement } from "./statement.tsx";

const EVERY_MS = 5000;

type Dialog = "top-up" | "rename" | "adjust" | "close";

export function AccountPage({ id }: { readonly id: string }) {
  const account = useResource<AccountDetailView>(`/accounts/${id}`, EVERY_MS);
  const [open, setOpen] = useState<Dialog | null>(null);
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
        actions={data?.created_at && <Actions account={data} onOpen={setOpen} />}
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
        {may("journal.read", id) && (
          <>
            {data?.created_at && <Statement id={id} />}
            <Journal key={journalAt} id={id} />
          </>
        )}
      </div>
      {open === "top-up" && data && <TopUp account={data} onClose={close} onDone={reload} />}
      {open === "adjust" && data && <Adjustment account={data} onClose={close} onDone={reload} />}
      {open === "close" && data && <Closing account={data} onClose={close} onDone={reload} />}
      {open === "rename" && data && <AccountForm edited={data} onSaved={renamed} onClose={close} />}
    </>
  );
}

interface ActionsProps {
  readonly account: AccountView;
  readonly onOpen: (dialog: Dialog) => void;
}

function Actions({ account, onOpen }: ActionsProps) {
  const { id } = account;
  return (
    <>
      {may("accounts.limit", id) && <Button label="Rename" onClick={() => onOpen("rename")} />}
      {may("accounts.close", id) && (
        <Button
          label={account.state === "open" || account.state === "paused" ? "Close" : "Reopen"}
          onClick={() => onOpen("close")}
        />
      )}
      {may("money.move", id) && <Button label="Adjust" onClick={() => onOpen("adjust")} />}
      {may("money.move", id) && (
        <Button label="Top up" kind="main" icon="plus" onClick={() => onOpen("top-up")} />
      )}
    </>
  );
}

function Journal({ id }: { readonly id: string }) {
  const journal = usePages<EntryView>(`/accounts/${id}/journal`, {}, EVERY_MS);
  return (
    <List
      title="Journal"
      note="Newest first"
      label="Journal"
      of={journal}
      columns={COLUMNS}
      keyOf={({ id: entry }) => entry}
      empty={
        <Empty icon="account" title="No entries yet">
          Top-ups and charges for requests appear here.
        </Empty>
      }
    />
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

const KINDS: Readonly<Record<EntryView["kind"], { readonly word: string; readonly tone?: Tone }>> = {
  topup: { word: "top-up", tone: "ok" },
  hold: { word: "held" },
  post: { word: "charged", tone: "accent" },
  void: { word: "released" },
  overrun: { word: "charged above the hold", tone: "warn" },
  charge: { word: "charged", tone: "accent" },
  adjustment: { word: "adjusted", tone: "ok" },
  payout: { word: "paid out" },
  refund: { word: "refunded", tone: "warn" },
  dispute: { word: "disputed", tone: "bad" },
  receivable: { word: "debt settled" },
};

const COLUMNS: readonly Column<EntryView>[] = [
  makeHeadColumn("Type", ({ kind, note, reason = note }) => (
    <div class="row">
      <Badge text={KINDS[kind].word} tone={KINDS[kind].tone} />
      {reason && <span class="soft">{reason}</span>}
    </div>
  )),
  makeColumn("Time", ({ at }) => <span title={formatFullTime(at)}>{formatTime(at)}</span>),
  makeColumn(
    "Request",
    ({ completion_id }) =>
      completion_id && (
        <a class="mono" href={makeHref(`/activity/${completion_id}`)}>
          …{completion_id.slice(-8)}
        </a>
      ),
  ),
  makeNumberColumn("Amount", ({ amount_usd }) => (
    <span class={amount_usd > 0 ? "gain" : ""}>
      {amount_usd > 0 ? "+" : ""}
      {formatUsd(amount_usd)}
    </span>
  )),
  makeNumberColumn("Balance after", ({ balance_usd }) =>
    balance_usd === null ? "–" : formatUsd(balance_usd),
  ),
];
