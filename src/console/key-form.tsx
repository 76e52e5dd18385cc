// The form for a new key, or for changing one.
import type { KeyInUseView, NewKeyView } from "../admin/keys.ts";
import { KEY_FIELDS } from "../core/fields/key.ts";
import { change } from "./api.ts";
import { makeBody, makeDraft, renderControls } from "./field-form.tsx";
import { FormDialog } from "./parts/dialog.tsx";
import { useForm } from "./task.ts";

interface KeyFormProps {
  readonly edited?: KeyInUseView;
  readonly onMade?: (key: NewKeyView) => void;
  readonly onSaved?: () => void;
  readonly onClose: () => void;
}

export function KeyForm({ edited, onMade, onSaved, onClose }: KeyFormProps) {
  const form = useForm(
    () => makeDraft(KEY_FIELDS, edited),
    async (draft) => {
      const body = makeBody(KEY_FIELDS, draft, edited);
      if (edited) {
        await change("PATCH", `/keys/${edited.id}`, body);
        onSaved?.();
      } else {
        onMade?.(await change<NewKeyView>("POST", "/keys", body));
      }
    },
  );
  return (
    <FormDialog
      title={edited ? `Edit ${edited.name}` : "Add New Key"}
      action={edited ? "Save" : "Create key"}
      form={form}
      onClose={onClose}
    >
      {renderControls(KEY_FIELDS, form, edited)}
    </FormDialog>
  );
}
