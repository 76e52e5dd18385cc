// The form for a new key, or for changing one.
import type { CheckedKeyDetailView, CheckedNewKeyView } from "../../admin/keys/key-warnings.ts";
import type { KeyInUseView } from "../../admin/keys/keys-in-use.ts";
import type { Field } from "../../core/fields/field.ts";
import { KEY_FIELDS } from "../../core/fields/key.ts";
import { sendChange } from "../frame/api.ts";
import { useResource } from "../frame/resource.ts";
import {
  findFirstPayer,
  findKeyRole,
  findPayers,
  may,
  ROLES,
  type SessionRole,
  session,
} from "../frame/session.ts";
import { useForm } from "../frame/task.ts";
import { LimitBars } from "../limits/limit-bars.tsx";
import { FormDialog } from "../parts/dialog.tsx";
import { SelectField } from "../parts/field.tsx";
import { makeBody, makeDraft, renderFolded } from "../parts/field-form.tsx";
import { Warnings } from "../parts/states.tsx";

const EVERY_MS = 5000;

interface KeyFormProps {
  readonly edited?: KeyInUseView;
  readonly onMade?: (key: CheckedNewKeyView) => void;
  readonly onSaved?: () => void;
  readonly onClose: () => void;
}

export function KeyForm({ edited, onMade, onSaved, onClose }: KeyFormProps) {
  const form = useForm<string>(
    () => ({ ...makeDraft(KEY_FIELDS, edited), ...(edited ? {} : startDraft()) }),
    async (draft, opened) => {
      if (edited) {
        const body = makeBody(KEY_FIELDS, draft, opened, edited);
        await sendChange("PATCH", `/keys/${edited.id}`, body);
        onSaved?.();
      } else {
        onMade?.(await sendChange<CheckedNewKeyView>("POST", "/keys", makeNewBody(draft)));
      }
    },
  );
  const accountId = form.draft.account_id ?? "";
  const role = findKeyRole(accountId);
  return (
    <FormDialog
      title={edited ? `Edit ${edited.name}` : "Add New Key"}
      action={edited ? "Save" : "Create key"}
      form={form}
      onClose={onClose}
    >
      {edited && <KeyStanding id={edited.id} />}
      {!edited && mayChooseKind(accountId) && (
        <SelectField label="Whose key" options={KIND_OPTIONS} {...form.field("kind")} />
      )}
      {renderFolded(KEY_FIELDS, form, FOLDING, edited, (field) => maySet(field, role))}
      {!edited && role === "member" && (
        <p class="small faint">What you leave as it is follows the defaults of this gateway.</p>
      )}
    </FormDialog>
  );
}

/** Nearly every key needs these, and only a few need another. */
const FOLDING = {
  main: new Set<Field>([KEY_FIELDS.name, KEY_FIELDS.account_id, KEY_FIELDS.budgets]),
  more: "models, expiry, limits, addresses, tags",
};

const KIND_OPTIONS = [
  { value: "service", label: "An application's, which stays when people leave" },
  { value: "personal", label: "My own, which ends with my access" },
];

/** Only people have keys of their own, and those who may make no other needn't be asked. */
function mayChooseKind(accountId: string): boolean {
  return session.value?.actor.kind === "person" && may("keys.write", accountId);
}

function startDraft() {
  return { account_id: findFirstPayer(), kind: "service" };
}

/** Fields that people leave as they are follow the defaults, which stay within the bounds of those below admins. */
function makeNewBody(draft: Readonly<Record<string, string>>) {
  const { account_id = "", kind } = draft;
  const untouched = findKeyRole(account_id) === "admin" ? {} : makeDraft(KEY_FIELDS);
  return {
    ...makeBody(KEY_FIELDS, draft, untouched),
    account_id,
    ...(mayChooseKind(account_id) ? { kind } : {}),
  };
}

/** The account is asked for only where there are several. */
function maySet({ kind, role = "member" }: Field, own: SessionRole): boolean {
  if (kind === "account" && findPayers()?.length === 1) return false;
  return ROLES.indexOf(role) <= ROLES.indexOf(own);
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
