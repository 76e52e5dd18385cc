// The form of a key: a new one, or what may be changed of one.
import { useState } from "preact/hooks";
import type { KeyInUseView, NewKeyView } from "../admin/keys.ts";
import { ApiError, change, readMessage } from "./api.ts";
import { nowMs } from "./browser.ts";
import { DAY_MS } from "./format.ts";
import { useNames } from "./names.ts";
import { FormDialog } from "./parts/dialog.tsx";
import { SelectField, TextField } from "./parts/field.tsx";
import { ModelsField } from "./parts/models-field.tsx";
import { Notice } from "./parts/states.tsx";
import { useTask } from "./task.ts";

interface KeyFormProps {
  readonly edited?: KeyInUseView;
  readonly onMade?: (key: NewKeyView) => void;
  readonly onSaved?: () => void;
  readonly onClose: () => void;
}

interface Draft {
  readonly name: string;
  readonly account: string;
  /** `keep`, empty for never, a number of days, or `date`. */
  readonly expiry: string;
  readonly date: string;
  readonly models: readonly string[];
  readonly allowance: "default" | "unlimited" | "own";
  readonly perDay: string;
  readonly spendLimit: string;
  readonly keepsResponses: boolean;
}

const EXPIRIES = [
  { value: "", label: "Never" },
  { value: "1", label: "In a day" },
  { value: "7", label: "In 7 days" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "date", label: "On a date…" },
];
const ALLOWANCES = [
  { value: "default", label: "As everybody (Settings → Limits)" },
  { value: "own", label: "A number of its own" },
  { value: "unlimited", label: "Unlimited" },
];
const KEEPING = [
  { value: "yes", label: "May be kept" },
  { value: "no", label: "Never kept" },
];

function makeDraft(key: KeyInUseView | undefined): Draft {
  const perDay = key?.requests_per_day;
  return {
    name: key?.name ?? "",
    account: key?.account_id ?? "default",
    expiry: key?.expires_at ? "date" : "",
    date: key?.expires_at?.slice(0, 10) ?? "",
    models: key?.allowed_models ?? [],
    allowance: perDay === null ? "unlimited" : typeof perDay === "number" ? "own" : "default",
    perDay: typeof perDay === "number" ? String(perDay) : "",
    spendLimit: key?.spend_limit_usd?.toString() ?? "",
    keepsResponses: key?.keep_responses ?? true,
  };
}

/** The body of the call; only what may be changed of a key that there is. */
function makeBody(draft: Draft, edited: KeyInUseView | undefined) {
  const expiresAt = expiryOf(draft);
  const isSameDay = edited?.expires_at && expiresAt?.slice(0, 10) === edited.expires_at.slice(0, 10);
  return {
    name: draft.name.trim(),
    ...(edited ? {} : { account_id: draft.account }),
    ...(isSameDay ? {} : { expires_at: expiresAt }),
    allowed_models: draft.models.length === 0 ? null : draft.models,
    requests_per_day:
      draft.allowance === "default"
        ? "default"
        : draft.allowance === "unlimited"
          ? null
          : Number(draft.perDay),
    spend_limit_usd: draft.spendLimit === "" ? null : Number(draft.spendLimit),
    keep_responses: draft.keepsResponses,
  };
}

function expiryOf({ expiry, date }: Draft): string | null {
  if (expiry === "") return null;
  if (expiry === "date") return date === "" ? null : new Date(`${date}T23:59:59`).toISOString();
  return new Date(nowMs() + Number(expiry) * DAY_MS).toISOString();
}

export function KeyForm({ edited, onMade, onSaved, onClose }: KeyFormProps) {
  const [draft, setDraft] = useState(() => makeDraft(edited));
  const set = (fields: Partial<Draft>) => setDraft({ ...draft, ...fields });
  const task = useTask(async () => {
    const body = makeBody(draft, edited);
    if (edited) {
      await change("PATCH", `/keys/${edited.id}`, body);
      onSaved?.();
    } else {
      onMade?.(await change<NewKeyView>("POST", "/keys", body));
    }
  });
  return (
    <FormDialog
      title={edited ? `Edit ${edited.name}` : "Add New Key"}
      action={edited ? "Save" : "Create key"}
      task={task}
      onClose={onClose}
    >
      <Fields draft={draft} set={set} isNew={!edited} error={task.failed} />
    </FormDialog>
  );
}

interface FieldsProps {
  readonly draft: Draft;
  readonly set: (fields: Partial<Draft>) => void;
  readonly isNew: boolean;
  readonly error: unknown;
}

function Fields({ draft, set, isNew, error }: FieldsProps) {
  const { accounts } = useNames();
  const param = error instanceof ApiError ? error.param : null;
  const errorOf = (name: string) => (param === name ? readMessage(error) : null);
  const isElsewhere =
    error !== null && !["name", "expires_at", "requests_per_day", "spend_limit_usd"].includes(param ?? "");
  const accountOptions = accounts.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <>
      <TextField
        label="Name"
        placeholder="my-app"
        isRequired
        isFocused
        value={draft.name}
        onInput={(name) => set({ name })}
        error={errorOf("name")}
      />
      <div class="two">
        {isNew && (
          <SelectField
            label="Account"
            hint="Who pays beyond the allowance"
            value={draft.account}
            options={accountOptions.length > 0 ? accountOptions : [{ value: "default", label: "default" }]}
            onChange={(account) => set({ account })}
          />
        )}
        <SelectField
          label="Expires"
          value={draft.expiry}
          options={EXPIRIES}
          onChange={(expiry) => set({ expiry })}
          error={draft.expiry === "date" ? null : errorOf("expires_at")}
        />
        {draft.expiry === "date" && (
          <TextField
            label="Last day"
            type="date"
            isRequired
            value={draft.date}
            onInput={(date) => set({ date })}
            error={errorOf("expires_at")}
          />
        )}
      </div>
      <ModelsField chosen={draft.models} onChange={(models) => set({ models })} />
      <LimitFields draft={draft} set={set} errorOf={errorOf} />
      {isElsewhere && <Notice tone="bad">{readMessage(error)}</Notice>}
    </>
  );
}

interface LimitFieldsProps extends Pick<FieldsProps, "draft" | "set"> {
  readonly errorOf: (name: string) => string | null;
}

function LimitFields({ draft, set, errorOf }: LimitFieldsProps) {
  const chosen = (value: string): Draft["allowance"] =>
    value === "own" || value === "unlimited" ? value : "default";
  return (
    <div class="two">
      <SelectField
        label="Requests a day"
        value={draft.allowance}
        options={ALLOWANCES}
        onChange={(value) => set({ allowance: chosen(value) })}
      />
      {draft.allowance === "own" && (
        <TextField
          label="Free requests a day"
          type="number"
          min={0}
          isRequired
          value={draft.perDay}
          onInput={(perDay) => set({ perDay })}
          error={errorOf("requests_per_day")}
        />
      )}
      <TextField
        label="Spend limit in USD"
        hint="Over the key's whole life; empty: none"
        type="number"
        min={0}
        step="any"
        value={draft.spendLimit}
        onInput={(spendLimit) => set({ spendLimit })}
        error={errorOf("spend_limit_usd")}
      />
      <SelectField
        label="Conversations of /v1/responses"
        hint="Where responses.keep is set"
        value={draft.keepsResponses ? "yes" : "no"}
        options={KEEPING}
        onChange={(value) => set({ keepsResponses: value === "yes" })}
      />
    </div>
  );
}
