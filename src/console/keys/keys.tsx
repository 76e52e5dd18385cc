// Access → Keys: the gateway's keys and their usage; adding, changing, pausing, rotating and revoking them.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { CheckedNewKeyView } from "../../admin/keys/key-warnings.ts";
import type { KeyInUseView } from "../../admin/keys/keys-in-use.ts";
import type { UsageView } from "../../admin/log/usage.ts";
import { KEY_FIELDS } from "../../core/fields/key.ts";
import { describeError, sendChange } from "../frame/api.ts";
import { formatCount, formatDay, formatFullTime, formatRelativeTime } from "../frame/format.ts";
import { type Names, useNames } from "../frame/names.ts";
import { usePages } from "../frame/resource.ts";
import { makeHref } from "../frame/route.ts";
import { isMemberOnly, may, mayWriteKey } from "../frame/session.ts";
import { useAdd } from "../lists/asked.ts";
import { CHOSEN_KEYS } from "../lists/chosen-keys.ts";
import { useChosenOrder } from "../lists/chosen-order.ts";
import { ChoiceBox, ChosenBar, type ChosenRows, useChosen } from "../lists/chosen-rows.tsx";
import { AccountFilter } from "../parts/account-filter.tsx";
import { Button } from "../parts/button.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { Filter, SearchField } from "../parts/field.tsx";
import { listTexts } from "../parts/field-form.tsx";
import { PageHead } from "../parts/page.tsx";
import { Badge, Empty, Meter, NoFigure, type Tone } from "../parts/states.tsx";
import {
  type Column,
  giveWay,
  List,
  makeBareColumn,
  makeColumn,
  makeHeadColumn,
  makeMinorColumn,
} from "../parts/table.tsx";
import { toast } from "../parts/toast.tsx";
import { Cost, useKeySums } from "./key-cost.tsx";
import { KeyForm } from "./key-form.tsx";
import { KeySecret, RotateForm } from "./key-secret.tsx";

const EVERY_MS = 10_000;
const STATES = [
  { value: "", label: "Any state" },
  { value: "active", label: "Active" },
  { value: "paused", label: "Paused" },
  { value: "expired", label: "Expired" },
  { value: "revoked", label: "Revoked" },
];

export type OpenDialog =
  | { readonly kind: "add" }
  | { readonly kind: "made"; readonly key: CheckedNewKeyView }
  | { readonly kind: "edit" | "rotate" | "leaked" | "revoke"; readonly key: KeyInUseView };

export function KeysPage() {
  const [search, setSearch] = useState("");
  const [state, setState] = useState("");
  const [open, setOpen] = useState<OpenDialog | null>(null);
  useAdd("yes", () => setOpen({ kind: "add" }));
  const [account, setAccount] = useState("");
  const { sorting, query } = useChosenOrder("keys");
  const filters = { q: search.trim(), state, account_id: account };
  const keys = usePages<KeyInUseView>("/keys", { ...filters, ...query }, EVERY_MS);
  const names = useNames();
  const sums = useKeySums();
  const chosen = useChosen();
  const isFiltered = Object.values(filters).some((value) => value !== "");
  const add = may("own.keys.write") && (
    <Button label="Add New Key" kind="main" icon="plus" onClick={() => setOpen({ kind: "add" })} />
  );
  return (
    <>
      <PageHead title="Keys" actions={add}>
        {isMemberOnly()
          ? "Your own keys. Each one works in your SDK or agent, within the limits shown."
          : "API keys for this gateway. Each one gives access to all enabled models, within the limits you set."}
      </PageHead>
      <div class="row filters">
        <SearchField label="Search by name or last 4 characters" value={search} onInput={setSearch} />
        <AccountFilter value={account} onChoose={setAccount} />
        <Filter label="State" value={state} options={STATES} onInput={setState} />
      </div>
      <ChosenBar choice={CHOSEN_KEYS} chosen={chosen} shown={keys.data ?? []} reload={keys.reload} />
      <List
        label="Keys"
        of={keys}
        columns={makeColumns(names, sums, { chosen, onOpen: setOpen, reload: keys.reload })}
        keyOf={({ id }) => id}
        sorting={sorting}
        empty={isFiltered ? <Empty icon="search" title="No matching keys" /> : <NoKeys add={add} />}
      />
      {open && <KeyDialog open={open} setOpen={setOpen} reload={keys.reload} />}
    </>
  );
}

function NoKeys({ add }: { readonly add: ComponentChildren }) {
  return (
    <Empty icon="key" title="No keys yet" action={add}>
      Applications need a key to call the gateway.{add && " Create one, and point your SDK here."}
    </Empty>
  );
}

interface KeyDialogProps {
  readonly open: OpenDialog;
  readonly setOpen: (open: OpenDialog | null) => void;
  readonly reload: () => Promise<void>;
}

export function KeyDialog({ open, setOpen, reload }: KeyDialogProps) {
  const close = () => setOpen(null);
  const show = (key: CheckedNewKeyView) => {
    setOpen({ kind: "made", key });
    void reload();
  };
  switch (open.kind) {
    case "add":
      return <KeyForm onMade={show} onClose={close} />;
    case "rotate":
      return <RotateForm rotated={open.key} onMade={show} onClose={close} />;
    case "leaked":
      return <RotateForm rotated={open.key} isLeaked onMade={show} onClose={close} />;
    case "made":
      return <KeySecret made={open.key} onClose={close} />;
    case "edit": {
      const done = () => {
        close();
        toast("Saved");
        void reload();
      };
      return <KeyForm edited={open.key} onSaved={done} onClose={close} />;
    }
    case "revoke": {
      const revoke = async () => {
        await sendChange("DELETE", `/keys/${open.key.id}`);
        toast(`${open.key.name} was revoked`);
        await reload();
      };
      return (
        <Confirm title={`Revoke ${open.key.name}?`} action="Revoke key" run={revoke} onClose={close}>
          All further requests with the key that ends in {open.key.last4} will be refused. This can't be
          undone.
        </Confirm>
      );
    }
  }
}

