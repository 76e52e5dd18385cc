// The things that outlast the access of a person, with a button for each remedy: another secret, another holder, or the end.
import { useState } from "preact/hooks";
import type { CheckedNewKeyView } from "../../admin/keys/key-warnings.ts";
import type { StayView } from "../../admin/people/member-stays.ts";
import type { NewTokenView } from "../../admin/people/named-tokens.ts";
import { sendChange } from "../frame/api.ts";
import { useNames } from "../frame/names.ts";
import { type Pages, usePages } from "../frame/resource.ts";
import { makeHref } from "../frame/route.ts";
import { may } from "../frame/session.ts";
import { useForm } from "../frame/task.ts";
import { KeySecret, RotateForm } from "../keys/key-secret.tsx";
import { Button } from "../parts/button.tsx";
import { Confirm, FormDialog } from "../parts/dialog.tsx";
import { type Column, List, makeColumn, makeHeadColumn } from "../parts/table.tsx";
import { toast } from "../parts/toast.tsx";
import { TokenSecret } from "./tokens.tsx";

type OpenStayDialog =
  | { readonly kind: "rotate" | "take" | "revoke"; readonly stay: StayView }
  | { readonly kind: "key"; readonly made: CheckedNewKeyView }
  | { readonly kind: "token"; readonly made: NewTokenView };

const WHY: Readonly<Record<StayView["why"], string>> = {
  made: "made it, and knows the secret",
  rotated: "rotated it, and knows the secret",
  contact: "is its contact",
  own: "their own account",
};

/** Nothing while there is nothing. */
export function Stays({ memberId }: { readonly memberId: string }) {
  const stays = usePages<StayView>(`/members/${memberId}/stays`, {}, 0);
  const names = useNames();
  const [open, setOpen] = useState<OpenStayDialog | null>(null);
  if (stays.data === undefined || stays.data.length === 0) return null;
  const account: Column<StayView> = makeColumn("Account", ({ account_id }) =>
    account_id === null ? "—" : names.account(account_id),
  );
  return (
    <>
      <List
        title="What stays"
        note="Works on after the person's access has ended"
        label="What stays"
        of={stays}
        columns={[NAME, account, REASON, makeActions(setOpen)]}
        keyOf={({ type, id }) => `${type} ${id}`}
        empty={null}
      />
      {open && <StayDialog open={open} setOpen={setOpen} stays={stays} />}
    </>
  );
}

const NAME = makeHeadColumn<StayView>("Name", ({ type, id, name }) => (
  <div>
    {type === "token" ? <span class="strong">{name}</span> : <StayLink type={type} id={id} name={name} />}
    <div class="small faint">{type}</div>
  </div>
));

function StayLink({ type, id, name }: Pick<StayView, "type" | "id" | "name">) {
  const path = type === "key" ? `/settings/router/${id}` : `/settings/accounts/${id}`;
  return (
    <a class="strong" href={makeHref(path)}>
      {name}
    </a>
  );
}

const REASON = makeColumn<StayView>("The person", ({ why }) => WHY[why]);

function makeActions(setOpen: (open: OpenStayDialog) => void): Column<StayView> {
  return {
    label: "",
    as: "narrow",
    cell: (stay) => {
      const isKey = stay.type === "key" && may("keys.write");
      const isToken = stay.type === "token" && may("tokens.write");
      if (!isKey && !isToken) return null;
      const button = (label: string, kind: "rotate" | "take" | "revoke") => (
        <Button
          label={label}
          about={stay.name}
          isTiny
          kind="quiet"
          icon={kind === "revoke" ? "trash" : "refresh"}
          onClick={() => setOpen({ kind, stay })}
        />
      );
      return (
        <div class="row">
          {isKey ? button("Rotate", "rotate") : button("Take over", "take")}
          {button("Revoke", "revoke")}
        </div>
      );
    },
  };
}

interface StayDialogProps {
  readonly open: OpenStayDialog;
  readonly setOpen: (open: OpenStayDialog | null) => void;
  readonly stays: Pages<StayView>;
}

function StayDialog({ open, setOpen, stays }: StayDialogProps) {
  const close = () => setOpen(null);
  switch (open.kind) {
    case "rotate": {
      const show = (made: CheckedNewKeyView) => {
        setOpen({ kind: "key", made });
        void stays.reload();
      };
      return <RotateForm rotated={open.stay} onMade={show} onClose={close} />;
    }
    case "take":
      return <TakeForm stay={open.stay} setOpen={setOpen} reload={stays.reload} />;
    case "revoke": {
      const { type, id, name } = open.stay;
      const revoke = async () => {
        await sendChange("DELETE", type === "key" ? `/keys/${id}` : `/tokens/${id}`);
        toast(`${name} was revoked`);
        await stays.reload();
      };
      return (
        <Confirm title={`Revoke ${name}?`} action={`Revoke ${type}`} run={revoke} onClose={close}>
          All further requests with it will be refused. This can't be undone.
        </Confirm>
      );
    }
    case "key":
      return <KeySecret made={open.made} onClose={close} />;
    case "token":
      return <TokenSecret made={open.made} onClose={close} />;
  }
}

interface TakeFormProps {
  readonly stay: StayView;
  readonly setOpen: (open: OpenStayDialog | null) => void;
  readonly reload: () => Promise<void>;
}

function TakeForm({ stay: { id, name }, setOpen, reload }: TakeFormProps) {
  const form = useForm<never>(
    () => ({}),
    async () => {
      setOpen({ kind: "token", made: await sendChange<NewTokenView>("POST", `/tokens/${id}/take`, {}) });
      void reload();
    },
  );
  return (
    <FormDialog title={`Take over ${name}?`} action="Take over" form={form} onClose={() => setOpen(null)}>
      It gets a new secret, the old one ends at once, and it works as long as you may do all that it may.
    </FormDialog>
  );
}
