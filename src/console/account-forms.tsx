// Forms for an account: its name and its top-ups.
import { useRef } from "preact/hooks";
import type { AccountView } from "../admin/accounts.ts";
import { change } from "./api.ts";
import { makeIdempotencyKey } from "./browser.ts";
import { formatUsd } from "./format.ts";
import { Button } from "./parts/button.tsx";
import { FormDialog } from "./parts/dialog.tsx";
import { TextField } from "./parts/field.tsx";
import { toast } from "./parts/toast.tsx";
import { useDraft, useTask } from "./task.ts";

interface AccountFormProps {
  readonly edited?: AccountView;
  readonly onSaved: (account: AccountView) => void;
  readonly onClose: () => void;
}

export function AccountForm({ edited, onSaved, onClose }: AccountFormProps) {
  const { draft, field } = useDraft(() => ({ name: edited?.name ?? "" }));
  const task = useTask(async () => {
    const path = edited ? `/accounts/${edited.id}` : "/accounts";
    onSaved(await change<AccountView>(edited ? "PATCH" : "POST", path, { name: draft.name.trim() }));
  });
  return (
    <FormDialog
      title={edited ? `Rename ${edited.name}` : "Add account"}
      action={edited ? "Save" : "Create account"}
      task={task}
      onClose={onClose}
    >
      <TextField
        label="Name"
        placeholder="Team or customer"
        isRequired
        isFocused
        {...field("name")}
        error={task.error}
      />
    </FormDialog>
  );
}

const AMOUNTS = ["10", "50", "100", "500"];

interface TopUpProps {
  readonly account: AccountView;
  readonly onClose: () => void;
  readonly onDone: () => Promise<unknown>;
}

/** Tops up an account: once, however often the button is pressed. */
export function TopUp({ account, onClose, onDone }: TopUpProps) {
  const { draft, set, field } = useDraft(() => ({ amount: "", note: "" }));
  // A retry after a lost answer is the same top-up; another amount or note makes it a new one.
  const once = useRef({ of: "", name: "" });
  const task = useTask(async () => {
    const note = draft.note.trim();
    const body = { amount_usd: Number(draft.amount), ...(note === "" ? {} : { note }) };
    const of = JSON.stringify(body);
    if (once.current.of !== of) once.current = { of, name: makeIdempotencyKey() };
    const path = `/accounts/${account.id}/topups`;
    const after = await change<AccountView>("POST", path, body, { "idempotency-key": once.current.name });
    toast(`The balance of ${account.name} is now ${formatUsd(after.balance_usd)}`);
    await onDone();
    onClose();
  });
  return (
    <FormDialog title={`Top up ${account.name}`} action="Top up" task={task} onClose={onClose}>
      <p class="soft">The balance is {formatUsd(account.balance_usd)}.</p>
      <TextField
        label="Amount in USD"
        type="number"
        min={0}
        step="any"
        isRequired
        isFocused
        {...field("amount")}
        error={task.error}
      />
      <div class="row">
        {AMOUNTS.map((amount) => (
          <Button key={amount} isTiny onClick={() => set("amount", amount)}>
            ${amount}
          </Button>
        ))}
      </div>
      <TextField label="Note" placeholder="Invoice number" {...field("note")} />
    </FormDialog>
  );
}
