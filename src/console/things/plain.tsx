// The page of a plain thing, made from its row: its list, its form, and its end.
import { useState } from "preact/hooks";
import type { PlainView } from "../../admin/things/plain.ts";
import type { PlainThing } from "../../core/things/plain.ts";
import { sendChange } from "../frame/api.ts";
import { formatDay } from "../frame/format.ts";
import { useNames } from "../frame/names.ts";
import { usePages } from "../frame/resource.ts";
import { may } from "../frame/session.ts";
import { useForm } from "../frame/task.ts";
import { AccountField } from "../money/account-field.tsx";
import { Button } from "../parts/button.tsx";
import { Confirm, FormDialog } from "../parts/dialog.tsx";
import { makeBody, makeDraft, renderControls } from "../parts/field-form.tsx";
import { PageHead } from "../parts/page.tsx";
import { Badge, Empty } from "../parts/states.tsx";
import { type Column, List, makeColumn, makeHeadColumn } from "../parts/table.tsx";
import { toast } from "../parts/toast.tsx";
import { listFieldColumns, nameView } from "./shown.ts";

const EVERY_MS = 10_000;
const ACCOUNT = "account_id";

type ThingDialog = { readonly kind: "add" } | { readonly kind: "change" | "end"; readonly view: PlainView };

/** Returns the page's component. */
export function makePlainPage(thing: PlainThing) {
  const { name, plural, about, ending, changes } = thing;
  const path = `/${plural}`;
  return function PlainPage() {
    const all = usePages<PlainView>(path, {}, EVERY_MS);
    const { account } = useNames();
    const [open, setOpen] = useState<ThingDialog | null>(null);
    const close = () => setOpen(null);
    const add = may(changes) && (
      <Button label={`Add ${name}`} kind="main" icon="plus" onClick={() => setOpen({ kind: "add" })} />
    );
    const end = async (view: PlainView) => {
      await sendChange("DELETE", `${path}/${view.id}`);
      toast(`${nameView(thing, view)} has ended`);
      await all.reload();
    };
    return (
      <>
        <PageHead title={thing.tag} actions={add}>
          {about}
        </PageHead>
        <List
          label={thing.tag}
          of={all}
          columns={makeColumns(thing, account, setOpen)}
          keyOf={({ id }) => id}
          empty={<Empty icon="check" title={`No ${plural} yet`} action={add} />}
        />
        {open?.kind === "end" && (
          <Confirm
            title={`End ${nameView(thing, open.view)}?`}
            action={`End ${name}`}
            run={() => end(open.view)}
            onClose={close}
          >
            {ending}
          </Confirm>
        )}
        {(open?.kind === "add" || open?.kind === "change") && (
          <PlainForm
            thing={thing}
            edited={open.kind === "change" ? open.view : undefined}
            onDone={all.reload}
            onClose={close}
          />
        )}
      </>
    );
  };
}

interface PlainFormProps {
  readonly thing: PlainThing;
  readonly edited?: PlainView | undefined;
  readonly onDone: () => Promise<void>;
  readonly onClose: () => void;
}

function PlainForm({ thing, edited, onDone, onClose }: PlainFormProps) {
  const { name, plural, fields } = thing;
  const form = useForm<string>(
    () => ({ ...makeDraft(fields, edited), [ACCOUNT]: edited?.account_id ?? "default" }),
    async (draft, opened) => {
      const body = makeBody(fields, draft, edited ? opened : {}, edited);
      if (edited) await sendChange("PATCH", `/${plural}/${edited.id}`, body);
      else await sendChange("POST", `/${plural}`, { ...body, [ACCOUNT]: draft[ACCOUNT] });
      await onDone();
      onClose();
    },
  );
  return (
    <FormDialog
      title={edited ? `Change ${nameView(thing, edited)}` : `Add a ${name}`}
      action={edited ? "Save" : `Add ${name}`}
      form={form}
      onClose={onClose}
    >
      {!edited && <AccountField label="Account" {...form.field(ACCOUNT)} />}
      {renderControls(fields, form, edited)}
    </FormDialog>
  );
}

/** Returns the columns of the list, with those of the fields that have a control. */
function makeColumns(
  thing: PlainThing,
  nameAccount: (id: string) => string,
  onOpen: (open: ThingDialog) => void,
): readonly Column<PlainView>[] {
  return [
    makeHeadColumn("Name", (view) => <span class="strong">{nameView(thing, view)}</span>),
    ...listFieldColumns(thing).map(({ label, show }) => makeColumn<PlainView>(label, show)),
    makeColumn("Account", ({ account_id }) => nameAccount(account_id)),
    makeColumn("Created", ({ created_at }) => formatDay(created_at)),
    makeColumn("State", ({ state }) => (
      <Badge text={state} tone={state === "active" ? "ok" : undefined} hasDot />
    )),
    {
      label: "",
      as: "narrow",
      cell: (view) =>
        view.state === "active" &&
        may(thing.changes, view.account_id) && (
          <div class="row tight">
            <Button
              label="Change"
              about={nameView(thing, view)}
              isTiny
              kind="quiet"
              icon="edit"
              onClick={() => onOpen({ kind: "change", view })}
            />
            <Button
              label="End"
              about={nameView(thing, view)}
              isTiny
              kind="quiet"
              icon="trash"
              onClick={() => onOpen({ kind: "end", view })}
            />
          </div>
        ),
    },
  ];
}
