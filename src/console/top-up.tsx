// Putting money on an account: once, however often the button is pressed.
import { useRef, useState } from "preact/hooks";
import type { AccountView } from "../admin/accounts.ts";
import { change, readMessage } from "./api.ts";
import { uniqueName } from "./browser.ts";
import { usd } from "./format.ts";
import { Button } from "./parts/button.tsx";
import { FormDialog } from "./parts/dialog.tsx";
import { TextField } from "./parts/field.tsx";
import { toast } from "./parts/toast.tsx";
import { useTask } from "./task.ts";

const AMOUNTS = [10, 50, 100, 500];

interface TopUpProps {
  readonly account: AccountView;
  readonly onClose: () => void;
  readonly onDone: () => Promise<unknown>;
}

export function TopUp({ account, onClose, onDone }: TopUpProps) {
  const [amount, setAmount] = useState("");
  const [note, setNote] = useState("");
  // A try whose answer was lost is the same top-up again; another amount is another one.
  const once = useRef({ of: "", name: "" });
  const task = useTask(async () => {
    const body = { amount_usd: Number(amount), ...(note.trim() === "" ? {} : { note: note.trim() }) };
    const of = JSON.stringify(body);
    if (once.current.of !== of) once.current = { of, name: uniqueName() };
    const path = `/accounts/${account.id}/topups`;
    const after = await change<AccountView>("POST", path, body, { "idempotency-key": once.current.name });
    toast(`${account.name} has ${usd(after.balance_usd)}`);
    await onDone();
    onClose();
  });
  return (
    <FormDialog title={`Top up ${account.name}`} action="Top up" task={task} onClose={onClose}>
      <p class="soft">The balance is {usd(account.balance_usd)} now.</p>
      <TextField
        label="Amount in USD"
        type="number"
        min={0}
        step="any"
        isRequired
        isFocused
        value={amount}
        onInput={setAmount}
        error={task.failed === null ? null : readMessage(task.failed)}
      />
      <div class="row">
        {AMOUNTS.map((one) => (
          <Button key={one} isTiny onClick={() => setAmount(String(one))}>
            ${one}
          </Button>
        ))}
      </div>
      <TextField label="Note" placeholder="Invoice number" value={note} onInput={setNote} />
    </FormDialog>
  );
}
