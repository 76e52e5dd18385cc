// Forms for an account: its name and its top-ups.
import type { AccountView } from "../../admin/money/accounts.ts";
import { ACCOUNT_FIELDS } from "../../core/fields/account.ts";
import type { Field } from "../../core/fields/field.ts";
import { sendChange } from "../frame/api.ts";
import { formatUsd } from "../frame/format.ts";
import { useForm } from "../frame/task.ts";
import { writeBudgets } from "../parts/budgets-field.tsx";
import { Button } from "../parts/button.tsx";
import { FormDialog } from "../parts/dialog.tsx";
import { TextField } from "../parts/field.tsx";
import { makeBody, makeDraft, renderFolded } from "../parts/field-form.tsx";
import { Notice } from "../parts/states.tsx";
import { mustConfirm, readAmount, useOrder } from "./account-money.tsx";

/** The form's text of no budget. */
const NO_BUDGETS = writeBudgets([]);

interface AccountFormProps {
  readonly edited?: AccountView;
  readonly onSaved: (account: AccountView) => void;
  readonly onClose: () => void;
}

export function AccountForm({ edited, onSaved, onClose }: AccountFormProps) {
  const form = useForm(
    () => makeDraft(ACCOUNT_FIELDS, edited),
    async (draft, opened) => {
      const body = makeBody(ACCOUNT_FIELDS, draft, edited ? opened : {}, edited);
      const path = edited ? `/accounts/${edited.id}` : "/accounts";
      onSaved(await sendChange<AccountView>(edited ? "PATCH" : "POST", path, body));
    },
  );
  return (
    <FormDialog
      title={edited ? `Edit ${edited.name}` : "Add account"}
      action={edited ? "Save" : "Create account"}
      form={form}
      onClose={onClose}
    >
      {renderFolded(ACCOUNT_FIELDS, form, FOLDING, edited)}
      {isUnbounded(form.draft) && (
        <Notice tone="warn">
          Its keys have no daily allowance: give the account a budget, or each key one of its own.
        </Notice>
      )}
    </FormDialog>
  );
}

const FOLDING = {
  main: new Set<Field>([ACCOUNT_FIELDS.name, ACCOUNT_FIELDS.budgets]),
  more: "allowance, limits, time zone, tools, tags",
};

function isUnbounded({
  requests_per_day: perDay = "",
  budgets = "",
}: Readonly<Record<string, string>>): boolean {
  return perDay.startsWith("unlimited") && ["", NO_BUDGETS].includes(budgets);
}

const AMOUNTS = ["10", "50", "100", "500"];

interface TopUpProps {
  readonly account: AccountView;
  readonly onClose: () => void;
  readonly onDone: () => Promise<unknown>;
}

/** Tops up an account: once, however often the button is pressed. */
export function TopUp(props: TopUpProps) {
  const { account, onClose } = props;
  const order = useOrder(props);
  const form = useForm(
    () => ({ amount_usd: "", confirm_amount_usd: "", note: "" }),
    async (draft) => {
      const note = draft.note.trim();
      await order("topups", { ...readAmount(draft), ...(note === "" ? {} : { note }) });
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
      {mustConfirm(form.draft) && (
        <TextField
          label="The same amount again"
          type="amount"
          isRequired
          {...form.field("confirm_amount_usd")}
        />
      )}
      <TextField label="Note" placeholder="Invoice number" {...form.field("note")} />
    </FormDialog>
  );
}
