// Forms for an account: its name and its top-ups.
import { useRef } from "preact/hooks";
import type { AccountView } from "../admin/accounts.ts";
import { ACCOUNT_FIELDS } from "../core/fields/account.ts";
import { change } from "./api.ts";
import { makeIdempotencyKey } from "./browser.ts";
import { makeBody, makeDraft, renderControls } from "./field-form.tsx";
import { formatUsd } from "./format.ts";
import { Button } from "./parts/button.tsx";
import { FormDialog } from "./parts/dialog.tsx";
import { TextField } from "./parts/field.tsx";
import { Notice } from "./parts/states.tsx";
import { toast } from "./parts/toast.tsx";
import { useForm } from "./task.ts";

interface AccountFormProps {
  readonly edited?: AccountView;
  readonly onSaved: (account: AccountView) => void;
  readonly onClose: () => void;
}

export function AccountForm({ edited, onSaved, onClose }: AccountFormProps) {
  const form = useForm(
    () => makeDraft(ACCOUNT_FIELDS, edited),
    async (draft) => {
      const body = makeBody(ACCOUNT_FIELDS, draft, edited);
      const path = edited ? `/accounts/${edited.id}` : "/accounts";
      onSaved(await change<AccountView>(edited ? "PATCH" : "POST", path, body));
    },
  );
  return (
    <FormDialog
      title={edited ? `Rename ${edited.name}` : "Add account"}
      action={edited ? "Save" : "Create account"}
      form={form}
      onClose={onClose}
    >
      {renderControls(ACCOUNT_FIELDS, form, edited)}
      {isUnbounded(form.draft) && (
        <Notice tone="warn">
          Its keys have no daily allowance: give the account a budget, or each key one of its own.
        </Notice>
      )}
    </FormDialog>
  );
}

function isUnbounded({
  requests_per_day: perDay = "",
  budgets = "",
}: Readonly<Record<string, string>>): boolean {
  return perDay.startsWith("unlimited") && budgets.trim() === "";
}

const AMOUNTS = ["10", "50", "100", "500"];

interface TopUpProps {
  readonly account: AccountView;
  readonly onClose: () => void;
  readonly onDone: () => Promise<unknown>;
}

/** Tops up an account: once, however often the button is pressed. */
export function TopUp({ account, onClose, onDone }: TopUpProps) {
  // A retry after a lost answer is the same top-up; another amount or note makes it a new one.
  const once = useRef({ of: "", name: "" });
  const form = useForm(
    () => ({ amount_usd: "", note: "" }),
    async (draft) => {
      const note = draft.note.trim();
      const body = { amount_usd: Number(draft.amount_usd), ...(note === "" ? {} : { note }) };
      const of = JSON.stringify(body);
      if (once.current.of !== of) once.current = { of, name: makeIdempotencyKey() };
      const path = `/accounts/${account.id}/topups`;
      const after = await change<AccountView>("POST", path, body, { "idempotency-key": once.current.name });
      toast(`The balance of ${account.name} is now ${formatUsd(after.balance_usd)}`);
      await onDone();
      onClose();
    },
  );
  return (
    <FormDialog title={`Top up ${account.name}`} action="Top up" form={form} onClose={onClose}>
      <p class="soft">The balance is {formatUsd(account.balance_usd)}.</p>
      <TextField label="Amount in USD" type="amount" isRequired isFocused {...form.field("amount_usd")} />
      <div class="row">
        {AMOUNTS.map((amount) => (
          <Button label={`$${amount}`} key={amount} isTiny onClick={() => form.set("amount_usd", amount)} />
        ))}
      </div>
      <TextField label="Note" placeholder="Invoice number" {...form.field("note")} />
    </FormDialog>
  );
}
