// The form for a new key, or for changing one.
import type { CheckedKeyDetailView, CheckedNewKeyView } from "../admin/key-warnings.ts";
import type { KeyInUseView } from "../admin/keys-in-use.ts";
import { KEY_FIELDS } from "../core/fields/key.ts";
import { change } from "./api.ts";
import { makeBody, makeDraft, renderControls } from "./field-form.tsx";
import { LimitBars } from "./limit-bars.tsx";
import { FormDialog } from "./parts/dialog.tsx";
import { Warnings } from "./parts/states.tsx";
import { useResource } from "./resource.ts";
import { useForm } from "./task.ts";

const EVERY_MS = 5000;

interface KeyFormProps {
  readonly edited?: KeyInUseView;
  readonly onMade?: (key: CheckedNewKeyView) => void;
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
        onMade?.(await change<CheckedNewKeyView>("POST", "/keys", body));
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
      {edited && <KeyStanding id={edited.id} />}
      {renderControls(KEY_FIELDS, form, edited)}
    </FormDialog>
  );
}

/** Shows what is used of a key's limits, and what its operator may not have meant. */
function KeyStanding({ id }: { readonly id: string }) {
  const { data } = useResource<CheckedKeyDetailView>(`/keys/${id}`, EVERY_MS);
  if (!data) return null;
  const { limits, warnings = [] } = data;
  return (
    <>
      <Warnings of={warnings} />
      {limits.length > 0 && <LimitBars limits={limits} of="key" />}
    </>
  );
}
