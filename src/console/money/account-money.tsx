// Forms that change an account's balance without a top-up: adjustments and closing.
import { useRef } from "preact/hooks";
import type { AccountView } from "../../admin/money/accounts.ts";
import { makeIdempotencyKey } from "../browser.ts";
import { sendChange } from "../frame/api.ts";
import { formatUsd } from "../frame/format.ts";
import { useForm } from "../frame/task.ts";
import { FormDialog } from "../parts/dialog.tsx";
import { TextField } from "../parts/field.tsx";
import { Notice } from "../parts/states.tsx";
import { toast } from "../parts/toast.tsx";

interface MoneyFormProps {
  readonly account: AccountView;
  readonly onClose: () => void;
  readonly onDone: () => Promise<unknown>;
}

/** Returns a function that sends an order. A retry after a lost answer is the same order; another body makes it a new one. */
export function useOrder({ account, onClose, onDone }: MoneyFormProps) {
  const once = useRef({ of: "", name: "" });
  return async (path: string, body: object) => {
    const of = JSON.stringify(body);
    if (once.current.of !== of) once.current = { of, name: makeIdempotencyKey() };
    const headers = { "idempotency-key": once.current.name };
    const after = await sendChange<AccountView>("POST", `/accounts/${account.id}/${path}`, body, headers);
    toast(`The balance of ${account.name} is now ${formatUsd(after.balance_usd)}`);
    await onDone();
    onClose();
  };
}

/** The amount, and above 10,000 USD the amount once more. */
export function readAmount(draft: { readonly amount_usd: string; readonly confirm_amount_usd: string }) {
  const again = draft.confirm_amount_usd.trim();
  return {
    amount_usd: Number(draft.amount_usd),
    ...(again === "" ? {} : { confirm_amount_usd: Number(again) }),
  };
}

const CONFIRMED_ABOVE = 10_000;

export function mustConfirm({ amount_usd }: { readonly amount_usd: string }): boolean {
  return Math.abs(Number(amount_usd)) > CONFIRMED_ABOVE;
}

export function Adjustment(props: MoneyFormProps) {
  const { account, onClose } = props;
  const order = useOrder(props);
  const form = useForm(
    () => ({ amount_usd: "", confirm_amount_usd: "", reason: "" }),
    (draft) => order("adjustments", { ...readAmount(draft), reason: draft.reason.trim() }),
  );
  return (
    <FormDialog title={`Adjust ${account.name}`} action="Adjust" form={form} onClose={onClose}>
      <p class="soft">{formatUsd(account.balance_usd)} are free, and at most that can be taken.</p>
      <TextField
        label="Amount in USD"
        hint="Negative to take from the balance"
        type="number"
        step="any"
        isRequired
        isFocused
        {...form.field("amount_usd")}
      />
      {mustConfirm(form.draft) && (
        <TextField
          label="The same amount again"
          type="number"
          step="any"
          isRequired
          {...form.field("confirm_amount_usd")}
        />
      )}
      <TextField label="Reason" isRequired {...form.field("reason")} />
    </FormDialog>
  );
}

/** Closes an account, or opens a closed one again. */
export function Closing(props: MoneyFormProps) {
  const { account, onClose } = props;
  const isOpen = account.state === "open" || account.state === "paused";
  const order = useOrder(props);
  const form = useForm(
    () => ({ reason: "" }),
    ({ reason }) =>
      order(isOpen ? "close" : "reopen", { ...(isOpen ? { pay_out: true } : {}), reason: reason.trim() }),
  );
  const verb = isOpen ? "Close" : "Reopen";
  return (
    <FormDialog title={`${verb} ${account.name}`} action={verb} form={form} onClose={onClose}>
      <Notice tone="warn">
        {isOpen
          ? "Its keys are revoked for good, what is kept of it is deleted, and its balance is paid out."
          : "Its keys stay revoked: it needs new ones."}
      </Notice>
      <TextField label="Reason" isRequired isFocused {...form.field("reason")} />
    </FormDialog>
  );
}
