// The form of an account: its name.
import { useState } from "preact/hooks";
import type { AccountView } from "../admin/accounts.ts";
import { change, readMessage } from "./api.ts";
import { Button } from "./parts/button.tsx";
import { Dialog } from "./parts/dialog.tsx";
import { TextField } from "./parts/field.tsx";
import { useTask } from "./task.ts";

interface AccountFormProps {
  readonly edited?: AccountView;
  readonly onSaved: (account: AccountView) => void;
  readonly onClose: () => void;
}

export function AccountForm({ edited, onSaved, onClose }: AccountFormProps) {
  const [name, setName] = useState(edited?.name ?? "");
  const { isBusy, failed, start } = useTask(async () => {
    const path = edited ? `/accounts/${edited.id}` : "/accounts";
    onSaved(await change<AccountView>(edited ? "PATCH" : "POST", path, { name: name.trim() }));
  });
  const foot = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="main" type="submit" form="account-form" isBusy={isBusy}>
        {edited ? "Save" : "Create account"}
      </Button>
    </>
  );
  return (
    <Dialog title={edited ? `Rename ${edited.name}` : "Add account"} onClose={onClose} foot={foot}>
      <form id="account-form" onSubmit={start}>
        <TextField
          label="Name"
          placeholder="Team or customer"
          isRequired
          isFocused
          value={name}
          onInput={setName}
          error={failed === null ? null : readMessage(failed)}
        />
      </form>
    </Dialog>
  );
}
