// The form for a new key, or for changing one.
import { useState } from "preact/hooks";
import type { KeyInUseView, NewKeyView } from "../admin/keys.ts";
import { change } from "./api.ts";
import { nowMs } from "./browser.ts";
import { DAY_MS } from "./format.ts";
import { useNames } from "./names.ts";
import { FormDialog } from "./parts/dialog.tsx";
import { SelectField, TextField } from "./parts/field.tsx";
import { ModelsField } from "./parts/models-field.tsx";
import { useForm } from "./task.ts";

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
    account_id: key?.account_id ?? "default",
    /** Empty for never, a number of days, or `date`. */
    expiry: key?.expires_at ? "date" : "",
    expires_at: key?.expires_at?.slice(0, 10) ?? "",
    allowance: perDay === null ? "unlimited" : typeof perDay === "number" ? "own" : "default",
    requests_per_day: typeof perDay === "number" ? String(perDay) : "",
    spend_limit_usd: key?.spend_limit_usd?.toString() ?? "",
    keep_responses: (key?.keep_responses ?? true) ? "yes" : "no",
    allowed_addresses: key?.allowed_addresses?.join(" ") ?? "",
    notes: key?.notes ?? "",
  };
}

/** Returns the request's body. For an existing key, it has only the fields that can change. */
function makeBody(draft: Draft, models: readonly string[], edited: KeyInUseView | undefined) {
  const { allowance, requests_per_day: perDay, spend_limit_usd: limit } = draft;
  const addresses = draft.allowed_addresses.split(/[\s,]+/).filter((one) => one !== "");
  const expiresAt = computeExpiry(draft);
  const isSameDay = edited?.expires_at && expiresAt?.slice(0, 10) === edited.expires_at.slice(0, 10);
  return {
    name: draft.name.trim(),
    ...(edited ? {} : { account_id: draft.account_id }),
    ...(isSameDay ? {} : { expires_at: expiresAt }),
    allowed_models: models.length === 0 ? null : models,
    requests_per_day: allowance === "own" ? Number(perDay) : allowance === "unlimited" ? null : allowance,
    spend_limit_usd: limit === "" ? null : Number(limit),
    keep_responses: draft.keep_responses === "yes",
    allowed_addresses: addresses.length === 0 ? null : addresses,
    notes: draft.notes,
  };
}

function computeExpiry({ expiry, expires_at: date }: Draft): string | null {
  if (expiry === "") return null;
  if (expiry === "date") return date === "" ? null : new Date(`${date}T23:59:59`).toISOString();
  return new Date(nowMs() + Number(expiry) * DAY_MS).toISOString();
}

/** Makes a key, or changes one. */
function useKeyForm({ edited, onMade, onSaved }: KeyFormProps) {
  const [models, setModels] = useState(edited?.allowed_models ?? []);
  const form = useForm(
    () => makeDraft(edited),
    async (draft) => {
      const body = makeBody(draft, models, edited);
      if (edited) {
        await change("PATCH", `/keys/${edited.id}`, body);
        onSaved?.();
      } else {
        onMade?.(await change<NewKeyView>("POST", "/keys", body));
      }
    },
  );
  return { ...form, models, setModels };
}

export function KeyForm(props: KeyFormProps) {
  const { edited, onClose } = props;
  const form = useKeyForm(props);
  const { field, draft } = form;
  const { accounts } = useNames();
  const payers = accounts.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <FormDialog
      title={edited ? `Edit ${edited.name}` : "Add New Key"}
      action={edited ? "Save" : "Create key"}
      form={form}
      onClose={onClose}
    >
      <TextField label="Name" placeholder="my-app" isRequired isFocused {...field("name")} />
      <div class="two">
        {!edited && (
          <SelectField
            label="Account"
            hint="Pays for requests beyond the allowance"
            options={payers.length > 0 ? payers : [{ value: "default", label: "default" }]}
            {...field("account_id")}
          />
        )}
        <SelectField label="Expires" options={EXPIRY_OPTIONS} {...field("expiry")} />
        {draft.expiry === "date" && (
          <TextField label="Expiry date" type="date" isRequired {...field("expires_at")} />
        )}
      </div>
      <ModelsField chosen={form.models} onChange={form.setModels} />
      <div class="two">
        <SelectField label="Daily allowance" options={ALLOWANCE_OPTIONS} {...field("allowance")} />
        {draft.allowance === "own" && (
          <TextField label="Free requests per day" type="count" isRequired {...field("requests_per_day")} />
        )}
        <TextField
          label="Spend limit in USD"
          hint="For the key's whole lifetime; empty means none"
          type="amount"
          {...field("spend_limit_usd")}
        />
        <SelectField
          label="Conversations of /v1/responses"
          hint="Only has an effect if responses.keep is set"
          options={CONTENT_OPTIONS}
          {...field("keep_responses")}
        />
      </div>
      <TextField
        label="Allowed addresses"
        hint="IP addresses and blocks of clients that may use it, separated by spaces; empty means all"
        placeholder="203.0.113.7 10.0.0.0/8"
        {...field("allowed_addresses")}
      />
      <TextField label="Notes" hint="For operators only" rows={2} {...field("notes")} />
    </FormDialog>
  );
}
