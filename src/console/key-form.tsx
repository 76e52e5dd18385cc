// The form for a new key, or for changing one.
import { useState } from "preact/hooks";
import type { KeyInUseView, NewKeyView } from "../admin/keys.ts";
import { ApiError, change } from "./api.ts";
import { nowMs } from "./browser.ts";
import { DAY_MS } from "./format.ts";
import { useNames } from "./names.ts";
import { FormDialog } from "./parts/dialog.tsx";
import { SelectField, TextField } from "./parts/field.tsx";
import { ModelsField } from "./parts/models-field.tsx";
import { Notice } from "./parts/states.tsx";
import { useDraft, useTask } from "./task.ts";

interface KeyFormProps {
  readonly edited?: KeyInUseView;
  readonly onMade?: (key: NewKeyView) => void;
  readonly onSaved?: () => void;
  readonly onClose: () => void;
}

type Draft = ReturnType<typeof makeDraft>;

const EXPIRY_OPTIONS = [
  { value: "", label: "Never" },
  { value: "1", label: "In a day" },
  { value: "7", label: "In 7 days" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "date", label: "On a date…" },
];
const ALLOWANCE_OPTIONS = [
  { value: "default", label: "Default (see Settings → Limits)" },
  { value: "own", label: "Custom" },
  { value: "unlimited", label: "Unlimited" },
];
const CONTENT_OPTIONS = [
  { value: "yes", label: "May be stored" },
  { value: "no", label: "Never stored" },
];

function makeDraft(key: KeyInUseView | undefined) {
  const perDay = key?.requests_per_day;
  return {
    name: key?.name ?? "",
    account: key?.account_id ?? "default",
    /** Empty for never, a number of days, or `date`. */
    expiry: key?.expires_at ? "date" : "",
    date: key?.expires_at?.slice(0, 10) ?? "",
    allowance: perDay === null ? "unlimited" : typeof perDay === "number" ? "own" : "default",
    perDay: typeof perDay === "number" ? String(perDay) : "",
    spendLimit: key?.spend_limit_usd?.toString() ?? "",
    keeping: (key?.keep_responses ?? true) ? "yes" : "no",
    addresses: key?.allowed_addresses?.join(" ") ?? "",
    notes: key?.notes ?? "",
  };
}

/** Returns the request's body. For an existing key, it has only the fields that can change. */
function makeBody(draft: Draft, models: readonly string[], edited: KeyInUseView | undefined) {
  const { allowance, perDay } = draft;
  const addresses = draft.addresses.split(/[\s,]+/).filter((one) => one !== "");
  const expiresAt = computeExpiry(draft);
  const isSameDay = edited?.expires_at && expiresAt?.slice(0, 10) === edited.expires_at.slice(0, 10);
  return {
    name: draft.name.trim(),
    ...(edited ? {} : { account_id: draft.account }),
    ...(isSameDay ? {} : { expires_at: expiresAt }),
    allowed_models: models.length === 0 ? null : models,
    requests_per_day: allowance === "own" ? Number(perDay) : allowance === "unlimited" ? null : allowance,
    spend_limit_usd: draft.spendLimit === "" ? null : Number(draft.spendLimit),
    keep_responses: draft.keeping === "yes",
    allowed_addresses: addresses.length === 0 ? null : addresses,
    notes: draft.notes,
  };
}

function computeExpiry({ expiry, date }: Draft): string | null {
  if (expiry === "") return null;
  if (expiry === "date") return date === "" ? null : new Date(`${date}T23:59:59`).toISOString();
  return new Date(nowMs() + Number(expiry) * DAY_MS).toISOString();
}

/** The fields that show their own errors. Any other error is shown below the form. */
const FIELDS_WITH_ERRORS: readonly (string | null)[] = [
  "name",
  "expires_at",
  "requests_per_day",
  "spend_limit_usd",
  "allowed_addresses",
  "notes",
];

export function KeyForm({ edited, onMade, onSaved, onClose }: KeyFormProps) {
  const form = useDraft(() => makeDraft(edited));
  const [models, setModels] = useState(edited?.allowed_models ?? []);
  const task = useTask(async () => {
    const body = makeBody(form.draft, models, edited);
    if (edited) {
      await change("PATCH", `/keys/${edited.id}`, body);
      onSaved?.();
    } else {
      onMade?.(await change<NewKeyView>("POST", "/keys", body));
    }
  });
  const param = task.failed instanceof ApiError ? task.failed.param : null;
  const errorOf = (name: string) => (param === name ? task.error : null);
  return (
    <FormDialog
      title={edited ? `Edit ${edited.name}` : "Add New Key"}
      action={edited ? "Save" : "Create key"}
      task={task}
      onClose={onClose}
    >
      <TextField
        label="Name"
        placeholder="my-app"
        isRequired
        isFocused
        {...form.field("name")}
        error={errorOf("name")}
      />
      <OwnerFields {...{ form, errorOf }} isNew={!edited} />
      <ModelsField chosen={models} onChange={setModels} />
      <LimitFields {...{ form, errorOf }} />
      <TextField
        label="Allowed addresses"
        hint="IP addresses and blocks of clients that may use it, separated by spaces; empty means all"
        placeholder="203.0.113.7 10.0.0.0/8"
        {...form.field("addresses")}
        error={param?.startsWith("allowed_addresses") ? task.error : null}
      />
      <TextField
        label="Notes"
        hint="For operators only"
        rows={2}
        {...form.field("notes")}
        error={errorOf("notes")}
      />
      {task.error !== null && !FIELDS_WITH_ERRORS.includes(param?.replace(/\[.*/, "") ?? null) && (
        <Notice tone="bad">{task.error}</Notice>
      )}
    </FormDialog>
  );
}

interface FieldsProps {
  readonly form: ReturnType<typeof useDraft<keyof Draft>>;
  readonly errorOf: (name: string) => string | null;
}

/** The key's account and expiry date. */
function OwnerFields({ form, errorOf, isNew }: FieldsProps & { readonly isNew: boolean }) {
  const { accounts } = useNames();
  const options = accounts.map(({ id, name }) => ({ value: id, label: name }));
  const isDated = form.draft.expiry === "date";
  return (
    <div class="two">
      {isNew && (
        <SelectField
          label="Account"
          hint="Pays for requests beyond the allowance"
          options={options.length > 0 ? options : [{ value: "default", label: "default" }]}
          {...form.field("account")}
        />
      )}
      <SelectField
        label="Expires"
        options={EXPIRY_OPTIONS}
        {...form.field("expiry")}
        error={isDated ? null : errorOf("expires_at")}
      />
      {isDated && (
        <TextField
          label="Expiry date"
          type="date"
          isRequired
          {...form.field("date")}
          error={errorOf("expires_at")}
        />
      )}
    </div>
  );
}

function LimitFields({ form, errorOf }: FieldsProps) {
  return (
    <div class="two">
      <SelectField label="Daily allowance" options={ALLOWANCE_OPTIONS} {...form.field("allowance")} />
      {form.draft.allowance === "own" && (
        <TextField
          label="Free requests per day"
          type="number"
          min={0}
          isRequired
          {...form.field("perDay")}
          error={errorOf("requests_per_day")}
        />
      )}
      <TextField
        label="Spend limit in USD"
        hint="For the key's whole lifetime; empty means none"
        type="number"
        min={0}
        step="any"
        {...form.field("spendLimit")}
        error={errorOf("spend_limit_usd")}
      />
      <SelectField
        label="Conversations of /v1/responses"
        hint="Only has an effect if responses.keep is set"
        options={CONTENT_OPTIONS}
        {...form.field("keeping")}
      />
    </div>
  );
}
