// A key's secret, shown once when the key is made or its secret replaced, and the form that replaces it.
import type { CheckedNewKeyView } from "../../admin/keys/key-warnings.ts";
import type { KeyInUseView } from "../../admin/keys/keys-in-use.ts";
import { getGatewayUrl } from "../browser.ts";
import { sendChange } from "../frame/api.ts";
import { formatFullTime } from "../frame/format.ts";
import { useForm } from "../frame/task.ts";
import { Button, CopyButton } from "../parts/button.tsx";
import { ClientTabs } from "../parts/client-tabs.tsx";
import { Dialog, FormDialog } from "../parts/dialog.tsx";
import { SelectField } from "../parts/field.tsx";
import { Notice, Warnings } from "../parts/states.tsx";

interface KeySecretProps {
  readonly made: CheckedNewKeyView;
  readonly onClose: () => void;
}

/** A new secret with each client's setup lines. */
export function KeySecret({ made, onClose }: KeySecretProps) {
  const until = made.old_secret_expires_at;
  const foot = <Button label="Done" kind="main" onClick={onClose} />;
  return (
    <Dialog title={`${made.name} is ready`} isWide isKept onClose={onClose} foot={foot}>
      <Notice tone="warn">
        Copy the key now: it isn't stored and can't be shown again.
        {until && ` The old one works until ${formatFullTime(until)}.`}
      </Notice>
      <Warnings of={made.warnings ?? []} />
      <div class="secret">
        <code>{made.secret}</code>
        <CopyButton text={made.secret} label="Copy key" />
      </div>
      <ClientTabs address={getGatewayUrl()} secret={made.secret} />
    </Dialog>
  );
}

const GRACE_OPTIONS = [
  { value: "", label: "Choose until when" },
  { value: "0s", label: "No longer" },
  { value: "1h", label: "For an hour" },
  { value: "24h", label: "For a day" },
  { value: "7d", label: "For 7 days" },
  { value: "30d", label: "For 30 days" },
];

interface RotateFormProps {
  readonly rotated: Pick<KeyInUseView, "id" | "name"> & { readonly last4?: string };
  /** True if the old secret had better not work any longer. */
  readonly isLeaked?: boolean;
  readonly onMade: (key: CheckedNewKeyView) => void;
  readonly onClose: () => void;
}

export function RotateForm({ rotated, isLeaked = false, onMade, onClose }: RotateFormProps) {
  const form = useForm(
    () => ({ grace: isLeaked ? "0s" : "" }),
    async (draft) => onMade(await sendChange("POST", `/keys/${rotated.id}/rotate`, draft)),
  );
  return (
    <FormDialog title={`Rotate ${rotated.name}?`} action="Rotate key" form={form} onClose={onClose}>
      <p class="soft">
        The key gets a new secret and keeps its limits and usage. Replace the one
        {rotated.last4 && ` that ends in ${rotated.last4}`} in your applications.
      </p>
      <SelectField label="The old secret works" options={GRACE_OPTIONS} isRequired {...form.field("grace")} />
    </FormDialog>
  );
}