const TONES: Readonly<Record<KeyInUseView["state"], Tone | undefined>> = {
  active: "ok",
  paused: "warn",
  expired: "warn",
  revoked: undefined,
};

interface Acting {
  readonly onOpen: (open: OpenDialog) => void;
  readonly reload: () => Promise<void>;
}

function makeAccountColumn(names: Names): Column<KeyInUseView> {
  return giveWay(
    3,
    makeMinorColumn("Account", ({ account_id: id }) => (
      <a class="clip name" href={makeHref(`/settings/accounts/${id}`)} title={names.account(id)}>
        {names.account(id)}
      </a>
    )),
  );
}

function makeColumns(
  names: Names,
  sums: readonly UsageView[] | null,
  { chosen, ...acting }: Acting & { readonly chosen: ChosenRows },
): readonly Column<KeyInUseView>[] {
  return [
    makeHeadColumn("Name", (key) => <KeyName of={key} chosen={chosen} />, "name"),
    makeAccountColumn(names),
    giveWay(
      3,
      makeColumn("Allowance today", (key) => <Allowance of={key} />),
    ),
    {
      ...makeBareColumn("Cost this month", (key) =>
        sums === null ? (
          <NoFigure isLoading={may("usage.read")} />
        ) : (
          <Cost of={key} sum={sums.find(({ key_id }) => key_id === key.id)} />
        ),
      ),
      sort: "cost",
    },
    makeColumn(
      "Last used",
      ({ last_used_at }) =>
        last_used_at ? (
          <span class="nowrap" title={formatFullTime(last_used_at)}>
            {formatRelativeTime(last_used_at)}
          </span>
        ) : (
          <span class="faint">never</span>
        ),
      "used",
    ),
    makeColumn("State", (key) => <State of={key} />, "state"),
    { label: "", as: "narrow", cell: (key) => <Actions of={key} {...acting} /> },
  ];
}

function KeyName({ of, chosen }: { readonly of: KeyInUseView; readonly chosen: ChosenRows }) {
  return (
    <div class="row tight">
      <ChoiceBox of={of} choice={CHOSEN_KEYS} chosen={chosen} />
      <a
        class="strong clip name"
        href={makeHref(`/settings/router/${of.id}`)}
        title={[of.name, listTexts(KEY_FIELDS, of)].filter(Boolean).join("\n")}
      >
        {of.name}
      </a>
      <code class="faint">…{of.last4}</code>
    </div>
  );
}

function State({ of: { state, expires_at, old_secret_expires_at, notes } }: { readonly of: KeyInUseView }) {
  const [reason] = state === "paused" && notes ? notes.split("\n") : [];
  return (
    <div>
      {state === "active" ? (
        <span class="soft">{state}</span>
      ) : (
        <Badge text={state} tone={TONES[state]} hasDot />
      )}
      {reason && (
        <div class="small faint clip name" title={reason}>
          {reason}
        </div>
      )}
      {state === "active" && expires_at && <div class="small faint">until {formatDay(expires_at)}</div>}
      {old_secret_expires_at && (
        <div class="small faint" title={formatFullTime(old_secret_expires_at)}>
          old secret ends {formatRelativeTime(old_secret_expires_at)}
        </div>
      )}
    </div>
  );
}

function Allowance({ of: { allowance, state } }: { readonly of: KeyInUseView }) {
  if (state !== "active") return <span class="faint">–</span>;
  if (allowance.limit === null) return <span>unlimited</span>;
  if (allowance.limit === 0) return <span class="soft">none, all requests are paid</span>;
  const words = `${formatCount(allowance.used)} of ${formatCount(allowance.limit)}`;
  return (
    <div
      class="gauge"
      title={allowance.resets_at ? `resets ${formatRelativeTime(allowance.resets_at)}` : undefined}
    >
      <span>{words}</span>
      <Meter share={allowance.used / allowance.limit} label={`${words} requests used today`} />
    </div>
  );
}

export function Actions({ of, onOpen, reload }: Acting & { readonly of: KeyInUseView }) {
  if (of.state === "revoked" || !mayWriteKey(of)) return null;
  const pause = async () => {
    try {
      await sendChange("PATCH", `/keys/${of.id}`, { paused: !of.paused });
      toast(`${of.name} was ${of.paused ? "resumed" : "paused"}`);
      await reload();
    } catch (error) {
      toast(describeError(error));
    }
  };
  const actions = [
    { icon: "edit", label: "Edit", run: () => onOpen({ kind: "edit", key: of }) },
    { icon: of.paused ? "resume" : "pause", label: of.paused ? "Resume" : "Pause", run: pause },
    { icon: "refresh", label: "Rotate", run: () => onOpen({ kind: "rotate", key: of }) },
    { icon: "trash", label: "Revoke", run: () => onOpen({ kind: "revoke", key: of }) },
  ] as const;
  return (
    <div class="row tight">
      {actions.map(({ icon, label, run }) => (
        <Button label={label} key={icon} isTiny isIconOnly kind="quiet" icon={icon} onClick={run} />
      ))}
    </div>
  );
}
