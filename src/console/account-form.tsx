// The form of an account: its name.
import { useState } from "preact/hooks";
import type { AccountView } from "../admin/accounts.ts";
import { change, readMessage } from "./api.ts";
import { FormDialog } from "./parts/dialog.tsx";
import { TextField } from "./parts/field.tsx";
import { useTask } from "./task.ts";

interface AccountFormProps {
  readonly edited?: AccountView;
  readonly onSaved: (account: AccountView) => void;
  readonly onClose: () => void;
}

export function AccountForm({ edited, onSaved, onClose }: AccountFormProps) {
  const [name, setName] = useState(edited?.name ?? "");
  const task = useTask(async () => {
    const path = edited ? `/accounts/${edited.id}` : "/accounts";
    onSaved(await change<AccountView>(edited ? "PATCH" : "POST", path, { name: name.trim() }));
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
        value={name}
        onInput={setName}
        error={task.failed === null ? null : readMessage(task.failed)}
      />
    </FormDialog>
  );
}
